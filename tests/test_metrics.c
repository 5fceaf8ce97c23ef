/* The text that guira_metrics_write writes, byte for byte; and that timing lookups does not change results. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/latency.h"

/* -------------------------------------------------------------------------------------------------------------- output */

struct page {
    char text[1 << 17];
    size_t n;
    size_t calls, fail_at; /* the number of the call that fails; 0: none */
};

static bool onto_page(void *to, const void *bytes, size_t n) {
    struct page *p = to;
    p->calls++;
    if (p->fail_at > 0 && p->calls >= p->fail_at) return false;
    assert_true(n < sizeof p->text - p->n);
    memcpy(p->text + p->n, bytes, n);
    p->n += n;
    p->text[p->n] = '\0';
    return true;
}

static struct page page;

static const char *written(const guira_observed *what, size_t n) {
    page = (struct page){.n = 0};
    assert_int_equal(guira_metrics_write(what, n, onto_page, &page), GUIRA_OK);
    return page.text;
}

static const char *written_of(const char *name, const guira *f) {
    return written(&(guira_observed){.name = name, .filter = f}, 1);
}

static size_t times_in(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) n++;
    return n;
}

/* The value behind a series. */
static double value_of(const char *text, const char *series) {
    const char *at = strstr(text, series);
    if (at == NULL) fail_msg("no %s in\n%s", series, text);
    return strtod(at + strlen(series), NULL);
}

