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

void experiment(struct lab *lab) {
    uint64_t base = lab->quick ? 2048 : 8192;
    double lowest = 1, highest = 0, lowest_power = 1;
    bool steps = true;
    fputs("kib,ecf,cf,tidal\n", lab->data);
    for (uint64_t buckets = base; buckets <= base * 4; buckets += base / 4) {
        uint64_t slots = buckets * CELLS, power = round_down_to_power_of_two(buckets);
        uint64_t ecf = items_until_full(ecf_filter(lab, buckets, 12), slots),
                 cf = items_until_full(cf_filter(lab, power, 12), power * CELLS);
        double load = (double)ecf / (double)slots;
        fprintf(lab->data, "%.1f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", (double)slots * 12 / 8 / 1024, ecf, cf,
                items_until_grown(lab, slots));
        if (load < lowest) lowest = load;
        if (load > highest) highest = load;
        if ((double)cf / (double)slots < lowest_power) lowest_power = (double)cf / (double)slots;
        steps &= cf <= power * CELLS;
    }
    lab_compare_words(lab, "items per slot of ECF: largest / smallest over all sizes", "linear", 1, 1.03,
                      spread_of(highest / lowest));
    lab_compare_fact(lab, "in CF it stays the same up to the next power of two", "steps",
                     text("down to %.0f %% of the slots", 100 * lowest_power), steps && lowest_power < 0.6);
}
