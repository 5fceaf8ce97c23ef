/* See redis_slot.h. */
#include "redis_slot.h"

#define XXH_INLINE_ALL
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* CRC-16/XMODEM, as defined by Redis Cluster. It is only computed for names of keys, so one bit at a time is fast
 * enough. */
static unsigned crc16(const char *s, size_t n) {
    unsigned crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned)(unsigned char)s[i] << 8;
        for (int bit = 0; bit < 8; bit++) crc = (crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
    }
    return crc;
}

unsigned slot_of(const char *key, size_t n) {
    const char *open = memchr(key, '{', n), *end = key + n;
    const char *close = open != NULL ? memchr(open, '}', (size_t)(end - open)) : NULL;
    bool tagged = close != NULL && close > open + 1;
    return (tagged ? crc16(open + 1, (size_t)(close - open - 1)) : crc16(key, n)) % SLOTS;
}

/* Goes through the numbers 0, 1, 2, ... The first number whose slot is in the range of a shard becomes its tag. */
void shard_tags(unsigned n, unsigned *tag) {
    bool found_tag[MAX_SHARDS] = {false};
    char text[12];
    for (unsigned number = 0, found = 0; found < n; number++) {
        int length = snprintf(text, sizeof text, "%u", number);
        unsigned range = slot_of(text, (size_t)length) * n / SLOTS;
        if (found_tag[range]) continue;
        found_tag[range] = true;
        tag[range] = number;
        found++;
    }
}

uint64_t shard_hash(const void *item, size_t n) { return XXH64(item, n, 0); }
