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

#include "shared/shared.h"
#include "support.h"
#include "tidal/elders.h"
#include "tidal/table.h"

enum { MEMBERS = 20, WITH_COPIES = 5, MANY = 40, STACK = 1 << 18 };

static struct {
    guira_shared *g;
    uint64_t key[MEMBERS], copies[MEMBERS]; /* the permanent members */
    const struct model *kept; /* more members, which the writer has inserted and does not remove; NULL: none */
    ucontext_t writer, reader;
    bool hasty;       /* one move per insertion */
    bool on, reading; /* whether switch points switch; whether the reader is running */
    struct rng rng;
    uint64_t writer_run, reader_run; /* mean number of switch points before a switch */
    uint64_t switches, lookups, false_negatives;
    uint64_t maps, counts; /* changes after which a map or an array of counts was being rebuilt */
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

static bool finds_a_kept_one(void) {
    return guira_shared_contains_hash(run.g, run.kept->hash[rng_below(&run.rng, run.kept->n)]);
}

static void look_up_for_ever(void) {
    for (;;) {
        if (run.kept != NULL && run.kept->n > 0) run.false_negatives += !finds_a_kept_one();
        uint64_t i = rng_below(&run.rng, MEMBERS), key = run.key[i];
        switch (rng_below(&run.rng, 4)) {
        case 0: run.false_negatives += look_up_many(); break;
        case 1: run.false_negatives += guira_shared_count(run.g, &key, sizeof key) < run.copies[i]; break;
        default: run.false_negatives += !guira_shared_contains(run.g, &key, sizeof key);
        }
        run.lookups++;
    }
}

/* --------------------------------------------------------------------------------------------------------------- writer */

struct writer {
    struct model keys;   /* that it has inserted, besides the permanent members */
    guira_shared *other; /* with the same seed, for merging */
    uint64_t hot[MANY],
        more[MANY]; /* keys with copies, and how many there are; the first ones are permanent members, and
                                       these are copies besides those that stay */
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

/* Copies of one key come and go, so that counts are made, rebuilt and dropped. */
static void change_copies(struct writer *s, struct rng *r) {
    uint64_t i = rng_below(r, MANY), n = 1 + rng_below(r, 30);
    if (i < WITH_COPIES) s->hot[i] = guira_shared_hash(run.g, &run.key[i], sizeof *run.key);
    bool in = s->more[i] == 0 || rng_below(r, 2) == 0;
    for (; n > 0 && (in || s->more[i] > 0); n--) {
        assert_int_equal((in ? guira_shared_insert_hash : guira_shared_remove_hash)(run.g, s->hot[i]), GUIRA_OK);
        s->more[i] += in ? 1 : -UINT64_C(1);
    }
}

/* With permanent members, which it finds there already, and with others, which are not removed any more: the union may take
 * one of them for another key. */
static void unite_some(struct writer *s, struct rng *r) {
    uint64_t n = rng_below(r, 10);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t *key = &run.key[rng_below(r, MEMBERS)], other = rng_next(r);
        assert_int_equal(guira_shared_insert(s->other, i % 2 == 0 ? key : &other, sizeof *key), GUIRA_OK);
    }
    assert_int_equal(guira_shared_union(run.g, s->other), GUIRA_OK);
    assert_int_equal(guira_shared_clear(s->other), GUIRA_OK);
}

/* Whether something was being rebuilt, a step at a time. */
static void note_rebuilding(void) {
    for (unsigned i = 0; i < run.g->shards; i++) {
        const struct elders *e = tidal_of(run.g->root[i].filter)->elders;
        run.maps += e != NULL && e->next != NULL;
        run.counts += e != NULL && e->counts.old != NULL;
    }
}

static void change(struct writer *s, uint64_t top, struct rng *r) {
    switch (rng_below(r, 40)) {
    case 0: assert_int_equal(guira_shared_reserve(run.g, rng_below(r, 2 * top)), GUIRA_OK); break;
    case 1: assert_int_equal(guira_shared_shrink_to_fit(run.g), GUIRA_OK); break;
    case 2: merge_some(s, r); break;
    case 3: unite_some(s, r); break;
    case 4:
    case 5:
    case 6:
    case 7: change_copies(s, r); break;
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
    c.max_kicks =
        1U << rng_below(&r, run.hasty ? 1 : 6); /* few kicks and a high load bring many entries into the stash */
    c.max_load = loads[rng_below(&r, 3)];
    for (unsigned i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(&r);
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

static char stack[STACK];

/* An empty filter, and the permanent members, the first of which have copies. */
static void scenario_start(struct writer *s, unsigned w, unsigned shards, unsigned with_copies, struct rng *r) {
    struct rng seed = {rng_next(r)};
    *s = (struct writer){.other = make(w, shards, seed)};
    run.g = make(w, shards, seed);
    for (unsigned i = 0; i < MEMBERS; i++) {
        run.key[i] = rng_next(r);
        run.copies[i] = i < with_copies ? 1 + rng_below(r, 30) : 1;
        for (uint64_t n = run.copies[i]; n > 0; n--)
            assert_int_equal(guira_shared_insert(run.g, &run.key[i], sizeof *run.key), GUIRA_OK);
    }
    for (unsigned i = 0; i < MANY; i++) s->hot[i] = rng_next(r);
    assert_int_equal(getcontext(&run.reader), 0);
    run.reader.uc_stack.ss_sp = stack;
    run.reader.uc_stack.ss_size = STACK;
    makecontext(&run.reader, look_up_for_ever, 0);
}

static void scenario_end(struct writer *s) {
    const char *reason = NULL;
    __wrap_urcu_bp_synchronize_rcu(); /* the reader's next run starts on the same stack */
    run.on = false;
    run.kept = NULL;
    if (guira_shared_validate(run.g, &reason) != GUIRA_OK) fail_msg("invalid: %s", reason);
    guira_shared_destroy(run.g);
    guira_shared_destroy(s->other);
    model_free(&s->keys);
}

/* 500 changes with lookups between their stores. Slots that are no machine words have a switch point for each byte, and
 * take longer. */
static void run_scenario(unsigned w, unsigned shards, struct rng *r) {
    const uint64_t runs[] = {1, 2, 5, 20, 100}, tops[] = {20, 100, 400, 2500};
    bool in_words = w == 12 || w == 16 || w == 32;
    struct writer s;
    scenario_start(&s, w, shards, WITH_COPIES, r);
    run.on = true;
    uint64_t top = 0;
    for (unsigned i = 0; i < 500; i++) {
        if (i % 100 == 0) top = tops[rng_below(r, in_words ? 4 : 3)];
        run.writer_run = runs[rng_below(r, 5)];
        run.reader_run = runs[rng_below(r, 5)];
        change(&s, top, r);
        note_rebuilding();
    }
    scenario_end(&s);
}

/* A filter that has grown so much that its map of elders is doubled, which takes 256 elders (entries of the
 * time when there were 64 times fewer), and halved again. The first 500 keys stay. */
static void run_grown_scenario(struct rng *r) {
    const uint64_t runs[] = {5, 20, 100};
    struct writer s;
    struct model first;
    scenario_start(&s, 12, 1, WITH_COPIES, r);
    insert_some(&s, 500, r);
    first = s.keys;
    s.keys = (struct model){0};
    insert_some(&s, 14000, r);
    run.on = true;
    for (unsigned i = 0; i < 70; i++) {
        run.writer_run = runs[rng_below(r, 3)];
        run.reader_run = runs[rng_below(r, 3)];
        if (i < 50) insert_some(&s, 300, r);
        else remove_some(&s, 1300, r);
        note_rebuilding();
    }
    scenario_end(&s);
    model_free(&first);
}

static void run_scenarios(unsigned n, struct rng *r) {
    const unsigned widths[] = {12, 13, 12, 16, 32, 14, 12, 23, 28}; /* narrow slots make elders */
    run.rng.state = rng_next(r);
    run.switches = run.lookups = run.false_negatives = run.maps = run.counts = 0;
    for (unsigned i = 0; i < n && run.false_negatives == 0; i++) run_scenario(widths[i % 9], 1U << rng_below(r, 3), r);
    for (unsigned i = 0; i <= n / 50 && run.false_negatives == 0; i++) run_grown_scenario(r);
    print_message(
        "  %llu switches, %llu lookups, %llu false negatives; rebuilding maps %llu times, counts %llu times\n",
        (unsigned long long)run.switches, (unsigned long long)run.lookups, (unsigned long long)run.false_negatives,
        (unsigned long long)run.maps, (unsigned long long)run.counts);
    assert_int_equal(run.false_negatives, 0);
    assert_true(run.lookups > n && run.maps > 0);
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

/* ------------------------------------------------------------------------------------------------- steps that are undone */

/* One bucket less, where an allocation fails. GUIRA_EFULL: the step was undone. */
static guira_status shrink_without_memory(guira *f, struct rng *r) {
    uint64_t buckets = bucket_count(tidal_of(f));
    memory.calls = 0;
    memory.fail_at = 1 + rng_below(r, 3); /* the first ones may be for the table and the stash */
    memory.fail_on = true;
    guira_status s = tidal_ops(tidal_of(f))->shrink(tidal_of(f));
    memory.fail_at = 0;
    memory.fail_on = false;
    assert_int_equal(bucket_count(tidal_of(f)), buckets - (s == GUIRA_OK));
    return s;
}

/* The table loses buckets until a step finds no room for all entries of two of them. Without memory for the first elder the
 * step takes back what it has moved, slot by slot. Few steps have moved anything: where a search finds free slots, the step
 * before found them. With one move per insertion and hundreds of entries it is one of 35. */
static unsigned run_undo_scenario(unsigned w, struct rng *r) {
    struct writer s;
    unsigned undone = 0;
    run.hasty = true;
    scenario_start(&s, w, 1, 0, r);
    run.hasty = false;
    insert_some(&s, 300 + rng_below(r, 300), r);
    run.writer_run = 1 + rng_below(r, 3);
    run.reader_run = 1 + rng_below(r, 10);
    run.on = true;
    run.kept = &s.keys;
    guira *f = run.g->root[0].filter;
    for (unsigned i = 0; i < 40 && tidal_of(f)->elders == NULL && run.false_negatives == 0; i++) {
        guira_status status;
        insert_some(&s, 1 + rng_below(r, 6), r);
        while ((status = shrink_without_memory(f, r)) == GUIRA_OK) {
        }
        undone += status == GUIRA_EFULL;
    }
    scenario_end(&s);
    return undone;
}

/* How often steps are undone differs, but with 0 of so many scenarios something else is tested. */
static void test_no_interleaving_hides_a_member_from_a_step_that_is_undone(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {16, 32, 16, 23};
    unsigned undone = 0;
    memory_hook();
    run.rng.state = rng_next(&r);
    run.switches = run.lookups = run.false_negatives = 0;
    for (unsigned i = 0; i < 4 * scenarios() && run.false_negatives == 0; i++)
        undone += run_undo_scenario(widths[i % 4], &r);
    memory_unhook();
    print_message("  %u steps undone, %llu lookups, %llu false negatives\n", undone, (unsigned long long)run.lookups,
                  (unsigned long long)run.false_negatives);
    assert_int_equal(run.false_negatives, 0);
    assert_true(undone > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_interleaving_hides_a_member),
        cmocka_unit_test(test_no_interleaving_hides_a_member_with_a_custom_allocator),
        cmocka_unit_test(test_no_interleaving_hides_a_member_from_a_step_that_is_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
