/* The parts of fuzz_ops: one file each for filters, windows and shared filters.
 *
 *     input   [ geometry ][ sort: 4 bits | loads: 4 bits ][ operation, argument: 3 bytes ][ ... ] ...
 *
 * There are few different keys, so that there are copies. An operation that fails must change nothing. The input also says
 * which allocation fails. */
#ifndef GUIRA_FUZZ_OPS_H
#define GUIRA_FUZZ_OPS_H

#include "fuzz.h"

enum { KEYS = 1024, MOST_OPERATIONS = 64 };

struct sort {
    void (*begin)(unsigned sort, uint8_t geometry, uint8_t loads);
    void (*perform)(uint8_t operation, unsigned argument);
    void (*end)(void); /* checks once more */
};

extern const struct sort sort_filter, sort_window, sort_shared;

/* The allocation that fails, counted from now; 0: none. */
extern unsigned fail_in;

static inline uint64_t hash_of(unsigned key) { return mix(key * UINT64_C(0x9e3779b97f4a7c15) + 1); }

/* The number of consecutive keys that an argument stands for. */
static inline unsigned run_of(unsigned argument) { return 4U << (argument / KEYS % 6); }

/* An exact multiset. */
struct tally {
    unsigned count[KEYS]; /* copies of each key */
    uint64_t items;
};

static inline void tally_add(struct tally *t, unsigned key) {
    t->count[key]++;
    t->items++;
}

static inline void tally_take(struct tally *t, unsigned key) {
    t->count[key]--;
    t->items--;
}

/* Tidal filters, also those that are shared. */
static inline guira_config tidal_config(uint8_t geometry, uint8_t loads) {
    const unsigned widths[] = {12, 16, 32};
    const double max_load[] = {0, 0.98, 0.5, 0.9}, min_load[] = {0, -1, 0.3, 0.45};
    return (guira_config){.kind = GUIRA_TIDAL,
                          .slot_bits = widths[geometry % 3],
                          .capacity = geometry / 6,
                          .max_load = max_load[loads % 4],
                          .min_load = min_load[loads / 4 % 4],
                          .seed = {1},
                          .max_kicks = 16}; /* full filters: not for long */
}

#endif
