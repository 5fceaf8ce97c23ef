/* A mapped file that another program changes: whatever it becomes, nothing crashes, and a clone is a working filter or none.
 *
 *     input   [ how ][ changes ][ offset: 2 bytes, bits to flip: 1 byte ] ... [ the file ]
 *
 * how & 1: repair the checksums before the file is mapped, so that there is something to change. */
#include "fuzz.h"

#include "repair.h"

enum { MOST_CHANGES = 32 };

static void use(const guira *f) {
    guira_stats s = GUIRA_STATS_INIT;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t hash = mix(i) >> (i % 4 * 16);
        guira_contains_hash(f, hash);
        guira_count_hash(f, hash);
    }
    CHECK(guira_stats_get(f, &s) == GUIRA_OK);
}

/* A clone is checked after it was copied. A loaded filter with a low max_load may rightly take gigabytes when it grows. */
static void use_clone(const guira *f) {
    guira *g;
    guira_status s = guira_clone(f, &g);
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return;
    check_valid(g);
    bool modest = guira__config_of(g).max_load >= 0.1 && guira__config_of(g).buckets <= 4096;
    for (unsigned i = 0; i < 32 && modest; i++)
        if (guira_insert_hash(g, mix(i)) == GUIRA_OK) CHECK(guira_contains_hash(g, mix(i)));
    check_valid(g);
    guira_destroy(g);
}

static void save_changed(const guira *f) {
    struct image i = {0};
    guira_save_to(f, into_image, &i);
    free(i.at);
}

static void flip(int fd, uint64_t offset, uint8_t bits, size_t n) {
    uint8_t byte;
    if (n == 0) return;
    off_t at = (off_t)(offset % n);
    CHECK(pread(fd, &byte, 1, at) == 1);
    byte ^= bits;
    CHECK(pwrite(fd, &byte, 1, at) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct cursor in = {data, n};
    uint64_t how = take_number(&in, 1), changes = take_number(&in, 1) % MOST_CHANGES;
    struct cursor change = in;
    if (n < 2 || in.n < 3 * changes) return 0;
    in.at += 3 * changes;
    in.n -= (size_t)(3 * changes);
    char *bytes = take_text(&in, in.n);
    size_t length = n - 2 - (size_t)(3 * changes);
    if (how & 1) repair_length_and_checksums((uint8_t *)bytes, length);
    char path[64];
    guira *f;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (guira_map(path, &f) == GUIRA_OK) {
        use(f);
        for (unsigned i = 0; i < changes; i++) {
            uint64_t offset = take_number(&change, 2);
            flip(fd, offset, (uint8_t)take_number(&change, 1), length);
            use(f);
        }
        guira_validate(f, NULL);
        use_clone(f);
        save_changed(f);
        guira_destroy(f);
    }
    close(fd);
    free(bytes);
    return 0;
}
