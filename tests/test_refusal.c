/* Operations that must be refused: no memory, too many copies of one key, sizes beyond any machine.
 *
 * EVERY ALLOCATION FAILS IN TURN. A scenario is a fixed sequence of calls that allocates memory in every way there is. It is
 * run again and again, and each time another allocation fails:
 *
 *     k = 1    create X
 *     k = 7    create, insert ... insert, insert, X insert, insert, reserve, clone ...      alone: just this one
 *     k = 7    create, insert ... insert, insert, X insert, X insert, X reserve, X clone    for good: and all after it
 *
 * until there is no k-th one. A call that fails must leave the filter as it was, byte for byte; one that succeeds must have
 * done its work; and when there is memory again, the filter must work normally. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ scenario */

struct scenario {
    const struct variant *variant;
    guira *f;
    struct model members;
    struct rng rng;
    uint64_t failed; /* calls during which an allocation failed */
    uint64_t elders; /* the most there were */
    bool for_good;
};

enum operation { INSERT, REMOVE, RESERVE, FIT, CLEAR, CLONE };

static guira_status do_clone(const guira *f) {
    guira *copy = NULL;
    guira_status s = guira_clone(f, &copy);
    assert_int_equal(copy != NULL, s == GUIRA_OK);
    if (copy == NULL) return s;
    assert_int_equal(digest(copy), digest(f));
    assert_valid(copy);
    guira_destroy(copy);
    return s;
}

/* what: a hash, the place of a member, or a number of items. */
static guira_status do_operation(struct scenario *p, enum operation op, uint64_t what) {
    guira_status s = op == INSERT    ? guira_insert_hash(p->f, what)
                     : op == REMOVE  ? guira_remove_hash(p->f, model_take(&p->members, what))
                     : op == RESERVE ? guira_reserve(p->f, what)
                     : op == FIT     ? guira_shrink_to_fit(p->f)
                     : op == CLEAR   ? guira_clear(p->f)
                                     : do_clone(p->f);
    if (s == GUIRA_OK && op == INSERT) model_add(&p->members, what);
    if (s == GUIRA_OK && op == CLEAR) p->members.n = 0;
    return s;
}

/* Which operations may be refused, and why. Only a filter that has not been able to grow for long is full. */
static void check_refusal(const struct scenario *p, enum operation op, guira_status s) {
    bool no_memory = p->failed > 0 && (p->for_good || memory.failed);
    bool has_stash = p->variant->config.kind != GUIRA_CONSISTENT; /* for insertions while there is no memory */
    if (s == GUIRA_EUNSUPPORTED) assert_true(is_fixed(p->variant) && (op == RESERVE || op == FIT));
    else if (s == GUIRA_EFULL)
        assert_true((is_fixed(p->variant) || (!is_tidal(p->variant) && no_memory)) && op == INSERT);
    else if (op == INSERT) assert_true(s == GUIRA_ENOMEM && no_memory && (p->for_good || !has_stash));
    else assert_true(s == GUIRA_ENOMEM && no_memory && op != REMOVE && op != FIT);
}

static void perform(struct scenario *p, enum operation op, uint64_t what) {
    uint64_t before = digest(p->f);
    memory.failed = false;
    guira_status s = do_operation(p, op, what);
    p->failed += memory.failed;
    if (s != GUIRA_OK) {
        assert_int_equal(digest(p->f), before);
        check_refusal(p, op, s);
    }
    if (memory.failed && (!p->for_good || p->failed % 64 == 1)) {
        assert_same(p->f, &p->members);
        assert_valid(p->f);
    }
    assert_int_equal(p->f->items, p->members.n);
}

static void insert_new(struct scenario *p, size_t n) {
    for (size_t i = 0; i < n; i++) perform(p, INSERT, rng_next(&p->rng));
    uint64_t elders = stats_of(p->f).elders;
    if (elders > p->elders) p->elders = elders;
}

static void remove_down_to(struct scenario *p, size_t n) {
    while (p->members.n > n) perform(p, REMOVE, rng_below(&p->rng, p->members.n));
}

