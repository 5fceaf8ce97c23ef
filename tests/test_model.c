/* Every kind of filter against an exact multiset.
 *
 * A trial is a filter, the members it should have, and a random generator. The number of members goes up and down in waves:
 *
 *     members    /\      /\  /\
 *               /  \  /\/  \/  \__/\        between 0 and `top`, some steps forward and one back; at each extreme
 *              /    \/                      (and at random moments) everything is checked
 *
 * On the way there are copies, batches, reservations and clears, and a clone that gets the same operations and must stay
 * equal. Whether the oldest, the newest or random members are removed changes every half wave: a tidal filter's elders are
 * its oldest. A trial depends on its seed alone, so the same seed on two instruction sets must give the same bytes. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* False positives, measured and predicted; can be added up. */
struct rates {
    double probes, hits, expected, variance;
    double tolerated; /* expected hits that may be missing */
};

struct trial {
    const struct variant *variant;
    guira *f, *clone; /* clone: NULL, or a clone that gets the same operations */
    struct ordered_set members;
    struct rng rng;
    enum choice removed; /* which members are removed */
    uint64_t back;       /* one step of so many goes the other way */
    uint64_t ops, next_look, next_event, extremes, elders;
    size_t probes; /* at each extreme, to measure the rate */
    struct rates rates;
    double worst; /* rate at an extreme, in sigmas */
};

static struct trial trial_make(const struct variant *v, uint64_t seed, size_t top) {
    struct trial w = {.variant = v, .rng = {seed}, .probes = 1 << 12};
    w.f = variant_make(v, &w.rng, top + top / 10 + 200); /* a batch or two above the top must not fill a fixed one */
    return w;
}

static void drop_clone(struct trial *w) {
    if (w->clone != NULL) assert_int_equal(digest(w->clone), digest(w->f));
    guira_destroy(w->clone);
    w->clone = NULL;
}

static void make_clone(struct trial *w) {
    drop_clone(w);
    assert_int_equal(guira_clone(w->f, &w->clone), GUIRA_OK);
    assert_int_equal(digest(w->clone), digest(w->f));
}

static void trial_end(struct trial *w) {
    drop_clone(w);
    guira_destroy(w->f);
    free(w->members.hash);
}

/* ------------------------------------------------------------------------------------------------------------- checking */

static void assert_member(const struct trial *w, uint64_t hash, uint64_t copies) {
    if (!guira_contains_hash(w->f, hash))
        fail_msg("%s: false negative: %016llx", w->variant->name, (unsigned long long)hash);
    uint64_t n = w->f->ops->count(w->f, hash);
    if (n < copies) fail_msg("%s: %u copies, %u counted", w->variant->name, (unsigned)copies, (unsigned)n);
}

static void check_load(struct trial *w) {
    guira_stats s = stats_of(w->f);
    if (s.elders > w->elders) w->elders = s.elders;
    double most = guira__config_of(w->f).max_load * (double)s.slots + (double)s.slots / (double)s.buckets;
    assert_int_equal(s.items, w->members.live);
    double stored = s.load * (double)s.slots; /* without the copies that are counted outside the table */
    if (!is_fixed(w->variant) && stored > most + 1e-6) fail_msg("%s: load %.4f", w->variant->name, s.load);
}

