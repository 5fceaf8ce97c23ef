/* Guide: what a file of "m, b, f and the bytes" forgets; and what merging does to items both filters have. */
#include "errata.h"
#include "models/ecf.h"

/* The table of one filter, read with the hashing of another: same m, b and f, another seed. */
static void seeds(struct lab *lab) {
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
    lab_refute(lab, "m, b, f and the bytes are all there is to store: members denied under another process's seed",
               "none", text("%.1f %%", 100 * (double)wrong / (double)n), wrong > n / 2);
    lab_hold(lab, "with the seed nobody is denied", text("%" PRIu64, lab_missing(a, 0, n)), lab_missing(a, 0, n) == 0);
    guira_destroy(a);
    guira_destroy(b);
}

/* What the stash held is gone after a reload of the table. */
static void stash(struct lab *lab) {
    struct ecf f = ecf_make(1024, 4, 12, lab->seed);
    f.plain = true;
    uint64_t overflow = 0, denied = 0, n = 1024 * 4 * 98 / 100;
    for (uint64_t i = 0; i < n; i++) overflow += !ecf_insert(&f, (uint64_t)MEMBERS << 56 | i);
    denied = ecf_missing(&f, 0, n);
    lab_refute(lab, "the same with the guide's stash: members in it are back after a reload", "all",
               text("%" PRIu64 " of %" PRIu64 " denied", denied, overflow), denied > 0);
    ecf_free(&f);
}

/* Half of what is in one is in the other too. */
static void merging(struct lab *lab) {
    struct ecf a = ecf_make(2048, 4, 12, lab->seed), b = ecf_make(2048, 4, 12, lab->seed + 1);
    a.plain = b.plain = true;
    ecf_fill(&a, 0, 3000);
    ecf_fill(&b, 1500, 4500);
    uint64_t failed = 0;
    for (uint64_t i = 0; i < b.buckets * b.slots; i++)
        if (b.slot[i] != 0) failed += !ecf_put(&a, i / b.slots, b.slot[i]);
    lab_refute(lab, "merging re-inserts fingerprints: entries for 4,500 different items", "4500",
               text("%" PRIu64 ", of %d common items two each", a.items, 1500), a.items > 4500);
    lab_hold(lab, "nothing is denied after the merge",
             text("%" PRIu64 ", %" PRIu64 " did not fit", ecf_missing(&a, 0, 4500), failed),
             ecf_missing(&a, 0, 4500) == 0);
    ecf_free(&a);
    ecf_free(&b);
}

/* The library's own file, of a filter filled to the brim. */
static void library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 5000};
    guira *f = lab_filter(lab, c), *again = NULL;
    uint64_t n = lab_fill(f, 0, 10000);
    char path[4096];
    snprintf(path, sizeof path, "%s/filter.guira", lab->out);
    guira_status saved = guira_save(f, path), loaded = guira_load(path, &again);
    remove(path);
    if (saved != GUIRA_OK || loaded != GUIRA_OK) lab_die("%s: saving or loading failed", lab->name);
    uint64_t missing = lab_missing(again, 0, n), stash = lab_stats(again).stash;
    lab_hold(lab, "the library's file keeps seed and stash: nobody is denied after saving and loading",
             text("%" PRIu64 " of %" PRIu64 " denied, %" PRIu64 " in the stash", missing, n, stash),
             missing == 0 && stash > 0);
    guira_destroy(f);
    guira_destroy(again);
}

void erratum_22(struct lab *lab) {
    seeds(lab);
    stash(lab);
    merging(lab);
    library(lab);
}
