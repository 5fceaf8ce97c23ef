/* See retire.h. */
#include "shared/retire.h"

void guira__retired_free(struct retired *r) {
    if (r->n > 0) r->wait();
    while (r->n > 0) {
        r->n--;
        r->block[r->n].end(r->block[r->n].start, r->block[r->n].size);
    }
    r->bytes = 0;
}

void guira__retire(struct retired *r, void *start, size_t size, void (*end)(void *start, size_t size)) {
    if (r->n == RETIRED_BLOCKS || r->bytes > RETIRED_BYTES) guira__retired_free(r);
    r->block[r->n].start = start;
    r->block[r->n].size = size;
    r->block[r->n].end = end;
    r->n++;
    r->bytes += size;
}