/* Every few hundred operations: looks up some members, and compares batches with single lookups. */
static void check_some(struct trial *w) {
    enum { SOME = 43 }; /* not only whole groups of eight */
    uint64_t hash[SOME];
    bool found[SOME];
    size_t present = 0;
    for (size_t i = 0; i < SOME; i++) {
        bool member = i % 2 == 0 && w->members.live > 0;
        hash[i] = member ? ordered_pick(&w->members, ANY, &w->rng) : rng_next(&w->rng);
        if (member) assert_member(w, hash[i], 1);
        present += guira_contains_hash(w->f, hash[i]);
    }
    assert_int_equal(guira_contains_hash_many(w->f, hash, SOME, found), present);
    for (size_t i = 0; i < SOME; i++) assert_int_equal(found[i], guira_contains_hash(w->f, hash[i]));
    check_load(w);
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Looks up every member and counts its copies. Returns how many members are copies of others. */
static size_t check_all(struct trial *w) {
    struct ordered_set sorted = {0};
    size_t copies = 0;
    for (size_t i = w->members.first; i < w->members.end; i++)
        if (w->members.hash[i] != GONE) ordered_add(&sorted, w->members.hash[i]);
    if (sorted.live > 0) qsort(sorted.hash, sorted.live, sizeof *sorted.hash, by_value);
    for (size_t i = 0, n; i < sorted.live; i += n) {
        for (n = 1; i + n < sorted.live && sorted.hash[i + n] == sorted.hash[i]; n++) {
        }
        assert_member(w, sorted.hash[i], n);
        copies += n - 1;
    }
    free(sorted.hash);
    check_load(w);
    assert_valid(w->f);
    return copies;
}

/* Looks up keys that are not members. The prediction assumes that entries are independent, so the measured rate differs from
 * it by more than the random error of the probes:
 * (1) copies match the same keys: hits may be missing up to their whole share. The same holds for entries of a cuckoo
 *     filter, alone or in a list, whose two buckets are one;
 * (2) others overlap by chance. That deviates by less than the square root of the share of keys that the largest entry
 *     matches, and is added to the variance. A tidal filter's largest are of the time when it had two buckets and match
 *     1 of 2^(w-1) keys, which makes 2 % of the rate at w=12, 0.5 % at w=16. Where there are only a few entries, the
 *     variance says little (5 members at w=12: once in 200 times a fifth of the rate): two overlaps are tolerated. */
static struct rates measure(struct trial *w, size_t probes, size_t copies) {
    guira_stats s = stats_of(w->f);
    double equal = s.items > 0 ? -log1p(-s.fpr) / (double)s.items : 0; /* where all entries match as many keys */
    double largest = is_tidal(w->variant) ? ldexp(1, 1 - (int)guira__config_of(w->f).slot_bits) : equal;
    if (w->variant->config.kind == GUIRA_CONSISTENT) largest = ldexp(1, 1 - (int)guira__config_of(w->f).slot_bits);
    struct rates r = {.probes = (double)probes, .expected = (double)probes * s.fpr};
    for (size_t i = 0; i < probes; i++) r.hits += guira_contains_hash(w->f, rng_next(&w->rng));
    r.variance = r.expected * (1 - s.fpr) + r.expected * r.expected * largest;
    if (s.items < 100) r.tolerated = 2 * largest * r.probes;
    if (s.items > 0) r.tolerated += r.expected * (double)copies / (double)s.items;
    if (w->variant->config.kind == GUIRA_CUCKOO) r.tolerated += r.expected / (double)s.buckets;
    if (w->variant->config.kind == GUIRA_DYNAMIC) r.tolerated += r.expected / (double)guira__config_of(w->f).buckets;
    return r;
}

/* How many sigmas apart measurement and prediction are. Two hits more or less are ignored: at w=32 one is expected in
 * 10^8 probes, where sigma means little. */
static double sigmas(struct rates r) {
    double off = r.hits - r.expected, beyond = fabs(off) - 2 - (off < 0 ? r.tolerated : 0);
    return beyond <= 0 ? 0 : copysign(beyond, off) / sqrt(r.variance);
}

/* 4 sigma happen by chance once in 16,000 times, too often for all the extremes of all runs. So then the rate is measured
 * again, with four times the probes: a chance deviation disappears, but a wrong prediction is then off by twice as many
 * sigmas. 5 of these after 4 of those: once in 3 * 10^10 extremes, and a run has some thousand. */
static void check_rate(struct trial *w, size_t copies) {
    struct rates r = measure(w, w->probes, copies), *sum = &w->rates;
    double off = fabs(sigmas(r));
    if (off > 4) r = measure(w, 4 * w->probes, copies);
    if (off > 4 && fabs(sigmas(r)) > 5)
        fail_msg("%s, %zu members: %.0f false positives of %.0f, %.1f predicted, off by %.1f sigma", w->variant->name,
                 w->members.live, r.hits, r.probes, r.expected, sigmas(r));
    if (fabs(sigmas(r)) > fabs(w->worst)) w->worst = sigmas(r);
    *sum = (struct rates){sum->probes + r.probes, sum->hits + r.hits, sum->expected + r.expected,
                          sum->variance + r.variance, sum->tolerated + r.tolerated};
}

/* ----------------------------------------------------------------------------------------------------------- operations */

/* A new hash; once in a hundred times that of a member. */
static uint64_t draw_hash(struct trial *w) {
    bool copy = w->members.live > 0 && rng_below(&w->rng, 100) == 0;
    return copy ? ordered_pick(&w->members, ANY, &w->rng) : rng_next(&w->rng);
}

static void insert_one(struct trial *w) {
    uint64_t hash = draw_hash(w);
    assert_int_equal(guira_insert_hash(w->f, hash), GUIRA_OK);
    if (w->clone != NULL) assert_int_equal(guira_insert_hash(w->clone, hash), GUIRA_OK);
    ordered_add(&w->members, hash);
}

static void insert_unique(struct trial *w) {
    uint64_t key = rng_next(&w->rng);
    bool there = guira_contains(w->f, &key, sizeof key);
    assert_int_equal(guira_insert_unique(w->f, &key, sizeof key), there ? GUIRA_EEXIST : GUIRA_OK);
    assert_int_equal(guira_insert_unique(w->f, &key, sizeof key), GUIRA_EEXIST);
    if (there) return;
    if (w->clone != NULL) assert_int_equal(guira_insert_unique(w->clone, &key, sizeof key), GUIRA_OK);
    ordered_add(&w->members, guira_hash(w->f, &key, sizeof key));
}

static void remove_one(struct trial *w) {
    uint64_t hash = ordered_take(&w->members, w->removed, &w->rng);
    assert_int_equal(guira_remove_hash(w->f, hash), GUIRA_OK);
    if (w->clone != NULL) assert_int_equal(guira_remove_hash(w->clone, hash), GUIRA_OK);
}

/* A batch for the filter, single calls for the clone. */
static void batch(struct trial *w, bool in) {
    enum { MANY = 100 };
    uint64_t hash[MANY];
    guira_status s[MANY];
    size_t n = 1 + rng_below(&w->rng, MANY);
    if (!in && n > w->members.live) n = w->members.live;
    for (size_t i = 0; i < n; i++) hash[i] = in ? draw_hash(w) : ordered_take(&w->members, w->removed, &w->rng);
    assert_int_equal((in ? guira_insert_hash_many : guira_remove_hash_many)(w->f, hash, n, s), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s[i], GUIRA_OK);
        if (w->clone != NULL)
            assert_int_equal((in ? guira_insert_hash : guira_remove_hash)(w->clone, hash[i]), GUIRA_OK);
        if (in) ordered_add(&w->members, hash[i]);
    }
    w->ops += n - 1;
}