static guira *make(guira_kind kind, uint64_t capacity, double fpr) {
    const guira_config c = {.kind = kind, .capacity = capacity, .fpr = fpr, .slot_bits = 16, .seed = {7}};
    guira *f = NULL;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

/* The number of timed lookups in the metrics. */
static uint64_t timed(const guira *f) {
    const char *text = written_of("f", f);
    if (strstr(text, "duration") == NULL) return 0;
    return (uint64_t)value_of(text, "_count{name=\"f\",kind=\"tidal\"} ");
}

static void look_up(const guira *f, uint64_t times) {
    for (uint64_t i = 0; i < times; i++) guira_contains_hash(f, i << 40);
}

/* ------------------------------------------------------------------------------------------------------------- the text */

static const char exact[] =
    "# HELP guira_items Members, copies counted.\n"
    "# TYPE guira_items gauge\n"
    "guira_items{name=\"seen\",kind=\"cuckoo\"} 56\n"
    "# HELP guira_slots Slots in all buckets.\n"
    "# TYPE guira_slots gauge\n"
    "guira_slots{name=\"seen\",kind=\"cuckoo\"} 112\n"
    "# HELP guira_buckets Buckets.\n"
    "# TYPE guira_buckets gauge\n"
    "guira_buckets{name=\"seen\",kind=\"cuckoo\"} 14\n"
    "# HELP guira_memory_bytes Memory held, everything included.\n"
    "# TYPE guira_memory_bytes gauge\n"
    "guira_memory_bytes{name=\"seen\",kind=\"cuckoo\"} %llu\n"
    "# HELP guira_load_ratio Members per slot.\n"
    "# TYPE guira_load_ratio gauge\n"
    "guira_load_ratio{name=\"seen\",kind=\"cuckoo\"} 0.5\n"
    "# HELP guira_load_max_ratio Load above which it grows, or that its size was planned for.\n"
    "# TYPE guira_load_max_ratio gauge\n"
    "guira_load_max_ratio{name=\"seen\",kind=\"cuckoo\"} 0.95\n"
    "# HELP guira_stash_items Members in the stash, outside the table.\n"
    "# TYPE guira_stash_items gauge\n"
    "guira_stash_items{name=\"seen\",kind=\"cuckoo\"} 4\n"
    "# HELP guira_elder_items Members that can be split no further, kept outside the table.\n"
    "# TYPE guira_elder_items gauge\n"
    "guira_elder_items{name=\"seen\",kind=\"cuckoo\"} 0\n"
    "# HELP guira_false_positive_ratio False-positive rate to expect now, computed from the entries.\n"
    "# TYPE guira_false_positive_ratio gauge\n"
    "guira_false_positive_ratio{name=\"seen\",kind=\"cuckoo\"} 0.000122064725\n"
    "# HELP guira_false_positive_target_ratio False-positive rate that was requested.\n"
    "# TYPE guira_false_positive_target_ratio gauge\n"
    "guira_false_positive_target_ratio{name=\"seen\",kind=\"cuckoo\"} 0.001\n"
    "# HELP guira_insert_failures_total Insertions refused.\n"
    "# TYPE guira_insert_failures_total counter\n"
    "guira_insert_failures_total{name=\"seen\",kind=\"cuckoo\"} 1\n"
    "# HELP guira_kicks_total Entries moved to make room for others.\n"
    "# TYPE guira_kicks_total counter\n"
    "guira_kicks_total{name=\"seen\",kind=\"cuckoo\"} 31\n"
    "# HELP guira_evictions_total Times entries were moved to make room for one.\n"
    "# TYPE guira_evictions_total counter\n"
    "guira_evictions_total{name=\"seen\",kind=\"cuckoo\"} 12\n"
    "# HELP guira_grows_total Buckets added.\n"
    "# TYPE guira_grows_total counter\n"
    "guira_grows_total{name=\"seen\",kind=\"cuckoo\"} 18446744073709551615\n"
    "# HELP guira_shrinks_total Buckets removed.\n"
    "# TYPE guira_shrinks_total counter\n"
    "guira_shrinks_total{name=\"seen\",kind=\"cuckoo\"} 9\n";

/* 100 items at load 0.95 are 14 buckets of 8. One key gets 16 slots and 4 places in the stash, and is then refused.
 * Other counters are set to distinct values, so that none can be taken for another. */
static void test_the_text_is_exact(void **state) {
    (void)state;
    char expected[sizeof exact + 32];
    guira *f = make(GUIRA_CUCKOO, 100, 0.001);
    guira_stats s = GUIRA_STATS_INIT;
    for (unsigned i = 0; i < 20; i++) assert_int_equal(guira_insert_hash(f, 0), GUIRA_OK);
    assert_int_equal(guira_insert_hash(f, 0), GUIRA_EDUPLICATE);
    for (uint64_t i = 0; i < 36; i++) assert_int_equal(guira_insert_hash(f, (4 + i % 6) << 60), GUIRA_OK);
    f->evict.kicks = 31;
    f->evict.evictions = 12;
    f->grows = UINT64_MAX;
    f->shrinks = 9;
    guira_stats_get(f, &s);
    snprintf(expected, sizeof expected, exact, (unsigned long long)s.bytes);
    assert_string_equal(written_of("seen", f), expected);
    guira_destroy(f);
}

static void test_a_family_appears_once_with_all_its_series(void **state) {
    (void)state;
    guira *f = make(GUIRA_TIDAL, 0, 0), *g = make(GUIRA_CUCKOO, 10, 0.01);
    const guira_observed all[] = {{.name = "f", .filter = f}, {.name = "g", .filter = g}, {.name = "h", .filter = f}};
    assert_int_equal(guira_latency_sample(f, 1), GUIRA_OK);
    const char *text = written(all, 3);
    assert_int_equal(times_in(text, "# HELP "), 16);
    assert_int_equal(times_in(text, "# TYPE "), 16);
    assert_int_equal(times_in(text, "# TYPE guira_items "), 1);
    assert_int_equal(times_in(text, "\nguira_items{"), 3);
    assert_int_equal(times_in(text, "\nguira_false_positive_target_ratio{"), 1); /* no target rate for the others */
    assert_int_equal(times_in(text, "\nguira_lookup_duration_seconds_count{"), 2);
    assert_non_null(
        strstr(text, "} 0\nguira_items{name=\"g\",kind=\"cuckoo\"} 0\nguira_items{name=\"h\",kind=\"tidal\"} 0\n#"));
    guira_destroy(f);
    guira_destroy(g);
}

static void test_names_are_escaped(void **state) {
    (void)state;
    static const struct {
        const char *name, *label;
    } some[] = {
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"say \"hi\"", "\"say \\\"hi\\\"\""},
        {"c:\\new", "\"c:\\\\new\""},
        {"two\nlines", "\"two\\nlines\""},
        {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
        {"\xe2\x82\xac \xf0\x9f\x90\xa6", "\"\xe2\x82\xac \xf0\x9f\x90\xa6\""},
        {"\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\""},
        {"\xff\xfe", "\"\\\\xff\\\\xfe\""},
        {"cut \xe2\x82", "\"cut \\\\xe2\\\\x82\""},               /* the end is missing */
        {"\xc3(", "\"\\\\xc3(\""},                                /* something else instead of it */
        {"\xc0\xaf", "\"\\\\xc0\\\\xaf\""},                       /* too long a way to write / */
        {"\xe0\x80\xaf", "\"\\\\xe0\\\\x80\\\\xaf\""},            /* and a longer one */
        {"\xf0\x80\x80\xaf", "\"\\\\xf0\\\\x80\\\\x80\\\\xaf\""}, /* and one more */
        {"\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\""},            /* half a pair of UTF-16 */
        {"\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\""}, /* beyond the last character */
    };
    guira *f = make(GUIRA_TIDAL, 0, 0);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "\nguira_items{name=%s,kind=\"tidal\"} 0\n", some[i].label);
        if (strstr(written_of(some[i].name, f), expected) == NULL) fail_msg("no %s in\n%s", expected, page.text);
    }
    guira_destroy(f);
}

