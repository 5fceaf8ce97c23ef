/* guira_shared, one step after the other. What two threads may do to each other within nanoseconds a storm (test_shared.c)
 * meets by chance, if ever. Here both are one thread, and lots decide who goes on:
 *
 *     writer    ... store  store |               | store  store  store |        | store ...
 *     reader                     | load  load    |                     | load   |
 *
 * For this the library is compiled so that it calls guira__pause() before each load and store of memory that somebody else
 * may be changing or reading (visible.h). There is no luck in it: the same seed gives the same turns.
 *
 * One writer is enough, because writers of a shard keep each other out; and one processor, because its stores are seen in
 * the order in which they are made, as they are on x86. That the order is asked for where others would not keep it is for
 * ThreadSanitizer and for whoever reads visible.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <urcu/urcu-bp.h>

#include "support.h"

enum { RESIDENTS = 20, MANY = 40, STACK = 1 << 18 };

static struct {
    guira_shared *g;
    uint64_t key[RESIDENTS];
    ucontext_t writer, reader;
    bool on, reading; /* whether there are turns at all; whose turn it is */
    struct rng lots;
    uint64_t writer_goes_on, reader_goes_on; /* so many times, in the mean, before it is the other's turn */
    uint64_t turns, asked, missed;
} turns;

/* --------------------------------------------------------------------------------------------------------------- turns */

static void let_reader(void) {
    turns.reading = true;
    turns.turns++;
    swapcontext(&turns.writer, &turns.reader);
}

static void let_writer(void) {
    turns.reading = false;
    swapcontext(&turns.reader, &turns.writer);
}

void guira__pause(void);
void guira__pause(void) {
    if (!turns.on || rng_below(&turns.lots, turns.reading ? turns.reader_goes_on : turns.writer_goes_on) > 0) return;
    if (turns.reading) let_writer();
    else let_reader();
}

/* The writer waits for readers who have said that they are looking. */
void __wrap_urcu_bp_synchronize_rcu(void);
void __wrap_urcu_bp_synchronize_rcu(void) {
    while (urcu_bp_read_ongoing()) let_reader();
}

/* -------------------------------------------------------------------------------------------------------------- readers */

static uint64_t ask_many(void) {
    uint64_t hash[MANY], n = 1 + rng_below(&turns.lots, MANY);
    bool found[MANY];
    for (uint64_t i = 0; i < n; i++)
        hash[i] = guira_shared_hash(turns.g, &turns.key[rng_below(&turns.lots, RESIDENTS)], sizeof *turns.key);
    turns.asked += n;
    return n - guira_shared_contains_hash_many(turns.g, hash, n, found);
}

static void ask_on(void) {
    for (;;) {
        uint64_t key = turns.key[rng_below(&turns.lots, RESIDENTS)];
        switch (rng_below(&turns.lots, 4)) {
        case 0: turns.missed += ask_many(); break;
        case 1: turns.missed += guira_shared_count(turns.g, &key, sizeof key) == 0; break;
        default: turns.missed += !guira_shared_contains(turns.g, &key, sizeof key);
        }
        turns.asked++;
    }
}

/* -------------------------------------------------------------------------------------------------------------- the writer */

struct stay {
    struct model strangers;
    guira_shared *guests; /* of the same seed, for merging */
};

static void some_in(struct stay *s, uint64_t n, struct rng *r) {
    while (n-- > 0) {
        uint64_t hash = rng_next(r);
        if (guira_shared_insert_hash(turns.g, hash) == GUIRA_OK) model_add(&s->strangers, hash);
    }
}

static void some_out(struct stay *s, uint64_t n, struct rng *r) {
    for (; n > 0 && s->strangers.n > 0; n--) {
        uint64_t hash = model_take(&s->strangers, rng_below(r, s->strangers.n));
        assert_int_equal(guira_shared_remove_hash(turns.g, hash), GUIRA_OK);
    }
}

static void merge_guests(struct stay *s, struct rng *r) {
    uint64_t n = rng_below(r, 30);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        assert_int_equal(guira_shared_insert_hash(s->guests, hash), GUIRA_OK);
        model_add(&s->strangers, hash);
    }
    assert_int_equal(guira_shared_merge(turns.g, s->guests), GUIRA_OK);
    assert_int_equal(guira_shared_clear(s->guests), GUIRA_OK);
}

