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

/* Whether the key finds room after a step on a copy of the filter. */
enum step { UP, OUT, COMPACT, DOWN };

static bool helps(const guira *f, uint64_t hash, enum step step, size_t index) {
    guira *copy;
    assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
    guira_status s = step == UP        ? guira_consistent_scale_up_at(copy, index)
                     : step == OUT     ? guira_consistent_scale_out(copy, NULL)
                     : step == COMPACT ? guira_consistent_compact_at(copy, index)
                                       : guira_consistent_scale_down_at(copy, index);
    bool helped = s == GUIRA_OK && guira_insert_hash(copy, hash) == GUIRA_OK;
    guira_destroy(copy);
    return helped;
}

/* Whether nothing can be added to the filter any more: to the list at the filter level, else to the ring of a filter. */
static bool is_at_its_limit(const guira *f) {
    const guira_config c = guira__config_of(f);
    const struct ccf *list = const_ccf_of(f);
    bool ring_full = false;
    for (uint64_t i = 0; i < list->filters; i++)
        ring_full |= !guira__i2cf_fits_ring(&list->list[i], list->list[i].table.buckets + 1);
    return c.policy == GUIRA_FILTER_LEVEL ? list->filters == c.max_filters : ring_full;
}

struct refusals {
    unsigned all, at_limit, room_by_shrinking; /* the last: those at a limit where a smaller filter has room */
};

static bool shrinking_helps(const guira *f, uint64_t hash) {
    for (size_t i = 0; i < stats_of(f).filters; i++)
        if (helps(f, hash, COMPACT, i) || helps(f, hash, DOWN, i)) return true;
    return false;
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

/* An insertion was refused: no step of growth that the policy allows makes room. The filter has not changed, so copies of it
 * find out what each step would have done. A filter more is a legal step for a copy only if the key has fewer copies than one
 * filter can hold. Steps that make the filter smaller, and so let it grow again, help only where it is at its limit; these
 * are counted (docs/consistent.md says why insertion does not take them). */
static void assert_nothing_helps(const guira *f, uint64_t hash, guira_status refusal, struct refusals *n) {
    const guira_policy policy = guira__config_of(f).policy;
    n->all++;
    assert_int_equal(refusal, guira_count_hash(f, hash) >= most_copies(f) ? GUIRA_EDUPLICATE : GUIRA_EFULL);
    for (size_t i = 0; policy != GUIRA_FILTER_LEVEL && i < stats_of(f).filters; i++)
        assert_false(helps(f, hash, UP, i));
    if (refusal == GUIRA_EDUPLICATE) return;
    if (policy != GUIRA_BUCKET_LEVEL) assert_false(helps(f, hash, OUT, 0));
    bool room = shrinking_helps(f, hash), limit = is_at_its_limit(f);
    assert_true(limit || !room);
    n->at_limit += limit;
    n->room_by_shrinking += room;
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
    print_message(
        "  %u steps were refused, %u of them insertions: %u at a limit, %u of these would fit after a step down; "
        "up to %u filters\n",
        refused, insertions.all, insertions.at_limit, insertions.room_by_shrinking, filters);
    assert_true(refused > 0 && filters > 3);
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
        cmocka_unit_test(test_single_slots_on_a_small_ring_find_room_by_displacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
