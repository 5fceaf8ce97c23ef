/* guira_shared with a deterministic interleaving of one reader and one writer. test_shared_threads.c runs real threads,
 * which meet a window of a few nanoseconds only by chance. Here both run in one thread, as coroutines, and a scheduler with
 * a random generator decides at each switch point which of them continues:
 *
 *     writer    ... store  store |               | store  store  store |        | store ...
 *     reader                     | load  load    |                     | load   |
 *
 * For this the library is compiled with GUIRA_INTERLEAVE: it calls guira__interleave(), a switch point, before each load
 * and store of memory that other threads can access (base/atomics.h). The same seed gives the same interleaving.
 *
 * One writer is enough, because the lock of a shard admits one at a time. All stores become visible in program order, as on
 * x86: weaker memory orders are left to ThreadSanitizer. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <urcu/urcu-bp.h>

#include "support.h"

enum { MEMBERS = 20, MANY = 40, STACK = 1 << 18 };

static struct {
    guira_shared *g;
    uint64_t key[MEMBERS];
    ucontext_t writer, reader;
    bool on, reading; /* whether switch points switch; whether the reader is running */
    struct rng rng;
    uint64_t writer_run, reader_run; /* mean number of switch points before a switch */
    uint64_t switches, lookups, false_negatives;
} run;

/* ----------------------------------------------------------------------------------------------------------- scheduler */

static void switch_to_reader(void) {
    run.reading = true;
    run.switches++;
    swapcontext(&run.writer, &run.reader);
}

static void switch_to_writer(void) {
    run.reading = false;
    swapcontext(&run.reader, &run.writer);
}

void guira__interleave(void);
void guira__interleave(void) {
    if (!run.on || rng_below(&run.rng, run.reading ? run.reader_run : run.writer_run) > 0) return;
    if (run.reading) switch_to_writer();
    else switch_to_reader();
}

/* A grace period: lets the reader run until it is outside a read-side critical section. */
void __wrap_urcu_bp_synchronize_rcu(void);
void __wrap_urcu_bp_synchronize_rcu(void) {
    while (urcu_bp_read_ongoing()) switch_to_reader();
}

/* --------------------------------------------------------------------------------------------------------------- reader */

static uint64_t look_up_many(void) {
    uint64_t hash[MANY], n = 1 + rng_below(&run.rng, MANY);
    bool found[MANY];
    for (uint64_t i = 0; i < n; i++)
        hash[i] = guira_shared_hash(run.g, &run.key[rng_below(&run.rng, MEMBERS)], sizeof *run.key);
    run.lookups += n;
    return n - guira_shared_contains_hash_many(run.g, hash, n, found);
}

static void look_up_for_ever(void) {
    for (;;) {
        uint64_t key = run.key[rng_below(&run.rng, MEMBERS)];
        switch (rng_below(&run.rng, 4)) {
        case 0: run.false_negatives += look_up_many(); break;
        case 1: run.false_negatives += guira_shared_count(run.g, &key, sizeof key) == 0; break;
        default: run.false_negatives += !guira_shared_contains(run.g, &key, sizeof key);
        }
        run.lookups++;
    }
}

/* --------------------------------------------------------------------------------------------------------------- writer */

struct writer {
    struct model keys;   /* that it has inserted, besides the permanent members */
    guira_shared *other; /* with the same seed, for merging */
};

static void insert_some(struct writer *s, uint64_t n, struct rng *r) {
    while (n-- > 0) {
        uint64_t hash = rng_next(r);
        if (guira_shared_insert_hash(run.g, hash) == GUIRA_OK) model_add(&s->keys, hash);
    }
}

static void remove_some(struct writer *s, uint64_t n, struct rng *r) {
    for (; n > 0 && s->keys.n > 0; n--) {
        uint64_t hash = model_take(&s->keys, rng_below(r, s->keys.n));
        assert_int_equal(guira_shared_remove_hash(run.g, hash), GUIRA_OK);
    }
}

static void merge_some(struct writer *s, struct rng *r) {
    uint64_t n = rng_below(r, 30);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        assert_int_equal(guira_shared_insert_hash(s->other, hash), GUIRA_OK);
        model_add(&s->keys, hash);
    }
    assert_int_equal(guira_shared_merge(run.g, s->other), GUIRA_OK);
    assert_int_equal(guira_shared_clear(s->other), GUIRA_OK);
}

