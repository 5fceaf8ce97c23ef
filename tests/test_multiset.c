/* Copies of keys in a tidal filter: none is refused, none takes room from another key, and all are counted.
 *
 * A count is exact unless an entry of another key matches too. With 32-bit slots and n keys that share is at most the
 * false-positive rate, so that about n * rate of n counts are too high: assert_counts allows for that. */
#define _GNU_SOURCE
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tidal/elders.h"

static size_t pick(size_t quick, size_t normal, size_t longer) {
    return quick_run() ? quick : long_run() ? longer : normal;
}

/* ---------------------------------------------------------------------------------------------------------------- bags */

/* An exact multiset of n different keys. */
struct bag {
    uint64_t *hash, *count, total;
    size_t n;
};

static struct bag bag_make(size_t n, struct rng *r) {
    struct bag b = {malloc(n * sizeof *b.hash), calloc(n, sizeof *b.count), 0, n};
    assert_true(b.hash != NULL && b.count != NULL);
    for (size_t i = 0; i < n; i++) b.hash[i] = rng_next(r);
    return b;
}

static void bag_free(struct bag *b) {
    free(b->hash);
    free(b->count);
}

static void put(guira *f, struct bag *b, size_t i) {
    assert_int_equal(guira_insert_hash(f, b->hash[i]), GUIRA_OK);
    b->count[i]++;
    b->total++;
}

static void take(guira *f, struct bag *b, size_t i) {
    assert_int_equal(guira_remove_hash(f, b->hash[i]), GUIRA_OK);
    b->count[i]--;
    b->total--;
}

/* Every key has at least its copies; few have more. The number of keys with a false positive is about Poisson with the
 * mean below, and 8 standard deviations and 8 above it are less likely than 1e-9. While entries of copies know different
 * numbers of bits, one false positive can be there once for each key, not more often. */
static void assert_counts(const guira *f, const struct bag *b) {
    double mean = (double)b->n * stats_of(f).fpr, inexact = 0;
    assert_int_equal(f->items, b->total);
    for (size_t i = 0; i < b->n; i++) {
        uint64_t n = guira_count_hash(f, b->hash[i]);
        assert_true(n >= b->count[i]);
        assert_true(b->count[i] == 0 || guira_contains_hash(f, b->hash[i]));
        inexact += n > b->count[i];
    }
    assert_true(inexact <= mean + 8 * sqrt(mean) + 8);
    assert_valid(f);
}