static void resize(struct trial *w) {
    bool fit = rng_below(&w->rng, 2) == 0;
    uint64_t items = rng_below(&w->rng, 2 * w->members.live + 100);
    guira_status s = fit ? guira_shrink_to_fit(w->f) : guira_reserve(w->f, items);
    bool cannot = is_fixed(w->variant) && (fit || items > guira__config_of(w->f).capacity);
    if (s != GUIRA_OK) assert_true(cannot && s == GUIRA_EUNSUPPORTED);
    if (w->clone != NULL) assert_int_equal(fit ? guira_shrink_to_fit(w->clone) : guira_reserve(w->clone, items), s);
}

static void clear(struct trial *w) {
    assert_int_equal(guira_clear(w->f), GUIRA_OK);
    if (w->clone != NULL) assert_int_equal(guira_clear(w->clone), GUIRA_OK);
    w->members.first = w->members.end = w->members.live = 0;
}

/* Rare operations, the rarer the larger the filter, because each takes a pass over all of it. */
static void event(struct trial *w) {
    uint64_t which = rng_below(&w->rng, 40);
    if (which == 0) clear(w);
    else if (which < 10) make_clone(w);
    else if (which < 18) drop_clone(w);
    else if (which < 36) resize(w);
    else check_all(w);
    w->next_event = w->ops + 1 + rng_below(&w->rng, 1000 + 2 * w->members.live);
}

static void step(struct trial *w, bool up) {
    uint64_t draw = rng_below(&w->rng, 1000);
    bool in = w->members.live == 0 || (draw % w->back == 0 ? !up : up);
    if (draw < 10) batch(w, in);
    else if (in && draw < 60) insert_unique(w);
    else if (in) insert_one(w);
    else remove_one(w);
    assert_int_equal(w->f->items, w->members.live);
    if (++w->ops >= w->next_event) event(w);
    if (w->ops < w->next_look) return;
    w->next_look = w->ops + 400;
    check_some(w);
}

