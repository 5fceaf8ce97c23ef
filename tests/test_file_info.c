/* guira_file_info: what a file is, from its first bytes, be they all there or not, intact or not. */
#include <stdlib.h>
#include <string.h>

#include "file_support.h"
#include "format/contents.h"
#include "repair_checksums.h"

static void put_filter(guira *f, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) guira_insert_hash(f, rng_next(r));
}

/* Every kind with n members; what is expected of its file. */
struct sample {
    struct bytes b;
    guira_file file;
    guira_config config;
};

/* Format 1 has slots of 12, 16 and 32 bits in tidal and fixed filters. */
static unsigned format_of(const struct variant *v) {
    unsigned bits = v->config.slot_bits;
    return is_of_papers(v) || bits == 12 || bits == 16 || bits == 32 ? 1 : 2;
}

static struct sample filter_sample(const struct variant *v, size_t n, struct rng *r) {
    guira *f = variant_make(v, r, n + 10);
    put_filter(f, n, r);
    struct sample s = {.b = saved(f), .config = {.size = sizeof s.config}};
    unsigned format = (unsigned)get_u64(s.b.at + 8); /* 2 also if there are counts */
    assert_in_range(format, format_of(v), is_tidal(v) ? 2 : format_of(v));
    s.file = (guira_file){.content = GUIRA_FILE_FILTER, .format = format, .bytes = s.b.n, .shards = 1};
    s.file.items = stats_of(f).items;
    assert_int_equal(guira_config_get(f, &s.config), GUIRA_OK);
    guira_destroy(f);
    return s;
}

/* Windows of the default, and of a rate whose slots have 25 bits, the time included. */
static struct sample window_sample(size_t n, bool slides, struct rng *r) {
    bool narrow = rng_below(r, 2);
    guira_window_config c = {.length = 1 + rng_below(r, 100000), .slides = slides, .fpr = narrow ? 1e-3 : 0};
    guira_window *w;
    guira_stats stats = GUIRA_STATS_INIT;
    struct sample s = {0};
    uint64_t now = rng_next(r) >> rng_below(r, 64);
    bool seen;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_window_create(&c, &w), GUIRA_OK);
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_window_seen_hash(w, rng_next(r), now, &seen), GUIRA_OK);
    if (n == 0) assert_int_equal(guira_window_tick(w, now), GUIRA_OK);
    assert_int_equal(guira_window_save_to(w, into_bytes, &s.b), GUIRA_OK);
    assert_int_equal(guira_window_stats_get(w, &stats), GUIRA_OK);
    s.file = (guira_file){.content = GUIRA_FILE_WINDOW, .bytes = s.b.n, .items = stats.items, .shards = 1};
    s.file.format = narrow ? 2 : 1;
    s.file.window_length = c.length;
    s.file.window_now = now;
    s.file.window_slides = slides;
    s.config.kind = GUIRA_TIDAL;
    s.config.slot_bits = narrow ? 25 : 32;
    memcpy(s.config.seed, c.seed, sizeof c.seed);
    guira_window_destroy(w);
    return s;
}

#ifdef GUIRA_TEST_SHARED
static struct sample shared_sample(unsigned shards, size_t n, struct rng *r) {
    guira_config c = {.slot_bits = 12};
    guira_shared *g;
    struct sample s = {.config = {.size = sizeof s.config}};
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_shared_insert_hash(g, rng_next(r)), GUIRA_OK);
    assert_int_equal(guira_shared_save_to(g, into_bytes, &s.b), GUIRA_OK);
    assert_int_equal(guira_shared_config_get(g, &s.config), GUIRA_OK);
    unsigned format = (unsigned)get_u64(s.b.at + SHARED_PREAMBLE + 8); /* 2 if the first shard has counts */
    assert_in_range(format, 1, 2);
    s.file = (guira_file){.content = GUIRA_FILE_SHARED, .format = format, .shards = shards};
    guira_shared_destroy(g);
    return s;
}
#endif

/* ----------------------------------------------------------------------------------------------------------- comparing */

static void assert_file(const guira_file *a, const guira_file *b) {
    assert_int_equal(a->size, sizeof *a);
    assert_true(a->content == b->content && a->format == b->format && a->shards == b->shards);
    assert_true(a->bytes == b->bytes && a->items == b->items);
    assert_true(a->window_length == b->window_length && a->window_now == b->window_now);
    assert_int_equal(a->window_slides, b->window_slides);
}

