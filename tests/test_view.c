/* guira_view: a read-only filter on bytes in memory. test_map.c has the same for files. */
#include <sys/mman.h>

#include "file_support.h"
#include "guira_window.h"

/* ------------------------------------------------------------------------------------------------------------ the bytes */

/* A copy of bytes where a view is tried: at `offset` from a multiple of 64, in pages that nothing may write to, with
 * nothing behind it that may be read. A view of it that wrote to it, freed it or read beyond would crash. */
struct place {
    uint8_t *at;
    size_t n;
    uint8_t *pages;
    size_t length;
};

static struct place place_make(struct bytes b, size_t offset) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), length = (b.n + 64 + page - 1) / page * page;
    struct place p = {.n = b.n, .length = length + page};
    p.pages = mmap(NULL, p.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p.pages != MAP_FAILED);
    p.at = p.pages + (length - b.n) / 64 * 64 - (offset > 0 ? 64 : 0) + offset;
    memcpy(p.at, b.at, b.n);
    assert_int_equal(mprotect(p.pages, length, PROT_READ), 0);
    assert_int_equal(mprotect(p.pages + length, page, PROT_NONE), 0);
    return p;
}

static void place_free(struct place p) { assert_int_equal(munmap(p.pages, p.length), 0); }

static guira *filled(const struct variant *v, size_t n, struct rng *r) {
    guira *f = variant_make(v, r, n);
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(r)), GUIRA_OK);
    uint64_t hash;
    insert_many_copies(f, r, &hash);
    return f;
}

static guira *view_of(const uint8_t *bytes, size_t n) {
    guira *g;
    assert_int_equal(guira_view(bytes, n, &g), GUIRA_OK);
    return g;
}

/* Every kind and width: f, and a view g of its bytes, aligned and not. */
typedef void on_view(guira *f, guira *g, struct rng *r);

static void on_every_view(const char *test, size_t most, on_view *check) {
    struct rng r = rng_for(test);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        size_t n = v->config.kind == GUIRA_CONSISTENT && most > 5000 ? 5000 : most; /* it takes longer to grow */
        guira *f = filled(v, n, &r);
        struct bytes b = saved(f);
        for (unsigned i = 0; i < 3; i++) {
            size_t offset = i == 0 ? 0 : i == 1 ? 8 * (1 + rng_below(&r, 7)) : 1 + rng_below(&r, 63);
            struct place p = place_make(b, offset);
            guira *g = view_of(p.at, p.n);
            if (offset > 0) place_free(p); /* it was copied */
            check(f, g, &r);
            guira_destroy(g);
            if (offset > 0) continue;
            assert_memory_equal(p.at, b.at, b.n);
            place_free(p);
        }
        free(b.at);
        guira_destroy(f);
    }
}

/* ------------------------------------------------------------------------------------------------------------- answers */

static void answers_equal(guira *f, guira *g, struct rng *r) {
    enum { LOOKUPS = 5000 };
    static uint64_t hash[LOOKUPS];
    static bool by_f[LOOKUPS], by_g[LOOKUPS];
    guira_stats s = stats_of(f), t = stats_of(g);
    guira_config c = {.size = sizeof c}, d = {.size = sizeof d};
    assert_int_equal(digest(f), digest(g));
    assert_valid(g);
    assert_true(s.items == t.items && s.slots == t.slots && s.elders == t.elders && s.stash == t.stash);
    assert_true(s.fpr == t.fpr && s.load == t.load && s.filters == t.filters);
    assert_int_equal(guira_config_get(f, &c), GUIRA_OK);
    assert_int_equal(guira_config_get(g, &d), GUIRA_OK);
    assert_memory_equal(c.seed, d.seed, sizeof c.seed);
    for (size_t i = 0; i < LOOKUPS; i++) hash[i] = rng_next(r) >> (i % 2 ? 0 : rng_below(r, 64));
    assert_int_equal(guira_contains_hash_many(f, hash, LOOKUPS, by_f),
                     guira_contains_hash_many(g, hash, LOOKUPS, by_g));
    for (size_t i = 0; i < LOOKUPS; i++) {
        assert_true(by_f[i] == by_g[i] && guira_contains_hash(g, hash[i]) == by_f[i]);
        assert_int_equal(guira_count_hash(f, hash[i]), guira_count_hash(g, hash[i]));
    }
    assert_int_equal(guira_contains(f, "ana", 3), guira_contains(g, "ana", 3));
    assert_int_equal(guira_count(f, "ana", 3), guira_count(g, "ana", 3));
    assert_int_equal(guira_hash(f, "ana", 3), guira_hash(g, "ana", 3));
}

