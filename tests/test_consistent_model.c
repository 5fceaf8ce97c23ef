/* A consistent cuckoo filter under any sequence of steps: no member is lost, and no insertion is refused that a step could
 * have avoided. */
#include "consistent_support.h"

#include <math.h>

#include "papers/ccf/ccf.h"

/* ------------------------------------------------------------------------------------------------------------ anything */

static guira_config any_shape(struct rng *r) {
    return (guira_config){.slot_bits = 8 + (unsigned)rng_below(r, 25),
                          .bucket_slots = 1 + (unsigned)rng_below(r, 6),
                          .candidates = 1 + (unsigned)rng_below(r, 5),
                          .virtual_nodes = 1 + (unsigned)rng_below(r, 12),
                          .buckets = 1 + rng_below(r, 40),
                          .ring = rng_below(r, 2) ? 0 : 100000 + rng_below(r, 1000000),
                          .policy = (guira_policy)rng_below(r, 3),
                          .max_load = 0.5 + 0.49 * ldexp((double)(rng_next(r) >> 11), -53),
                          .max_kicks = 1 + (unsigned)rng_below(r, 300),
                          .max_filters = 1 + (unsigned)rng_below(r, 12)};
}

/* Hashes that differ in 6 of the first 32 bits, so that many have the same fingerprint, shorter ones sooner. */
static uint64_t crowded_hash(struct rng *r) {
    return (rng_next(r) & UINT64_C(0x8410421084210421)) << 1 | (rng_next(r) & 1);
}

enum step { UP, DOWN, COMPACT, OUT, STEPS };

static guira_status take(guira *f, enum step step, size_t index) {
    switch (step) {
    case UP: return guira_consistent_scale_up_at(f, index);
    case DOWN: return guira_consistent_scale_down_at(f, index);
    case COMPACT: return guira_consistent_compact_at(f, index);
    default: return index == 0 ? guira_consistent_scale_out(f, NULL) : GUIRA_ELIMIT;
    }
}

/* The steps that the policy allows: docs/consistent.md. A filter more is for a key that has fewer copies than one filter of the
 * list can hold. */
static bool is_legal(guira_policy policy, enum step step, guira_status refusal) {
    if (step == OUT && refusal == GUIRA_EDUPLICATE) return false;
    return policy != (step == UP || step == DOWN ? GUIRA_FILTER_LEVEL : GUIRA_BUCKET_LEVEL);
}

struct refusals {
    unsigned all, with_steps;       /* the last: those of filters that a legal step of was possible */
    unsigned by_two, by_other_ways; /* that two steps would have avoided; that shrinking would which is not legal */
};

/* What becomes of a refused key after a step on a copy of the filter. */
enum outcome { NO_STEP, NO_HELP, HELP_WITH_ANOTHER_STEP, HELP };

static enum outcome outcome_of(const guira *f, uint64_t hash, enum step step, size_t index) {
    guira *copy;
    enum outcome o = NO_STEP;
    assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
    if (take(copy, step, index) == GUIRA_OK)
        o = guira__ccf_insert_growing(ccf_of(copy), hash) == GUIRA_OK ? HELP
            : guira_insert_hash(copy, hash) == GUIRA_OK               ? HELP_WITH_ANOTHER_STEP
                                                                      : NO_HELP;
    guira_destroy(copy);
    return o;
}

/* The most copies that one filter of the list can hold. */
static uint64_t most_copies(const guira *f) {
    const struct ccf *list = const_ccf_of(f);
    uint64_t most = 0;
    for (uint64_t i = 0; i < list->filters; i++) {
        uint64_t places = (uint64_t)list->list[i].candidates * list->list[i].table.layout.slots;
        if (places > most) most = places;
    }
    return most;
}

/* What a filter remembers of refusals saves time and decides nothing. */
static void assert_refused_without_memory_of_it(const guira *f, uint64_t hash, guira_status refusal) {
    guira *copy;
    assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
    ccf_changed(ccf_of(copy));
    assert_int_equal(guira_insert_hash(copy, hash), refusal);
    assert_int_equal(digest(copy), digest(f));
    guira_destroy(copy);
}

/* An insertion was refused: no legal step makes room. The filter has not changed, so copies of it find out what each step
 * would have done. */