/* --------------------------------------------------------------------------------------------------------------- errors */

enum { MANY = 30 };

static void test_a_write_function_that_fails_is_not_called_again(void **state) {
    (void)state;
    guira_observed many[MANY];
    guira *f = make(GUIRA_TIDAL, 0, 0);
    for (size_t i = 0; i < MANY; i++) many[i] = (guira_observed){.name = "a name of some length", .filter = f};
    written(many, MANY);
    size_t calls = page.calls;
    assert_true(calls > 3);
    for (size_t k = 1; k <= calls; k++) {
        page = (struct page){.fail_at = k};
        assert_int_equal(guira_metrics_write(many, MANY, onto_page, &page), GUIRA_EIO);
        assert_int_equal(page.calls, k);
    }
    guira_destroy(f);
}

static void test_invalid_arguments_are_refused_and_nothing_is_written(void **state) {
    (void)state;
    guira *f = make(GUIRA_TIDAL, 0, 0);
    const guira_shared *shared = (const guira_shared *)f;
    const guira_window *window = (const guira_window *)f;
    const guira_observed good = {.name = "f", .filter = f};
    const guira_observed bad[] = {
        {.filter = f},
        {.name = "f"},
        {.name = "f", .filter = f, .shared = shared},
        {.name = "f", .filter = f, .window = window},
        {.name = "f", .shared = shared, .window = window},
        {.name = "f", .filter = f, .shared = shared, .window = window},
    };
    page = (struct page){.n = 0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const guira_observed pair[] = {good, bad[i]};
        assert_int_equal(guira_metrics_write(pair, 2, onto_page, &page), GUIRA_EINVAL);
    }
    assert_int_equal(guira_metrics_write(NULL, 1, onto_page, &page), GUIRA_EINVAL);
    assert_int_equal(guira_metrics_write(&good, 1, NULL, &page), GUIRA_EINVAL);
    assert_int_equal(guira_metrics_write(NULL, 0, onto_page, &page), GUIRA_OK);
    assert_int_equal(page.calls, 0);
    assert_int_equal(guira_latency_sample(NULL, 1), GUIRA_EINVAL);
    guira_destroy(f);
}

static void test_no_memory_changes_nothing(void **state) {
    (void)state;
    memory_hook();
    guira *f = make(GUIRA_TIDAL, 0, 0);
    const guira_observed what = {.name = "f", .filter = f};
    bool (*plain)(const guira *, uint64_t) = f->contains;
    uint64_t before = digest(f);
    memory.fail_at = memory.calls + 1;
    memory.fail_on = true;
    page = (struct page){.n = 0};
    assert_int_equal(guira_metrics_write(&what, 1, onto_page, &page), GUIRA_ENOMEM);
    assert_int_equal(page.calls, 0);
    assert_int_equal(guira_latency_sample(f, 1), GUIRA_ENOMEM);
    assert_true(f->contains == plain && (f->rare == NULL || f->rare->latency == NULL) && digest(f) == before);
    assert_int_equal(guira_latency_sample(f, 0), GUIRA_OK);
    memory.fail_at = 0;
    assert_int_equal(guira_latency_sample(f, 1), GUIRA_OK);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(guira_latency_sample(f, 2), GUIRA_OK); /* allocated already */
    memory.fail_at = 0;
    guira_destroy(f);
    memory_unhook();
}

/* --------------------------------------------------------------------------------------------------------- timed lookups */

static void test_one_in_every_n_lookups_is_timed(void **state) {
    (void)state;
    guira *f = make(GUIRA_TIDAL, 0, 0);
    look_up(f, 100);
    assert_int_equal(timed(f), 0);
    assert_int_equal(guira_latency_sample(f, 1), GUIRA_OK);
    assert_int_equal(timed(f), 0);
    look_up(f, 100);
    guira_contains(f, "key", 3);
    guira_insert_unique(f, "key", 3);
    assert_int_equal(timed(f), 102);
    assert_int_equal(guira_latency_sample(f, 10), GUIRA_OK);
    look_up(f, 1000);
    assert_int_equal(timed(f), 202);
    assert_int_equal(guira_latency_sample(f, 0), GUIRA_OK);
    look_up(f, 1000);
    assert_int_equal(timed(f), 202);
    guira_destroy(f);
}

