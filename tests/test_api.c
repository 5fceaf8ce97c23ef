/* The contracts of the public functions: bad arguments get the right status and change nothing, keys are any bytes, the
 * seed decides, hashes never change, and all memory comes from the caller's allocator. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "support.h"

typedef void on_filter(guira *f, struct rng *r);

/* Every kind, width and instruction set, with 500 members. */
static void on_every_variant(const char *test, on_filter *check) {
    struct rng r = rng_for(test);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f = variant_make(v, &r, 2000);
        for (unsigned i = 0; i < 500; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
        check(f, &r);
        assert_valid(f);
        guira_destroy(f);
    }
}

/* ------------------------------------------------------------------------------------------------------- configurations */

static void test_defaults_are_all_zero(void **state) {
    (void)state;
    guira_config c;
    memset(&c, 0xff, sizeof c);
    guira_config_init(&c);
    guira_config_init(NULL);
    assert_true(c.kind == GUIRA_TIDAL && c.capacity == 0 && c.fpr == 0 && c.slot_bits == 0);
    assert_true(c.max_load == 0 && c.min_load == 0 && c.max_kicks == 0);
    for (size_t i = 0; i < sizeof c.seed; i++) assert_int_equal(c.seed[i], 0);
}

static void assert_refused(guira_config c, guira_status expected) {
    guira *f = (guira *)&c; /* anything but NULL */
    uint64_t calls = memory.calls;
    assert_int_equal(guira_create(&c, &f), expected);
    assert_null(f);
    assert_int_equal(memory.calls, calls);
}

static void test_invalid_configurations_are_refused(void **state) {
    (void)state;
    const guira_config bad[] = {
        {.kind = (guira_kind)5},
        {.kind = (guira_kind)-1},
        {.kind = GUIRA_CUCKOO}, /* no capacity */
        {.fpr = 1},
        {.fpr = -0.01},
        {.fpr = NAN},
        {.fpr = INFINITY},
        {.slot_bits = 29},
        {.slot_bits = 64}, /* only inside the library */
        {.max_load = 1},
        {.max_load = -0.5},
        {.max_load = NAN},
        {.max_load = -INFINITY},
        {.max_load = 0.9, .min_load = 0.9},
        {.max_load = 0.9, .min_load = 0.95},
        {.min_load = 1},
        {.min_load = 0.93}, /* what max_load is by default */
        {.min_load = NAN},
        {.max_kicks = 2001},
        {.max_kicks = UINT32_MAX},
        {.slot_bits = 27, .fpr = 0.01},
    };
    memory_hook();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_refused(bad[i], GUIRA_EINVAL);
        guira_config c = bad[i];
        if (i < 3) continue;
        c.kind = GUIRA_CUCKOO;
        c.capacity = 100;
        if (c.min_load == 0.93) continue; /* its max_load is 0.95 */
        assert_refused(c, GUIRA_EINVAL);
    }
    assert_int_equal(guira_create(NULL, NULL), GUIRA_EINVAL);
    memory_unhook();
}

/* From 12 bits on a tidal filter has room for a core and a tail; a fixed one starts at 6. */
static void test_only_widths_that_a_kind_has_are_accepted(void **state) {
    (void)state;
    for (unsigned w = 1; w <= 64; w++) {
        bool width = w <= 26 || w == 28 || w == 32;
        guira *f = NULL, *g = NULL;
        assert_int_equal(guira_create(&(guira_config){.slot_bits = w}, &f), width && w >= 12 ? GUIRA_OK : GUIRA_EINVAL);
        assert_int_equal(guira_create(&(guira_config){.kind = GUIRA_CUCKOO, .capacity = 9, .slot_bits = w}, &g),
                         width && w >= 6 ? GUIRA_OK : GUIRA_EINVAL);
        guira_destroy(f);
        guira_destroy(g);
    }
}

