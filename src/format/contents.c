/* See contents.h. */
#include "format/contents.h"

#include <string.h>

static const uint8_t magic[8] = {'G', 'U', 'I', 'R', 'A', 's', 'e', 't'};

enum { VERSION = 1, SUM_AT = SHARED_PREAMBLE - 8 };

void guira__preamble_encode(uint8_t p[SHARED_PREAMBLE], uint64_t shards) {
    memset(p, 0, SHARED_PREAMBLE);
    memcpy(p, magic, sizeof magic);
    put_u64(p + 8, VERSION);
    put_u64(p + 16, shards);
    put_u64(p + SUM_AT, guira__checksum(p, SUM_AT));
}

guira_status guira__preamble_read(const uint8_t p[SHARED_PREAMBLE], unsigned *shards) {
    uint8_t again[SHARED_PREAMBLE];
    uint64_t n = get_u64(p + 16);
    if (memcmp(p, magic, sizeof magic) != 0 || get_u64(p + 8) != VERSION) return GUIRA_EFORMAT;
    guira__preamble_encode(again, n);
    if (memcmp(p, again, SHARED_PREAMBLE) != 0 || n == 0 || n > MAX_SHARDS || (n & (n - 1)) != 0) return GUIRA_ECORRUPT;
    *shards = (unsigned)n;
    return GUIRA_OK;
}