/* What a window makes of the rest of its configuration is not told by guira_window. */
static void assert_config(const guira_config *a, const guira_config *b, bool is_window) {
    assert_int_equal(a->size, sizeof *a);
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(a->seed, b->seed, sizeof a->seed);
    assert_int_equal(a->slot_bits, b->slot_bits);
    if (is_window) return;
    assert_true(a->capacity == b->capacity && a->fpr == b->fpr);
    assert_true(a->max_load == b->max_load && a->min_load == b->min_load && a->max_kicks == b->max_kicks);
    assert_true(a->bucket_slots == b->bucket_slots && a->buckets == b->buckets && a->max_filters == b->max_filters);
    assert_true(a->factor == b->factor && a->candidates == b->candidates && a->virtual_nodes == b->virtual_nodes);
    assert_true(a->ring == b->ring && a->policy == b->policy);
}

static const uint8_t untouched = 0xa5;

/* Calls guira_file_info with a copy of the first n bytes, so that sanitizers find reads beyond them. On failure nothing is written. */
static guira_status info_of(const uint8_t *bytes, size_t n, guira_file *file, guira_config *config) {
    uint8_t *block = malloc(n + (n == 0));
    guira_file before_file;
    guira_config before_config;
    assert_non_null(block);
    if (n > 0) memcpy(block, bytes, n);
    memset(file, untouched, sizeof *file);
    memset(config, untouched, sizeof *config);
    file->size = sizeof *file;
    config->size = sizeof *config;
    memcpy(&before_file, file, sizeof *file);
    memcpy(&before_config, config, sizeof *config);
    guira_status s = guira_file_info(block, n, file, config);
    if (s != GUIRA_OK) {
        assert_memory_equal(file, &before_file, sizeof *file);
        assert_memory_equal(config, &before_config, sizeof *config);
    }
    free(block);
    return s;
}

static bool is_refusal(guira_status s) { return s == GUIRA_EFORMAT || s == GUIRA_ECORRUPT; }

static void assert_info(const struct sample *s, size_t n) {
    guira_file file;
    guira_config config;
    assert_int_equal(info_of(s->b.at, n, &file, &config), GUIRA_OK);
    assert_file(&file, &s->file);
    assert_config(&config, &s->config, s->file.content == GUIRA_FILE_WINDOW);
}

static size_t start_of(const struct sample *s) { return s->b.n < GUIRA_FILE_START ? s->b.n : GUIRA_FILE_START; }

/* All of them, from empty to large: the whole file and its start say the same. */
typedef void on_sample(const struct sample *s, struct rng *r);

static void finish(struct sample s, on_sample *check, struct rng *r) {
    check(&s, r);
    free(s.b.at);
}

static void on_every_sample(const char *test, on_sample *check) {
    struct rng r = rng_for(test);
    const size_t sizes[] = {0, 1, 30, 3000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (const struct variant *v = variants(); v->name != NULL; v++)
            finish(filter_sample(v, sizes[i], &r), check, &r);
        finish(window_sample(sizes[i], false, &r), check, &r);
        finish(window_sample(sizes[i], true, &r), check, &r);
#ifdef GUIRA_TEST_SHARED
        finish(shared_sample(1, sizes[i], &r), check, &r);
        finish(shared_sample(16, sizes[i], &r), check, &r);
        finish(shared_sample(256, sizes[i], &r), check, &r);
#endif
    }
}

/* --------------------------------------------------------------------------------------------------------------- tests */

static void says_what_it_is(const struct sample *s, struct rng *r) {
    (void)r;
    assert_info(s, s->b.n);
    assert_info(s, start_of(s));
    guira_file file = GUIRA_FILE_INIT;
    assert_int_equal(guira_file_info(s->b.at, s->b.n, &file, NULL), GUIRA_OK); /* the configuration is optional */
    assert_file(&file, &s->file);
}

static void test_the_start_of_every_file_says_what_it_is(void **state) {
    (void)state;
    on_every_sample(__func__, says_what_it_is);
}

static void any_prefix(const struct sample *s, struct rng *r) {
    (void)r;
    guira_file file;
    guira_config config;
    size_t enough = SIZE_MAX;
    for (size_t n = 0; n <= start_of(s); n++) {
        guira_status status = info_of(s->b.at, n, &file, &config);
        if (status != GUIRA_OK) {
            assert_true(is_refusal(status));
            assert_int_equal(enough, SIZE_MAX); /* more bytes never say less */
            continue;
        }
        if (enough == SIZE_MAX) enough = n;
        assert_info(s, n);
    }
    assert_true(enough <= start_of(s));
}

static void test_any_prefix_is_refused_or_says_what_the_file_is(void **state) {
    (void)state;
    on_every_sample(__func__, any_prefix);
}