static void test_turning_sampling_off_restores_the_plain_lookup(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f = variant_make(v, &r, 1000);
        bool (*plain)(const guira *, uint64_t) = f->contains;
        assert_int_equal(guira_latency_sample(f, 3), GUIRA_OK);
        assert_true(f->contains == guira__latency_contains);
        assert_int_equal(guira_latency_sample(f, 5), GUIRA_OK);
        assert_int_equal(guira_latency_sample(f, 0), GUIRA_OK);
        assert_true(f->contains == plain);
        assert_int_equal(guira_latency_sample(f, 0), GUIRA_OK);
        assert_true(f->contains == plain);
        guira_destroy(f);
    }
}

/* Two filters with the same operations, of which one is timed. */
struct pair {
    guira *timed, *other;
    struct rng keys;
};

static void assert_pair(const struct pair *t, uint64_t n) {
    struct rng keys = t->keys;
    assert_true(t->timed->contains == guira__latency_contains &&
                guira__latency_untimed(t->timed) == t->other->contains);
    assert_int_equal(digest(t->timed), digest(t->other));
    for (uint64_t i = 0; i < 2 * n; i++) { /* the second half are not members */
        uint64_t key = rng_next(&keys);
        bool in = guira_contains_hash(t->other, key);
        assert_true(guira_contains_hash(t->timed, key) == in && (in || i >= n));
    }
}

/* From small to so large that the table is in one piece, which has another lookup function, and back. */
static void test_timing_changes_nothing_else(void **state) {
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* one thread, which takes a minute here */
#endif
    enum { ITEMS = 5000, ROOM = 2000000 };
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct rng again = r;
        struct pair t = {variant_make(v, &r, ITEMS), variant_make(v, &again, ITEMS), r};
        assert_int_equal(guira_latency_sample(t.timed, 7), GUIRA_OK);
        for (uint64_t i = 0; i < ITEMS; i++) {
            uint64_t key = rng_next(&r);
            assert_int_equal(guira_insert_hash(t.timed, key), GUIRA_OK);
            assert_int_equal(guira_insert_hash(t.other, key), GUIRA_OK);
        }
        assert_pair(&t, ITEMS);
        bool (*plain)(const guira *, uint64_t) = t.other->contains;
        /* The other kinds have one lookup function. In a quick run one width is enough. */
        bool large = v->config.kind == GUIRA_TIDAL && (v->config.slot_bits == 16 || !quick_run());
        uint64_t room = large ? ROOM : 4 * ITEMS;
        assert_int_equal(guira_reserve(t.timed, room), guira_reserve(t.other, room));
        bool switches = large && sizeof(void *) == 8; /* with 32 bits there is one lookup function for every size */
        assert_true(!switches || guira__latency_untimed(t.timed) != plain);
        assert_pair(&t, ITEMS);
        assert_int_equal(guira_shrink_to_fit(t.timed), guira_shrink_to_fit(t.other));
        assert_pair(&t, ITEMS);
        assert_int_equal(t.timed->rare->latency->asked, 6 * ITEMS);
        assert_int_equal(guira_clear(t.timed), GUIRA_OK);
        assert_int_equal(guira_clear(t.other), GUIRA_OK);
        assert_pair(&t, 0);
        assert_int_equal(guira_latency_sample(t.timed, 0), GUIRA_OK);
        assert_true(t.timed->contains == t.other->contains);
        guira_destroy(t.timed);
        guira_destroy(t.other);
    }
}

static void test_a_clone_is_not_timed(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f = variant_make(v, &r, 1000), *g = NULL;
        guira_stats before = GUIRA_STATS_INIT, after = GUIRA_STATS_INIT;
        guira_stats_get(f, &before);
        bool (*plain)(const guira *, uint64_t) = f->contains;
        assert_int_equal(guira_latency_sample(f, 1), GUIRA_OK);
        guira_stats_get(f, &after);
        assert_true(after.bytes >= before.bytes + sizeof(struct latency));
        assert_int_equal(guira_clone(f, &g), GUIRA_OK);
        guira_stats_get(g, &after);
        assert_int_equal(after.bytes, before.bytes);
        assert_true((g->rare == NULL || g->rare->latency == NULL) && g->contains == plain && digest(f) == digest(g));
        guira_destroy(f);
        look_up(g, 10);
        guira_destroy(g);
    }
    memory_unhook();
}