static void test_invalid_geometries_are_refused(void **state) {
    (void)state;
    const guira_config bad[] = {
        {.slot_bits = 3},
        {.slot_bits = 33},
        {.bucket_slots = 17},
        {.buckets = 1},
        {.buckets = (UINT64_C(1) << 32) + 1},
        {.max_kicks = 2001},
        {.max_load = 1},
        {.min_load = 0.95}, /* what max_load is by default */
        {.fpr = 2},
    };
    memory_hook();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int kind = GUIRA_DYNAMIC; kind <= GUIRA_ELASTIC; kind++) {
            guira_config c = bad[i];
            c.kind = (guira_kind)kind;
            assert_refused(c, GUIRA_EINVAL);
        }
    assert_refused((guira_config){.kind = GUIRA_ELASTIC, .factor = 1}, GUIRA_EINVAL);
    assert_refused((guira_config){.kind = GUIRA_ELASTIC, .factor = 17}, GUIRA_EINVAL);
    assert_refused((guira_config){.kind = GUIRA_ELASTIC, .max_load = 0.9, .min_load = 0.45}, GUIRA_EINVAL);
    assert_refused((guira_config){.kind = GUIRA_ELASTIC, .factor = 3, .min_load = 0.4}, GUIRA_EINVAL);
    assert_refused((guira_config){.kind = GUIRA_DYNAMIC, .buckets = 64, .capacity = 1 << 20}, GUIRA_ELIMIT);
    memory_unhook();
}