/* Bytes that are not looked at may change what they like; those that are have a checksum. */
static void flipped_bit(const struct sample *s, struct rng *r) {
    guira_file file;
    guira_config config;
    size_t n = start_of(s);
    for (size_t i = 0; i < n; i++) {
        uint8_t bit = (uint8_t)(1U << rng_below(r, 8));
        s->b.at[i] ^= bit;
        guira_status status = info_of(s->b.at, n, &file, &config);
        if (status == GUIRA_OK) {
            assert_file(&file, &s->file);
            assert_config(&config, &s->config, s->file.content == GUIRA_FILE_WINDOW);
        } else assert_true(is_refusal(status));
        if (i < 64) assert_true(is_refusal(status)); /* the start of a header or of a preamble */
        s->b.at[i] ^= bit;
    }
}

static void test_a_flipped_bit_is_refused_or_changes_nothing(void **state) {
    (void)state;
    on_every_sample(__func__, flipped_bit);
}

/* Numbers that mean trouble, with right checksums: lengths of sections above all. */
static void test_wrong_numbers_with_right_checksums_do_no_harm(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t numbers[] = {0, 1, 7, 63, 64, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX - 63, UINT64_MAX};
    for (unsigned what = 0; what < 3; what++) {
        struct sample s = what < 2 ? window_sample(30, what == 1, &r) : filter_sample(variants(), 30, &r);
        struct bytes copy = {malloc(s.b.n), s.b.n, s.b.n};
        assert_non_null(copy.at);
        for (size_t at = 0; at + 8 <= start_of(&s); at += 8)
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                guira_file file;
                guira_config config;
                memcpy(copy.at, s.b.at, s.b.n);
                put_u64(copy.at + at, numbers[i]);
                repair_checksums(copy.at, copy.n);
                guira_status status = info_of(copy.at, start_of(&s), &file, &config);
                assert_true(status == GUIRA_OK || is_refusal(status));
            }
        free(copy.at);
        free(s.b.at);
    }
}

/* The header's numbers for windows go from 65 to 90; some of these are no width. What is told is what can be loaded. */
static void test_the_width_of_a_window_is_told_or_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct sample s = window_sample(0, false, &r);
    unsigned widths = 0;
    for (unsigned bits = 0; bits <= 100; bits++) {
        guira_file file;
        guira_config config;
        unsigned key_bits = bits == 27 ? 27 : bits - 64;
        put_u64(s.b.at + 8, bits == 27 ? 1 : 2);
        put_u64(s.b.at + 48, bits);
        repair_checksums(s.b.at, s.b.n);
        guira_status status = info_of(s.b.at, s.b.n, &file, &config);
        if (status != GUIRA_OK || file.content != GUIRA_FILE_WINDOW) continue;
        assert_int_equal(config.slot_bits, key_bits + 5);
        widths++;
    }
    assert_int_equal(widths, 12); /* 12 to 21, 23 and 27 bits without the stamp */
    free(s.b.at);
}

static void test_what_is_no_file_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t bytes[GUIRA_FILE_START];
    guira_file file = GUIRA_FILE_INIT;
    guira_config config;
    for (unsigned i = 0; i < 1000; i++) {
        size_t n = rng_below(&r, sizeof bytes + 1);
        for (size_t k = 0; k < n; k++) bytes[k] = i % 2 ? 0 : (uint8_t)rng_next(&r);
        assert_int_equal(info_of(bytes, n, &file, &config), GUIRA_EFORMAT);
    }
    assert_int_equal(guira_file_info(NULL, 10, &file, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_file_info(bytes, 10, NULL, NULL), GUIRA_EINVAL);
}

/* A version of the format that is not known yet. */
static void test_later_versions_of_the_format_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_file file;
    guira_config config;
    struct sample s = filter_sample(variants(), 10, &r);
    put_u64(s.b.at + 8, 3);
    repair_checksums(s.b.at, s.b.n);
    assert_int_equal(info_of(s.b.at, s.b.n, &file, &config), GUIRA_EFORMAT);
    free(s.b.at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_start_of_every_file_says_what_it_is),
        cmocka_unit_test(test_any_prefix_is_refused_or_says_what_the_file_is),
        cmocka_unit_test(test_a_flipped_bit_is_refused_or_changes_nothing),
        cmocka_unit_test(test_wrong_numbers_with_right_checksums_do_no_harm),
        cmocka_unit_test(test_the_width_of_a_window_is_told_or_refused),
        cmocka_unit_test(test_what_is_no_file_is_refused),
        cmocka_unit_test(test_later_versions_of_the_format_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
