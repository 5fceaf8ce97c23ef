/* Mapped filters: they answer like the saved filter, cannot be changed, and take little memory to open. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "file_support.h"

static guira *mapped(const char *path) {
    guira *f;
    assert_int_equal(guira_map(path, &f), GUIRA_OK);
    return f;
}

/* Every kind and width with n members, and the narrowest tidal ones with elders; saved, mapped, checked. */
typedef void on_mapped(const guira *f, guira *g, struct rng *r);

static void on_every_variant(const char *test, size_t most, on_mapped *check) {
    struct rng r = rng_for(test);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        size_t n = v->config.kind == GUIRA_CONSISTENT && most > 5000 ? 5000 : most; /* it takes longer to grow */
        const char *path = file_named("filter.guira");
        guira *f = variant_make(v, &r, n);
        for (size_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
        uint64_t hash;
        insert_many_copies(f, &r, &hash);
        assert_int_equal(guira_save(f, path), GUIRA_OK);
        guira *g = mapped(path);
        check(f, g, &r);
        guira_destroy(g);
        guira_destroy(f);
        unlink(path);
    }
}

/* ------------------------------------------------------------------------------------------------------------- answers */

static void answers_equal(const guira *f, guira *g, struct rng *r) {
    enum { LOOKUPS = 20000 };
    static uint64_t hash[LOOKUPS];
    static bool by_f[LOOKUPS], by_g[LOOKUPS];
    assert_int_equal(digest(f), digest(g));
    assert_valid(g);
    guira_stats s = stats_of(f), t = stats_of(g);
    assert_true(s.items == t.items && s.slots == t.slots && s.elders == t.elders && s.stash == t.stash);
    assert_true(s.fpr == t.fpr && t.bytes < s.bytes + 1000);
    for (size_t i = 0; i < LOOKUPS; i++) hash[i] = rng_next(r) >> (i % 2 ? 0 : rng_below(r, 64));
    assert_int_equal(guira_contains_hash_many(f, hash, LOOKUPS, by_f),
                     guira_contains_hash_many(g, hash, LOOKUPS, by_g));
    for (size_t i = 0; i < LOOKUPS; i++) {
        assert_true(by_f[i] == by_g[i] && guira_contains_hash(g, hash[i]) == by_f[i]);
        assert_int_equal(f->ops->count(f, hash[i]), g->ops->count(g, hash[i]));
    }
    assert_int_equal(guira_hash(f, "ana", 3), guira_hash(g, "ana", 3));
}

static void test_a_mapped_filter_answers_as_the_saved_one(void **state) {
    (void)state;
    on_every_variant(__func__, 300, answers_equal);
    on_every_variant(__func__, quick_run() ? 10000 : 30000, answers_equal);
}

/* Opened anew with every allocation counted: some for each filter of a list, and nothing that grows with the file. */
static void takes_no_memory(const guira *f, guira *unused, struct rng *r) {
    (void)unused;
    (void)r;
    memory_hook();
    guira *g = mapped(file_named("filter.guira"));
    assert_true(memory.peak < 16384 + 512 * stats_of(f).filters && memory.peak < guira_saved_size(g) / 4);
    guira_destroy(g);
    memory_unhook();
}

static void test_opening_reads_little_of_the_file(void **state) {
    (void)state;
    on_every_variant(__func__, 100000, takes_no_memory);
}

/* ------------------------------------------------------------------------------------------------------------- changes */