static guira *make(unsigned w, struct rng *r) {
    guira_config c = {.slot_bits = w};
    guira *f = NULL;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static void remove_all(guira *f, struct bag *b, struct rng *r) {
    for (size_t i = rng_below(r, b->n); b->total > 0; i = (i + 1) % b->n)
        for (uint64_t n = b->count[i] > 3 ? b->count[i] / 2 : b->count[i]; n > 0; n--) take(f, b, i);
    assert_int_equal(f->items, 0);
    assert_int_equal(stats_of(f).elders, 0);
    assert_valid(f);
}

/* -------------------------------------------------------------------------------------------------------------- streams */

/* Draws from 1..n with probability in proportion to 1 / i^s. */
struct zipf {
    double *sum;
    size_t n;
};

static struct zipf zipf_make(size_t n, double s) {
    struct zipf z = {malloc(n * sizeof *z.sum), n};
    assert_non_null(z.sum);
    for (size_t i = 0; i < n; i++) z.sum[i] = (i > 0 ? z.sum[i - 1] : 0) + pow((double)(i + 1), -s);
    return z;
}

static size_t zipf_draw(const struct zipf *z, struct rng *r) {
    double x = ldexp((double)(rng_next(r) >> 11), -53) * z->sum[z->n - 1];
    size_t low = 0, high = z->n - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (z->sum[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void test_zipf_streams_are_counted_exactly(void **state) {
    (void)state;
    const double exponents[] = {0.8, 1.0, 1.1, 1.3, 1.5};
    const unsigned widths[] = {32, 12, 16, 20};
    struct rng r = rng_for(__func__);
    size_t draws = pick(30000, 500000, 10000000), keys = draws / 5;
    for (size_t w = 0; w < 4; w++)
        for (size_t s = w > 0 && !long_run() ? 1 : 0; s<5; s += w> 0 ? 2 : 1) { /* all of them with 32 bits */
            struct bag b = bag_make(keys, &r);
            struct zipf z = zipf_make(keys, exponents[s]);
            guira *f = make(widths[w], &r);
            for (size_t i = 0; i < draws; i++) put(f, &b, zipf_draw(&z, &r));
            assert_counts(f, &b);
            guira_stats st = stats_of(f);
            print_message("  s = %.1f, %u bits: %llu of %llu copies outside the table, %.1f bits per copy, load %.2f\n",
                          exponents[s], widths[w], (unsigned long long)st.elders, (unsigned long long)st.items,
                          8.0 * (double)st.bytes / (double)st.items, st.load);
            assert_int_equal(st.failures, 0);
            for (size_t i = 0; i < draws / 4; i++) {
                size_t k = zipf_draw(&z, &r);
                if (b.count[k] > 0) take(f, &b, k);
            }
            assert_counts(f, &b);
            remove_all(f, &b, &r);
            guira_destroy(f);
            free(z.sum);
            bag_free(&b);
        }
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Inserts the words that a command prints, at most `most` of them. */
static void insert_words(guira *f, struct model *m, const char *command, size_t most) {
    char word[64];
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (m->n < most && fscanf(in, "%63s", word) == 1) {
        uint64_t hash = guira_hash(f, word, strlen(word));
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        model_add(m, hash);
    }
    pclose(in);
}

/* Counts all, then removes all in random order. */
static void count_words(unsigned w, const char *command, struct rng *r) {
    guira *f = make(w, r);
    struct model m = {0};
    insert_words(f, &m, command, pick(20000, 300000, 10000000));
    if (m.n == 0) print_message("  skipped: nothing from %s\n", command);
    qsort(m.hash, m.n, sizeof *m.hash, by_value);
    double different = 0, inexact = 0;
    for (size_t i = 0, n; i < m.n; i += n, different++) {
        for (n = 1; i + n < m.n && m.hash[i + n] == m.hash[i]; n++) continue;
        uint64_t counted = guira_count_hash(f, m.hash[i]);
        assert_true(counted >= n);
        inexact += counted > n;
    }
    guira_stats st = stats_of(f);
    double mean = different * st.fpr;
    assert_true(inexact <= mean + 8 * sqrt(mean) + 8);
    assert_true(st.failures == 0 && st.items == m.n);
    if (m.n > 0)
        print_message("  %u bits: %zu words, %.0f different, %.0f counts too high, %.1f bits per word\n", w, m.n,
                      different, inexact, 8.0 * (double)st.bytes / (double)m.n);
    assert_valid(f);
    while (m.n > 0) assert_int_equal(guira_remove_hash(f, model_take(&m, rng_below(r, m.n))), GUIRA_OK);
    assert_int_equal(f->items, 0);
    assert_valid(f);
    guira_destroy(f);
    model_free(&m);
}

/* What a Debian machine has of real text: descriptions of packages, names of files, and changelogs. */
static void test_the_words_of_packages_are_counted_exactly(void **state) {
    (void)state;
    const char *commands[] = {"cat /var/lib/dpkg/status /usr/share/dict/words 2>/dev/null",
                              "apt-cache dumpavail 2>/dev/null", "cat /var/lib/dpkg/info/*.list 2>/dev/null | tr / ' '",
                              "zcat -f /usr/share/doc/*/changelog*.gz 2>/dev/null"};
    const unsigned widths[] = {32, 16, 12, 20};
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < 4; i++) {
        count_words(widths[i], commands[i], &r);
        if (!quick_run()) count_words(32, commands[i], &r);
    }
}

/* ------------------------------------------------------------------------------------------------------------- hot keys */

/* Three keys with very many copies stay while all others leave. A filter without them shows how much memory the others
 * take; besides there are the elders: their struct, the map, two small tables. */
static void test_hot_keys_do_not_keep_memory(void **state) {
    (void)state;
    enum { HOT = 3, ELDERS_BYTES = 4096 };
    struct rng r = rng_for(__func__);
    size_t others = pick(30000, 300000, 1000000), copies = pick(30000, 300000, 1000000);
    const unsigned widths[] = {16, 12, 32};
    for (size_t w = 0; w < 3; w++) {
        struct bag b = bag_make(others + HOT, &r);
        guira *f = make(widths[w], &r), *without = NULL;
        assert_int_equal(guira_clone(f, &without), GUIRA_OK);
        for (size_t i = 0; i < others; i++) {
            put(f, &b, HOT + i);
            assert_int_equal(guira_insert_hash(without, b.hash[HOT + i]), GUIRA_OK);
            for (size_t k = i * copies / others; k < (i + 1) * copies / others; k++)
                for (size_t h = 0; h < HOT; h++) put(f, &b, h);
        }
        double most = 0;
        for (size_t i = 0; i < others; i++) {
            take(f, &b, HOT + i);
            assert_int_equal(guira_remove_hash(without, b.hash[HOT + i]), GUIRA_OK);
            if (i % (others / 50) != 0) continue;
            double more = (double)stats_of(f).bytes - 2 * ELDERS_BYTES;
            most = fmax(most, more / (double)stats_of(without).bytes);
        }
        print_message("  %u bits: at most %.3f of the memory without them; %llu bytes in the end\n", widths[w], most,
                      (unsigned long long)stats_of(f).bytes);
        assert_true(most <= 1.05);
        for (size_t h = 0; h < HOT; h++) assert_int_equal(guira_count_hash(f, b.hash[h]), copies);
        assert_true(stats_of(f).bytes <= stats_of(without).bytes + 2 * ELDERS_BYTES);
        assert_int_equal(f->items, HOT * copies);
        assert_valid(f);
        remove_all(f, &b, &r);
        guira_destroy(f);
        guira_destroy(without);
        bag_free(&b);
    }
}

/* Copies that were inserted at many sizes know different numbers of bits. */
static void test_copies_of_every_size_of_the_filter_are_kept(void **state) {
    (void)state;
    enum { HOT = 8, OTHERS = 20000 };
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 13, 16, 24, 32};
    for (size_t w = 0; w < 5; w++) {
        struct bag b = bag_make(OTHERS, &r);
        guira *f = make(widths[w], &r);
        for (unsigned tide = 0; tide < 3; tide++) {
            for (size_t i = HOT; i < OTHERS; i++) {
                put(f, &b, i);
                put(f, &b, rng_below(&r, HOT));
            }
            assert_counts(f, &b);
            for (size_t i = HOT; i < OTHERS; i++) {
                size_t k = OTHERS + HOT - 1 - i;
                take(f, &b, tide == 1 ? i : k);
                size_t h = rng_below(&r, HOT);
                if (rng_below(&r, 3) == 0 && b.count[h] > 0) take(f, &b, h);
            }
            assert_counts(f, &b);
        }
        assert_true(stats_of(f).buckets <= 16 * HOT); /* a name for each level, and copies in two buckets */
        remove_all(f, &b, &r);
        guira_destroy(f);
        bag_free(&b);
    }
}

/* --------------------------------------------------------------------------------------------------------- random tides */

/* How many copies a key gets: mostly one, sometimes hundreds. */
static uint64_t draw_copies(struct rng *r) { return rng_below(r, 4) > 0 ? 1 : UINT64_C(1) << rng_below(r, 9); }

static void tide(guira *f, struct bag *b, size_t steps, uint64_t top, struct rng *r) {
    for (size_t i = 0; i < steps; i++) {
        size_t k = rng_below(r, b->n);
        uint64_t n = draw_copies(r);
        if (rng_below(r, 2 * top) >= b->total)
            while (n-- > 0) put(f, b, k);
        else
            while (n-- > 0 && b->count[k] > 0) take(f, b, k);
    }
}

static void test_random_tides_of_copies(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    size_t rounds = pick(6, 20, 200);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        if (!is_tidal(v)) continue;
        struct bag b = bag_make(3000, &r);
        guira *f = variant_make(v, &r, 0), *copy;
        for (size_t i = 0; i < rounds; i++) {
            tide(f, &b, 400, UINT64_C(1) << (4 + rng_below(&r, 11)), &r);
            assert_counts(f, &b);
            assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
            assert_int_equal(digest(copy), digest(f));
            assert_valid(copy);
            if (rng_below(&r, 3) == 0) assert_int_equal(guira_shrink_to_fit(copy), GUIRA_OK);
            assert_counts(copy, &b);
            guira_destroy(f);
            f = copy;
        }
        remove_all(f, &b, &r);
        guira_destroy(f);
        bag_free(&b);
    }
}

/* ---------------------------------------------------------------------------------------------------- merge and union */

static void test_fifty_merges_of_equal_sets_count_all(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 32};
    for (size_t w = 0; w < 3; w++) {
        struct bag b = bag_make(pick(300, 3000, 30000), &r);
        guira *f = make(widths[w], &r), *sum;
        for (size_t i = 0; i < b.n; i++) put(f, &b, i);
        assert_int_equal(guira_clone(f, &sum), GUIRA_OK);
        uint64_t before = digest(f);
        for (unsigned i = 0; i < 50; i++) assert_int_equal(guira_merge(sum, f), GUIRA_OK);
        assert_int_equal(digest(f), before);
        for (size_t i = 0; i < b.n; i++) b.count[i] = 51;
        b.total *= 51;
        assert_counts(sum, &b);
        assert_int_equal(guira_merge(sum, sum), GUIRA_OK); /* counts are merged with counts */
        for (size_t i = 0; i < b.n; i++) b.count[i] = 102;
        b.total *= 2;
        assert_counts(sum, &b);
        assert_int_equal(guira_merge(f, sum), GUIRA_OK);
        for (size_t i = 0; i < b.n; i++) b.count[i]++;
        b.total += b.n;
        assert_counts(f, &b);
        remove_all(f, &b, &r);
        guira_destroy(f);
        guira_destroy(sum);
        bag_free(&b);
    }
}

/* The union has every key, and none twice, except for elders. Two keys that look alike are one. */
static void unite(unsigned w, size_t n, struct rng *r) {
    struct bag b = bag_make(n, r);
    guira *f = make(w, r), *g = NULL;
    assert_int_equal(guira_clone(f, &g), GUIRA_OK);
    for (size_t i = 0; i < n; i++) {
        if (i % 4 != 0) put(f, &b, i);
        if (i % 4 != 1) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
        if (i % 8 == 3)
            for (unsigned k = 0; k < 40; k++) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
    }
    uint64_t items = f->items, before = digest(g);
    assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_int_equal(digest(g), before);
    assert_true(f->items >= items && f->items - items <= g->items);
    if (w == 32) assert_true(f->items >= n - 4);             /* two keys that look alike are one: 1e-5 of these */
    if (w >= 20) assert_true(f->items <= items + n / 4 + 1); /* only every fourth key is new */
    for (size_t i = 0; i < n; i++) assert_true(guira_contains_hash(f, b.hash[i]));
    assert_valid(f);
    uint64_t once = f->items;
    for (unsigned i = 0; i < 50; i++) assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_int_equal(f->items, once);
    assert_int_equal(guira_union(f, f), GUIRA_OK);
    assert_int_equal(f->items, once);
    guira_destroy(f);
    guira_destroy(g);
    bag_free(&b);
}

static void test_fifty_unions_add_what_is_new_once(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 20, 32};
    for (size_t w = 0; w < 4; w++)
        for (size_t n = 4; n <= pick(600, 6000, 100000); n *= 5) unite(widths[w], n, &r);
}

