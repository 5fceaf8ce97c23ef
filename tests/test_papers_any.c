/* Everything that can be done to a filter of the papers' kinds, in any order, with odd parameters and with allocations that
 * fail, against an exact multiset: no member is lost, and what fails changes nothing. */
#include "support.h"

#include <math.h>
#include <string.h>

enum { CROWD = 48 }; /* different hashes that are inserted again and again: copies */

struct run {
    guira *f;
    guira_config config;
    struct model members;
    struct rng rng;
    uint64_t crowd[CROWD];
    unsigned done, refused, starved;
};

static double unit(struct rng *r) { return ldexp((double)(rng_next(r) >> 11), -53); }

/* At the ends of the ranges as often as inside. */
static uint64_t odd(struct rng *r, uint64_t low, uint64_t high) {
    uint64_t ends[] = {low, low + 1, high, high - 1};
    return rng_below(r, 2) ? ends[rng_below(r, 4)] : low + rng_below(r, high - low + 1);
}

static guira_config any_config(struct rng *r) {
    static const guira_kind kinds[] = {GUIRA_DYNAMIC, GUIRA_ELASTIC, GUIRA_CONSISTENT};
    guira_config c = {.kind = kinds[rng_below(r, 3)]};
    c.slot_bits = (unsigned)odd(r, 4, 32);
    c.bucket_slots = (unsigned)odd(r, 1, 16);
    c.buckets = odd(r, 1, 60);
    c.capacity = rng_below(r, 3) ? 0 : rng_below(r, 400);
    c.max_load = rng_below(r, 3) ? 0 : rng_below(r, 2) ? 0.999 : 0.05 + 0.9 * unit(r);
    c.min_load = rng_below(r, 3) ? 0 : rng_below(r, 2) ? -1 : 0.4 * unit(r);
    c.max_kicks = rng_below(r, 2) ? 0 : (unsigned)odd(r, 1, 2000);
    if (c.kind != GUIRA_ELASTIC) c.max_filters = rng_below(r, 2) ? 0 : (unsigned)odd(r, 1, 6);
    if (c.kind == GUIRA_ELASTIC) c.factor = (unsigned)odd(r, 2, 16);
    if (c.kind != GUIRA_CONSISTENT) return c;
    c.candidates = (unsigned)odd(r, 1, 32);
    c.virtual_nodes = (unsigned)odd(r, 1, 40);
    c.ring = rng_below(r, 2) ? 0 : rng_below(r, 2) ? odd(r, 3, 400) : 1000 + rng_below(r, 100000);
    c.policy = (guira_policy)rng_below(r, 3);
    return c;
}

/* ---------------------------------------------------------------------------------------------------------- operations */

static guira_status insert(struct run *t, uint64_t hash) {
    guira_status s = guira_insert_hash(t->f, hash);
    if (s == GUIRA_OK) model_add(&t->members, hash);
    return s;
}

static guira_status through_a_file(struct run *t) {
    guira *g = NULL;
    guira_saving *saving;
    size_t n = guira_saved_size(t->f);
    guira_status s = guira_saving_start(t->f, &saving);
    if (s != GUIRA_OK) return s;
    uint8_t *bytes = test_malloc(n);
    assert_int_equal(guira_saving_next(saving, bytes, n), n);
    guira_saving_end(saving);
    s = guira_load_from(bytes, n, &g);
    test_free(bytes);
    if (s != GUIRA_OK) return s;
    assert_int_equal(digest(g), digest(t->f));
    guira_destroy(t->f);
    t->f = g;
    return GUIRA_OK;
}

static guira_status by_a_copy(struct run *t) {
    guira *g = NULL;
    guira_status s = guira_clone(t->f, &g);
    if (s != GUIRA_OK) return s;
    guira_destroy(t->f);
    t->f = g;
    return GUIRA_OK;
}

static guira_status step_of_ccf(struct run *t) {
    guira_config shape = any_config(&t->rng);
    size_t at = rng_below(&t->rng, stats_of(t->f).filters + 1);
    if (shape.kind != GUIRA_CONSISTENT) shape = (guira_config){0};
    switch (rng_below(&t->rng, 8)) {
    case 0: return guira_consistent_scale_up(t->f);
    case 1: return guira_consistent_scale_up_at(t->f, at);
    case 2: return guira_consistent_scale_down(t->f);
    case 3: return guira_consistent_scale_down_at(t->f, at);
    case 4: return guira_consistent_scale_out(t->f, rng_below(&t->rng, 2) ? NULL : &shape);
    case 5: return guira_consistent_compact_at(t->f, at);
    default: return guira_consistent_compact(t->f);
    }
}

