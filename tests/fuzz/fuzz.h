/* What the fuzzers share. An input is data; what must hold is CHECKed, and a failure ends the process, which is what
 * libFuzzer waits for. */
#ifndef GUIRA_FUZZ_H
#define GUIRA_FUZZ_H

#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "guira.h"
#include "isa.h"
#include "kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CHECK(x)                                                            \
    do {                                                                    \
        if (!(x)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                        \
        }                                                                   \
    } while (0)

static inline uint64_t mix(uint64_t z) { /* splitmix64's finish */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline void into_sum(void *to, const void *bytes, size_t n) { XXH3_64bits_update(to, bytes, n); }

/* Of everything that decides what the filter will do. */
static inline uint64_t digest(const guira *f) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    f->ops->dump(f, into_sum, &state);
    return XXH3_64bits_digest(&state);
}

static inline void check_valid(const guira *f) {
    const char *reason = NULL;
    if (guira_validate(f, &reason) == GUIRA_OK) return;
    fprintf(stderr, "invalid: %s\n", reason);
    abort();
}

/* A filter's file in memory. */
struct image {
    uint8_t *at;
    size_t n, room;
};

static inline bool into_image(void *to, const void *bytes, size_t n) {
    struct image *i = to;
    CHECK(n <= i->room - i->n);
    memcpy(i->at + i->n, bytes, n);
    i->n += n;
    return true;
}

/* To be freed by the caller. */
static inline struct image image_of(const guira *f) {
    size_t room = guira_saved_size(f);
    struct image i = {malloc(room), 0, room};
    CHECK(i.at != NULL && guira_save_to(f, into_image, &i) == GUIRA_OK && i.n == room);
    return i;
}

#endif