/* Filters of one size know as much of each key if that size is a power of two (1024 buckets here). Then the union is exact:
 * what guira_insert_unique would have done. */
static void test_union_equals_unique_insertion(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    enum { KEYS = 5000 };
    struct bag b = bag_make(KEYS, &r);
    guira_config c = {.slot_bits = 32, .capacity = 7618, .seed = {1}};
    guira *f, *g, *unique;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    assert_int_equal(guira_create(&c, &g), GUIRA_OK);
    assert_int_equal(guira_create(&c, &unique), GUIRA_OK);
    for (size_t i = 0; i < KEYS; i++) {
        guira *in = i % 3 == 0 ? f : g;
        assert_int_equal(guira_insert_hash(in, b.hash[i]), GUIRA_OK);
        if (i % 5 == 0) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
        (void)guira_insert_unique_hash(unique, b.hash[i]);
    }
    assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_int_equal(f->items, unique->items);
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal(guira_count_hash(f, b.hash[i]), guira_count_hash(unique, b.hash[i]));
    guira *other = make(32, &r);
    assert_int_equal(guira_union(f, other), GUIRA_EINVAL);
    assert_int_equal(guira_union(f, NULL), GUIRA_EINVAL);
    guira_destroy(other);
    guira_destroy(f);
    guira_destroy(g);
    guira_destroy(unique);
    bag_free(&b);
}