static guira_status own_step(struct run *t) {
    if (t->config.kind == GUIRA_CONSISTENT) return step_of_ccf(t);
    if (t->config.kind == GUIRA_DYNAMIC) return by_a_copy(t);
    if (rng_below(&t->rng, 2) || stats_of(t->f).buckets > 1000) return guira_elastic_halve(t->f);
    return guira_elastic_extend(t->f, 2 + (unsigned)rng_below(&t->rng, 3));
}

static guira_status change_whole(struct run *t) {
    guira_status s;
    switch (rng_below(&t->rng, 12)) {
    case 0: return guira_reserve(t->f, rng_below(&t->rng, 800));
    case 1: return guira_reserve(t->f, 0);
    case 2: return guira_shrink_to_fit(t->f);
    case 3: return by_a_copy(t);
    case 4: return through_a_file(t);
    case 5:
        if (rng_below(&t->rng, 8) > 0) return GUIRA_OK;
        s = guira_clear(t->f);
        if (s == GUIRA_OK) t->members.n = 0;
        return s;
    default: return own_step(t);
    }
}

/* Removal of a member never fails, with or without memory. */
static guira_status change(struct run *t) {
    uint64_t limit = 1 + rng_below(&t->rng, 500);
    if (rng_below(&t->rng, 4) == 0) return change_whole(t);
    if (t->members.n > 0 && limit < t->members.n) {
        uint64_t hash = model_take(&t->members, rng_below(&t->rng, t->members.n));
        assert_int_equal(guira_remove_hash(t->f, hash), GUIRA_OK);
        return GUIRA_OK;
    }
    return insert(t, rng_below(&t->rng, 3) ? rng_next(&t->rng) : t->crowd[rng_below(&t->rng, CROWD)]);
}

/* ------------------------------------------------------------------------------------------------------------ the test */

static void perform(struct run *t) {
    uint64_t before = digest(t->f);
    memory.failed = false;
    if (rng_below(&t->rng, 4) == 0) memory.fail_at = memory.calls + 1 + rng_below(&t->rng, 5);
    memory.fail_on = rng_below(&t->rng, 2);
    guira_status s = change(t);
    memory.fail_at = 0;
    memory.fail_on = false;
    t->starved += memory.failed;
    t->done += s == GUIRA_OK;
    t->refused += s != GUIRA_OK;
    if (s == GUIRA_ENOMEM) assert_true(memory.failed);
    if (s != GUIRA_OK) assert_int_equal(digest(t->f), before);
}

/* Also the number of copies of each key. */
static void assert_sound(const struct run *t) {
    assert_valid(t->f);
    assert_same(t->f, &t->members);
    for (unsigned i = 0; i < CROWD; i++) {
        uint64_t copies = 0;
        for (size_t j = 0; j < t->members.n; j++) copies += t->members.hash[j] == t->crowd[i];
        assert_true(guira_count_hash(t->f, t->crowd[i]) >= copies);
    }
}

static bool run_once(struct run *t) {
    t->config = any_config(&t->rng);
    guira_config c = t->config;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(&t->rng);
    guira_status s = guira_create(&c, &t->f);
    if (s != GUIRA_OK) {
        assert_true((s == GUIRA_EINVAL || s == GUIRA_ELIMIT) && t->f == NULL);
        return false;
    }
    for (unsigned i = 0; i < CROWD; i++)
        t->crowd[i] = rng_next(&t->rng) >> (i % 2 ? 0 : 40); /* fingerprints of zeros */
    for (unsigned step = 0; step < 250; step++) {
        perform(t);
        if (step % 10 == 0) assert_sound(t);
    }
    while (t->members.n > 0)
        assert_int_equal(guira_remove_hash(t->f, model_take(&t->members, rng_below(&t->rng, t->members.n))), GUIRA_OK);
    assert_sound(t);
    for (unsigned i = 0; i < CROWD; i++) assert_false(guira_contains_hash(t->f, t->crowd[i]));
    guira_destroy(t->f);
    model_free(&t->members);
    return true;
}

static void test_anything_in_any_order_loses_no_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned done = 0, refused = 0, starved = 0, impossible = 0;
    for (unsigned round = 0; round < (quick_run() ? 150 : 1000); round++) {
        struct run t = {.rng = {rng_next(&r)}};
        memory_hook();
        impossible += !run_once(&t);
        memory_unhook();
        done += t.done;
        refused += t.refused;
        starved += t.starved;
    }
    print_message("  %u done, %u refused, %u with failing allocations, %u impossible configurations\n", done, refused,
                  starved, impossible);
    assert_true(done > 1000 && refused > 100 && starved > 100 && impossible > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_anything_in_any_order_loses_no_member)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
