/* Counted copies: the table of counts itself, and counts when memory fails, in files, and in the check of a filter. */
#define _GNU_SOURCE
#include "bag_support.h"

#include <string.h>
#include <unistd.h>

#include "tidal/elders.h"

/* --------------------------------------------------------------------------------------------------------- the counts */

/* Against an array, with growth, shrinking, and names that come and go. */
static void test_the_table_of_counts_is_exact(void **state) {
    (void)state;
    enum { NAMES = 5000 };
    struct rng r = rng_for(__func__);
    guira *f = make(16, &r);
    struct counts c = {0}, copy;
    struct bag b = bag_make(NAMES, &r);
    size_t steps = pick(50000, 300000, 3000000);
    for (size_t i = 0; i < steps; i++) {
        bool up = rng_below(&r, steps) > i; /* more and more goes down */
        size_t k = rng_below(&r, NAMES);
        if (up) {
            uint64_t n = 1 + rng_below(&r, 3);
            assert_true(guira__counts_ready(&c, 1));
            guira__counts_add(&c, (struct tidal *)f, b.hash[k], n);
            b.count[k] += n;
            b.total += n;
        }
        for (unsigned n = up ? 0 : 6; n > 0 && b.count[k] > 0; n--) {
            guira__counts_subtract(&c, (struct tidal *)f, b.hash[k]);
            b.count[k]--;
            b.total--;
        }
        assert_int_equal(guira__counts_get(&c, b.hash[k]), b.count[k]);
        if (c.old != NULL && i % 64 == 0) { /* cloning counts the names that are left to be moved */
            assert_true(guira__counts_clone(&c, &copy));
            assert_int_equal(copy.left, c.left);
            guira__counts_free(&copy);
        }
        if (i % (steps / 20) != 0) continue;
        uint64_t total = 0;
        for (size_t j = 0; j < NAMES; j++) assert_int_equal(guira__counts_get(&c, b.hash[j]), b.count[j]);
        assert_null(guira__counts_check(&c, &total));
        assert_int_equal(total, b.total);
        assert_true(guira__counts_clone(&c, &copy));
        assert_null(guira__counts_check(&copy, &total));
        assert_int_equal(copy.left, c.left);
        guira__counts_free(&c);
        c = copy;
    }
    for (size_t k = 0; k < NAMES; k++)
        for (; b.count[k] > 0; b.count[k]--) guira__counts_subtract(&c, (struct tidal *)f, b.hash[k]);
    assert_true(c.now == NULL && c.old == NULL && c.names == 0);
    guira__counts_free(&c);
    guira_destroy(f);
    bag_free(&b);
}

/* An array is made ready for names that may come. If they do not come, and those that are there leave, it is given back: the
 * memory of n names is at most three arrays of 32 n slots (16 n before it shrinks, and a step of that for each array). */
static void test_counts_give_back_what_was_made_ready(void **state) {
    (void)state;
    enum { NAMES = 1 << 14 };
    struct rng r = rng_for(__func__);
    guira *f = make(16, &r);
    struct counts c = {0};
    struct bag b = bag_make(NAMES, &r);
    size_t n = 0;
    for (; n < NAMES; n++) {
        assert_true(guira__counts_ready(&c, 1));
        guira__counts_add(&c, (struct tidal *)f, b.hash[n], 1);
    }
    assert_true(guira__counts_ready(&c, 3 * NAMES) && c.spare != NULL);
    while (n-- > 1) {
        guira__counts_subtract(&c, (struct tidal *)f, b.hash[n]);
        assert_true(guira__counts_bytes(&c) <= 3 * (32 * n + 64) * sizeof(struct count_slot));
    }
    assert_int_equal(guira__counts_get(&c, b.hash[0]), 1);
    guira__counts_free(&c);
    guira_destroy(f);
    bag_free(&b);
}

/* --------------------------------------------------------------------------------------------------------------- faults */

enum operation { INSERT, REMOVE, MERGE, UNION, OPERATIONS };