/* Inserts into a fixed filter until it has refused some. The clone gets only what was accepted: after each refusal the two
 * must be equal. */
static void fill_up(struct trial *w) {
    size_t before = w->members.live;
    make_clone(w);
    for (unsigned refusals = 0; refusals < 10; w->ops++) {
        uint64_t hash = rng_next(&w->rng);
        if (guira_insert_hash(w->f, hash) == GUIRA_OK) {
            assert_int_equal(guira_insert_hash(w->clone, hash), GUIRA_OK);
            ordered_add(&w->members, hash);
            continue;
        }
        assert_int_equal(guira_insert_hash(w->f, hash), GUIRA_EFULL);
        assert_int_equal(digest(w->f), digest(w->clone));
        refusals++;
    }
    assert_true(stats_of(w->f).failures >= 20 && w->members.live >= guira__config_of(w->f).capacity);
    check_rate(w, check_all(w));
    for (w->removed = ANY; w->members.live > before; w->ops++) remove_one(w);
}

/* ---------------------------------------------------------------------------------------------------------------- waves */

static uint64_t half_wave(struct trial *w, size_t target) {
    bool up = target > w->members.live;
    w->removed = w->extremes == 0
                     ? NEWEST
                     : (enum choice)rng_below(
                           &w->rng, CHOICES); /* so that in the first wave old entries stay and become elders */
    w->back = UINT64_C(4) << rng_below(&w->rng, 3);
    while (up ? w->members.live < target : w->members.live > target) step(w, up);
    if (up && is_fixed(w->variant)) fill_up(w);
    check_rate(w, check_all(w));
    w->extremes++;
    return digest(w->f);
}

static uint64_t mixed(uint64_t a, uint64_t b) { return rng_next(&(struct rng){rng_next(&(struct rng){a}) + b}); }

/* The first wave goes from nothing to the top and back to nothing. Returns a digest of the digests at all extremes. */
static uint64_t waves(struct trial *w, size_t top, unsigned n) {
    uint64_t all = 0;
    for (unsigned i = 0; i < n; i++) {
        size_t high = i == 0 ? top : top - rng_below(&w->rng, top / 2);
        size_t low = i == 0 ? 0 : rng_below(&w->rng, high) >> rng_below(&w->rng, 12);
        all = mixed(mixed(all, half_wave(w, high)), half_wave(w, low));
    }
    return all;
}

/* At the end the rates of all extremes together, which have a smaller sigma. Here 6 sigma are allowed, because nothing can be
 * measured again. Returns the number of operations. */
static uint64_t run(const struct variant *v, uint64_t seed, size_t top, unsigned n) {
    clock_t start = clock();
    struct trial w = trial_make(v, seed, top);
    w.probes = quick_run() ? 1 << 15 : long_run() ? 1 << 20 : 1 << 18;
    waves(&w, top, n);
    print_message("  %-18s to %7zu: %9llu operations, %3llu extremes, %5llu elders, rate %.3e of %.3e: %+.1f sigma, at "
                  "worst %+.1f; %.1f s\n",
                  v->name, top, (unsigned long long)w.ops, (unsigned long long)w.extremes, (unsigned long long)w.elders,
                  w.rates.hits / w.rates.probes, w.rates.expected / w.rates.probes, sigmas(w.rates), w.worst,
                  (double)(clock() - start) / CLOCKS_PER_SEC);
    assert_true(fabs(sigmas(w.rates)) < 6);
    trial_end(&w);
    return w.ops;
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

/* All variants reach a million members only in a long run; in others only the default one does, once. That is too many for
 * the kinds of the papers, whose lists of filters become long. */
static uint64_t run_variants(struct rng *r) {
    uint64_t ops = 0;
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        ops += run(v, rng_next(r), 300, long_run() ? 200 : quick_run() ? 4 : 8);
        bool on_rings = v->config.kind == GUIRA_CONSISTENT; /* a bucket more costs it a pass over all of them */
        ops += run(v, rng_next(r), quick_run() ? 3000 : on_rings ? 4000 : 60000, quick_run() ? 1 : 6);
        bool is_default = is_tidal(v) && v->config.slot_bits == 16 && strcmp(v->isa, isa_list()[0]) == 0;
        size_t most = is_of_papers(v) ? 100000 : 1000000;
        if ((long_run() && !on_rings) || (is_default && !quick_run()))
            ops += run(v, rng_next(r), most, long_run() ? 8 : 1);
    }
    return ops;
}