static void change(struct stay *s, uint64_t top, struct rng *r) {
    switch (rng_below(r, 40)) {
    case 0: assert_int_equal(guira_shared_reserve(turns.g, rng_below(r, 2 * top)), GUIRA_OK); break;
    case 1: assert_int_equal(guira_shared_shrink_to_fit(turns.g), GUIRA_OK); break;
    case 2: merge_guests(s, r); break;
    default:
        if (rng_below(r, top) >= s->strangers.n) some_in(s, 1 + rng_below(r, top / 10), r);
        else some_out(s, 1 + rng_below(r, top / 10), r);
    }
}

/* ------------------------------------------------------------------------------------------------------------ together */

/* The same for the same r. */
static guira_shared *make(unsigned w, unsigned shards, struct rng r) {
    const double loads[] = {0.93, 0.97, 0.985};
    guira_config c;
    guira_shared *g;
    guira_config_init(&c);
    c.slot_bits = w;
    c.max_kicks = 1U << rng_below(&r, 6); /* with few of them and high loads, many wait in the stash */
    c.max_load = loads[rng_below(&r, 3)];
    for (unsigned i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(&r);
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

/* One life: from nobody to a few changes later. */
static void take_turns(unsigned w, unsigned shards, struct rng *r) {
    const uint64_t paces[] = {1, 2, 5, 20, 100}, tops[] = {20, 100, 400, 2500};
    struct rng seed = {rng_next(r)};
    struct stay s = {.guests = make(w, shards, seed)};
    char *stack = malloc(STACK);
    assert_non_null(stack);
    turns.g = make(w, shards, seed);
    for (unsigned i = 0; i < RESIDENTS; i++) {
        turns.key[i] = rng_next(r);
        assert_int_equal(guira_shared_insert(turns.g, &turns.key[i], sizeof *turns.key), GUIRA_OK);
    }
    assert_int_equal(getcontext(&turns.reader), 0);
    turns.reader.uc_stack.ss_sp = stack;
    turns.reader.uc_stack.ss_size = STACK;
    makecontext(&turns.reader, ask_on, 0);
    turns.on = true;
    uint64_t top = 0;
    for (unsigned i = 0; i < 500; i++) {
        if (i % 100 == 0) top = tops[rng_below(r, 4)];
        turns.writer_goes_on = paces[rng_below(r, 5)];
        turns.reader_goes_on = paces[rng_below(r, 5)];
        change(&s, top, r);
    }
    __wrap_urcu_bp_synchronize_rcu(); /* the reader's stack goes */
    turns.on = false;
    assert_int_equal(guira_shared_validate(turns.g, NULL), GUIRA_OK);
    guira_shared_destroy(turns.g);
    guira_shared_destroy(s.guests);
    model_free(&s.strangers);
    free(stack);
}

static void live(unsigned lives, struct rng *r) {
    const unsigned widths[] = {12, 16, 32};
    turns.lots.state = rng_next(r);
    turns.turns = turns.asked = turns.missed = 0;
    for (unsigned i = 0; i < lives && turns.missed == 0; i++) take_turns(widths[i % 3], 1U << rng_below(r, 3), r);
    print_message("  %llu turns, %llu questions, %llu missed\n", (unsigned long long)turns.turns,
                  (unsigned long long)turns.asked, (unsigned long long)turns.missed);
    assert_int_equal(turns.missed, 0);
    assert_true(turns.asked > lives);
}

static unsigned lives(void) { return quick_run() ? 10 : long_run() ? 3000 : 200; }

static void test_no_turn_hides_a_resident(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    live(lives(), &r);
}

/* With an allocator of the caller's there is no ground: see ground.h. */
static void test_no_turn_hides_a_resident_on_foreign_ground(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    live(lives() / 3, &r);
    memory_unhook();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_turn_hides_a_resident),
        cmocka_unit_test(test_no_turn_hides_a_resident_on_foreign_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