static void assert_nothing_helps(const guira *f, uint64_t hash, guira_status refusal, struct refusals *n) {
    const guira_policy policy = guira__config_of(f).policy;
    bool was_a_step = false, two = false, other = false;
    assert_int_equal(refusal, guira_count_hash(f, hash) >= most_copies(f) ? GUIRA_EDUPLICATE : GUIRA_EFULL);
    for (unsigned step = 0; step < STEPS; step++)
        for (size_t i = 0; i < stats_of(f).filters; i++) {
            enum outcome o = outcome_of(f, hash, (enum step)step, i);
            bool legal = is_legal(policy, (enum step)step, refusal);
            assert_false(legal && o == HELP);
            was_a_step |= legal && o != NO_STEP;
            two |= legal && o == HELP_WITH_ANOTHER_STEP;
            other |= !legal && o >= HELP_WITH_ANOTHER_STEP && (step == DOWN || step == COMPACT);
        }
    assert_refused_without_memory_of_it(f, hash, refusal);
    n->all++;
    n->with_steps += was_a_step;
    n->by_two += two;
    n->by_other_ways += other;
}

/* A random step; those that have to leave everything as it was when they fail. */
static guira_status any_step(guira *f, struct model *m, struct refusals *n, struct rng *r) {
    guira_config c = any_shape(r);
    size_t index = rng_below(r, stats_of(f).filters + 1); /* one of them does not exist */
    bool at = rng_below(r, 2);
    switch (rng_below(r, 8)) {
    case 0: return at ? guira_consistent_scale_up_at(f, index) : guira_consistent_scale_up(f);
    case 1: return at ? guira_consistent_scale_down_at(f, index) : guira_consistent_scale_down(f);
    case 2: return guira_consistent_scale_out(f, at ? &c : NULL);
    case 3: return at ? guira_consistent_compact_at(f, index) : guira_consistent_compact(f);
    case 4: return guira_reserve(f, rng_below(r, 300));
    case 5: return rng_below(r, 8) == 0 ? guira_shrink_to_fit(f) : GUIRA_OK;
    default: break;
    }
    uint64_t hash = rng_below(r, 4) == 0 ? rng_next(r) : crowded_hash(r);
    guira_status s = guira_insert_hash(f, hash);
    if (s == GUIRA_OK) model_add(m, hash);
    else assert_nothing_helps(f, hash, s, n);
    return s;
}

static void test_any_sequence_of_steps_keeps_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned refused = 0, filters = 0;
    struct refusals insertions = {0};
    for (unsigned round = 0; round < (quick_run() ? 60 : 600); round++) {
        struct model m = {0};
        guira *f = make(any_shape(&r), &r);
        for (unsigned step = 0; step < 400; step++) {
            uint64_t before = digest(f);
            bool out = m.n > 0 && rng_below(&r, 300) < m.n;
            guira_status s =
                out ? guira_remove_hash(f, model_take(&m, rng_below(&r, m.n))) : any_step(f, &m, &insertions, &r);
            assert_true(s == GUIRA_OK || (!out && digest(f) == before));
            refused += s != GUIRA_OK;
            assert_same(f, &m);
            if (step % 16 == 0) assert_valid(f);
            if (stats_of(f).filters > filters) filters = (unsigned)stats_of(f).filters;
        }
        members_down_to(f, &m, 0, &r);
        for (unsigned i = 0; i < 1000; i++) assert_false(guira_contains_hash(f, crowded_hash(&r)));
        assert_valid(f);
        end(f, &m);
    }
    print_message("  %u steps were refused, %u of them insertions: a legal step was possible at %u of these, two would "
                  "have helped at "
                  "%u, one that is not legal and makes the filter smaller at %u; up to %u filters\n",
                  refused, insertions.all, insertions.with_steps, insertions.by_two, insertions.by_other_ways, filters);
    assert_true(refused > 0 && filters > 3);
}

/* --------------------------------------------------------------------------------------------- steps before a refusal */

/* As many filters as there may be, but three of a single bucket: their entries soon fit into the large one, and a key's only
 * bucket in that one is full long before. */
static guira *full_list(struct rng *r) {
    guira *f = make((guira_config){.candidates = 1,
                                   .bucket_slots = 1,
                                   .buckets = 64,
                                   .max_filters = 4,
                                   .max_load = 0.99,
                                   .min_load = -1,
                                   .policy = GUIRA_FILTER_LEVEL},
                    r);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.buckets = 1, .bucket_slots = 1}), GUIRA_OK);
    return f;
}

/* A ring with room for 10 buckets. */
static guira *full_ring(struct rng *r) {
    return make((guira_config){.candidates = 1,
                               .bucket_slots = 2,
                               .virtual_nodes = 5,
                               .buckets = 2,
                               .ring = 101,
                               .max_load = 0.99,
                               .min_load = -1,
                               .policy = GUIRA_BUCKET_LEVEL},
                r);
}

static guira *(*const full[])(struct rng *) = {full_list, full_ring};

/* Is called with a copy of the filter before the insertion. */
typedef void at_limit_fn(guira *before, uint64_t hash, guira_status s);