static void test_the_histogram_adds_up(void **state) {
    (void)state;
    static const char expected[] =
        "# HELP guira_lookup_duration_seconds Time of one lookup, of those that were timed.\n"
        "# TYPE guira_lookup_duration_seconds histogram\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"2.5e-08\"} 2\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"5e-08\"} 3\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"1e-07\"} 3\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"2.5e-07\"} 3\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"5e-07\"} 3\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"1e-06\"} 4\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"2.5e-06\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"5e-06\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"1e-05\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"2.5e-05\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"5e-05\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"0.0001\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"0.00025\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"0.0005\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"0.001\"} 5\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"0.01\"} 6\n"
        "guira_lookup_duration_seconds_bucket{name=\"f\",kind=\"tidal\",le=\"+Inf\"} 7\n"
        "guira_lookup_duration_seconds_sum{name=\"f\",kind=\"tidal\"} 0.020002053\n"
        "guira_lookup_duration_seconds_count{name=\"f\",kind=\"tidal\"} 7\n";
    static const uint64_t ns[] = {0, 25, 26, 1000, 1001, 10000000, 10000001};
    guira *f = make(GUIRA_TIDAL, 0, 0);
    assert_int_equal(guira_latency_sample(f, 1), GUIRA_OK);
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) guira__latency_record(f->rare->latency, ns[i]);
    assert_string_equal(strstr(written_of("f", f), "# HELP guira_lookup"), expected);
    guira_destroy(f);
}

/* The bounds are the same in both units, and increase. */
static void test_the_bounds_agree_in_both_units(void **state) {
    (void)state;
    for (size_t i = 0; i < LATENCY_BOUNDS; i++) {
        double seconds = strtod(guira__latency_bound[i].seconds, NULL), ns = (double)guira__latency_bound[i].ns;
        assert_true(seconds * 1e9 > ns * 0.999999 && seconds * 1e9 < ns * 1.000001);
        assert_true(i == 0 || guira__latency_bound[i].ns > guira__latency_bound[i - 1].ns);
    }
}

enum { THREADS = 4, EACH = 20000 };

static void *look_up_many(void *f) {
    look_up(f, EACH);
    return NULL;
}

static void test_counts_of_concurrent_lookups_are_exact(void **state) {
    (void)state;
    guira *f = make(GUIRA_TIDAL, 0, 0);
    pthread_t thread[THREADS];
    assert_int_equal(guira_latency_sample(f, 1), GUIRA_OK);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, look_up_many, f), 0);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(timed(f), THREADS * EACH);
    guira_destroy(f);
}

/* Kicks and evictions belong together: an eviction is at least one kick, and without full buckets there is none. */
static void test_evictions_are_counted_with_kicks(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(GUIRA_CUCKOO, 10000, 0);
    guira_stats s = GUIRA_STATS_INIT;
    for (unsigned i = 0; i < 4000; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    guira_stats_get(f, &s);
    assert_true(s.kicks == 0 && s.evictions == 0);
    for (unsigned i = 0; i < 6000; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    guira_stats_get(f, &s);
    assert_true(s.evictions > 100 && s.kicks >= s.evictions && s.kicks < 10 * s.evictions);
    guira_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_text_is_exact),
        cmocka_unit_test(test_a_family_appears_once_with_all_its_series),
        cmocka_unit_test(test_names_are_escaped),
        cmocka_unit_test(test_a_write_function_that_fails_is_not_called_again),
        cmocka_unit_test(test_invalid_arguments_are_refused_and_nothing_is_written),
        cmocka_unit_test(test_no_memory_changes_nothing),
        cmocka_unit_test(test_one_in_every_n_lookups_is_timed),
        cmocka_unit_test(test_turning_sampling_off_restores_the_plain_lookup),
        cmocka_unit_test(test_timing_changes_nothing_else),
        cmocka_unit_test(test_a_clone_is_not_timed),
        cmocka_unit_test(test_the_histogram_adds_up),
        cmocka_unit_test(test_the_bounds_agree_in_both_units),
        cmocka_unit_test(test_counts_of_concurrent_lookups_are_exact),
        cmocka_unit_test(test_evictions_are_counted_with_kicks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