/* --------------------------------------------------------------------------------------------------------------- faults */

enum operation { INSERT, REMOVE, MERGE, UNION, OPERATIONS };

static guira_status operate(guira *f, const guira *from, enum operation what, uint64_t hash) {
    switch (what) {
    case INSERT: return guira_insert_hash(f, hash);
    case REMOVE: return guira_remove_hash(f, hash);
    case MERGE: return guira_merge(f, from);
    default: return guira_union(f, from);
    }
}

/* Each allocation fails in turn, once and for good, until the operation succeeds. A removal always does. */
static uint64_t operate_with_faults(guira *f, const guira *from, enum operation what, uint64_t hash) {
    uint64_t before = digest(f), failures = 0;
    for (uint64_t k = 1;; k++, failures++) {
        memory.calls = 0;
        memory.fail_at = k;
        memory.fail_on = k % 2 == 0;
        memory.failed = false;
        guira_status s = operate(f, from, what, hash);
        memory.fail_at = 0;
        assert_valid(f);
        if (s == GUIRA_OK) return failures;
        assert_true(what != REMOVE && s == GUIRA_ENOMEM && memory.failed);
        assert_int_equal(digest(f), before);
    }
}

static void test_every_allocation_failing_in_turn_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 32};
    uint64_t failures = 0;
    memory_hook();
    for (unsigned round = 0; round < pick(6, 30, 300); round++) {
        struct bag b = bag_make(400, &r);
        guira *f = make(widths[round % 3], &r), *from;
        assert_int_equal(guira_clone(f, &from), GUIRA_OK);
        for (unsigned i = 0; i < 600; i++) {
            size_t k = rng_below(&r, 20) * rng_below(&r, 20);
            if (rng_below(&r, 5) > 0 || b.count[k] == 0) {
                failures += operate_with_faults(f, NULL, INSERT, b.hash[k]);
                b.count[k]++;
                b.total++;
                assert_int_equal(guira_insert_hash(from, b.hash[rng_below(&r, 4)]), GUIRA_OK);
            } else {
                operate_with_faults(f, NULL, REMOVE, b.hash[k]);
                b.count[k]--;
                b.total--;
            }
        }
        assert_counts(f, &b);
        failures += operate_with_faults(f, from, MERGE, 0);
        failures += operate_with_faults(f, from, UNION, 0);
        guira_destroy(f);
        guira_destroy(from);
        bag_free(&b);
    }
    print_message("  %llu calls failed\n", (unsigned long long)failures);
    assert_true(failures > 50);
    memory_unhook();
}