static void test_a_view_answers_as_the_filter_that_was_saved(void **state) {
    (void)state;
    on_every_view(__func__, 200, answers_equal);
    on_every_view(__func__, quick_run() ? 5000 : 50000, answers_equal);
}

static void changes_refused(guira *f, guira *g, struct rng *r) {
    uint64_t before = digest(f), hash[3] = {rng_next(r), rng_next(r), rng_next(r)};
    guira_status out[3];
    assert_int_equal(guira_insert(g, "ana", 3), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_remove(g, "ana", 3), GUIRA_EUNSUPPORTED);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(guira_insert_hash(g, hash[i]), GUIRA_EUNSUPPORTED);
        assert_int_equal(guira_remove_hash(g, hash[i]), GUIRA_EUNSUPPORTED);
        guira_status s = guira_insert_unique_hash(g, hash[i]);
        assert_int_equal(s, guira_contains_hash(g, hash[i]) ? GUIRA_EEXIST : GUIRA_EUNSUPPORTED);
    }
    assert_int_equal(guira_insert_hash_many(g, hash, 3, out), 0);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(out[i], GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_remove_hash_many(g, hash, 3, out), 0);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(out[i], GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_reserve(g, 1), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_shrink_to_fit(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_clear(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_merge(g, f), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_merge(g, g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_up(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_down(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_out(g, NULL), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_compact(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(digest(g), before);
}

static void test_changes_to_a_view_are_unsupported(void **state) {
    (void)state;
    on_every_view(__func__, 1000, changes_refused);
}

/* ----------------------------------------------------------------------------------------------- clone, save and merge */

static void clone_continues(guira *f, guira *g, struct rng *r) {
    guira *a, *b;
    assert_int_equal(guira_clone(f, &a), GUIRA_OK);
    assert_int_equal(guira_clone(g, &b), GUIRA_OK);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t hash = rng_next(r);
        guira_status s = guira_insert_hash(a, hash);
        assert_int_equal(guira_insert_hash(b, hash), s);
        if (s == GUIRA_OK && i % 2) assert_int_equal(guira_remove_hash(a, hash), guira_remove_hash(b, hash));
    }
    assert_int_equal(digest(a), digest(b));
    assert_valid(b);
    guira_destroy(a);
    guira_destroy(b);
}

static void test_a_clone_of_a_view_can_be_changed(void **state) {
    (void)state;
    on_every_view(__func__, 5000, clone_continues);
}

static void saves_the_same(guira *f, guira *g, struct rng *r) {
    (void)r;
    const char *path = file_named("view.guira");
    struct bytes a = saved(f), b = saved(g), parts = {malloc(a.n), 0, a.n};
    guira_saving *saving;
    assert_true(same_bytes(a, b));
    assert_int_equal(guira_save(g, path), GUIRA_OK);
    struct bytes file = file_get(path);
    assert_true(same_bytes(a, file));
    assert_int_equal(guira_saving_start(g, &saving), GUIRA_OK);
    for (size_t n; (n = guira_saving_next(saving, parts.at + parts.n, a.n - parts.n < 777 ? a.n - parts.n : 777)) > 0;)
        parts.n += n;
    guira_saving_end(saving);
    assert_true(same_bytes(a, parts));
    free(parts.at);
    free(file.at);
    free(b.at);
    free(a.at);
    unlink(path);
}

static void test_a_view_is_saved_as_its_bytes(void **state) {
    (void)state;
    on_every_view(__func__, 2000, saves_the_same);
}

/* Another filter that can be merged with f, with n members. */
static guira *relative_of(const guira *f, size_t n, struct rng *r) {
    guira_config c = {.size = sizeof c};
    guira *h;
    assert_int_equal(guira_config_get(f, &c), GUIRA_OK);
    assert_int_equal(guira_create(&c, &h), GUIRA_OK);
    for (size_t i = 0; i < n; i++) guira_insert_hash(h, rng_next(r));
    return h;
}

static void merges_the_same(guira *f, guira *g, struct rng *r) {
    guira *a = relative_of(f, 300, r), *b;
    assert_int_equal(guira_clone(a, &b), GUIRA_OK);
    guira_status s = guira_merge(a, f);
    guira_kind kind = guira__config_of(f).kind;
    if (kind == GUIRA_TIDAL) assert_int_equal(s, GUIRA_OK); /* cuckoo and dynamic may be too full */
    assert_int_equal(s == GUIRA_EUNSUPPORTED, kind == GUIRA_ELASTIC || kind == GUIRA_CONSISTENT);
    assert_int_equal(guira_merge(b, g), s);
    assert_int_equal(digest(a), digest(b));
    assert_valid(b);
    guira_destroy(a);
    guira_destroy(b);
}

static void test_a_view_is_merged_like_the_filter_that_was_saved(void **state) {
    (void)state;
    on_every_view(__func__, 2000, merges_the_same);
}

/* -------------------------------------------------------------------------------------------------------- corrupt bytes */

static bool is_refusal(guira_status s) { return s == GUIRA_EFORMAT || s == GUIRA_ECORRUPT; }

/* A view of bytes that differ from those of f: it is refused, or lookups are safe and everything that reads all of the
 * bytes says ECORRUPT. Returns whether it was refused. */
static bool try_corrupt(const guira *f, const uint8_t *bytes, size_t n, struct rng *r) {
    guira *g, *copy = (guira *)r, *into;
    guira_status s = guira_view(bytes, n, &g);
    if (s != GUIRA_OK) {
        assert_true(is_refusal(s) && g == NULL);
        return true;
    }
    for (unsigned i = 0; i < 50; i++) {
        uint64_t hash = rng_next(r) >> (i % 2 ? 0 : rng_below(r, 64));
        guira_contains_hash(g, hash);
        guira_count_hash(g, hash);
    }
    assert_int_equal(guira_validate(g, NULL), GUIRA_ECORRUPT);
    assert_int_equal(guira_clone(g, &copy), GUIRA_ECORRUPT);
    assert_null(copy);
    if (guira__config_of(f).kind == GUIRA_TIDAL) {
        into = relative_of(f, 10, r);
        uint64_t before = digest(into);
        assert_int_equal(guira_merge(into, g), GUIRA_ECORRUPT);
        assert_int_equal(digest(into), before);
        guira_destroy(into);
    }
    guira_destroy(g);
    return false;
}

static void test_corrupt_bytes_are_refused_or_reported(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned refused = 0, tried = 0;
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f =
            filled(v, v->config.kind == GUIRA_CONSISTENT ? 2000 : 60000, &r); /* opening reads small ones whole */
        struct bytes b = saved(f);
        uint8_t *copy = aligned_alloc(64, b.n);
        assert_non_null(copy);
        for (unsigned i = 0; i < (quick_run() ? 30 : 150); i++) {
            memcpy(copy, b.at, b.n);
            size_t at = i % 4 ? rng_below(&r, b.n) : rng_below(&r, 1024), n = i % 3 ? 1 : 1 + rng_below(&r, b.n - at);
            if (n == 1) copy[at] ^= (uint8_t)(1U << rng_below(&r, 8));
            else
                for (size_t k = at; k < at + n; k++) copy[k] = (uint8_t)rng_next(&r);
            if (memcmp(copy, b.at, b.n) == 0) continue;
            refused += try_corrupt(f, copy, b.n, &r);
            tried++;
        }
        free(copy);
        free(b.at);
        guira_destroy(f);
    }
    print_message("  %u of %u refused at once\n", refused, tried);
    assert_true(refused > 0 && refused < tried);
}

/* In blocks of their own, so that reading beyond them is found. */
static void test_truncated_bytes_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f = filled(v, 20, &r), *g;
        struct bytes b = saved(f);
        for (size_t n = 0; n <= b.n; n += n < 600 || b.n - n < 200 ? 1 : 1 + rng_below(&r, b.n - n - 100)) {
            struct place p = place_make((struct bytes){b.at, n, n}, n % 3 == 0 ? rng_below(&r, 64) : 0);
            guira_status s = guira_view(p.at, n, &g);
            assert_true(n == b.n ? s == GUIRA_OK : is_refusal(s) && g == NULL);
            guira_destroy(g);
            place_free(p);
        }
        into_bytes(&b, "and more", 8);
        assert_int_equal(guira_view(b.at, b.n, &g), GUIRA_ECORRUPT);
        free(b.at);
        guira_destroy(f);
    }
}

static void test_what_is_no_filter_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *g = (guira *)&r;
    guira_window *w;
    struct bytes b = {0};
    assert_int_equal(guira_window_create(&(guira_window_config){.length = 10}, &w), GUIRA_OK);
    assert_int_equal(guira_window_save_to(w, into_bytes, &b), GUIRA_OK);
    assert_true(guira_view(b.at, b.n, &g) == GUIRA_EFORMAT && g == NULL);
    guira_window_destroy(w);
    b.n = 0;
#ifdef GUIRA_TEST_SHARED
    guira_shared *shared;
    assert_int_equal(guira_shared_create(NULL, 2, &shared), GUIRA_OK);
    assert_int_equal(guira_shared_save_to(shared, into_bytes, &b), GUIRA_OK);
    assert_true(guira_view(b.at, b.n, &g) == GUIRA_EFORMAT && g == NULL);
    guira_shared_destroy(shared);
#endif
    for (size_t i = 0; i < b.room; i++) b.at[i] = (uint8_t)rng_next(&r);
    for (b.n = 0; b.n < b.room; b.n += 1 + b.n / 8) assert_int_equal(guira_view(b.at, b.n, &g), GUIRA_EFORMAT);
    assert_true(guira_view(NULL, 1, &g) == GUIRA_EINVAL && g == NULL);
    assert_int_equal(guira_view(b.at, b.room, NULL), GUIRA_EINVAL);
    free(b.at);
}

/* -------------------------------------------------------------------------------------------------------------- memory */

static guira_status open_clone_and_merge(const uint8_t *bytes, size_t n, guira *into) {
    guira *g, *copy;
    uint64_t before = digest(into);
    guira_status s = guira_view(bytes, n, &g);
    assert_int_equal(g != NULL, s == GUIRA_OK);
    if (g == NULL) return s;
    s = guira_clone(g, &copy);
    assert_int_equal(copy != NULL, s == GUIRA_OK);
    guira_destroy(copy);
    if (s == GUIRA_OK && guira__config_of(g).kind == GUIRA_TIDAL) {
        s = guira_merge(into, g);
        assert_true(s == GUIRA_OK || digest(into) == before);
    }
    guira_destroy(g);
    return s;
}

static void test_every_allocation_failing_in_turn_leaves_nothing_behind(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f = filled(v, v->config.slot_bits == 12 ? 2500 : 1000, &r);
        struct bytes b = saved(f);
        for (size_t offset = 0; offset <= 8; offset += 8) {
            struct place p = place_make(b, offset);
            uint64_t k = 1;
            for (bool failed = true; failed; k++) {
                memory_hook();
                guira *into = relative_of(f, 10, &r);
                memory.calls = 0;
                memory.fail_at = k;
                guira_status s = open_clone_and_merge(p.at, p.n, into);
                failed = memory.failed;
                assert_true(s == GUIRA_OK || (s == GUIRA_ENOMEM && failed)); /* some only save memory */
                guira_destroy(into);
                memory_unhook();
            }
            assert_true(k > 3);
            place_free(p);
        }
        free(b.at);
        guira_destroy(f);
    }
}