/* The narrowest slots have elders after growing 64-fold, and 20 members fill the smallest table. */
static void run_sequence(struct scenario *p) {
    size_t most = p->variant->config.slot_bits == 12 ? 1800 : 600;
    perform(p, RESERVE, 300);
    perform(p, FIT, 0);
    insert_new(p, most);
    perform(p, CLONE, 0);
    remove_down_to(p, most / 3);
    perform(p, RESERVE, most);
    perform(p, RESERVE, 0);
    perform(p, FIT, 0);
    perform(p, CLONE, 0);
    remove_down_to(p, 10);
    insert_new(p, 100);
    remove_down_to(p, 0);
    perform(p, FIT, 0);
    insert_new(p, 40);
    perform(p, CLEAR, 0);
    insert_new(p, 40);
}

/* There is memory again: the filter grows to its normal load and works. */
static void recover(struct scenario *p) {
    memory.fail_at = 0;
    p->for_good = false;
    insert_new(p, 200);
    guira_stats s = stats_of(p->f);
    double most = guira__config_of(p->f).max_load * (double)s.slots + (double)s.slots / (double)s.buckets;
    assert_true(!is_tidal(p->variant) || (double)s.items <= most);
    assert_same(p->f, &p->members);
    assert_valid(p->f);
    remove_down_to(p, 0);
}

/* Runs the scenario with the k-th allocation failing. False: there was no k-th one. */
static bool run(const struct variant *v, uint64_t seed, uint64_t k, bool for_good, uint64_t *elders) {
    struct scenario p = {.variant = v, .rng = {seed}, .for_good = for_good};
    guira_config c = v->config;
    c.capacity = is_fixed(v) ? 3000 : 0;
    memcpy(c.seed, &seed, sizeof seed);
    c.seed[15] = 1;
    memory_hook();
    memory.fail_at = k;
    memory.fail_on = for_good;
    guira_status s = guira__create_isa(isa_named(v->isa), &c, &p.f);
    assert_true(s == (memory.failed ? GUIRA_ENOMEM : GUIRA_OK) && (p.f == NULL) == memory.failed);
    bool failed = memory.failed;
    if (p.f != NULL) {
        run_sequence(&p);
        failed = p.failed > 0;
        recover(&p);
    }
    *elders = p.elders;
    guira_destroy(p.f);
    model_free(&p.members);
    memory_unhook();
    return failed;
}

static void test_every_allocation_failing_in_turn_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        uint64_t seed = rng_next(&r), stride = quick_run() ? 9 : strcmp(v->isa, "portable") == 0 ? 5 : 1, elders = 0;
        uint64_t alone = 1 + rng_below(&r, stride), for_good = 1 + rng_below(&r, stride);
        while (run(v, seed, alone, false, &elders)) alone += stride;
        while (run(v, seed, for_good, true, &elders)) for_good += stride;
        print_message("  %s: %llu allocations, each %llu. failed; %llu elders\n", v->name,
                      (unsigned long long)alone - 1, (unsigned long long)stride, (unsigned long long)elders);
        assert_true(elders > 0 || !is_tidal(v) || v->config.slot_bits != 12);
    }
}

/* ------------------------------------------------------------------------------------------------- no memory for long */

/* Inserts until 200 in a row were refused. */
static void insert_until_full(struct scenario *p) {
    for (unsigned refused = 0; refused < 200;) {
        size_t before = p->members.n;
        perform(p, INSERT, rng_next(&p->rng));
        refused = p->members.n > before ? 0 : refused + 1;
    }
}

static void test_a_filter_that_cannot_grow_fills_up_and_grows_when_there_is_memory(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        if (is_fixed(v)) continue;
        memory_hook();
        struct scenario p = {.variant = v, .rng = r, .for_good = true};
        p.f = variant_make(v, &p.rng, 0);
        insert_new(&p, 1 + rng_below(&p.rng, 500));
        uint64_t buckets = stats_of(p.f).buckets;
        memory.fail_at = memory.calls + 1;
        memory.fail_on = true;
        insert_until_full(&p);
        guira_stats full = stats_of(p.f);
        assert_true(full.load >= (is_tidal(v) ? 0.98 : 0.9) && full.failures >= 200 && full.buckets < buckets + 64);
        assert_same(p.f, &p.members);
        recover(&p); /* the very next insertion must succeed */
        guira_destroy(p.f);
        model_free(&p.members);
        memory_unhook();
        r = p.rng;
    }
}

/* ------------------------------------------------------------------------------------------------------- many copies */