static guira_status operate(guira *f, const guira *from, enum operation what, uint64_t hash) {
    switch (what) {
    case INSERT: return guira_insert_hash(f, hash);
    case REMOVE: return guira_remove_hash(f, hash);
    case MERGE: return guira_merge(f, from);
    default: return guira_union(f, from);
    }
}

/* Each allocation fails in turn, once and for good, until the operation succeeds. A removal always does. */
static uint64_t operate_with_faults(guira *f, const guira *from, enum operation what, uint64_t hash) {
    uint64_t before = digest(f), failures = 0;
    for (uint64_t k = 1;; k++, failures++) {
        memory.calls = 0;
        memory.fail_at = k;
        memory.fail_on = k % 2 == 0;
        memory.failed = false;
        guira_status s = operate(f, from, what, hash);
        memory.fail_at = 0;
        assert_valid(f);
        if (s == GUIRA_OK) return failures;
        assert_true(what != REMOVE && s == GUIRA_ENOMEM && memory.failed);
        assert_int_equal(digest(f), before);
    }
}

static void test_every_allocation_failing_in_turn_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 32};
    uint64_t failures = 0;
    memory_hook();
    for (unsigned round = 0; round < pick(6, 30, 300); round++) {
        struct bag b = bag_make(400, &r);
        guira *f = make(widths[round % 3], &r), *from;
        assert_int_equal(guira_clone(f, &from), GUIRA_OK);
        for (unsigned i = 0; i < 600; i++) {
            size_t k = rng_below(&r, 20) * rng_below(&r, 20);
            if (rng_below(&r, 5) > 0 || b.count[k] == 0) {
                failures += operate_with_faults(f, NULL, INSERT, b.hash[k]);
                b.count[k]++;
                b.total++;
                assert_int_equal(guira_insert_hash(from, b.hash[rng_below(&r, 4)]), GUIRA_OK);
            } else {
                operate_with_faults(f, NULL, REMOVE, b.hash[k]);
                b.count[k]--;
                b.total--;
            }
        }
        assert_counts(f, &b);
        failures += operate_with_faults(f, from, MERGE, 0);
        failures += operate_with_faults(f, from, UNION, 0);
        guira_destroy(f);
        guira_destroy(from);
        bag_free(&b);
    }
    print_message("  %llu calls failed\n", (unsigned long long)failures);
    assert_true(failures > 50);
    memory_unhook();
}

/* ---------------------------------------------------------------------------------------------------------------- files */

static guira *make_counted(unsigned w, struct bag *b, size_t draws, struct rng *r) {
    guira *f = make(w, r);
    for (size_t i = 0; i < draws; i++) put(f, b, rng_below(r, b->n) * rng_below(r, b->n) / b->n);
    return f;
}

static void test_counts_are_saved_loaded_mapped_and_viewed(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 21, 32};
    char path[] = "multiset-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    for (size_t w = 0; w < 4; w++)
        for (size_t draws = 20; draws < pick(3000, 30000, 300000); draws *= 6) {
            struct bag b = bag_make(1 + draws / 30, &r);
            guira *f = make_counted(widths[w], &b, draws, &r), *loaded, *mapped, *copy;
            assert_int_equal(guira_save(f, path), GUIRA_OK);
            assert_int_equal(guira_load(path, &loaded), GUIRA_OK);
            assert_int_equal(digest(loaded), digest(f));
            assert_counts(loaded, &b);
            assert_int_equal(guira_map(path, &mapped), GUIRA_OK);
            assert_counts(mapped, &b);
            assert_int_equal(guira_clone(mapped, &copy), GUIRA_OK);
            assert_int_equal(digest(copy), digest(f));
            remove_all(copy, &b, &r);
            guira *all[] = {f, loaded, mapped, copy};
            for (size_t i = 0; i < 4; i++) guira_destroy(all[i]);
            bag_free(&b);
        }
    unlink(path);
}