/* GUIRA_OPS=1e9: repeats it with other random numbers until there were so many operations. */
static void test_no_false_negatives_and_exact_counts_in_waves(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const char *wanted = getenv("GUIRA_OPS");
    double least = wanted != NULL ? strtod(wanted, NULL) : 0;
    uint64_t ops = 0;
    do {
        ops += run_variants(&r);
        print_message("  %llu operations so far\n", (unsigned long long)ops);
    } while ((double)ops < least);
}

static void test_every_instruction_set_gives_the_same_bytes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    size_t top = long_run() ? 100000 : quick_run() ? 1000 : 10000;
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        uint64_t seed = rng_next(&r), expected = 0;
        const char *const *isa = isa_list();
        for (size_t i = 0; strcmp(v->isa, "portable") == 0 && isa[i] != NULL; i++) {
            struct variant same = *v;
            same.isa = isa[i];
            struct trial w = trial_make(&same, seed, top);
            uint64_t got = waves(&w, top, 2);
            if (i == 0) expected = got;
            if (got != expected) fail_msg("%s: not the same bytes with %s and %s", v->name, isa[0], isa[i]);
            trial_end(&w);
        }
    }
}

static void test_same_seed_and_calls_give_the_same_bytes_and_another_seed_does_not(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct trial w[3];
        uint64_t seed = rng_next(&r), all[3];
        for (size_t i = 0; i < 3; i++) w[i] = trial_make(v, seed + (i == 2), 1000);
        for (size_t i = 0; i < 3; i++) all[i] = waves(&w[i], 1000, 2);
        assert_true(all[0] == all[1] && all[0] != all[2]);
        assert_true(guira_hash(w[0].f, "ana", 3) == guira_hash(w[1].f, "ana", 3));
        assert_true(guira_hash(w[0].f, "ana", 3) != guira_hash(w[2].f, "ana", 3));
        for (size_t i = 0; i < 3; i++) trial_end(&w[i]);
    }
}

/* Key i is the first i bytes of one long text, so every length occurs and each key is the beginning of the next. */
static void test_keys_of_any_length_are_inserted_and_removed(void **state) {
    (void)state;
    enum { KEYS = 3000, LONG = 100000 };
    struct rng r = rng_for(__func__);
    static char text[LONG];
    for (size_t i = 0; i < LONG; i++) text[i] = (char)rng_next(&r);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        guira *f = variant_make(v, &r, KEYS + 2);
        assert_int_equal(guira_insert(f, NULL, 0), GUIRA_OK);
        assert_int_equal(guira_insert_unique(f, "", 0), GUIRA_EEXIST);
        assert_int_equal(guira_insert(f, text, LONG), GUIRA_OK);
        for (size_t i = 0; i < KEYS; i++) assert_int_equal(guira_insert(f, text, i), GUIRA_OK);
        for (size_t i = 0; i < KEYS; i++) assert_true(guira_contains(f, text, i) && guira_count(f, text, i) >= 1);
        assert_true(guira_count(f, NULL, 0) >= 2 && guira_contains(f, text, LONG));
        for (size_t i = 1; i < KEYS; i += 2) assert_int_equal(guira_remove(f, text, i), GUIRA_OK);
        for (size_t i = 0; i < KEYS; i += 2) assert_true(guira_contains_hash(f, guira_hash(f, text, i)));
        for (size_t i = 2; i < KEYS; i += 2) assert_int_equal(guira_remove(f, text, i), GUIRA_OK);
        assert_int_equal(guira_remove(f, text, LONG), GUIRA_OK);
        assert_true(guira_remove(f, NULL, 0) == GUIRA_OK && guira_remove(f, "", 0) == GUIRA_OK && f->items == 0);
        assert_int_equal(guira_remove(f, "", 0), GUIRA_ENOTFOUND);
        assert_valid(f);
        guira_destroy(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_of_any_length_are_inserted_and_removed),
        cmocka_unit_test(test_same_seed_and_calls_give_the_same_bytes_and_another_seed_does_not),
        cmocka_unit_test(test_every_instruction_set_gives_the_same_bytes),
        cmocka_unit_test(test_no_false_negatives_and_exact_counts_in_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