static void changes_refused(const guira *f, guira *g, struct rng *r) {
    uint64_t before = digest(f), hash[3] = {rng_next(r), rng_next(r), rng_next(r)};
    guira_status out[3];
    assert_int_equal(guira_insert(g, "ana", 3), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_insert_hash(g, hash[0]), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_remove(g, "ana", 3), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_remove_hash(g, hash[0]), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_insert_hash_many(g, hash, 3, out), 0);
    assert_int_equal(guira_remove_hash_many(g, hash, 3, out), 0);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(out[i], GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_reserve(g, 1), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_shrink_to_fit(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_clear(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_up(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_down(g), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_out(g, NULL), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_compact(g), GUIRA_EUNSUPPORTED);
    guira_status s = guira_insert_unique(g, "bob", 3);
    assert_int_equal(s, guira_contains(g, "bob", 3) ? GUIRA_EEXIST : GUIRA_EUNSUPPORTED);
    assert_int_equal(digest(g), before);
}

static void test_changes_to_a_mapped_filter_are_unsupported(void **state) {
    (void)state;
    on_every_variant(__func__, 1000, changes_refused);
}

static void clone_continues(const guira *f, guira *g, struct rng *r) {
    guira *a, *b;
    assert_int_equal(guira_clone(f, &a), GUIRA_OK);
    assert_int_equal(guira_clone(g, &b), GUIRA_OK);
    assert_int_equal(stats_of(a).bytes, stats_of(b).bytes);
    for (unsigned i = 0; i < 3000; i++) {
        uint64_t hash = rng_next(r);
        guira_status s = guira_insert_hash(a, hash);
        assert_int_equal(guira_insert_hash(b, hash), s);
        if (s == GUIRA_OK && i % 2) assert_int_equal(guira_remove_hash(a, hash), guira_remove_hash(b, hash));
    }
    assert_int_equal(digest(a), digest(b));
    assert_int_equal(guira_shrink_to_fit(a), guira_shrink_to_fit(b));
    assert_int_equal(guira_clear(b), GUIRA_OK);
    assert_valid(b);
    guira_destroy(a);
    guira_destroy(b);
}

static void test_a_clone_is_an_ordinary_filter(void **state) {
    (void)state;
    on_every_variant(__func__, 20000, clone_continues);
}

/* -------------------------------------------------------------------------------------------------------- corrupt files */

/* Random bytes in the large sections: lookups are safe, and everything that reads the whole file reports it. */
static void garbage_is_reported(const guira *f, guira *unused, struct rng *r) {
    (void)unused;
    const char *path = file_named("garbage.guira"), *copy = file_named("copy.guira");
    struct bytes b = saved(f);
    for (size_t at = 4096; at < b.n; at += 64 << 10) {
        for (size_t i = at; i < b.n && i < at + 4096; i++) b.at[i] = (uint8_t)rng_next(r);
        file_put(path, b);
        guira *g, *h;
        const char *reason;
        if (guira_map(path, &g) != GUIRA_OK) break; /* these bytes are checked when the file is opened */
        for (unsigned i = 0; i < 10000; i++) {
            uint64_t hash = rng_next(r) >> (i % 2 ? 0 : rng_below(r, 64));
            guira_contains_hash(g, hash);
            g->ops->count(g, hash);
        }
        assert_int_equal(guira_validate(g, &reason), GUIRA_ECORRUPT);
        assert_string_equal(reason, "file: a checksum is wrong");
        assert_true(guira_clone(g, &h) == GUIRA_ECORRUPT && h == NULL);
        assert_int_equal(guira_save(g, copy), GUIRA_OK); /* the corrupt bytes, unchanged */
        assert_int_equal(guira_load(copy, &h), GUIRA_ECORRUPT);
        guira_destroy(g);
    }
    unlink(path);
    unlink(copy);
    free(b.at);
}

static void test_lookups_in_a_corrupt_table_are_safe_and_validation_reports_it(void **state) {
    (void)state;
    on_every_variant(__func__, 300000, garbage_is_reported);
}

/* ------------------------------------------------------------------------------------------------------- replaced files */

static void keeps_the_old_file(const guira *f, guira *g, struct rng *r) {
    const char *path = file_named("filter.guira");
    guira *other, *h;
    assert_int_equal(guira_clone(f, &other), GUIRA_OK);
    for (unsigned i = 0; i < 100; i++) guira_insert_hash(other, rng_next(r));
    assert_int_equal(guira_save(other, path), GUIRA_OK);
    assert_int_equal(digest(g), digest(f));
    assert_int_equal(guira_save(g, path), GUIRA_OK);
    assert_int_equal(guira_load(path, &h), GUIRA_OK);
    assert_int_equal(digest(h), digest(f));
    guira_destroy(h);
    guira_destroy(other);
}

static void test_a_mapping_keeps_the_file_that_was_replaced(void **state) {
    (void)state;
    on_every_variant(__func__, 1000, keeps_the_old_file);
}

/* ------------------------------------------------------------------------------------------------------------- gigabytes */

/* Leaves holes where all bytes are zero. */
static bool write_sparse(void *to, const void *bytes, size_t n) {
    static const uint8_t zero[1 << 21];
    FILE *file = to;
    if (n <= sizeof zero && memcmp(bytes, zero, n) == 0) return fseek(file, (long)n, SEEK_CUR) == 0;
    return fwrite(bytes, 1, n, file) == n;
}

static size_t resident_bytes(void) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*s %zu", &pages) != 1) pages = 0;
    if (file != NULL) fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* In a child process, which looks up keys in a mapping while the file gets shorter in place. Returns how it ended. */
static int look_up_in_truncated(const char *path, off_t length) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        guira *g;
        signal(SIGBUS, SIG_DFL); /* a sanitizer has a handler for it */
        if (guira_map(path, &g) != GUIRA_OK || truncate(path, length) != 0) _exit(2);
        for (uint64_t key = 0; key < 1000; key++) (void)guira_contains(g, &key, sizeof key);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* What guira.h says of it. Of the first page nothing is missing, so a cut within the last page does no harm: the system fills
 * it with zeros. */
static void test_a_file_that_is_truncated_in_place_raises_sigbus(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const char *path = file_named("filter.guira");
    guira *f = variant_make(variants(), &r, 100000), *g;
    for (size_t i = 0; i < 100000; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    assert_int_equal(guira_save(f, path), GUIRA_OK);
    off_t size = (off_t)guira_saved_size(f);
    assert_int_equal(look_up_in_truncated(path, size), 0); /* nothing is cut off */
    int status = look_up_in_truncated(path, size - size % 4096 + 1);
    assert_int_equal(status, 0);
    assert_int_equal(guira_map(path, &g), GUIRA_ECORRUPT); /* opened afterwards it is only a bad file */
    assert_int_equal(guira_save(f, path), GUIRA_OK);
    status = look_up_in_truncated(path, 4096);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    assert_int_equal(guira_map(path, &g), GUIRA_ECORRUPT);
    guira_destroy(f);
    unlink(path);
}

static void test_opening_a_gigabyte_takes_little_memory(void **state) {
    (void)state;
    if (quick_run()) skip();
    const char *path = file_named("large.guira");
    const uint64_t items = (UINT64_C(1) << 29) * 93 / 100;
    guira *f;
    assert_int_equal(guira_create(&(guira_config){.slot_bits = 16, .capacity = items}, &f), GUIRA_OK);
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(guira_insert(f, &i, sizeof i), GUIRA_OK);
    assert_true(guira_saved_size(f) >= UINT64_C(1) << 30);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(guira_save_to(f, write_sparse, file), GUIRA_OK);
    assert_int_equal(fclose(file), 0);
    guira_destroy(f);

    memory_hook();
    size_t before = resident_bytes();
    f = mapped(path);
    for (unsigned i = 0; i < 1000; i += 100) assert_true(guira_contains(f, &i, sizeof i));
    assert_true(memory.peak < 1 << 20 && resident_bytes() < before + ((size_t)64 << 20));
    print_message("  %zu bytes allocated, %zu more resident\n", memory.peak, resident_bytes() - before);
    guira_destroy(f);
    memory_unhook();
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mapped_filter_answers_as_the_saved_one),
        cmocka_unit_test(test_opening_reads_little_of_the_file),
        cmocka_unit_test(test_changes_to_a_mapped_filter_are_unsupported),
        cmocka_unit_test(test_a_clone_is_an_ordinary_filter),
        cmocka_unit_test(test_lookups_in_a_corrupt_table_are_safe_and_validation_reports_it),
        cmocka_unit_test(test_a_mapping_keeps_the_file_that_was_replaced),
        cmocka_unit_test(test_a_file_that_is_truncated_in_place_raises_sigbus),
        cmocka_unit_test(test_opening_a_gigabyte_takes_little_memory),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
