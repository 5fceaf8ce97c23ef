/* Dynamic and elastic filters in extreme geometries: one slot or sixteen, 4 bits or 32, two buckets, one kick, loads next to
 * 0 and 1. Some hold little and refuse much, but there may be no false negatives, and a refusal changes nothing. */
#include "support.h"

struct trial {
    guira *f;
    struct model members;
    struct rng rng;
    uint64_t refused;
};

static guira_config draw(struct rng *r) {
    const guira_kind kinds[] = {GUIRA_DYNAMIC, GUIRA_ELASTIC};
    guira_config c = {.kind = kinds[rng_below(r, 2)],
                      .slot_bits = 4 + (unsigned)rng_below(r, 29),
                      .bucket_slots = 1 + (unsigned)rng_below(r, 16),
                      .buckets = 2 + rng_below(r, UINT64_C(1) << (1 + rng_below(r, 9))),
                      .max_filters = 1 + (unsigned)rng_below(r, 20),
                      .factor = 2 + (unsigned)rng_below(r, 15),
                      .max_kicks = 1U << rng_below(r, 10)};
    if (rng_below(r, 2) == 0) c.max_load = 0.01 + 0.0098 * (double)rng_below(r, 100);
    if (rng_below(r, 4) == 0) c.min_load = -1;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    return c;
}

static guira_status change(struct trial *w) {
    switch (rng_below(&w->rng, 60)) {
    case 0: return guira_reserve(w->f, rng_below(&w->rng, 3 * w->members.n + 100));
    case 1: return guira_shrink_to_fit(w->f);
    default: break;
    }
    bool copy = w->members.n > 0 && rng_below(&w->rng, 10) == 0;
    uint64_t hash = copy ? w->members.hash[rng_below(&w->rng, w->members.n)] : rng_next(&w->rng);
    guira_status s = guira_insert_hash(w->f, hash);
    if (s == GUIRA_OK) model_add(&w->members, hash);
    return s;
}

static void step(struct trial *w, unsigned in_percent) {
    if (w->members.n > 0 && rng_below(&w->rng, 100) >= in_percent) {
        uint64_t hash = model_take(&w->members, rng_below(&w->rng, w->members.n));
        assert_int_equal(guira_remove_hash(w->f, hash), GUIRA_OK);
        return;
    }
    uint64_t before = digest(w->f);
    guira_status s = change(w);
    if (s == GUIRA_OK) return;
    assert_true(s == GUIRA_EFULL || s == GUIRA_EDUPLICATE || s == GUIRA_ELIMIT);
    assert_true(digest(w->f) == before);
    w->refused++;
}

static void run(struct trial *w) {
    for (unsigned wave = 0; wave < 4; wave++) {
        unsigned in_percent = wave % 2 == 0 ? 85 : 30;
        for (unsigned i = 0; i < 800; i++) step(w, in_percent);
        assert_same(w->f, &w->members);
        assert_valid(w->f);
    }
    while (w->members.n > 0)
        assert_int_equal(guira_remove_hash(w->f, model_take(&w->members, rng_below(&w->rng, w->members.n))), GUIRA_OK);
    assert_valid(w->f);
    assert_int_equal(w->f->items, 0);
}

static void test_no_geometry_has_false_negatives(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint64_t refused = 0;
    for (unsigned i = 0; i < (quick_run() ? 60 : 500); i++) {
        struct trial w = {.rng = {rng_next(&r)}};
        guira_config c = draw(&w.rng);
        guira_status s = guira_create(&c, &w.f);
        if (s != GUIRA_OK) fail_msg("round %u: %s", i, guira_strerror(s));
        run(&w);
        refused += w.refused;
        guira_destroy(w.f);
        model_free(&w.members);
    }
    assert_true(refused > 0);
    print_message("  %llu refusals\n", (unsigned long long)refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_geometry_has_false_negatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
