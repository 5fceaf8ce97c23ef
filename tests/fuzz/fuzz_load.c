/* Arbitrary bytes as a file of a filter, a window or a shared filter: load, validate, use, map, view.
 *
 *     input   [ how ][ the file ... ]      how & 1: repair length and checksums, to get past their checks
 *                                          how & 2: before that, repair the counters
 *                                          how & 4: the bytes start at an odd address
 *
 * What loads must be valid, stay valid after every operation, and be the same when it is saved and loaded again. */
#include "fuzz.h"

#include "../repair_checksums.h"
#include "repair_counters.h"
#include "guira_shared.h"
#include "window/window.h"

/* ------------------------------------------------------------------------------------------------------------- filters */

static void look_up(const guira *f, uint64_t seed) {
    guira_stats s = GUIRA_STATS_INIT;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t hash = mix(seed + i) >> (i % 4 * 16);
        bool present = guira_contains_hash(f, hash), again;
        CHECK(present == (f->ops->count(f, hash) > 0));
        CHECK(guira_contains_hash_many(f, &hash, 1, &again) == present && again == present);
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

/* A filter with a low max_load, with many initial buckets or a large capacity may rightly take gigabytes when it is made,
 * resized or cleared. */
static bool is_modest(const guira *f) {
    guira_config c = guira__config_of(f);
    return c.max_load >= 0.1 && c.buckets <= 4096 && c.capacity <= 1 << 22;
}

static void resize(guira *f) {
    if (!is_modest(f)) return;
    guira_reserve(f, f->items + 200);
    check_valid(f);
    guira_shrink_to_fit(f);
    check_valid(f);
}

/* Merges it into itself, and into a filter of another size. */
static void merge(guira *f, uint64_t seed) {
    guira_config c = guira__config_of(f);
    guira *g;
    if (f->ops->merge == NULL || !is_modest(f)) return;
    if (c.kind == GUIRA_TIDAL) c.capacity = 64 * (seed % 8); /* others merge only filters of their own size */
    guira_status s = guira_create(&c, &g);
    CHECK(s == GUIRA_OK ||
          (s == GUIRA_ELIMIT && c.kind == GUIRA_DYNAMIC)); /* its list may not have been made for its capacity */
    if (s != GUIRA_OK) return;
    for (unsigned i = 0; i < 40; i++) guira_insert_hash(g, mix(seed * 5 + i));
    uint64_t before = g->items;
    s = guira_merge(g, f);
    CHECK(g->items == (s == GUIRA_OK ? before + f->items : before));
    check_valid(g);
    guira_destroy(g);
    guira_merge(f, f);
    check_valid(f);
}

static void change(guira *f, uint64_t seed) {
    uint64_t hash[96];
    for (unsigned i = 0; i < 96; i++) {
        hash[i] = mix(seed + i);
        guira_status s = guira_insert_hash(f, hash[i]);
        if (s == GUIRA_OK) CHECK(guira_contains_hash(f, hash[i]));
        else hash[i] = 0;
    }
    for (unsigned i = 0; i < 96; i++)
        if (hash[i] != 0) CHECK(guira_contains_hash(f, hash[i]));
    check_valid(f);
    merge(f, seed);
    resize(f);
    for (unsigned i = 0; i < 64; i++)
        if (hash[i] != 0) CHECK(guira_remove_hash(f, hash[i]) == GUIRA_OK);
    for (unsigned i = 0; i < 200; i++) guira_remove_hash(f, mix(seed * 3 + i) >> (i % 4 * 16));
    check_valid(f);
}

static void use(guira *f, uint64_t seed) {
    guira *g;
    check_valid(f);
    look_up(f, seed);
    check_reload(f);
    CHECK(guira_clone(f, &g) == GUIRA_OK && digest(g) == digest(f));
    change(f, seed);
    change(g, seed);
    CHECK(digest(g) == digest(f));
    guira_destroy(g);
    check_reload(f);
    if (is_modest(f)) CHECK(guira_clear(f) == GUIRA_OK && f->items == 0);
    check_valid(f);
}

static void map(struct image i, bool loads, uint64_t seed) {
    guira *f, *g;
    guira_status s = map_image(i, &f);
    CHECK(!loads || s == GUIRA_OK);
    if (s == GUIRA_OK) {
        look_up(f, seed);
        CHECK((guira_validate(f, NULL) == GUIRA_OK) == loads);
        CHECK(guira_insert_hash(f, 1) == GUIRA_EUNSUPPORTED);
        CHECK((guira_clone(f, &g) == GUIRA_OK) == loads);
        guira_destroy(g);
    }
    guira_destroy(f);
}

/* The same bytes as a view in memory, from an aligned address and from where they are. */
static void view(struct image i, bool loads, uint64_t seed) {
    uint8_t *aligned = aligned_alloc(64, (i.n + 64) / 64 * 64);
    CHECK(aligned != NULL);
    memcpy(aligned, i.at, i.n);
    for (unsigned k = 0; k < 2; k++) {
        guira *f, *g;
        guira_status s = guira_view(k == 0 ? aligned : i.at, i.n, &f);
        CHECK((s == GUIRA_OK) == (f != NULL) && (!loads || s == GUIRA_OK));
        if (f == NULL) continue;
        look_up(f, seed);
        CHECK((guira_clone(f, &g) == GUIRA_OK) == loads);
        guira_destroy(g);
        guira_destroy(f);
    }
    free(aligned);
}

/* What loads is a filter for guira_file_info as well; other bytes it may take for anything, or refuse. */
static void check_info(struct image i, const guira *f) {
    guira_file file = GUIRA_FILE_INIT;
    guira_config c = {.size = sizeof c};
    guira_status s = guira_file_info(i.at, i.n, &file, &c);
    CHECK(s == GUIRA_OK || s == GUIRA_EFORMAT || s == GUIRA_ECORRUPT);
    if (f == NULL) return;
    CHECK(s == GUIRA_OK && file.content == GUIRA_FILE_FILTER && file.bytes == i.n && file.items == f->items);
    s = guira_file_info(i.at, i.n < GUIRA_FILE_START ? i.n : GUIRA_FILE_START, &file, NULL);
    CHECK(s == GUIRA_OK && file.items == f->items);
}

static void try_filter(struct image i, uint64_t seed) {
    guira *f;
    guira_status s = guira_load_from(i.at, i.n, &f);
    CHECK((s == GUIRA_OK) == (f != NULL));
    map(i, s == GUIRA_OK, seed);
    view(i, s == GUIRA_OK, seed);
    check_info(i, f);
    if (f != NULL) use(f, seed);
    guira_destroy(f);
}

/* ------------------------------------------------------------------------------------------------------------- windows */

static void check_window_reload(const guira_window *w) {
    struct image i = window_image(w);
    guira_window *v;
    CHECK(guira_window_load_from(i.at, i.n, &v) == GUIRA_OK && digest(&v->filter->head) == digest(&w->filter->head));
    guira_window_destroy(v);
    free(i.at);
}

/* New keys, at times close together and far apart. */
static void use_window(guira_window *w, uint64_t seed) {
    uint64_t length = w->clock.length;
    bool seen, again;
    for (unsigned i = 0; i < 96; i++) {
        uint64_t now = guira_window_now(w), time = length / 64 + i % 2;
        if (time <= UINT64_MAX - now) now += time;
        CHECK(guira_window_contains_hash(w, mix(seed + i), now, &again) == GUIRA_OK);
        if (guira_window_seen_hash(w, mix(seed + i), now, &seen) != GUIRA_OK) continue;
        CHECK(seen == again);
        CHECK(guira_window_contains_hash(w, mix(seed + i), now, &again) == GUIRA_OK && again);
        if (i % 32 == 0) CHECK(guira_window_validate(w, NULL) == GUIRA_OK);
    }
    check_window_reload(w);
    uint64_t now = guira_window_now(w), time = 3 * (length / 2);
    CHECK(guira_window_tick(w, time <= UINT64_MAX - now ? now + time : UINT64_MAX) == GUIRA_OK);
    CHECK(guira_window_validate(w, NULL) == GUIRA_OK);
    CHECK(guira_window_clear(w) == GUIRA_OK && guira_window_validate(w, NULL) == GUIRA_OK);
}

static void try_window(struct image i, uint64_t seed) {
    guira_window *w;
    guira_status s = guira_window_load_from(i.at, i.n, &w);
    CHECK((s == GUIRA_OK) == (w != NULL));
    if (w == NULL) return;
    CHECK(guira_window_validate(w, NULL) == GUIRA_OK);
    check_window_reload(w);
    use_window(w, seed);
    guira_window_destroy(w);
}

/* -------------------------------------------------------------------------------------------------------------- shared */

#ifdef GUIRA_TEST_SHARED
static struct image shared_image(const guira_shared *g) {
    struct image i = {0};
    CHECK(guira_shared_save_to(g, into_image, &i) == GUIRA_OK);
    return i;
}

static void use_shared(guira_shared *g, uint64_t seed) {
    guira_stats s = GUIRA_STATS_INIT;
    for (unsigned i = 0; i < 64; i++)
        if (guira_shared_insert_hash(g, mix(seed + i)) == GUIRA_OK) CHECK(guira_shared_contains_hash(g, mix(seed + i)));
    CHECK(guira_shared_validate(g, NULL) == GUIRA_OK);
    for (unsigned i = 0; i < 96; i++) guira_shared_remove_hash(g, mix(seed * 3 + i) >> (i % 4 * 16));
    guira_shared_shrink_to_fit(g);
    CHECK(guira_shared_validate(g, NULL) == GUIRA_OK && guira_shared_stats_get(g, &s) == GUIRA_OK);
    CHECK(guira_shared_clear(g) == GUIRA_OK && guira_shared_validate(g, NULL) == GUIRA_OK);
}

/* Not the bytes that were loaded: fields of the header that a kind does not use are ignored, and saved as 0. */
static void check_shared_reload(const guira_shared *g, size_t n) {
    struct image first = shared_image(g);
    guira_shared *again;
    CHECK(first.n == n && guira_shared_load_from(first.at, first.n, &again) == GUIRA_OK);
    struct image second = shared_image(again);
    CHECK(second.n == n && memcmp(first.at, second.at, n) == 0);
    guira_shared_destroy(again);
    free(first.at);
    free(second.at);
}

static void try_shared(struct image i, uint64_t seed) {
    guira_shared *g;
    guira_status s = guira_shared_load_from(i.at, i.n, &g);
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return;
    CHECK(guira_shared_validate(g, NULL) == GUIRA_OK);
    check_shared_reload(g, i.n);
    use_shared(g, seed);
    guira_shared_destroy(g);
}
#endif

/* --------------------------------------------------------------------------------------------------------------- input */

/* Repairs length, counters and checksums in n bytes, so that loading reads the rest. */
static void repair(uint8_t *bytes, size_t n, bool counters) {
    if (n < HEADER_BYTES) return;
    put_u64(bytes + 24, n);
    if (counters) repair_counters(bytes, n);
    repair_checksums(bytes, n);
}

/* The same for a shared filter: each shard is as long as it says, if it can be, and the last has the rest. */
static void repair_shared(uint8_t *bytes, size_t n, bool counters) {
    enum { PREAMBLE = 64 };
    repair_checksum(bytes, bytes + PREAMBLE - 8);
    for (size_t at = PREAMBLE; n - at >= HEADER_BYTES;) {
        uint64_t length = get_u64(bytes + at + 24);
        if (length < HEADER_BYTES || length > n - at || n - at - length < HEADER_BYTES) length = n - at;
        repair(bytes + at, (size_t)length, counters);
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
    if (how & 1) (is_shared ? repair_shared : repair)(i.at, i.n, (how & 2) != 0);
    try_filter(i, how);
    try_window(i, how);
#ifdef GUIRA_TEST_SHARED
    try_shared(i, how);
#endif
    free(bytes);
    return 0;
}
