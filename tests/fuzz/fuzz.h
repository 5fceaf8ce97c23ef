/* Shared by the fuzzers of the library. */
#ifndef GUIRA_FUZZ_H
#define GUIRA_FUZZ_H

#include "fuzz_input.h"

#define XXH_INLINE_ALL
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "guira.h"
#include "guira_window.h"
#include "isa_support.h"
#include "kinds/kinds.h"
#include "filter/filter.h"

static inline uint64_t mix(uint64_t z) { /* splitmix64's finish */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline void into_sum(void *to, const void *bytes, size_t n) { XXH3_64bits_update(to, bytes, n); }

/* A digest of everything that decides what the filter will do. */
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

/* A file in memory, to be freed by the caller. */
struct image {
    uint8_t *at;
    size_t n, room;
};

static inline bool into_image(void *to, const void *bytes, size_t n) {
    struct image *i = to;
    if (n > i->room - i->n) {
        i->room = 2 * i->room + n;
        i->at = realloc(i->at, i->room);
        CHECK(i->at != NULL);
    }
    memcpy(i->at + i->n, bytes, n);
    i->n += n;
    return true;
}

static inline struct image image_of(const guira *f) {
    struct image i = {0};
    CHECK(guira_save_to(f, into_image, &i) == GUIRA_OK && i.n == guira_saved_size(f));
    return i;
}

static inline struct image window_image(const guira_window *w) {
    struct image i = {0};
    CHECK(guira_window_save_to(w, into_image, &i) == GUIRA_OK && i.n == guira_window_saved_size(w));
    return i;
}

/* guira_map of bytes in memory. */
static inline guira_status map_image(struct image i, guira **out) {
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, i.at, i.n) == (ssize_t)i.n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    guira_status s = guira_map(path, out);
    CHECK((s == GUIRA_OK) == (*out != NULL));
    close(fd);
    return s;
}

#endif
