/* Every kind of filter against an exact multiset.
 *
 * A world is a filter, the members it should have, and a source of chance. Members come and go in waves:
 *
 *     members    /\      /\  /\
 *               /  \  /\/  \/  \__/\        up and down between 0 and `top`, some steps forward and one back;
 *              /    \/                      at each turn (and at random moments) everything is checked
 *
 * On the way: copies, batches, reservations, clears, and a twin that is cloned from the filter and must stay like it.
 * Whether the oldest, the newest or any member is removed changes every half wave: a tidal filter's elders are its
 * oldest. A world's fate depends on its seed alone, so the same seed on two instruction sets must give the same bytes. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* False positives, measured and predicted; can be added up. */
struct rates {
    double probes, hits, expected, variance;
    double forgiven; /* expected hits that may be missing */
};

struct world {
    const struct variant *variant;
    guira *f, *twin; /* twin: NULL, or a clone that everything is done to as well */
    struct crowd crowd;
    struct rng rng;
    enum choice leaving;
    uint64_t back; /* one step of so many goes the other way */
    uint64_t ops, next_look, next_event, turns, elders;
    size_t probes; /* at each turn, to measure the rate */
    struct rates rates;
    double worst; /* rate of a turn, in sigmas */
};

static struct world world_make(const struct variant *v, uint64_t seed, size_t top) {
    struct world w = {.variant = v, .rng = {seed}, .probes = 1 << 12};
    w.f = variant_make(v, &w.rng, top + top / 10 + 200); /* a batch or two above the top must not fill a fixed one */
    return w;
}

static void untwin(struct world *w) {
    if (w->twin != NULL) assert_int_equal(digest(w->twin), digest(w->f));
    guira_destroy(w->twin);
    w->twin = NULL;
}

static void entwin(struct world *w) {
    untwin(w);
    assert_int_equal(guira_clone(w->f, &w->twin), GUIRA_OK);
    assert_int_equal(digest(w->twin), digest(w->f));
}

static void world_end(struct world *w) {
    untwin(w);
    guira_destroy(w->f);
    free(w->crowd.hash);
}

/* ------------------------------------------------------------------------------------------------------------- checking */

static void assert_member(const struct world *w, uint64_t hash, uint64_t copies) {
    if (!guira_contains_hash(w->f, hash)) fail_msg("%s: %016llx is lost", w->variant->name, (unsigned long long)hash);
    uint64_t n = w->f->ops->count(w->f, hash);
    if (n < copies) fail_msg("%s: %u copies, %u counted", w->variant->name, (unsigned)copies, (unsigned)n);
}

static void check_load(struct world *w) {
    guira_stats s = stats_of(w->f);
    if (s.elders > w->elders) w->elders = s.elders;
    double most = w->f->config.max_load * (double)s.slots + (double)s.slots / (double)s.buckets;
    assert_int_equal(s.items, w->crowd.live);
    if (!is_fixed(w->variant) && (double)s.items > most) fail_msg("%s: load %.4f", w->variant->name, s.load);
}