static void test_sizes_beyond_any_machine_are_refused(void **state) {
    (void)state;
    const uint64_t huge[] = {UINT64_C(1) << 45, UINT64_C(1) << 60, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    memory_hook();
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        for (unsigned w = 12; w <= 32; w += w == 12 ? 4 : 16) {
            assert_refused((guira_config){.capacity = huge[i], .slot_bits = w}, GUIRA_ELIMIT);
            assert_refused((guira_config){.capacity = huge[i], .slot_bits = w, .kind = GUIRA_CUCKOO}, GUIRA_ELIMIT);
            guira *f;
            assert_int_equal(guira_create(&(guira_config){.slot_bits = w}, &f), GUIRA_OK);
            uint64_t before = digest(f);
            assert_int_equal(guira_reserve(f, huge[i]), GUIRA_ELIMIT);
            assert_true(digest(f) == before);
            guira_destroy(f);
        }
    assert_refused((guira_config){.capacity = 100, .max_load = 1e-300}, GUIRA_ELIMIT);
    assert_refused((guira_config){.capacity = 100, .max_load = 1e-300, .kind = GUIRA_CUCKOO}, GUIRA_ELIMIT);
    memory_unhook();
}

/* Within the limits of a filter, but nine terabytes: more memory than this machine has. */
static void test_more_than_this_machine_holds_is_refused(void **state) {
    (void)state;
    const uint64_t items = UINT64_C(1) << 42;
    guira *f;
    assert_refused((guira_config){.capacity = items}, GUIRA_ENOMEM);
    assert_int_equal(guira_create(NULL, &f), GUIRA_OK);
    assert_int_equal(guira_insert(f, "ana", 3), GUIRA_OK);
    uint64_t before = digest(f);
    assert_int_equal(guira_reserve(f, items), GUIRA_ENOMEM);
    assert_true(digest(f) == before && guira_contains(f, "ana", 3));
    guira_destroy(f);
}

static void test_unusual_configurations_work(void **state) {
    (void)state;
    const guira_config good[] = {{.max_load = 0.05},      {.max_load = 0.001, .min_load = 0.0009},
                                 {.max_load = 0.99},      {.min_load = -7},
                                 {.min_load = -INFINITY}, {.max_kicks = 1},
                                 {.max_kicks = 2000},     {.growth = 1e18},
                                 {.fpr = 0.999},          {.min_load = 1e-300}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        guira *f;
        assert_int_equal(guira_create(&good[i], &f), GUIRA_OK);
        for (unsigned n = 0; n < 300; n++) assert_int_equal(guira_insert(f, &n, sizeof n), GUIRA_OK);
        for (unsigned n = 0; n < 300; n++) assert_int_equal(guira_remove(f, &n, sizeof n), GUIRA_OK);
        assert_int_equal(stats_of(f).items, 0);
        assert_valid(f);
        guira_destroy(f);
    }
}

static unsigned width_for(guira_config c) {
    guira *f;
    guira_config got = {.size = sizeof got};
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    assert_int_equal(guira_config_get(f, &got), GUIRA_OK);
    guira_stats s = stats_of(f);
    assert_true(s.items == 0 && s.load == 0 && s.fpr == 0);
    assert_true(s.fpr_kept == (c.slot_bits == 0 ? c.fpr : 0));
    guira_destroy(f);
    return got.slot_bits;
}

/* A tidal filter of w bits that is filled to 0.93 has 16 * 0.93 / 2^(w - 1), and at most 1.08 + 1 / sqrt(items) +
 * 1.02 * ln(growth) times that in any history; from 14.88 items to 10^10 that is 22.1 times. */
static void test_wanted_rate_chooses_the_width(void **state) {
    (void)state;
    const struct {
        double fpr;
        unsigned grown, fixed_size; /* growth 0, growth 1 */
    } tidal[] = {{0.01, 16, 12}, {0.009, 17, 13}, {0.001, 20, 15}, {1e-4, 23, 19}, {1e-5, 26, 22}, {2e-7, 32, 28}};
    for (size_t i = 0; i < sizeof tidal / sizeof *tidal; i++) {
        assert_int_equal(width_for((guira_config){.fpr = tidal[i].fpr}), tidal[i].grown);
        assert_int_equal(width_for((guira_config){.fpr = tidal[i].fpr, .capacity = 10000, .growth = 1}),
                         tidal[i].fixed_size);
    }
    assert_int_equal(width_for((guira_config){.fpr = 0.001, .kind = GUIRA_CUCKOO, .capacity = 9}), 13);
    assert_int_equal(width_for((guira_config){.fpr = 0.1, .kind = GUIRA_CUCKOO, .capacity = 9}), 7);
    assert_int_equal(width_for((guira_config){.fpr = 0.0001, .slot_bits = 12}), 12); /* the width wins */
    assert_int_equal(width_for((guira_config){0}), 16);
}

/* Also where a window has little more than half of the buckets, or a list several filters. */
static void test_wanted_rate_holds_with_the_capacity_in_it(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const guira_config wanted[] = {
        {.kind = GUIRA_DYNAMIC, .capacity = 4000},
        {.kind = GUIRA_DYNAMIC, .capacity = 9000, .buckets = 300},
        {.kind = GUIRA_ELASTIC, .capacity = 3800}, /* 1000 buckets: a window has 512 */
        {.kind = GUIRA_ELASTIC, .capacity = 7000, .buckets = 2047, .bucket_slots = 5},
    };
    const double rates[] = {0.1, 0.03, 0.01, 0.002, 0.0001};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t j = 0; j < sizeof rates / sizeof *rates; j++) {
            guira_config c = wanted[i];
            guira *f;
            c.fpr = rates[j];
            assert_int_equal(guira_create(&c, &f), GUIRA_OK);
            for (uint64_t n = 0; n < c.capacity; n++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
            assert_true(stats_of(f).fpr <= c.fpr && stats_of(f).fpr > c.fpr / 4.5);
            guira_destroy(f);
        }
}

/* ---------------------------------------------------------------------------------------------------- missing arguments */

static void test_null_filters_are_refused(void **state) {
    (void)state;
    uint64_t hash = 1;
    bool found = true;
    guira *out = (guira *)&hash;
    guira_stats s = GUIRA_STATS_INIT;
    guira_destroy(NULL);
    assert_int_equal(guira_insert(NULL, "a", 1), GUIRA_EINVAL);
    assert_int_equal(guira_insert_unique(NULL, "a", 1), GUIRA_EINVAL);
    assert_int_equal(guira_remove(NULL, "a", 1), GUIRA_EINVAL);
    assert_int_equal(guira_insert_hash(NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_insert_unique_hash(NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_remove_hash(NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_reserve(NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_shrink_to_fit(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_clear(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_stats_get(NULL, &s), GUIRA_EINVAL);
    assert_int_equal(guira_validate(NULL, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_clone(NULL, &out), GUIRA_EINVAL);
    assert_null(out);
    assert_false(guira_contains(NULL, "a", 1) || guira_contains_hash(NULL, 1));
    assert_true(guira_count(NULL, "a", 1) == 0 && guira_hash(NULL, "a", 1) == 0 && guira_count_hash(NULL, 1) == 0);
    assert_true(guira_contains_hash_many(NULL, &hash, 1, &found) == 0 && found);
    assert_true(guira_insert_hash_many(NULL, &hash, 1, NULL) == 0 && guira_remove_hash_many(NULL, &hash, 1, NULL) == 0);
}

static void check_missing_arguments(guira *f, struct rng *r) {
    uint64_t before = digest(f), hash = rng_next(r);
    bool found = false;
    assert_int_equal(guira_insert(f, NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_insert_unique(f, NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_remove(f, NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_clone(f, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_stats_get(f, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_validate(f, NULL), GUIRA_OK);
    assert_true(!guira_contains(f, NULL, 1) && guira_count(f, NULL, 1) == 0 && guira_hash(f, NULL, 1) == 0);
    assert_int_equal(guira_contains_hash_many(f, NULL, 1, &found), 0);
    assert_int_equal(guira_contains_hash_many(f, &hash, 1, NULL), 0);
    assert_int_equal(guira_contains_hash_many(f, &hash, 0, &found), 0);
    assert_int_equal(guira_insert_hash_many(f, NULL, 1, NULL), 0);
    assert_int_equal(guira_insert_hash_many(f, &hash, 0, NULL), 0);
    assert_int_equal(guira_remove_hash_many(f, NULL, 1, NULL), 0);
    assert_int_equal(guira_remove_hash_many(f, &hash, 0, NULL), 0);
    assert_true(digest(f) == before && stats_of(f).failures == 0);
}

static void test_missing_arguments_change_nothing(void **state) {
    (void)state;
    on_every_variant(__func__, check_missing_arguments);
}

/* ----------------------------------------------------------------------------------------------------------------- keys */

static void check_keys(guira *f, struct rng *r) {
    (void)r;
    static const char long_key[100000] = "\0is a byte like any other";
    uint64_t items = stats_of(f).items;
    assert_int_equal(guira_insert(f, NULL, 0), GUIRA_OK); /* the empty key is a key too */
    assert_true(guira_contains(f, NULL, 0) && guira_contains(f, "", 0) && guira_contains(f, "ignored", 0));
    assert_int_equal(guira_insert(f, long_key, sizeof long_key), GUIRA_OK);
    assert_true(guira_contains(f, long_key, sizeof long_key));
    assert_true(guira_hash(f, long_key, 1) != guira_hash(f, long_key, 2));
    assert_int_equal(guira_remove(f, "", 0), GUIRA_OK);
    assert_int_equal(guira_remove(f, long_key, sizeof long_key), GUIRA_OK);
    assert_int_equal(stats_of(f).items, items);
    assert_int_equal(guira_clear(f), GUIRA_OK);
    assert_false(guira_contains(f, NULL, 0) || guira_contains(f, long_key, sizeof long_key));
    assert_int_equal(guira_remove(f, NULL, 0), GUIRA_ENOTFOUND);
}

static void test_keys_are_any_bytes_and_may_be_empty(void **state) {
    (void)state;
    on_every_variant(__func__, check_keys);
}

static void check_copies(guira *f, struct rng *r) {
    (void)r;
    assert_int_equal(guira_clear(f), GUIRA_OK);
    uint64_t slots = stats_of(f).slots / stats_of(f).buckets, most = slots < 5 ? slots : 5;
    for (uint64_t n = 0; n < most; n++) {
        assert_int_equal(guira_count(f, "ana", 3), n);
        assert_int_equal(n == 0 ? guira_insert_unique(f, "ana", 3) : guira_insert(f, "ana", 3), GUIRA_OK);
        uint64_t before = digest(f);
        assert_int_equal(guira_insert_unique(f, "ana", 3), GUIRA_EEXIST);
        assert_true(digest(f) == before);
    }
    for (uint64_t n = most; n > 0; n--) {
        assert_true(guira_contains(f, "ana", 3) && guira_count(f, "ana", 3) == n);
        assert_int_equal(guira_remove_hash(f, guira_hash(f, "ana", 3)), GUIRA_OK);
    }
    assert_int_equal(guira_remove(f, "ana", 3), GUIRA_ENOTFOUND);
    assert_int_equal(stats_of(f).items, 0);
}

static void test_copies_are_counted_and_unique_insertion_adds_none(void **state) {
    (void)state;
    on_every_variant(__func__, check_copies);
}

/* What guira_insert_unique_hash and guira_count_hash say, compared with an exact count of each of a few hashes. */
static void check_hashed_keys(guira *f, struct rng *r) {
    enum { HASHES = 20 };
    uint64_t hash[HASHES], copies[HASHES] = {0}, total = stats_of(f).items;
    for (size_t i = 0; i < HASHES; i++) hash[i] = rng_next(r);
    for (unsigned step = 0; step < 300; step++) {
        size_t i = rng_below(r, HASHES);
        bool present = guira_contains_hash(f, hash[i]);
        uint64_t before = digest(f), counted = guira_count_hash(f, hash[i]), buckets = stats_of(f).buckets;
        assert_true(present == (counted > 0) && counted >= copies[i]);
        switch (rng_below(r, 4)) {
        case 0:
            if (present) {
                assert_int_equal(guira_insert_unique_hash(f, hash[i]), GUIRA_EEXIST);
                assert_int_equal(digest(f), before);
                continue;
            }
            assert_int_equal(guira_insert_unique_hash(f, hash[i]), GUIRA_OK);
            break;
        case 1:
            if (copies[i] >= 3) continue; /* small buckets hold no more */
            assert_int_equal(guira_insert_hash(f, hash[i]), GUIRA_OK);
            break;
        default:
            if (copies[i] == 0) continue;
            assert_int_equal(guira_remove_hash(f, hash[i]), GUIRA_OK);
            copies[i]--;
            total--;
            if (stats_of(f).buckets == buckets) assert_int_equal(guira_count_hash(f, hash[i]), counted - 1);
            continue;
        }
        copies[i]++;
        total++;
        /* Growing and shrinking can make false positives. */
        if (stats_of(f).buckets == buckets) assert_int_equal(guira_count_hash(f, hash[i]), counted + 1);
    }
    assert_int_equal(stats_of(f).items, total);
}

static void test_hashed_keys_are_unique_and_counted(void **state) {
    (void)state;
    on_every_variant(__func__, check_hashed_keys);
}

static void check_hash_and_key(guira *f, struct rng *r) {
    for (unsigned i = 0; i < 100; i++) {
        uint64_t key = rng_next(r), hash = guira_hash(f, &key, sizeof key);
        guira_status s = guira_contains_hash(f, hash) ? GUIRA_EEXIST : GUIRA_OK;
        assert_int_equal(guira_insert_unique_hash(f, hash), s);
        assert_int_equal(guira_insert_unique(f, &key, sizeof key), GUIRA_EEXIST);
        assert_int_equal(guira_count(f, &key, sizeof key), guira_count_hash(f, hash));
        if (s == GUIRA_OK) assert_int_equal(guira_remove(f, &key, sizeof key), GUIRA_OK);
    }
}

static void test_a_key_and_its_hash_are_the_same(void **state) {
    (void)state;
    on_every_variant(__func__, check_hash_and_key);
}

enum { MANY = 700 };

/* A clone gets the same hashes one by one. Half of the hashes that are looked up are members. */
static void check_many(guira *f, struct rng *r) {
    guira *clone;
    uint64_t hash[MANY];
    guira_status status[MANY];
    bool found[MANY];
    assert_int_equal(guira_clone(f, &clone), GUIRA_OK);
    for (size_t i = 0; i < MANY; i++) hash[i] = rng_next(r);
    assert_int_equal(guira_insert_hash_many(f, hash, MANY / 2, status), MANY / 2);
    for (size_t i = 0; i < MANY / 2; i++) assert_int_equal(guira_insert_hash(clone, hash[i]), status[i]);
    assert_true(digest(f) == digest(clone));
    for (size_t n = 0; n <= MANY; n += n < 70 ? 1 : 105) {
        size_t present = guira_contains_hash_many(f, hash + MANY - n, n, found), expected = 0;
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(found[i], guira_contains_hash(f, hash[MANY - n + i]));
            expected += found[i];
        }
        assert_int_equal(present, expected);
    }
    assert_int_equal(guira_remove_hash_many(f, hash, MANY / 2, status), MANY / 2);
    for (size_t i = 0; i < MANY / 2; i++) assert_int_equal(guira_remove_hash(clone, hash[i]), status[i]);
    assert_true(digest(f) == digest(clone) && stats_of(f).items == 500);
    guira_destroy(clone);
}

static void test_batches_equal_single_calls(void **state) {
    (void)state;
    on_every_variant(__func__, check_many);
}

/* ---------------------------------------------------------------------------------------------------------------- seeds */

static guira *seeded(const char *seed, guira_kind kind) {
    guira_config c = {.kind = kind, .capacity = kind == GUIRA_CUCKOO ? 1000 : 0};
    if (seed != NULL) memcpy(c.seed, seed, sizeof c.seed);
    guira *f;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

/* Frozen, because files and replicas depend on them. If this test fails, the change is wrong, not the test. */
static void test_hashes_equal_the_frozen_ones(void **state) {
    (void)state;
    char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7);
    const struct {
        size_t len;
        uint64_t hash;
    } frozen[] = {
        {0, 0x0ebfd944214971fd},   {1, 0x69e87d9870a41ddc},   {3, 0x8bfa2f15151e3d39},   {4, 0xc110d18acadfa720},
        {8, 0x200bda984ca74e8c},   {9, 0x95f01e226a7c89d8},   {16, 0x5c09673c1515d514},  {17, 0xbc0c4caa0eac4e46},
        {100, 0xeaf9997549a3e4b3}, {128, 0xa4acd8500a8110cb}, {129, 0x99c61119ad7ccdc8}, {240, 0x6476aea13a4eb998},
        {241, 0x6f6b6783a196cb6b}, {300, 0x29ccdc2b26efb820},
    };
    guira *f = seeded("0123456789abcdef", GUIRA_TIDAL), *g = seeded("0123456789abcdef", GUIRA_CUCKOO);
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        uint64_t hash = guira_hash(f, bytes, frozen[i].len);
        if (hash != frozen[i].hash) fail_msg("len %zu: 0x%016llx", frozen[i].len, (unsigned long long)hash);
        assert_true(guira_hash(g, bytes, frozen[i].len) == hash);
    }
    guira_destroy(f);
    guira_destroy(g);
}

static void test_seeds_are_drawn_and_kept(void **state) {
    (void)state;
    for (int kind = GUIRA_TIDAL; kind <= GUIRA_CONSISTENT; kind++) {
        guira *a = seeded(NULL, (guira_kind)kind), *b = seeded(NULL, (guira_kind)kind);
        guira *c = seeded("a given seed too", (guira_kind)kind), *d = seeded("a given seed too", (guira_kind)kind);
        assert_true(guira_hash(a, "x", 1) != guira_hash(b, "x", 1));
        for (unsigned i = 0; i < 900; i++) {
            assert_int_equal(guira_insert(c, &i, sizeof i), GUIRA_OK);
            assert_int_equal(guira_insert(d, &i, sizeof i), GUIRA_OK);
        }
        assert_true(digest(c) == digest(d) && digest(a) != digest(b));
        guira *all[] = {a, b, c, d};
        for (size_t i = 0; i < 4; i++) guira_destroy(all[i]);
    }
}

static void test_configuration_makes_the_same_filter_again(void **state) {
    (void)state;
    for (int kind = GUIRA_TIDAL; kind <= GUIRA_CUCKOO; kind++) {
        guira *f = seeded(NULL, (guira_kind)kind), *g;
        guira_config c = {.size = sizeof c}, again = {.size = sizeof again};
        assert_int_equal(guira_config_get(f, &c), GUIRA_OK);
        assert_true((int)c.kind == kind && c.slot_bits == 16 && c.max_load > 0 && c.max_kicks > 0);
        assert_int_equal(guira_create(&c, &g), GUIRA_OK);
        assert_true(digest(f) == digest(g));
        assert_int_equal(guira_config_get(g, &again), GUIRA_OK);
        assert_memory_equal(c.seed, again.seed, sizeof c.seed);
        assert_int_equal(guira_config_get(NULL, &c), GUIRA_EINVAL);
        assert_int_equal(guira_config_get(f, NULL), GUIRA_EINVAL);
        guira_destroy(f);
        guira_destroy(g);
    }
}

/* ---------------------------------------------------------------------------------------------------- memory and the rest */

static void test_all_memory_comes_from_the_allocator_of_the_caller(void **state) {
    (void)state;
    memory_hook();
    for (int kind = GUIRA_TIDAL; kind <= GUIRA_CONSISTENT; kind++) {
        guira *f = seeded("0123456789abcdef", (guira_kind)kind), *g;
        assert_int_equal(memory.bytes, stats_of(f).bytes);
        for (unsigned i = 0; i < 900; i++) assert_int_equal(guira_insert(f, &i, sizeof i), GUIRA_OK);
        assert_int_equal(guira_clone(f, &g), GUIRA_OK);
        assert_true(digest(f) == digest(g) && stats_of(f).bytes >= stats_of(g).bytes); /* it has no spare buckets */
        assert_int_equal(memory.bytes, stats_of(f).bytes + stats_of(g).bytes);
        guira_destroy(g);
        memory.fail_at = memory.calls + 1; /* from here on every allocation fails */
        memory.fail_on = true;
        assert_int_equal(guira_clone(f, &g), GUIRA_ENOMEM);
        assert_null(g);
        assert_int_equal(guira_create(NULL, &g), GUIRA_ENOMEM);
        assert_null(g);
        if (kind != GUIRA_CUCKOO) assert_int_equal(guira_reserve(f, 100000), GUIRA_ENOMEM);
        memory.fail_at = 0;
        guira_destroy(f);
        assert_int_equal(memory.blocks, 0);
    }
    memory_unhook();
}

static void test_every_status_has_a_text_of_its_own(void **state) {
    (void)state;
    for (int i = 0; i >= -14; i--)
        for (int j = i - 1; j >= -15; j--)
            assert_string_not_equal(guira_strerror((guira_status)i), guira_strerror((guira_status)j));
    assert_string_equal(guira_strerror((guira_status)1), "unknown status");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", GUIRA_VERSION_MAJOR, GUIRA_VERSION_MINOR, GUIRA_VERSION_PATCH);
    assert_string_equal(guira_version(), version);
}

/* Of every length for which XXH3 has a way of its own, in a small filter, which has no secret, and in a large one. */
static void test_many_keys_have_the_hashes_of_single_ones(void **state) {
    (void)state;
    enum { KEYS = 50, LONGEST = 300 };
    static uint8_t bytes[KEYS * LONGEST];
    const size_t sizes[] = {0, 1, 3, 4, 7, 8, 9, 16, 17, 128, 129, 240, 241, LONGEST};
    struct rng r = rng_for(__func__);
    uint64_t hash[KEYS + 1];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)rng_next(&r);
    for (unsigned big = 0; big < 2; big++) {
        guira_config c = {.capacity = big * 100000};
        guira_window_config wc = {.length = 1, .capacity = big * 100000};
        guira *f;
        guira_window *w;
        assert_int_equal(guira_create(&c, &f), GUIRA_OK);
        assert_int_equal(guira_window_create(&wc, &w), GUIRA_OK);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            hash[KEYS] = 123;
            assert_int_equal(guira_hash_many(f, bytes, sizes[k], KEYS, hash), GUIRA_OK);
            for (size_t i = 0; i < KEYS; i++) assert_true(hash[i] == guira_hash(f, bytes + i * sizes[k], sizes[k]));
            assert_int_equal(guira_window_hash_many(w, bytes, sizes[k], KEYS, hash), GUIRA_OK);
            for (size_t i = 0; i < KEYS; i++)
                assert_true(hash[i] == guira_window_hash(w, bytes + i * sizes[k], sizes[k]));
            assert_true(hash[KEYS] == 123); /* no more than there are */
        }
        assert_int_equal(guira_hash_many(f, bytes, 8, 0, hash), GUIRA_OK);
        assert_int_equal(guira_hash_many(f, NULL, 0, 1, hash), GUIRA_OK); /* the empty key */
        assert_true(hash[0] == guira_hash(f, NULL, 0));
        assert_int_equal(guira_hash_many(NULL, bytes, 8, 1, hash), GUIRA_EINVAL);
        assert_int_equal(guira_hash_many(f, NULL, 8, 1, hash), GUIRA_EINVAL);
        assert_int_equal(guira_hash_many(f, bytes, 8, 1, NULL), GUIRA_EINVAL);
        guira_destroy(f);
        guira_window_destroy(w);
    }
    assert_int_equal(guira_window_hash_many(NULL, bytes, 8, 1, hash), GUIRA_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_keys_have_the_hashes_of_single_ones),
        cmocka_unit_test(test_defaults_are_all_zero),
        cmocka_unit_test(test_invalid_configurations_are_refused),
        cmocka_unit_test(test_only_widths_that_a_kind_has_are_accepted),
        cmocka_unit_test(test_invalid_geometries_are_refused),
        cmocka_unit_test(test_sizes_beyond_any_machine_are_refused),
        cmocka_unit_test(test_more_than_this_machine_holds_is_refused),
        cmocka_unit_test(test_unusual_configurations_work),
        cmocka_unit_test(test_wanted_rate_chooses_the_width),
        cmocka_unit_test(test_wanted_rate_holds_with_the_capacity_in_it),
        cmocka_unit_test(test_null_filters_are_refused),
        cmocka_unit_test(test_missing_arguments_change_nothing),
        cmocka_unit_test(test_keys_are_any_bytes_and_may_be_empty),
        cmocka_unit_test(test_copies_are_counted_and_unique_insertion_adds_none),
        cmocka_unit_test(test_hashed_keys_are_unique_and_counted),
        cmocka_unit_test(test_a_key_and_its_hash_are_the_same),
        cmocka_unit_test(test_batches_equal_single_calls),
        cmocka_unit_test(test_hashes_equal_the_frozen_ones),
        cmocka_unit_test(test_seeds_are_drawn_and_kept),
        cmocka_unit_test(test_configuration_makes_the_same_filter_again),
        cmocka_unit_test(test_all_memory_comes_from_the_allocator_of_the_caller),
        cmocka_unit_test(test_every_status_has_a_text_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
