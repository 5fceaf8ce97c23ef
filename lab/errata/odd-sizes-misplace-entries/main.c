/* ECF: with an odd L both shrinking rules, and extension with offsets rounded again, move entries to
 * buckets that are not their candidates. */
#include "lab.h"
#include "models/ecf.h"

struct misplaced {
    uint64_t entries, basic, multiple, right;
};

/* Compares the buckets of the entry in bucket i after halving with those of the two printed rules. */
static void check_entry(struct misplaced *m, const struct ecf *before, const struct ecf *after, uint64_t i,
                        uint16_t fp) {
    uint64_t offset = ecf_offset(before, fp), d = (i + before->buckets - offset) % before->buckets;
    uint64_t one = (offset / 2 + d / 2) % after->buckets, other = ecf_alternate(after, one, fp);
    uint64_t even = offset - offset % 2, basic_d = (i + before->buckets - even) % before->buckets;
    uint64_t basic_one = (even / 2 + basic_d / 2) % after->buckets, basic_other = ecf_alternate(after, basic_one, fp);
    uint64_t multiple = i % 2 == 0 && offset % 2 == 1 ? (i / 2 + after->buckets - 1) % after->buckets : i / 2;
    m->entries++;
    m->basic += i / 2 != basic_one && i / 2 != basic_other;
    m->multiple += multiple != one && multiple != other;
}

static struct misplaced halve(struct lab *lab, uint64_t buckets) {
    struct misplaced m = {0};
    struct ecf f = ecf_make(buckets, 4, 12, lab->seed);
    uint64_t n = ecf_fill(&f, 0, buckets * 4 * 45 / 100);
    struct ecf after = f; /* only used to compute candidates: the same history with one more halving */
    after.buckets = after.halved_buckets = (buckets + 1) / 2;
    after.halvings = 1;
    for (uint64_t i = 0; i < buckets * 4; i++)
        if (f.slot[i] != 0) check_entry(&m, &f, &after, i / 4, f.slot[i]);
    ecf_halve(&f, true);
    m.right = ecf_false_negatives(&f, 0, n);
    ecf_free(&f);
    return m;
}

/* Fraction of fingerprints that are misplaced if the new offset is rounded to even again after the extension of a
 * filter of odd size: if the parities differ, its distance to the old offset is not a multiple of L. */
static double extension_misplaced(uint64_t buckets, unsigned factor) {
    uint64_t wrong = 0, all = 4096;
    for (uint64_t fp = 1; fp <= all; fp++) {
        uint64_t delta = mix(fp + UINT64_C(0x100000)) >> 8, old = delta % buckets, fresh = delta % (buckets * factor);
        old -= old % 2;
        fresh -= fresh % 2;
        wrong += fresh % buckets != old;
    }
    return (double)wrong / (double)all;
}

void experiment(struct lab *lab) {
    lab_refute(lab, "\"round to the next integer; e.g., 3/2 = 1\"", "the next integer is 2", text("floor: %d", 3 / 2),
               3 / 2 != 2);
    struct misplaced odd = halve(lab, 24577), even = halve(lab, 24576);
    double n = (double)odd.entries;
    lab_refute(lab, "basic shrinking, L = 24,577: misplaced entries", "none",
               text("%.1f %%", 100 * (double)odd.basic / n), odd.basic > odd.entries / 100);
    lab_refute(lab, "multiple shrinking, L = 24,577: misplaced entries", "none",
               text("%.1f %%", 100 * (double)odd.multiple / n), odd.multiple > odd.entries / 100);
    double wrong = extension_misplaced(24577, 2);
    lab_refute(lab, "extension of an odd L with offsets rounded to even again: misplaced entries", "none",
               text("%.1f %%", 100 * wrong), wrong > 0.1);
    lab_must_hold(lab, "with an even L both rules are right",
                  text("%" PRIu64 " of %" PRIu64, (even.basic + even.multiple), even.entries),
                  even.basic + even.multiple == 0);
    lab_must_hold(lab, "i' = (s0/2 + d/2) mod L' with d = (i - s0 + L) mod L loses no member, odd or even",
                  text("%" PRIu64 " lost", (odd.right + even.right)), odd.right + even.right == 0);
    struct ecf f = ecf_make(4097, 4, 12, lab->seed);
    uint64_t filled = ecf_fill(&f, 0, 4097 * 4 * 9 / 10);
    ecf_extend(&f, 2);
    uint64_t lost = ecf_false_negatives(&f, 0, filled);
    lab_must_hold(lab, "extension with s0' = s0 (mod L) loses no member, L = 4,097", text("%" PRIu64 " lost", lost),
                  lost == 0);
    ecf_free(&f);
    guira_config c = {.kind = GUIRA_ELASTIC, .slot_bits = 12, .buckets = 4097};
    guira *g = lab_filter(lab, c);
    uint64_t many = lab_fill(g, 0, 40000), few = many / 16; /* grown by extension, shrunk by halving */
    for (uint64_t i = few; i < many; i++) lab_remove(g, MEMBERS, i);
    guira_shrink_to_fit(g);
    lost = lab_false_negatives(g, 0, few);
    lab_must_hold(lab, "the library's filter, extended and halved from 4,097 buckets, has no false negatives",
                  text("%" PRIu64 " buckets at the end, %" PRIu64 " lost", lab_stats(g).buckets, lost), lost == 0);
    guira_destroy(g);
}
