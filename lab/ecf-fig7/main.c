/* ECF, Fig. 7: number of items for a given memory. ECF can have any number of buckets, CF only a power of two. */
#include "ecf_filters.h"

static uint64_t round_down_to_power_of_two(uint64_t n) {
    uint64_t p = 1;
    while (p * 2 <= n) p *= 2;
    return p;
}

/* Fills f until the first failure, destroys it, and returns the number of items. */
static uint64_t items_until_full(guira *f, uint64_t slots) {
    uint64_t n = fill_in_place(f, 0, slots);
    guira_destroy(f);
    return n;
}

/* Tidal chooses its own size: the number of items before it grows beyond this number of slots. */
static uint64_t items_until_grown(const struct lab *lab, uint64_t slots) {
    guira *f = lab_filter(lab, (guira_config){.kind = GUIRA_TIDAL, .slot_bits = 12, .max_load = 0.96});
    uint64_t n = 0;
    while (lab_stats(f).slots <= slots && lab_insert(f, MEMBERS, n) == GUIRA_OK) n++;
    guira_destroy(f);
    return n - 1;
}

struct sizes {
    uint64_t base, step;
    unsigned n;
};

/* The items of one seed at all sizes, added to those of the seeds before. Returns ECF's largest load / smallest. */
static double fill_all(const struct lab *lab, struct sizes s, struct spread ecf[], struct spread cf[],
                       struct spread tidal[]) {
    struct spread load = {0};
    for (unsigned i = 0; i < s.n; i++) {
        uint64_t buckets = s.base + i * s.step, slots = buckets * CELLS, power = round_down_to_power_of_two(buckets);
        uint64_t n = items_until_full(ecf_filter(lab, buckets, 12), slots);
        spread_add(&load, (double)n / (double)slots);
        spread_add(&ecf[i], (double)n);
        spread_add(&cf[i], (double)items_until_full(cf_filter(lab, power, 12), power * CELLS));
        spread_add(&tidal[i], (double)items_until_grown(lab, slots));
    }
    return load.high / load.low;
}

void experiment(struct lab *lab) {
    enum { SIZES = 13 };
    const uint64_t first = lab->quick ? 2048 : 8192;
    struct sizes s = {first, first / 4, SIZES};
    struct spread ecf[SIZES] = {{0}}, cf[SIZES] = {{0}}, tidal[SIZES] = {{0}}, evenness = {0}, part = {0};
    bool steps = true;
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        spread_add(&evenness, fill_all(&one, s, ecf, cf, tidal));
    }
    fputs("kib,ecf,ecf_low,ecf_high,cf,cf_low,cf_high,tidal,tidal_low,tidal_high\n", lab->data);
    for (unsigned i = 0; i < SIZES; i++) {
        double slots = (double)((s.base + i * s.step) * CELLS);
        fprintf(lab->data, "%.1f", slots * 12 / 8 / 1024);
        spread_put(lab->data, ecf[i]);
        spread_put(lab->data, cf[i]);
        spread_put(lab->data, tidal[i]);
        fputc('\n', lab->data);
        spread_add(&part, cf[i].mean / slots);
        steps &= cf[i].high <= (double)(round_down_to_power_of_two(s.base + i * s.step) * CELLS);
    }
    lab_compare_words(lab, "items per slot of ECF: largest / smallest over all sizes", "linear", 1, 1.03, evenness);
    lab_compare_fact(lab, "in CF it stays the same up to the next power of two", "steps",
                     text("down to %.0f %% of the slots", 100 * part.low), steps && part.low < 0.6);
}