/* Aligned bytes are not copied, others are, once. */
static void test_only_unaligned_bytes_take_memory(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = filled(variants(), 100000, &r);
    struct bytes b = saved(f);
    for (size_t offset = 0; offset < 64; offset += 9) {
        struct place p = place_make(b, offset);
        memory_hook();
        guira *g = view_of(p.at, p.n);
        size_t copied = offset > 0 ? b.n : 0;
        assert_true(memory.peak >= copied && memory.peak < copied + 65536);
        assert_true(stats_of(g).bytes >= memory.bytes && stats_of(g).bytes < memory.bytes + 65536);
        guira_destroy(g);
        memory_unhook();
        place_free(p);
    }
    free(b.at);
    guira_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_view_answers_as_the_filter_that_was_saved),
        cmocka_unit_test(test_changes_to_a_view_are_unsupported),
        cmocka_unit_test(test_a_clone_of_a_view_can_be_changed),
        cmocka_unit_test(test_a_view_is_saved_as_its_bytes),
        cmocka_unit_test(test_a_view_is_merged_like_the_filter_that_was_saved),
        cmocka_unit_test(test_corrupt_bytes_are_refused_or_reported),
        cmocka_unit_test(test_truncated_bytes_are_refused),
        cmocka_unit_test(test_what_is_no_filter_is_refused),
        cmocka_unit_test(test_every_allocation_failing_in_turn_leaves_nothing_behind),
        cmocka_unit_test(test_only_unaligned_bytes_take_memory),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