static void change(struct writer *s, uint64_t top, struct rng *r) {
    switch (rng_below(r, 40)) {
    case 0: assert_int_equal(guira_shared_reserve(run.g, rng_below(r, 2 * top)), GUIRA_OK); break;
    case 1: assert_int_equal(guira_shared_shrink_to_fit(run.g), GUIRA_OK); break;
    case 2: merge_some(s, r); break;
    default:
        if (rng_below(r, top) >= s->keys.n) insert_some(s, 1 + rng_below(r, top / 10), r);
        else remove_some(s, 1 + rng_below(r, top / 10), r);
    }
}

/* ------------------------------------------------------------------------------------------------------------ scenarios */

/* The same for the same r. */
static guira_shared *make(unsigned w, unsigned shards, struct rng r) {
    const double loads[] = {0.93, 0.97, 0.985};
    guira_config c;
    guira_shared *g;
    guira_config_init(&c);
    c.slot_bits = w;
    c.max_kicks = 1U << rng_below(&r, 6); /* few kicks and a high load bring many entries into the stash */
    c.max_load = loads[rng_below(&r, 3)];
    for (unsigned i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(&r);
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

/* One scenario: an empty filter, the permanent members, and 500 changes with lookups between their stores. */
static void run_scenario(unsigned w, unsigned shards, struct rng *r) {
    const uint64_t runs[] = {1, 2, 5, 20, 100}, tops[] = {20, 100, 400, 2500};
    struct rng seed = {rng_next(r)};
    struct writer s = {.other = make(w, shards, seed)};
    char *stack = malloc(STACK);
    assert_non_null(stack);
    run.g = make(w, shards, seed);
    for (unsigned i = 0; i < MEMBERS; i++) {
        run.key[i] = rng_next(r);
        assert_int_equal(guira_shared_insert(run.g, &run.key[i], sizeof *run.key), GUIRA_OK);
    }
    assert_int_equal(getcontext(&run.reader), 0);
    run.reader.uc_stack.ss_sp = stack;
    run.reader.uc_stack.ss_size = STACK;
    makecontext(&run.reader, look_up_for_ever, 0);
    run.on = true;
    uint64_t top = 0;
    for (unsigned i = 0; i < 500; i++) {
        if (i % 100 == 0) top = tops[rng_below(r, 4)];
        run.writer_run = runs[rng_below(r, 5)];
        run.reader_run = runs[rng_below(r, 5)];
        change(&s, top, r);
    }
    __wrap_urcu_bp_synchronize_rcu(); /* before the reader's stack is freed */
    run.on = false;
    assert_int_equal(guira_shared_validate(run.g, NULL), GUIRA_OK);
    guira_shared_destroy(run.g);
    guira_shared_destroy(s.other);
    model_free(&s.keys);
    free(stack);
}

static void run_scenarios(unsigned n, struct rng *r) {
    const unsigned widths[] = {12, 16, 32};
    run.rng.state = rng_next(r);
    run.switches = run.lookups = run.false_negatives = 0;
    for (unsigned i = 0; i < n && run.false_negatives == 0; i++) run_scenario(widths[i % 3], 1U << rng_below(r, 3), r);
    print_message("  %llu switches, %llu lookups, %llu false negatives\n", (unsigned long long)run.switches,
                  (unsigned long long)run.lookups, (unsigned long long)run.false_negatives);
    assert_int_equal(run.false_negatives, 0);
    assert_true(run.lookups > n);
}

static unsigned scenarios(void) { return quick_run() ? 10 : long_run() ? 3000 : 200; }

static void test_no_interleaving_hides_a_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    run_scenarios(scenarios(), &r);
}

/* With a caller's allocator there are no stable regions (base/region.h), so lookups need read-side critical sections. */
static void test_no_interleaving_hides_a_member_with_a_custom_allocator(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    run_scenarios(scenarios() / 3, &r);
    memory_unhook();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_interleaving_hides_a_member),
        cmocka_unit_test(test_no_interleaving_hides_a_member_with_a_custom_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