/* Inserts n copies of hash. Returns how many were accepted: all before the first refusal. */
static uint64_t insert_copies(guira *f, uint64_t hash, uint64_t n) {
    uint64_t in = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t before = digest(f);
        guira_status s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK && in == i) in++;
        else assert_true(s == GUIRA_EDUPLICATE && digest(f) == before);
    }
    return in;
}

/* Draws a hash with two buckets of its own: in a fixed filter both may be one, once in as many times as it has buckets,
 * and then half as many copies fit. An empty filter shows which it is, unless it has another size. */
static uint64_t draw_with_two_buckets(const guira *f, struct rng *r) {
    uint64_t hash = 0, places = 2 * stats_of(f).slots / stats_of(f).buckets;
    for (uint64_t fit = 0; fit < places;) {
        guira *empty;
        assert_int_equal(guira_clone(f, &empty), GUIRA_OK);
        assert_int_equal(guira_clear(empty), GUIRA_OK);
        hash = rng_next(r);
        fit = insert_copies(empty, hash, places);
        guira_destroy(empty);
    }
    return hash;
}

/* Keys that are not found before: one that cannot be told from a key with many copies is refused as they are. */
static void insert_others(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        while (guira_contains_hash(f, hash)) hash = rng_next(r);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        model_add(m, hash);
    }
}

static void assert_all(const guira *f, const struct model *m, uint64_t copies) {
    assert_int_equal(f->items, m->n + copies);
    for (size_t i = 0; i < m->n; i++) assert_true(guira_contains_hash(f, m->hash[i]));
    assert_valid(f);
}

static void test_a_thousand_copies_of_one_key_harm_no_other_key(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    size_t others = quick_run() ? 2000 : 10000;
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct model m = {0};
        guira *f = variant_make(v, &r, others * 6 / 5);
        insert_others(f, &m, others, &r);
        guira_stats before = stats_of(f);
        uint64_t hash = draw_with_two_buckets(f, &r), alike = f->ops->count(f, hash), in = insert_copies(f, hash, 1000);
        /* Copies take all slots of both buckets, except those of false positives: these cannot be told from copies. The
         * papers' kinds that have grown may have one bucket for both. */
        assert_true(in + alike >= (is_of_papers(v) ? 1 : 2) * before.slots / before.buckets);
        assert_true(f->ops->count(f, hash) >= in);
        assert_true(!is_tidal(v) || in == 1000);
        /* A fixed filter has four more places outside its buckets for them, and leaves the others to other keys. */
        assert_true(!is_fixed(v) || in <= 2 * before.slots / before.buckets + 4);
        uint64_t justified = (is_tidal(v) ? 24 : in) / /* the copies that are in slots, and names of the others */
                                 (before.slots / before.buckets) +
                             2;                   /* one of these buckets was due already */
        justified += guira__config_of(f).buckets; /* or a whole filter, if that is how this kind grows */
        if (guira__config_of(f).kind == GUIRA_CONSISTENT)
            justified += (before.buckets + justified) / 2; /* as large as dramatic growth makes it then */
        assert_true(stats_of(f).buckets <= before.buckets + justified);
        assert_all(f, &m, in);
        insert_others(f, &m, others / 10, &r);
        assert_all(f, &m, in);
        for (uint64_t i = in; i > 0; i--) assert_int_equal(guira_remove_hash(f, hash), GUIRA_OK);
        /* These are false positives, not copies: 0.1 or fewer are expected, and 7 have a probability of 2e-11. */
        assert_true(f->ops->count(f, hash) <= 6);
        assert_all(f, &m, 0);
        assert_true(insert_copies(f, hash, 4) == (in < 4 ? in : 4) && stats_of(f).stash <= 1);
        guira_destroy(f);
        model_free(&m);
    }
}

