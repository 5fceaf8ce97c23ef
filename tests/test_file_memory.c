/* Memory while saving and loading: at most a small multiple of the bytes that are there, and when an allocation fails,
 * nothing is left behind. */
#include <sys/wait.h>

#include "file_support.h"
#include "repair_checksums.h"

static struct bytes make_file(const struct variant *v, size_t n, struct rng *r) {
    guira *f = variant_make(v, r, n + 1);
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(r)), GUIRA_OK);
    struct bytes b = saved(f);
    guira_destroy(f);
    return b;
}

/* How much memory loading n bytes may hold at once: the bytes, the filter, and some small blocks. */
static size_t justified(size_t n) { return 3 * n + 32768; }

/* -------------------------------------------------------------------------------------------------------- how much it is */

static guira_status load_from(struct bytes b, const char *path, guira **out) {
    (void)path;
    return guira_load_from(b.at, b.n, out);
}

static guira_status load_path(struct bytes b, const char *path, guira **out) {
    (void)b;
    return guira_load(path, out);
}

/* Through a pipe, from a child that writes it. */
static guira_status load_pipe(struct bytes b, const char *path, guira **out) {
    (void)path;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(write(ends[1], b.at, b.n) < 0);
    }
    close(ends[1]);
    guira_status s = guira_load_fd(ends[0], out);
    close(ends[0]);
    waitpid(child, &status, 0);
    return s;
}

static guira_status map_path(struct bytes b, const char *path, guira **out) {
    (void)b;
    return guira_map(path, out);
}

static guira_status map_and_clone(struct bytes b, const char *path, guira **out) {
    guira *f;
    *out = NULL;
    guira_status s = map_path(b, path, &f);
    if (s == GUIRA_OK) s = guira_clone(f, out);
    guira_destroy(f);
    return s;
}

typedef guira_status way(struct bytes b, const char *path, guira **out);
static way *const ways[] = {load_from, load_path, load_pipe, map_path, map_and_clone};
enum { WAYS = sizeof ways / sizeof *ways };

static void test_loading_takes_a_small_multiple_of_the_file(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (size_t n = 1; n < 100000; n *= 10) {
            const char *path = file_named("filter.guira");
            struct bytes b = make_file(v, n, &r);
            file_put(path, b);
            for (size_t i = 0; i < WAYS; i++) {
                guira *f;
                memory_hook();
                assert_int_equal(ways[i](b, path, &f), GUIRA_OK);
                if (memory.peak > justified(b.n))
                    fail_msg("%s, way %zu: %zu bytes for %zu", v->name, i, memory.peak, b.n);
                guira_destroy(f);
                memory_unhook();
            }
            unlink(path);
            free(b.at);
        }
}

/* The header says a terabyte, and the checksums are right. */
static void test_a_header_that_claims_a_terabyte_allocates_nothing_for_it(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        const char *path = file_named("filter.guira");
        struct bytes b = make_file(v, 100, &r);
        put_u64(b.at + 24, UINT64_C(1) << 40);
        put_u64(b.at + HEADER_BYTES + 8, UINT64_C(1) << 39);
        repair_checksums(b.at, b.n);
        file_put(path, b);
        for (size_t i = 0; i < WAYS; i++) {
            guira *f;
            memory_hook();
            assert_int_equal(ways[i](b, path, &f), GUIRA_ECORRUPT);
            assert_true(f == NULL && memory.peak <= justified(b.n) + (128 << 10)); /* a pipe may have more to come */
            memory_unhook();
        }
        unlink(path);
        free(b.at);
    }
}

/* A number that code may not expect. */
static uint64_t unexpected_number(struct rng *r) {
    const uint64_t some[] = {0, 1, UINT64_MAX, UINT64_MAX - 63, UINT64_C(1) << 63, UINT32_MAX};
    uint64_t i = rng_below(r, 10);
    return i < 6 ? some[i] : i < 8 ? rng_next(r) : rng_next(r) >> rng_below(r, 64);
}

