/* Any bytes as a file of a filter, a window or a shared filter: load, validate, use; and map the same.
 *
 *     input   [ how ][ the file ... ]      how & 1: make length and checksums right, so as to get past them
 *                                          how & 2: and before that the counters
 *                                          how & 4: the bytes start at an odd address
 *
 * What is refused has nothing to show. What is taken must be valid, take every operation and stay valid, and be the same
 * when it is saved and loaded again. */
#include "fuzz.h"

#include "../fix_sums.h"
#include "fix_counters.h"
#include "window.h"

/* ------------------------------------------------------------------------------------------------------------- filters */

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

/* With a low max_load a few items reserve gigabytes, rightly; and so does a file that says it was made with that many
 * buckets, when it is cleared. */
static bool is_modest(const guira *f) { return f->config.max_load >= 0.1 && f->config.buckets <= 4096; }

static void resize(guira *f) {
    if (!is_modest(f)) return;
    guira_reserve(f, f->items + 200);
    check_valid(f);
    guira_shrink_to_fit(f);
    check_valid(f);
}

/* Into itself, and into one that has grown to another size. */
static void merge(guira *f, uint64_t luck) {
    guira_config c = f->config;
    guira *g;
    if (f->ops->merge == NULL || !is_modest(f)) return;
    c.capacity = 64 * (luck % 8);
    CHECK(guira_create(&c, &g) == GUIRA_OK);
    for (unsigned i = 0; i < 40; i++) guira_insert_hash(g, mix(luck * 5 + i));
    guira_status s = guira_merge(g, f);
    CHECK(s != GUIRA_OK || g->items == f->items + 40);
    check_valid(g);
    guira_destroy(g);
    guira_merge(f, f);
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
    merge(f, luck);
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
    if (is_modest(f)) CHECK(guira_clear(f) == GUIRA_OK && f->items == 0);
    check_valid(f);
}

static void map(struct image i, bool loads, uint64_t luck) {
    guira *f, *g;
    guira_status s = map_image(i, &f);
    CHECK(!loads || s == GUIRA_OK);
    if (s == GUIRA_OK) {
        ask(f, luck);
        CHECK((guira_validate(f, NULL) == GUIRA_OK) == loads);
        CHECK(guira_insert_hash(f, 1) == GUIRA_EUNSUPPORTED);
        CHECK((guira_clone(f, &g) == GUIRA_OK) == loads);
        guira_destroy(g);
    }
    guira_destroy(f);
}

static void try_filter(struct image i, uint64_t luck) {
    guira *f;
    guira_status s = guira_load_from(i.at, i.n, &f);
    CHECK((s == GUIRA_OK) == (f != NULL));
    map(i, s == GUIRA_OK, luck);
    if (f != NULL) use(f, luck);
    guira_destroy(f);
}

/* ------------------------------------------------------------------------------------------------------------- windows */

static void check_window_reload(const guira_window *w) {
    struct image i = window_image(w);
    guira_window *v;
    CHECK(guira_window_load_from(i.at, i.n, &v) == GUIRA_OK && digest(&v->filter.head) == digest(&w->filter.head));
    guira_window_destroy(v);
    free(i.at);
}

/* Keys come, and time goes on by as much as it can and as little. */
static void use_window(guira_window *w, uint64_t luck) {
    uint64_t length = w->filter.clock.length;
    bool seen, again;
    for (unsigned i = 0; i < 96; i++) {
        uint64_t now = guira_window_now(w), time = length / 64 + i % 2;
        if (time <= UINT64_MAX - now) now += time;
        CHECK(guira_window_contains_hash(w, mix(luck + i), now, &again) == GUIRA_OK);
        if (guira_window_seen_hash(w, mix(luck + i), now, &seen) != GUIRA_OK) continue;
        CHECK(seen == again);
        CHECK(guira_window_contains_hash(w, mix(luck + i), now, &again) == GUIRA_OK && again);
        if (i % 32 == 0) CHECK(guira_window_validate(w, NULL) == GUIRA_OK);
    }
    check_window_reload(w);
    uint64_t now = guira_window_now(w), time = 3 * (length / 2);
    CHECK(guira_window_tick(w, time <= UINT64_MAX - now ? now + time : UINT64_MAX) == GUIRA_OK);
    CHECK(guira_window_validate(w, NULL) == GUIRA_OK);
    CHECK(guira_window_clear(w) == GUIRA_OK && guira_window_validate(w, NULL) == GUIRA_OK);
}

