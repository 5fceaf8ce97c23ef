/* guira_inline.h: inlined lookups, as every instruction set compiles them, answer as guira_contains_hash does. */
#include "guira_inline.h"

#include <stdlib.h>
#include <unistd.h>

#include "isa_support.h"
#include "support.h"

typedef bool lookup(const guira_inline_table *t, uint64_t hash);
lookup inline_portable, inline_sse41, inline_avx2, inline_avx512, inline_neon;

static const struct {
    const char *isa;
    lookup *look;
} kernels[] = {
    {"portable", inline_portable},
#ifdef GUIRA__HAVE_SSE41
    {"sse41", inline_sse41},
#endif
#ifdef GUIRA__HAVE_AVX2
    {"avx2", inline_avx2},
#endif
#ifdef GUIRA__HAVE_AVX512
    {"avx512", inline_avx512},
#endif
#ifdef GUIRA__HAVE_NEON
    {"neon", inline_neon},
#endif
};

static lookup *kernel_named(const char *isa) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].isa, isa) == 0) return kernels[i].look;
    fail_msg("%s is in the library, but not in this test", isa);
    return NULL;
}

/* Member i; and with other numbers, keys that were never inserted. */
static uint64_t key(uint64_t i) {
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

enum { NEVER = 1 << 30 };

/* What a large filter is looked up by. On big-endian and 32-bit machines the header calls the library. */
enum {
    INLINE_HERE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(void *) == 8,
    LARGE_FORM = INLINE_HERE ? GUIRA_INLINE_TIDAL16 : GUIRA_INLINE_CALL
};

static guira *filter_of(guira_config c, uint64_t items) {
    guira *f;
    c.seed[0] = 1;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    for (uint64_t i = 0; i < items; i++) assert_int_equal(guira_insert_hash(f, key(i)), GUIRA_OK);
    assert_true(guira_contains_hash(f, key(items - 1)));
    return f;
}

static guira_inline_table table_of(const guira *f) {
    guira_inline_table t = GUIRA_INLINE_TABLE_INIT;
    assert_int_equal(guira_inline_table_get(f, &t), GUIRA_OK);
    return t;
}

/* Members, of which there are `items`, and as many other keys, all or some of them. */
static void check_answers(const guira *f, const guira_inline_table *t, uint64_t items) {
    uint64_t step = items / 100000 + 1;
    for (const char *const *isa = isa_list(); *isa != NULL; isa++) {
        lookup *look = kernel_named(*isa);
        for (uint64_t i = 0; i < items; i += step) {
            assert_int_equal(look(t, key(i)), guira_contains_hash(f, key(i)));
            assert_int_equal(look(t, key(NEVER + i)), guira_contains_hash(f, key(NEVER + i)));
        }
    }
}

static void check_filter(const guira *f, uint64_t items, unsigned form) {
    guira_inline_table t = table_of(f);
    assert_int_equal(t.form, form);
    check_answers(f, &t, items);
    if (t.form == GUIRA_INLINE_CALL) return;
    t.outside = 1; /* as if there were a stash */
    check_answers(f, &t, items);
}

/* -------------------------------------------------------------------------------------------------------------- tests */

static void test_every_width_and_kind_answers_as_the_library_does(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < GUIRA_PLAN_ROWS; kind++)
        for (unsigned bits = 6; bits <= 32; bits++) {
            guira_config c = {.kind = (guira_kind)kind, .slot_bits = bits, .capacity = 3000};
            guira *f;
            if (guira_create(&c, &f) != GUIRA_OK) continue;
            for (uint64_t i = 0; i < 3000 && guira_insert_hash(f, key(i)) == GUIRA_OK; i++) {
                /* narrow slots, and some kinds, are full before that */
            }
            check_filter(f, 3000, GUIRA_INLINE_CALL);
            guira_destroy(f);
        }
}