/* Also while the table of counts is being rebuilt. */
static void test_a_rebuilding_of_counts_is_saved(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct bag b = bag_make(100, &r);
    guira *f = make(32, &r), *loaded;
    unsigned saved = 0;
    char path[] = "multiset-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    for (size_t i = 0; i < 40 * b.n; i++) {
        put(f, &b, i / 40); /* more copies than fit into two buckets and the stash */
        const struct elders *e = ((struct tidal *)f)->elders;
        if (e == NULL || e->counts.old == NULL) continue;
        assert_int_equal(guira_save(f, path), GUIRA_OK);
        assert_int_equal(guira_load(path, &loaded), GUIRA_OK);
        assert_int_equal(digest(loaded), digest(f));
        assert_counts(loaded, &b);
        guira_destroy(loaded);
        saved++;
    }
    assert_true(saved > 0);
    unlink(path);
    guira_destroy(f);
    bag_free(&b);
}

static bool append(void *to, const void *bytes, size_t n) {
    uint8_t **at = to;
    memcpy(*at, bytes, n);
    *at += n;
    return true;
}

static unsigned format_of(const guira *f) {
    uint8_t *bytes = malloc(guira_saved_size(f)), *at = bytes;
    guira_file info = {.size = sizeof info};
    assert_non_null(bytes);
    assert_int_equal(guira_save_to(f, append, &at), GUIRA_OK);
    assert_int_equal(guira_file_info(bytes, (size_t)(at - bytes), &info, NULL), GUIRA_OK);
    assert_int_equal(info.items, f->items);
    free(bytes);
    return info.format;
}

static void test_only_counts_need_format_2(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(16, &r);
    for (unsigned i = 0; i < 300; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    assert_int_equal(format_of(f), 1);
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(guira_insert_hash(f, 1), GUIRA_OK);
    assert_int_equal(format_of(f), 2);
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(guira_remove_hash(f, 1), GUIRA_OK);
    assert_int_equal(format_of(f), 1);
    guira_destroy(f);
}

/* What the check of a filter must find. The change is undone by cloning beforehand. */
static const char *damage(struct tidal *f, unsigned how, struct rng *r) {
    struct counts *c = &f->elders->counts;
    uint64_t slots = UINT64_C(1) << c->now->bits, i = rng_below(r, slots);
    while (c->now->slot[i].name == 0 || c->now->slot[i].n == 0) i = (i + 1) % slots;
    struct count_slot *s = &c->now->slot[i];
    switch (how) {
    case 0: return s->n++, "numbers";
    case 1: return s->n = 0, "a number that is gone";
    case 2: return s->name ^= UINT64_C(1) << 40, "a name of no elder";
    case 3: return s->name |= UINT64_C(1) << 63, "an impossible name";
    case 4: return f->elders->counted++, f->head.items++, "the sum";
    case 5: return c->names++, "the names";
    case 6: return c->moved++, "how far it was moved";
    case 7: return s->n = UINT64_MAX - 1, "a number that overflows";
    case 8: return s->name = 0, "a number without a name";
    default: return NULL;
    }
}

static void test_the_check_finds_every_wrong_count(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct bag b = bag_make(50, &r);
    guira *f = make_counted(16, &b, 5000, &r), *copy;
    while (((struct tidal *)f)->elders->counts.old != NULL) put(f, &b, 0);
    for (unsigned how = 0;; how++) {
        assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
        const char *what = damage((struct tidal *)copy, how, &r);
        const char *reason = guira__tidal_check(copy);
        if (what != NULL && reason == NULL) fail_msg("not found: %s", what);
        copy->ops->destroy(copy);
        if (what == NULL) break;
    }
    guira_destroy(f);
    bag_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_of_counts_is_exact),
        cmocka_unit_test(test_counts_give_back_what_was_made_ready),
        cmocka_unit_test(test_every_allocation_failing_in_turn_changes_nothing),
        cmocka_unit_test(test_counts_are_saved_loaded_mapped_and_viewed),
        cmocka_unit_test(test_a_rebuilding_of_counts_is_saved),
        cmocka_unit_test(test_only_counts_need_format_2),
        cmocka_unit_test(test_the_check_finds_every_wrong_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