/* One or two numbers anywhere in a file are replaced. If the file still loads, the filter must be valid and usable. */
static void test_no_changed_number_makes_loading_take_more_memory(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        bool has_elders = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        struct bytes b = make_file(v, has_elders ? 2500 : 60, &r), copy = {malloc(b.n), b.n, b.n};
        for (unsigned i = 0; i < (quick_run() ? 300 : 2000); i++) {
            memcpy(copy.at, b.at, b.n);
            put_u64(copy.at + rng_below(&r, b.n / 8) * 8, unexpected_number(&r));
            if (i % 2) put_u64(copy.at + rng_below(&r, b.n / 8) * 8, unexpected_number(&r));
            repair_checksums(copy.at, copy.n);
            guira *f;
            memory_hook();
            guira_load_from(copy.at, copy.n, &f);
            assert_true(memory.peak <= justified(b.n));
            if (f != NULL) {
                assert_valid(f);
                for (unsigned j = 0; j < 50; j++) guira_insert_hash(f, rng_next(&r));
                for (unsigned j = 0; j < 50; j++) guira_remove_hash(f, rng_next(&r));
                guira_shrink_to_fit(f);
                assert_valid(f);
                /* Clearing goes back to the initial size, which for rings depends on more than the number of buckets.
                 * With a low max_load it takes more memory, rightly. */
                bool usual = guira__config_of(f).buckets <= get_u64(b.at + 104) && guira__config_of(f).max_load > 0.5;
                if (v->config.kind != GUIRA_CONSISTENT && usual) {
                    assert_int_equal(guira_clear(f), GUIRA_OK);
                    size_t most = 2 * justified(b.n) + 50 * b.n; /* each insertion may have added a filter */
                    if (memory.peak > most) fail_msg("%s: %zu bytes for %zu", v->name, memory.peak, b.n);
                }
            }
            guira_destroy(f);
            memory_unhook();
        }
        free(copy.at);
        free(b.at);
    }
}

/* -------------------------------------------------------------------------------------------------- failing allocations */

static void test_every_allocation_failing_in_turn_leaves_nothing_behind(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        bool has_elders = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        const char *path = file_named("filter.guira");
        struct bytes b = make_file(v, has_elders ? 2500 : 2000, &r);
        file_put(path, b);
        for (size_t i = 0; i < WAYS; i++) {
            guira *f = NULL;
            uint64_t k = 1;
            for (; f == NULL; k++) {
                memory_hook();
                memory.fail_at = k;
                guira_status s = ways[i](b, path, &f);
                assert_int_equal(s, memory.failed ? GUIRA_ENOMEM : GUIRA_OK);
                guira_destroy(f);
                memory_unhook();
            }
            assert_true(k > 2);
        }
        unlink(path);
        free(b.at);
    }
}

static void test_saving_without_memory_leaves_the_old_file(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        const char *path = file_named("filter.guira");
        memory_hook();
        guira *f = variant_make(v, &r, 100), *g;
        uint64_t before = digest(f);
        assert_int_equal(guira_save(f, path), GUIRA_OK);
        assert_int_equal(guira_insert_hash(f, 1), GUIRA_OK);
        memory.fail_at = memory.calls + 1;
        assert_int_equal(guira_save(f, path), GUIRA_ENOMEM);
        assert_int_equal(guira_load(path, &g), GUIRA_OK);
        assert_int_equal(digest(g), before);
        guira_destroy(g);
        guira_saving *saving = NULL;
        memory.fail_at = memory.calls + 1;
        assert_true(guira_saving_start(f, &saving) == GUIRA_ENOMEM && saving == NULL);
        guira_destroy(f);
        memory_unhook();
        unlink(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loading_takes_a_small_multiple_of_the_file),
        cmocka_unit_test(test_a_header_that_claims_a_terabyte_allocates_nothing_for_it),
        cmocka_unit_test(test_no_changed_number_makes_loading_take_more_memory),
        cmocka_unit_test(test_every_allocation_failing_in_turn_leaves_nothing_behind),
        cmocka_unit_test(test_saving_without_memory_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