/* 16-bit slots in one piece, at all positions of the split pointer, with and without elders. */
static void test_a_large_table_is_looked_up_inline(void **state) {
    (void)state;
    const uint64_t more[] = {0, 1000, 300000, 700000};
    guira *grown = filter_of((guira_config){.slot_bits = 16}, 1000000), *made;
    made = filter_of((guira_config){.slot_bits = 16, .capacity = 2000000}, 1000000);
    assert_int_equal(table_of(grown).outside, INLINE_HERE ? 2 : 1);
    assert_int_equal(table_of(made).outside, INLINE_HERE ? 0 : 1);
    for (size_t j = 0, n = 1000000; j < sizeof more / sizeof *more; n += more[j++]) {
        for (uint64_t i = n; i < n + more[j]; i++) {
            assert_int_equal(guira_insert_hash(grown, key(i)), GUIRA_OK);
            assert_int_equal(guira_insert_hash(made, key(i)), GUIRA_OK);
        }
        check_filter(grown, n + more[j], LARGE_FORM);
        check_filter(made, n + more[j], LARGE_FORM);
    }
    guira_destroy(grown);
    guira_destroy(made);
}

/* With one move per insertion, about every second insertion at a high load leaves an entry in the stash: of 100,000, one does. */
static void check_outside_with_stash(guira *f, uint64_t items) {
    uint64_t end = items + 100000;
    while (items < end && stats_of(f).stash == 0) assert_int_equal(guira_insert_hash(f, key(items++)), GUIRA_OK);
    assert_true(stats_of(f).stash > 0);
    assert_int_equal(table_of(f).outside, 1);
    check_filter(f, items, LARGE_FORM);
}

static void test_a_table_with_a_stash_asks_the_library(void **state) {
    (void)state;
    guira *grown = filter_of((guira_config){.slot_bits = 16, .max_kicks = 1}, 1000000), *made;
    made = filter_of((guira_config){.slot_bits = 16, .max_kicks = 1, .capacity = 1000000}, 950000);
    check_outside_with_stash(grown, 1000000);
    check_outside_with_stash(made, 950000);
    guira_destroy(grown);
    guira_destroy(made);
}

static void test_a_mapped_file_is_looked_up_inline(void **state) {
    (void)state;
    char path[] = "/tmp/test_inline.XXXXXX";
    guira *f = filter_of((guira_config){.slot_bits = 16}, 200000), *mapped;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(guira_save(f, path), GUIRA_OK);
    assert_int_equal(guira_map(path, &mapped), GUIRA_OK);
    check_filter(mapped, 200000, LARGE_FORM);
    guira_destroy(mapped);
    guira_destroy(f);
    unlink(path);
}

/* A program that knows no form yet, or more than this library, and one that asks again with what it got. */
static void test_only_forms_that_the_caller_knows_are_returned(void **state) {
    (void)state;
    guira *f = filter_of((guira_config){.slot_bits = 16, .capacity = 2000000}, 10);
    guira_inline_table t = GUIRA_INLINE_TABLE_INIT;
    t.forms = GUIRA_INLINE_CALL;
    assert_int_equal(guira_inline_table_get(f, &t), GUIRA_OK);
    assert_int_equal(t.form, GUIRA_INLINE_CALL);
    assert_true(guira_inline_contains_hash(&t, key(3)));
    t.forms = 1000;
    assert_int_equal(guira_inline_table_get(f, &t), GUIRA_OK);
    assert_int_equal(t.form, LARGE_FORM);
    assert_int_equal(t.forms, 1000);
    guira_destroy(f);
}

static void test_arguments_are_checked(void **state) {
    (void)state;
    guira *f = filter_of((guira_config){0}, 10);
    guira_inline_table t = GUIRA_INLINE_TABLE_INIT, before = t;
    assert_int_equal(guira_inline_table_get(NULL, &t), GUIRA_EINVAL);
    assert_int_equal(guira_inline_table_get(f, NULL), GUIRA_EINVAL);
    t.size = before.size = 9;
    assert_int_equal(guira_inline_table_get(f, &t), GUIRA_EINVAL);
    assert_memory_equal(&t, &before, sizeof t);
    t.size = 0;
    assert_int_equal(guira_inline_table_get(f, &t), GUIRA_OK);
    assert_true(guira_inline_contains_hash(&t, key(3)));
    guira_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width_and_kind_answers_as_the_library_does),
        cmocka_unit_test(test_a_large_table_is_looked_up_inline),
        cmocka_unit_test(test_a_table_with_a_stash_asks_the_library),
        cmocka_unit_test(test_a_mapped_file_is_looked_up_inline),
        cmocka_unit_test(test_only_forms_that_the_caller_knows_are_returned),
        cmocka_unit_test(test_arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