/* ---------------------------------------------------------------------------------------------------------------- files */

static guira *make_counted(unsigned w, struct bag *b, size_t draws, struct rng *r) {
    guira *f = make(w, r);
    for (size_t i = 0; i < draws; i++) put(f, b, rng_below(r, b->n) * rng_below(r, b->n) / b->n);
    return f;
}

static void test_counts_are_saved_loaded_mapped_and_viewed(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 21, 32};
    char path[] = "multiset-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    for (size_t w = 0; w < 4; w++)
        for (size_t draws = 20; draws < pick(3000, 30000, 300000); draws *= 6) {
            struct bag b = bag_make(1 + draws / 30, &r);
            guira *f = make_counted(widths[w], &b, draws, &r), *loaded, *mapped, *copy;
            assert_int_equal(guira_save(f, path), GUIRA_OK);
            assert_int_equal(guira_load(path, &loaded), GUIRA_OK);
            assert_int_equal(digest(loaded), digest(f));
            assert_counts(loaded, &b);
            assert_int_equal(guira_map(path, &mapped), GUIRA_OK);
            assert_counts(mapped, &b);
            assert_int_equal(guira_clone(mapped, &copy), GUIRA_OK);
            assert_int_equal(digest(copy), digest(f));
            remove_all(copy, &b, &r);
            guira *all[] = {f, loaded, mapped, copy};
            for (size_t i = 0; i < 4; i++) guira_destroy(all[i]);
            bag_free(&b);
        }
    unlink(path);
}