/* Copies lose one bit of their tails at each doubling, become elders together, and none is lost. */
static void test_copies_of_many_keys_are_kept_while_the_filter_grows_a_thousandfold(void **state) {
    (void)state;
    enum { KEYS = 50, COPIES = 24, START = 500 };
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        if (!is_tidal(v) || v->config.slot_bits != 12) continue;
        struct model m = {0};
        uint64_t key[KEYS], in[KEYS] = {0}, total = 0;
        guira *f = variant_make(v, &r, 0);
        insert_others(f, &m, START, &r);
        for (size_t i = 0; i < KEYS; i++) key[i] = rng_next(&r);
        for (size_t i = 0; i < (size_t)KEYS * COPIES; i++) {
            assert_int_equal(guira_insert_hash(f, key[i % KEYS]), GUIRA_OK);
            in[i % KEYS]++;
            total++;
        }
        insert_others(f, &m, f->items * (quick_run() ? 128 : 1024), &r);
        print_message("  %s: %llu copies, %llu elders\n", v->name, (unsigned long long)total,
                      (unsigned long long)stats_of(f).elders);
        assert_true(stats_of(f).elders > 0);
        assert_all(f, &m, total);
        for (size_t i = 0; i < KEYS; i++) assert_true(f->ops->count(f, key[i]) >= in[i]);
        for (size_t i = 0; i < KEYS; i++)
            for (; in[i] > 0; in[i]--) assert_int_equal(guira_remove_hash(f, key[i]), GUIRA_OK);
        assert_all(f, &m, 0);
        while (m.n > 0) assert_int_equal(guira_remove_hash(f, model_take(&m, rng_below(&r, m.n))), GUIRA_OK);
        assert_all(f, &m, 0);
        assert_int_equal(stats_of(f).elders, 0);
        guira_destroy(f);
        model_free(&m);
    }
}

/* ------------------------------------------------------------------------------------------------------ absurd sizes */

static const uint64_t absurd[] = {UINT64_C(1) << 48, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
enum { ABSURD = sizeof absurd / sizeof *absurd };

static bool is_refusal(guira_status s) { return s == GUIRA_ELIMIT || s == GUIRA_ENOMEM; }

static void test_absurd_capacities_are_refused(void **state) {
    (void)state;
    memory_hook();
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (size_t i = 0; i < 3 * ABSURD; i++) {
            const double loads[] = {0, 0.999, 0.001};
            guira_config c = v->config;
            c.capacity = absurd[i % ABSURD];
            c.max_load = loads[i / ABSURD];
            guira *f = (guira *)&c;
            assert_true(is_refusal(guira__create_isa(isa_named(v->isa), &c, &f)));
            assert_null(f);
            assert_int_equal(memory.blocks, 0);
        }
    memory_unhook();
}

static void test_absurd_reservations_are_refused_and_change_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct model m = {0};
        guira *f = variant_make(v, &r, 300);
        for (unsigned filled = 0; filled < 2; filled++) {
            uint64_t before = digest(f), bytes = stats_of(f).bytes;
            for (size_t i = 0; i < ABSURD; i++) {
                guira_status s = guira_reserve(f, absurd[i]);
                assert_true(is_fixed(v) ? s == GUIRA_EUNSUPPORTED : is_refusal(s));
                assert_true(digest(f) == before && stats_of(f).bytes == bytes);
            }
            insert_others(f, &m, 100, &r);
            assert_same(f, &m);
        }
        guira_destroy(f);
        model_free(&m);
    }
}

/* Each of the first allocations fails in turn, and all after it. */
static void test_creation_that_runs_out_of_memory_frees_everything(void **state) {
    (void)state;
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (uint64_t k = 1; k < 40; k++) {
            memory_hook();
            guira_config c = v->config;
            c.capacity = is_fixed(v) ? UINT64_C(1) << 30 : 100000;
            memory.fail_at = is_tidal(v) ? k : 1 + k % (v->config.kind == GUIRA_DYNAMIC ? 20 : 2);
            memory.fail_on = true;
            guira *f = (guira *)&c;
            assert_int_equal(guira__create_isa(isa_named(v->isa), &c, &f), GUIRA_ENOMEM);
            assert_null(f);
            memory_unhook();
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_failing_in_turn_changes_nothing),
        cmocka_unit_test(test_a_filter_that_cannot_grow_fills_up_and_grows_when_there_is_memory),
        cmocka_unit_test(test_a_thousand_copies_of_one_key_harm_no_other_key),
        cmocka_unit_test(test_copies_of_many_keys_are_kept_while_the_filter_grows_a_thousandfold),
        cmocka_unit_test(test_absurd_capacities_are_refused),
        cmocka_unit_test(test_absurd_reservations_are_refused_and_change_nothing),
        cmocka_unit_test(test_creation_that_runs_out_of_memory_frees_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