static void try_window(struct image i, uint64_t luck) {
    guira_window *w;
    guira_status s = guira_window_load_from(i.at, i.n, &w);
    CHECK((s == GUIRA_OK) == (w != NULL));
    if (w == NULL) return;
    CHECK(guira_window_validate(w, NULL) == GUIRA_OK);
    check_window_reload(w);
    use_window(w, luck);
    guira_window_destroy(w);
}

/* -------------------------------------------------------------------------------------------------------------- shared */

static struct image shared_image(const guira_shared *g) {
    struct image i = {0};
    CHECK(guira_shared_save_to(g, into_image, &i) == GUIRA_OK);
    return i;
}

static void use_shared(guira_shared *g, uint64_t luck) {
    guira_stats s;
    for (unsigned i = 0; i < 64; i++)
        if (guira_shared_insert_hash(g, mix(luck + i)) == GUIRA_OK) CHECK(guira_shared_contains_hash(g, mix(luck + i)));
    CHECK(guira_shared_validate(g, NULL) == GUIRA_OK);
    for (unsigned i = 0; i < 96; i++) guira_shared_remove_hash(g, mix(luck * 3 + i) >> (i % 4 * 16));
    guira_shared_shrink_to_fit(g);
    CHECK(guira_shared_validate(g, NULL) == GUIRA_OK && guira_shared_stats_get(g, &s) == GUIRA_OK);
    CHECK(guira_shared_clear(g) == GUIRA_OK && guira_shared_validate(g, NULL) == GUIRA_OK);
}

static void try_shared(struct image i, uint64_t luck) {
    guira_shared *g;
    guira_status s = guira_shared_load_from(i.at, i.n, &g);
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return;
    CHECK(guira_shared_validate(g, NULL) == GUIRA_OK);
    struct image again = shared_image(g);
    CHECK(again.n == i.n && memcmp(again.at, i.at, i.n) == 0);
    free(again.at);
    use_shared(g, luck);
    guira_shared_destroy(g);
}

/* --------------------------------------------------------------------------------------------------------------- input */

/* Makes right what must be right in n bytes for the rest to be looked at. */
static void fix(uint8_t *bytes, size_t n, bool counters) {
    if (n < HEADER_BYTES) return;
    put_u64(bytes + 24, n);
    if (counters) fix_counters(bytes, n);
    fix_sums(bytes, n);
}

/* The same for a shared filter: each shard is as long as it says, if it can be, and the last has the rest. */
static void fix_shared(uint8_t *bytes, size_t n, bool counters) {
    enum { PREAMBLE = 64 };
    fix_sum(bytes, bytes + PREAMBLE - 8);
    for (size_t at = PREAMBLE; n - at >= HEADER_BYTES;) {
        uint64_t length = get_u64(bytes + at + 24);
        if (length < HEADER_BYTES || length > n - at || n - at - length < HEADER_BYTES) length = n - at;
        fix(bytes + at, (size_t)length, counters);
        at += (size_t)length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n == 0) return 0;
    uint8_t how = data[0], *bytes = malloc(n + 1);
    CHECK(bytes != NULL);
    struct image i = {bytes + (how / 4 & 1), n - 1, n - 1};
    memcpy(i.at, data + 1, i.n);
    bool is_shared = i.n >= 64 && memcmp(i.at, "GUIRAset", 8) == 0;
    if (how & 1) (is_shared ? fix_shared : fix)(i.at, i.n, (how & 2) != 0);
    try_filter(i, how);
    try_window(i, how);
    try_shared(i, how);
    free(bytes);
    return 0;
}