static bool append(void *to, const void *bytes, size_t n) {
    uint8_t **at = to;
    memcpy(*at, bytes, n);
    *at += n;
    return true;
}

static unsigned format_of(const guira *f) {
    uint8_t *bytes = malloc(guira_saved_size(f)), *at = bytes;
    guira_file info = {.size = sizeof info};
    assert_non_null(bytes);
    assert_int_equal(guira_save_to(f, append, &at), GUIRA_OK);
    assert_int_equal(guira_file_info(bytes, (size_t)(at - bytes), &info, NULL), GUIRA_OK);
    assert_int_equal(info.items, f->items);
    free(bytes);
    return info.format;
}

static void test_only_counts_need_format_2(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(16, &r);
    for (unsigned i = 0; i < 300; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    assert_int_equal(format_of(f), 1);
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(guira_insert_hash(f, 1), GUIRA_OK);
    assert_int_equal(format_of(f), 2);
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(guira_remove_hash(f, 1), GUIRA_OK);
    assert_int_equal(format_of(f), 1);
    guira_destroy(f);
}

/* What the check of a filter must find. The change is undone by cloning beforehand. */
static const char *damage(struct tidal *f, unsigned how, struct rng *r) {
    struct counts *c = &f->elders->counts;
    uint64_t slots = UINT64_C(1) << c->now->bits, i = rng_below(r, slots);
    while (c->now->slot[i].name == 0 || c->now->slot[i].n == 0) i = (i + 1) % slots;
    struct count_slot *s = &c->now->slot[i];
    switch (how) {
    case 0: return s->n++, "numbers";
    case 1: return s->n = 0, "a number that is gone";
    case 2: return s->name ^= UINT64_C(1) << 40, "a name of no elder";
    case 3: return s->name |= UINT64_C(1) << 63, "an impossible name";
    case 4: return f->elders->counted++, f->head.items++, "the sum";
    case 5: return c->names++, "the names";
    case 6: return c->moved++, "how far it was moved";
    case 7: return s->n = UINT64_MAX - 1, "a number that overflows";
    case 8: return s->name = 0, "a number without a name";
    default: return NULL;
    }
}

static void test_the_check_finds_every_wrong_count(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct bag b = bag_make(50, &r);
    guira *f = make_counted(16, &b, 5000, &r), *copy;
    while (((struct tidal *)f)->elders->counts.old != NULL) put(f, &b, 0);
    for (unsigned how = 0;; how++) {
        assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
        const char *what = damage((struct tidal *)copy, how, &r);
        const char *reason = guira__tidal_check(copy);
        if (what != NULL && reason == NULL) fail_msg("not found: %s", what);
        copy->ops->destroy(copy);
        if (what == NULL) break;
    }
    guira_destroy(f);
    bag_free(&b);
}

/* --------------------------------------------------------------------------------------------------------- the counts */

/* Against an array, with growth, shrinking, and names that come and go. */
static void test_the_table_of_counts_is_exact(void **state) {
    (void)state;
    enum { NAMES = 5000 };
    struct rng r = rng_for(__func__);
    guira *f = make(16, &r);
    struct counts c = {0}, copy;
    struct bag b = bag_make(NAMES, &r);
    size_t steps = pick(50000, 300000, 3000000);
    for (size_t i = 0; i < steps; i++) {
        bool up = rng_below(&r, steps) > i; /* more and more goes down */
        size_t k = rng_below(&r, NAMES);
        if (up) {
            uint64_t n = 1 + rng_below(&r, 3);
            assert_true(guira__counts_ready(&c, 1));
            guira__counts_add(&c, (struct tidal *)f, b.hash[k], n);
            b.count[k] += n;
            b.total += n;
        }
        for (unsigned n = up ? 0 : 6; n > 0 && b.count[k] > 0; n--) {
            guira__counts_subtract(&c, (struct tidal *)f, b.hash[k]);
            b.count[k]--;
            b.total--;
        }
        assert_int_equal(guira__counts_get(&c, b.hash[k]), b.count[k]);
        if (c.old != NULL && i % 64 == 0) { /* cloning counts the names that are left to be moved */
            assert_true(guira__counts_clone(&c, &copy));
            assert_int_equal(copy.left, c.left);
            guira__counts_free(&copy);
        }
        if (i % (steps / 20) != 0) continue;
        uint64_t total = 0;
        for (size_t j = 0; j < NAMES; j++) assert_int_equal(guira__counts_get(&c, b.hash[j]), b.count[j]);
        assert_null(guira__counts_check(&c, &total));
        assert_int_equal(total, b.total);
        assert_true(guira__counts_clone(&c, &copy));
        assert_null(guira__counts_check(&copy, &total));
        assert_int_equal(copy.left, c.left);
        guira__counts_free(&c);
        c = copy;
    }
    for (size_t k = 0; k < NAMES; k++)
        for (; b.count[k] > 0; b.count[k]--) guira__counts_subtract(&c, (struct tidal *)f, b.hash[k]);
    assert_true(c.now == NULL && c.old == NULL && c.names == 0);
    guira__counts_free(&c);
    guira_destroy(f);
    bag_free(&b);
}

/* -------------------------------------------------------------------------------------------------------------- threads */

enum { WRITERS = 2, HOT_KEYS = 5, SHARED_KEYS = 2000 };

struct team {
    guira_shared *g;
    uint64_t hash[SHARED_KEYS];
    uint64_t copies, seed;
    bool stop;
    uint64_t done; /* rounds of the writers, all together */
    uint64_t missed, lookups;
};

/* Adds `copies` copies of the hot keys among others that come and go. */
static void *write_copies(void *arg) {
    struct team *t = arg;
    struct rng r = {__atomic_add_fetch(&t->seed, 1, __ATOMIC_RELAXED)};
    for (uint64_t i = 0; i < t->copies; i++) {
        uint64_t other = rng_next(&r);
        bool in = guira_shared_insert_hash(t->g, other) == GUIRA_OK;
        for (unsigned k = 0; k < HOT_KEYS; k++) in = in && guira_shared_insert_hash(t->g, t->hash[k]) == GUIRA_OK;
        size_t k = HOT_KEYS + rng_below(&r, SHARED_KEYS - HOT_KEYS);
        in = in && guira_shared_insert_hash(t->g, t->hash[k]) == GUIRA_OK;
        in = in && guira_shared_remove_hash(t->g, t->hash[k]) == GUIRA_OK;
        in = in && guira_shared_remove_hash(t->g, other) == GUIRA_OK;
        __atomic_add_fetch(&t->done, 1, __ATOMIC_RELEASE);
        if (!in) __atomic_add_fetch(&t->missed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* The hot keys are there, with all the copies that had been inserted before. */
static void *read_copies(void *arg) {
    struct team *t = arg;
    for (unsigned k = 0; !__atomic_load_n(&t->stop, __ATOMIC_RELAXED); k = (k + 1) % HOT_KEYS) {
        uint64_t before = __atomic_load_n(&t->done, __ATOMIC_ACQUIRE);
        uint64_t n = guira_shared_count_hash(t->g, t->hash[k]);
        bool ok = guira_shared_contains_hash(t->g, t->hash[k]) && n >= 1 + before;
        if (!ok) __atomic_add_fetch(&t->missed, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&t->lookups, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void test_threads_count_copies_in_a_shared_filter(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct team *t = calloc(1, sizeof *t);
    guira_config c = {.slot_bits = 32, .seed = {1}};
    pthread_t writer[WRITERS], reader;
    assert_non_null(t);
    t->copies = pick(2000, 30000, 1000000);
    t->seed = rng_next(&r);
    assert_int_equal(guira_shared_create(&c, 2, &t->g), GUIRA_OK);
    for (size_t i = 0; i < SHARED_KEYS; i++) {
        t->hash[i] = rng_next(&r);
        assert_int_equal(guira_shared_insert_hash(t->g, t->hash[i]), GUIRA_OK);
    }
    assert_int_equal(pthread_create(&reader, NULL, read_copies, t), 0);
    for (unsigned i = 0; i < WRITERS; i++) assert_int_equal(pthread_create(&writer[i], NULL, write_copies, t), 0);
    for (unsigned i = 0; i < WRITERS; i++) assert_int_equal(pthread_join(writer[i], NULL), 0);
    __atomic_store_n(&t->stop, true, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(t->missed, 0);
    unsigned exact = 0;
    for (unsigned k = 0; k < HOT_KEYS; k++) {
        uint64_t n = guira_shared_count_hash(t->g, t->hash[k]);
        assert_true(n >= 1 + WRITERS * t->copies);
        exact += n == 1 + WRITERS * t->copies;
    }
    assert_true(exact >= HOT_KEYS - 1); /* a false positive among so few has probability 1e-6 */
    assert_int_equal(guira_shared_validate(t->g, NULL), GUIRA_OK);
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_shared_stats_get(t->g, &s), GUIRA_OK);
    assert_int_equal(s.items, SHARED_KEYS + HOT_KEYS * WRITERS * t->copies);
    assert_true(s.load <= 1);
    assert_int_equal(guira_shared_union(t->g, t->g), GUIRA_OK);
    assert_int_equal(guira_shared_stats_get(t->g, &s), GUIRA_OK);
    assert_int_equal(s.items, SHARED_KEYS + HOT_KEYS * WRITERS * t->copies);
    assert_int_equal(guira_shared_merge(t->g, t->g), GUIRA_OK);
    assert_true(guira_shared_count_hash(t->g, t->hash[0]) >= 2 * (1 + WRITERS * t->copies));
    assert_int_equal(guira_shared_union(t->g, NULL), GUIRA_EINVAL);
    guira_shared_destroy(t->g);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_of_counts_is_exact),
        cmocka_unit_test(test_zipf_streams_are_counted_exactly),
        cmocka_unit_test(test_the_words_of_packages_are_counted_exactly),
        cmocka_unit_test(test_hot_keys_do_not_keep_memory),
        cmocka_unit_test(test_copies_of_every_size_of_the_filter_are_kept),
        cmocka_unit_test(test_random_tides_of_copies),
        cmocka_unit_test(test_fifty_merges_of_equal_sets_count_all),
        cmocka_unit_test(test_fifty_unions_add_what_is_new_once),
        cmocka_unit_test(test_union_equals_unique_insertion),
        cmocka_unit_test(test_every_allocation_failing_in_turn_changes_nothing),
        cmocka_unit_test(test_counts_are_saved_loaded_mapped_and_viewed),
        cmocka_unit_test(test_only_counts_need_format_2),
        cmocka_unit_test(test_the_check_finds_every_wrong_count),
        cmocka_unit_test(test_threads_count_copies_in_a_shared_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
