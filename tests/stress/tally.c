/* See tally.h. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

struct tally tally_make(uint64_t keys, uint64_t salt) {
    struct tally t = {.keys = keys, .salt = salt, .count = calloc(keys + 1, sizeof *t.count)};
    if (t.count == NULL) abort();
    return t;
}

void tally_free(struct tally *t) {
    free(t->count);
    free(t->members.hash);
}

void tally_add(struct tally *t, uint64_t key) {
    t->count[key]++;
    ordered_add(&t->members, key);
}

void tally_clear(struct tally *t) {
    memset(t->count, 0, (t->keys + 1) * sizeof *t->count);
    t->members.first = t->members.end = t->members.live = 0;
}
