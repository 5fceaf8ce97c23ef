/* Guide: what is missing in a file of "m, b, f and the bytes". */
#include "lab.h"
#include "models/ecf.h"

/* Reads the table of one filter with the hash of another: the same m, b and f, a different seed. */
static void check_seed(struct lab *lab) {
    struct lab other = *lab;
    other.seed = lab->seed + 1;
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 16, .capacity = 10000};
    guira *a = lab_filter(lab, c), *b = lab_filter(&other, c);
    uint64_t wrong = 0, n = 5000;
    for (uint64_t i = 0; i < n; i++) {
        struct key key = key_of(MEMBERS, i);
        guira_insert(a, key.bytes, KEY_BYTES);
        wrong += !guira_contains_hash(a, guira_hash(b, key.bytes, KEY_BYTES));
    }
    lab_refute(lab, "storing m, b, f and the bytes is enough: false negatives in another process with another seed",
               "none", text("%.1f %%", 100 * (double)wrong / (double)n), wrong > n / 2);
    lab_must_hold(lab, "with the same seed there are no false negatives",
                  text("%" PRIu64, lab_false_negatives(a, 0, n)), lab_false_negatives(a, 0, n) == 0);
    guira_destroy(a);
    guira_destroy(b);
}

/* The members in the stash are lost when only the table is reloaded. */
static void check_stash(struct lab *lab) {
    struct ecf f = ecf_make(1024, 4, 12, lab->seed);
    f.plain = true;
    uint64_t overflow = 0, lost = 0, n = 1024 * 4 * 98 / 100;
    for (uint64_t i = 0; i < n; i++) overflow += !ecf_insert(&f, (uint64_t)MEMBERS << 56 | i);
    lost = ecf_false_negatives(&f, 0, n);
    lab_refute(lab, "members in the guide's stash are found after a reload", "all",
               text("%" PRIu64 " of %" PRIu64 " not found", lost, overflow), lost > 0);
    ecf_free(&f);
}

/* The library's file of a filter that is completely full. */
static void check_library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 5000};
    guira *f = lab_filter(lab, c), *again = NULL;
    uint64_t n = lab_fill(f, 0, 10000);
    char path[4096];
    snprintf(path, sizeof path, "%s/filter.guira", lab->out);
    guira_status saved = guira_save(f, path), loaded = guira_load(path, &again);
    remove(path);
    if (saved != GUIRA_OK || loaded != GUIRA_OK) lab_fatal("%s: saving or loading failed", lab->name);
    uint64_t lost = lab_false_negatives(again, 0, n), stash = lab_stats(again).stash;
    lab_must_hold(lab, "the library's file stores seed and stash: no false negatives after saving and loading",
                  text("%" PRIu64 " of %" PRIu64 " lost, %" PRIu64 " in the stash", lost, n, stash),
                  lost == 0 && stash > 0);
    guira_destroy(f);
    guira_destroy(again);
}

void experiment(struct lab *lab) {
    check_seed(lab);
    check_stash(lab);
    check_library(lab);
}