/* What can be asked every few hundred operations: some members, and whether batches say what single questions do. */
static void look(struct world *w) {
    enum { SOME = 40 };
    uint64_t hash[SOME];
    bool found[SOME];
    size_t present = 0;
    for (size_t i = 0; i < SOME; i++) {
        bool member = i % 2 == 0 && w->crowd.live > 0;
        hash[i] = member ? crowd_pick(&w->crowd, ANY, &w->rng) : rng_next(&w->rng);
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

/* Every member, with as many copies as it has. Returns how many are copies of others. */
static size_t check_everybody(struct world *w) {
    struct crowd sorted = {0};
    size_t copies = 0;
    for (size_t i = w->crowd.first; i < w->crowd.end; i++)
        if (w->crowd.hash[i] != GONE) crowd_add(&sorted, w->crowd.hash[i]);
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

/* Asks for keys that are not there. The prediction takes entries for independent, so there is more that keeps it apart
 * from the measured rate than the luck of the probes:
 * (1) copies match the same keys: their share of the hits, all of it, is forgiven when hits are missing. So is what a
 *     cuckoo filter, alone or in a list, has of entries whose two buckets are one;
 * (2) others overlap by chance. That deviates by less than the square root of the share of keys that the largest entry
 *     matches, and is added to the variance. A tidal filter's largest are of the time when it had two buckets and match
 *     1 of 2^(w-1) keys: that makes 2 % of the rate at w=12, 0.5 % at w=16. Where there are only a few entries, no
 *     sigma tells how rare an overlap is (5 members at w=12: once in 200 times, a fifth of the rate): two are forgiven. */
static struct rates measure(struct world *w, size_t probes, size_t copies) {
    guira_stats s = stats_of(w->f);
    double equal = s.items > 0 ? -log1p(-s.fpr) / (double)s.items : 0; /* where all entries match as many keys */
    double largest = is_tidal(w->variant) ? ldexp(1, 1 - (int)w->f->config.slot_bits) : equal;
    if (w->variant->config.kind == GUIRA_CONSISTENT) largest = ldexp(1, 1 - (int)w->f->config.slot_bits);
    struct rates r = {.probes = (double)probes, .expected = (double)probes * s.fpr};
    for (size_t i = 0; i < probes; i++) r.hits += guira_contains_hash(w->f, rng_next(&w->rng));
    r.variance = r.expected * (1 - s.fpr) + r.expected * r.expected * largest;
    if (s.items < 100) r.forgiven = 2 * largest * r.probes;
    if (s.items > 0) r.forgiven += r.expected * (double)copies / (double)s.items;
    if (w->variant->config.kind == GUIRA_CUCKOO) r.forgiven += r.expected / (double)s.buckets;
    if (w->variant->config.kind == GUIRA_DYNAMIC) r.forgiven += r.expected / (double)w->f->config.buckets;
    return r;
}

/* How many sigmas apart measurement and prediction are. Two hits more or less are nothing: at w=32 one is expected in
 * 10^8 probes, where sigma is no measure. */
static double sigmas(struct rates r) {
    double off = r.hits - r.expected, beyond = fabs(off) - 2 - (off < 0 ? r.forgiven : 0);
    return beyond <= 0 ? 0 : copysign(beyond, off) / sqrt(r.variance);
}

/* 4 sigma happen by chance once in 16,000 times, too often for all the turns of all the runs to come. So then the rate
 * is measured again, with four times the probes: luck does not come twice, a wrong prediction does, and is then twice
 * as many sigmas off. */
static void check_rate(struct world *w, size_t copies) {
    struct rates r = measure(w, w->probes, copies), *sum = &w->rates;
    if (fabs(sigmas(r)) > 4) r = measure(w, 4 * w->probes, copies);
    if (fabs(sigmas(r)) > 4)
        fail_msg("%s, %zu members: %.0f false positives of %.0f, %.1f predicted, off by %.1f sigma", w->variant->name,
                 w->crowd.live, r.hits, r.probes, r.expected, sigmas(r));
    if (fabs(sigmas(r)) > fabs(w->worst)) w->worst = sigmas(r);
    *sum = (struct rates){sum->probes + r.probes, sum->hits + r.hits, sum->expected + r.expected,
                          sum->variance + r.variance, sum->forgiven + r.forgiven};
}

/* ----------------------------------------------------------------------------------------------------------- operations */

/* A new hash; once in a hundred times that of a member. */
static uint64_t newcomer(struct world *w) {
    bool copy = w->crowd.live > 0 && rng_below(&w->rng, 100) == 0;
    return copy ? crowd_pick(&w->crowd, ANY, &w->rng) : rng_next(&w->rng);
}

static void put(struct world *w) {
    uint64_t hash = newcomer(w);
    assert_int_equal(guira_insert_hash(w->f, hash), GUIRA_OK);
    if (w->twin != NULL) assert_int_equal(guira_insert_hash(w->twin, hash), GUIRA_OK);
    crowd_add(&w->crowd, hash);
}

static void put_unique(struct world *w) {
    uint64_t key = rng_next(&w->rng);
    bool there = guira_contains(w->f, &key, sizeof key);
    assert_int_equal(guira_insert_unique(w->f, &key, sizeof key), there ? GUIRA_EEXIST : GUIRA_OK);
    assert_int_equal(guira_insert_unique(w->f, &key, sizeof key), GUIRA_EEXIST);
    if (there) return;
    if (w->twin != NULL) assert_int_equal(guira_insert_unique(w->twin, &key, sizeof key), GUIRA_OK);
    crowd_add(&w->crowd, guira_hash(w->f, &key, sizeof key));
}

static void take(struct world *w) {
    uint64_t hash = crowd_take(&w->crowd, w->leaving, &w->rng);
    assert_int_equal(guira_remove_hash(w->f, hash), GUIRA_OK);
    if (w->twin != NULL) assert_int_equal(guira_remove_hash(w->twin, hash), GUIRA_OK);
}

/* The twin gets one after the other what the filter gets at once. */
static void many(struct world *w, bool in) {
    enum { MANY = 100 };
    uint64_t hash[MANY];
    guira_status s[MANY];
    size_t n = 1 + rng_below(&w->rng, MANY);
    if (!in && n > w->crowd.live) n = w->crowd.live;
    for (size_t i = 0; i < n; i++) hash[i] = in ? newcomer(w) : crowd_take(&w->crowd, w->leaving, &w->rng);
    assert_int_equal((in ? guira_insert_hash_many : guira_remove_hash_many)(w->f, hash, n, s), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s[i], GUIRA_OK);
        if (w->twin != NULL) assert_int_equal((in ? guira_insert_hash : guira_remove_hash)(w->twin, hash[i]), GUIRA_OK);
        if (in) crowd_add(&w->crowd, hash[i]);
    }
    w->ops += n - 1;
}

static void resize(struct world *w) {
    bool fit = rng_below(&w->rng, 2) == 0;
    uint64_t items = rng_below(&w->rng, 2 * w->crowd.live + 100);
    guira_status s = fit ? guira_shrink_to_fit(w->f) : guira_reserve(w->f, items);
    bool cannot = is_fixed(w->variant) && (fit || items > w->f->config.capacity);
    if (s != GUIRA_OK) assert_true(cannot && s == GUIRA_EUNSUPPORTED);
    if (w->twin != NULL) assert_int_equal(fit ? guira_shrink_to_fit(w->twin) : guira_reserve(w->twin, items), s);
}

static void clear(struct world *w) {
    assert_int_equal(guira_clear(w->f), GUIRA_OK);
    if (w->twin != NULL) assert_int_equal(guira_clear(w->twin), GUIRA_OK);
    w->crowd.first = w->crowd.end = w->crowd.live = 0;
}

/* What happens now and then, the more seldom the larger the filter is, because it takes a walk through all of it. */
static void event(struct world *w) {
    uint64_t which = rng_below(&w->rng, 40);
    if (which == 0) clear(w);
    else if (which < 10) entwin(w);
    else if (which < 18) untwin(w);
    else if (which < 36) resize(w);
    else check_everybody(w);
    w->next_event = w->ops + 1 + rng_below(&w->rng, 1000 + 2 * w->crowd.live);
}

static void step(struct world *w, bool up) {
    uint64_t dice = rng_below(&w->rng, 1000);
    bool in = w->crowd.live == 0 || (dice % w->back == 0 ? !up : up);
    if (dice < 10) many(w, in);
    else if (in && dice < 60) put_unique(w);
    else if (in) put(w);
    else take(w);
    assert_int_equal(w->f->items, w->crowd.live);
    if (++w->ops >= w->next_event) event(w);
    if (w->ops < w->next_look) return;
    w->next_look = w->ops + 400;
    look(w);
}

/* Insertions into a fixed filter until it has refused some. The twin gets only those that went in: after each refusal
 * the two must be the same. */
static void brim(struct world *w) {
    size_t before = w->crowd.live;
    entwin(w);
    for (unsigned refusals = 0; refusals < 10; w->ops++) {
        uint64_t hash = rng_next(&w->rng);
        if (guira_insert_hash(w->f, hash) == GUIRA_OK) {
            assert_int_equal(guira_insert_hash(w->twin, hash), GUIRA_OK);
            crowd_add(&w->crowd, hash);
            continue;
        }
        assert_int_equal(guira_insert_hash(w->f, hash), GUIRA_EFULL);
        assert_int_equal(digest(w->f), digest(w->twin));
        refusals++;
    }
    assert_true(stats_of(w->f).failures >= 20 && w->crowd.live >= w->f->config.capacity);
    check_rate(w, check_everybody(w));
    for (w->leaving = ANY; w->crowd.live > before; w->ops++) take(w);
}

/* ---------------------------------------------------------------------------------------------------------------- waves */

static uint64_t half_wave(struct world *w, size_t target) {
    bool up = target > w->crowd.live;
    w->leaving = w->turns == 0 ? NEWEST : (enum choice)rng_below(&w->rng, CHOICES); /* at first they shall grow old */
    w->back = UINT64_C(4) << rng_below(&w->rng, 3);
    while (up ? w->crowd.live < target : w->crowd.live > target) step(w, up);
    if (up && is_fixed(w->variant)) brim(w);
    check_rate(w, check_everybody(w));
    w->turns++;
    return digest(w->f);
}

static uint64_t mixed(uint64_t a, uint64_t b) { return rng_next(&(struct rng){rng_next(&(struct rng){a}) + b}); }

/* The first wave goes from nothing to the top and back to nothing. Returns a digest of the digests at all turns. */
static uint64_t waves(struct world *w, size_t top, unsigned n) {
    uint64_t all = 0;
    for (unsigned i = 0; i < n; i++) {
        size_t crest = i == 0 ? top : top - rng_below(&w->rng, top / 2);
        size_t trough = i == 0 ? 0 : rng_below(&w->rng, crest) >> rng_below(&w->rng, 12);
        all = mixed(mixed(all, half_wave(w, crest)), half_wave(w, trough));
    }
    return all;
}

/* At the end the rates of all turns together, with a sigma smaller than that of any: 5 of them, as nothing is left to
 * be measured again. */
static void run(const struct variant *v, uint64_t seed, size_t top, unsigned n) {
    clock_t start = clock();
    struct world w = world_make(v, seed, top);
    w.probes = quick_run() ? 1 << 15 : 1 << 20;
    waves(&w, top, n);
    print_message("  %-18s to %7zu: %9llu operations, %3llu turns, %5llu elders, rate %.3e of %.3e: %+.1f sigma, at "
                  "worst %+.1f; %.1f s\n",
                  v->name, top, (unsigned long long)w.ops, (unsigned long long)w.turns, (unsigned long long)w.elders,
                  w.rates.hits / w.rates.probes, w.rates.expected / w.rates.probes, sigmas(w.rates), w.worst,
                  (double)(clock() - start) / CLOCKS_PER_SEC);
    assert_true(fabs(sigmas(w.rates)) < 5);
    world_end(&w);
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

/* To a million members all of them go in a long run only; in others, the default one once. That is too many for the
 * kinds of the papers: their lists become long, and their windows few. */
static void test_waves_lose_nobody_and_count_exactly(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        run(v, rng_next(&r), 300, long_run() ? 200 : quick_run() ? 4 : 8);
        bool on_rings = v->config.kind == GUIRA_CONSISTENT; /* a bucket more costs it a pass over all of them */
        run(v, rng_next(&r), quick_run() ? 3000 : on_rings ? 4000 : 60000, quick_run() ? 1 : 6);
        bool is_default = is_tidal(v) && v->config.slot_bits == 16 && strcmp(v->isa, guira__isa_list()[0]) == 0;
        size_t most = is_of_papers(v) ? 100000 : 1000000;
        if ((long_run() && !on_rings) || (is_default && !quick_run())) run(v, rng_next(&r), most, long_run() ? 8 : 1);
    }
}

static void test_every_instruction_set_gives_the_same_bytes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    size_t top = long_run() ? 100000 : quick_run() ? 1000 : 10000;
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        uint64_t seed = rng_next(&r), expected = 0;
        const char *const *isa = guira__isa_list();
        for (size_t i = 0; strcmp(v->isa, "portable") == 0 && isa[i] != NULL; i++) {
            struct variant same = *v;
            same.isa = isa[i];
            struct world w = world_make(&same, seed, top);
            uint64_t got = waves(&w, top, 2);
            if (i == 0) expected = got;
            if (got != expected) fail_msg("%s: not the same bytes with %s and %s", v->name, isa[0], isa[i]);
            world_end(&w);
        }
    }
}

static void test_same_seed_and_calls_give_the_same_bytes_and_another_seed_does_not(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct world w[3];
        uint64_t seed = rng_next(&r), all[3];
        for (size_t i = 0; i < 3; i++) w[i] = world_make(v, seed + (i == 2), 1000);
        for (size_t i = 0; i < 3; i++) all[i] = waves(&w[i], 1000, 2);
        assert_true(all[0] == all[1] && all[0] != all[2]);
        assert_true(guira_hash(w[0].f, "ana", 3) == guira_hash(w[1].f, "ana", 3));
        assert_true(guira_hash(w[0].f, "ana", 3) != guira_hash(w[2].f, "ana", 3));
        for (size_t i = 0; i < 3; i++) world_end(&w[i]);
    }
}

/* Key i is the first i bytes of one long text, so every length occurs and each key is the beginning of the next. */
static void test_keys_of_any_length_come_and_go(void **state) {
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
        cmocka_unit_test(test_keys_of_any_length_come_and_go),
        cmocka_unit_test(test_same_seed_and_calls_give_the_same_bytes_and_another_seed_does_not),
        cmocka_unit_test(test_every_instruction_set_gives_the_same_bytes),
        cmocka_unit_test(test_waves_lose_nobody_and_count_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
