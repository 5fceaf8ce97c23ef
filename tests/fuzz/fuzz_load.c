/* Any bytes as a file: load, validate, use; and map the same.
 *
 *     input   [ how ][ the file ... ]      how & 1: make length and checksums right, so as to get past them
 *                                          how & 2: and before that the counters
 *
 * What is refused has nothing to show. What is taken must be valid, take every operation and stay valid, and be the same
 * when it is saved and loaded again. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../fix_sums.h"
#include "fix_counters.h"

static void ask(const guira *f, uint64_t luck) {
    guira_stats s;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t hash = mix(luck + i) >> (i % 4 * 16);
        bool there = guira_contains_hash(f, hash), again;
        CHECK(there == (f->ops->count(f, hash) > 0));
        CHECK(guira_contains_hash_many(f, &hash, 1, &again) == there && again == there);
    }
    CHECK(guira_stats_get(f, &s) == GUIRA_OK);
}

static void check_reload(const guira *f) {
    struct image i = image_of(f);
    guira *g;
    CHECK(guira_load_from(i.at, i.n, &g) == GUIRA_OK && digest(g) == digest(f));
    guira_destroy(g);
    free(i.at);
}

/* With a low max_load a few items reserve gigabytes, rightly. */
static void resize(guira *f) {
    if (f->config.max_load < 0.1) return;
    guira_reserve(f, f->items + 200);
    check_valid(f);
    guira_shrink_to_fit(f);
    check_valid(f);
}

static void change(guira *f, uint64_t luck) {
    uint64_t hash[96];
    for (unsigned i = 0; i < 96; i++) {
        hash[i] = mix(luck + i);
        guira_status s = guira_insert_hash(f, hash[i]);
        if (s == GUIRA_OK) CHECK(guira_contains_hash(f, hash[i]));
        else hash[i] = 0;
    }
    for (unsigned i = 0; i < 96; i++)
        if (hash[i] != 0) CHECK(guira_contains_hash(f, hash[i]));
    check_valid(f);
    resize(f);
    for (unsigned i = 0; i < 64; i++)
        if (hash[i] != 0) CHECK(guira_remove_hash(f, hash[i]) == GUIRA_OK);
    for (unsigned i = 0; i < 200; i++) guira_remove_hash(f, mix(luck * 3 + i) >> (i % 4 * 16));
    check_valid(f);
}

static void use(guira *f, uint64_t luck) {
    guira *g;
    check_valid(f);
    ask(f, luck);
    check_reload(f);
    CHECK(guira_clone(f, &g) == GUIRA_OK && digest(g) == digest(f));
    change(f, luck);
    change(g, luck);
    CHECK(digest(g) == digest(f));
    guira_destroy(g);
    check_reload(f);
    CHECK(guira_clear(f) == GUIRA_OK && f->items == 0);
    check_valid(f);
}

static void map(const uint8_t *bytes, size_t n, bool loads, uint64_t luck) {
    char path[64];
    guira *f, *g;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    guira_status s = guira_map(path, &f);
    CHECK(!loads || s == GUIRA_OK);
    if (s == GUIRA_OK) {
        ask(f, luck);
        CHECK((guira_validate(f, NULL) == GUIRA_OK) == loads);
        CHECK(guira_insert_hash(f, 1) == GUIRA_EUNSUPPORTED);
        CHECK((guira_clone(f, &g) == GUIRA_OK) == loads);
        guira_destroy(g);
    }
    guira_destroy(f);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n == 0) return 0;
    uint8_t how = data[0], *bytes = malloc(n); /* one too many, for n = 1 */
    guira *f;
    CHECK(bytes != NULL);
    memcpy(bytes, data + 1, --n);
    if (how & 1 && n >= HEADER_BYTES) {
        put_u64(bytes + 24, n);
        if (how & 2) fix_counters(bytes, n);
        fix_sums(bytes, n);
    }
    guira_status s = guira_load_from(bytes, n, &f);
    CHECK((s == GUIRA_OK) == (f != NULL));
    map(bytes, n, s == GUIRA_OK, how);
    if (f != NULL) use(f, how);
    guira_destroy(f);
    free(bytes);
    return 0;
}