/* Inserts and removes at the limit of some filters. Calls at_limit for every insertion that was refused, or that took a step
 * which makes the filter smaller: of these there must be some. Each of 3000 full lists and 3000 full rings had one, so that
 * none in 20 has a probability far below 10^-5. */
static void churn_at_the_limit(guira *(*make_full)(struct rng *r), at_limit_fn *at_limit, struct rng *r) {
    unsigned stepped = 0;
    for (unsigned round = 0; round < 20; round++) {
        struct model m = {0};
        guira *f = make_full(r), *before;
        for (unsigned i = 0; i < 150; i++) {
            uint64_t hash = rng_next(r), shrinks = stats_of(f).shrinks;
            assert_int_equal(guira_clone(f, &before), GUIRA_OK);
            guira_status s = guira_insert_hash(f, hash);
            bool step = stats_of(f).shrinks > shrinks;
            if (s == GUIRA_OK) model_add(&m, hash);
            else assert_int_equal(digest(f), digest(before));
            if (s != GUIRA_OK || step) at_limit(s == GUIRA_OK ? before : f, hash, s);
            stepped += step;
            guira_destroy(before);
            if (rng_below(r, 2) == 0) members_out(f, &m, 1, r);
        }
        assert_same(f, &m);
        assert_valid(f);
        end(f, &m);
    }
    assert_true(stepped > 0);
}

static void nothing_helps(guira *f, uint64_t hash, guira_status s) {
    struct refusals n = {0};
    if (s != GUIRA_OK) assert_nothing_helps(f, hash, s, &n);
}

static void test_an_insertion_at_the_limit_takes_a_step_back_before_it_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < 2; i++) churn_at_the_limit(full[i], nothing_helps, &r);
}

/* To find out whether a step helps takes memory: without an allocation it has not been tried again. */
static void is_remembered(guira *f, uint64_t hash, guira_status s) {
    if (s == GUIRA_OK) return;
    uint64_t calls = memory.calls;
    for (unsigned i = 0; i < 3; i++) assert_int_equal(guira_insert_hash(f, hash), s);
    assert_int_equal(memory.calls, calls);
}

static void test_a_refusal_is_remembered_until_the_filter_changes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (size_t i = 0; i < 2; i++) churn_at_the_limit(full[i], is_remembered, &r);
    memory_unhook();
}

/* Every allocation of the insertion fails in turn, until it needs no more of them. */
static void starve(guira *before, uint64_t hash, guira_status fed) {
    guira *f;
    for (uint64_t k = 1;; k++) {
        assert_int_equal(guira_clone(before, &f), GUIRA_OK);
        ccf_changed(ccf_of(f));
        memory.failed = false;
        memory.fail_at = memory.calls + k;
        guira_status s = guira_insert_hash(f, hash);
        memory.fail_at = 0;
        assert_true(s == fed || s == GUIRA_OK || (s == GUIRA_ENOMEM && memory.failed));
        if (s != GUIRA_OK) assert_int_equal(digest(f), digest(before));
        assert_valid(f);
        guira_destroy(f);
        if (!memory.failed) return;
    }
}

static void test_steps_before_a_refusal_without_memory_change_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (size_t i = 0; i < 2; i++) churn_at_the_limit(full[i], starve, &r);
    memory_unhook();
}

/* One slot per bucket and a small ring, so that a new entry's positions are often those of points or of other entries. Then
 * its own buckets cannot be divided, and a bucket must be added for an entry that it displaces. 3000 entries with two
 * positions each on a ring of 100,000 have more entries than positions somewhere with a probability of (3000 / 100,000)^2 /
 * 100,000, about 10^-8. */
static void test_single_slots_on_a_small_ring_find_room_by_displacing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned round = 0; round < (quick_run() ? 2 : 4); round++) {
        struct model m = {0};
        guira *f = make((guira_config){.candidates = 2,
                                       .bucket_slots = 1,
                                       .virtual_nodes = 5,
                                       .buckets = 8,
                                       .ring = 100000,
                                       .policy = GUIRA_BUCKET_LEVEL},
                        &r);
        members_in(f, &m, 3000, &r);
        assert_same(f, &m);
        assert_valid(f);
        end(f, &m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_sequence_of_steps_keeps_every_member),
        cmocka_unit_test(test_an_insertion_at_the_limit_takes_a_step_back_before_it_is_refused),
        cmocka_unit_test(test_a_refusal_is_remembered_until_the_filter_changes),
        cmocka_unit_test(test_steps_before_a_refusal_without_memory_change_nothing),
        cmocka_unit_test(test_single_slots_on_a_small_ring_find_room_by_displacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
