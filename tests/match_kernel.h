/* The functions of slots/match.inc as compiled for one instruction set, so that test_match.c can compare them all with one
 * reference. */
#ifndef GUIRA_TEST_MATCH_KERNEL_H
#define GUIRA_TEST_MATCH_KERNEL_H

#include "slots/layout.h"

struct group; /* see slots/match_group.inc */
struct flat_table_at;
struct flat_shards;
struct scaled_table_at;

/* prefix chooses MATCH_PREFIX, else MATCH_EXACT. */
struct match_kernel {
    unsigned (*mask)(const uint8_t *bucket, uint64_t q, struct layout l, bool prefix);
    bool (*either)(const uint8_t *a, uint64_t qa, const uint8_t *b, uint64_t qb, struct layout l, bool prefix);
    unsigned (*half)(const uint8_t *row, unsigned first, uint64_t q, struct layout l);
    bool (*either_half)(const uint8_t *a, unsigned first_a, const uint8_t *b, unsigned first_b, uint64_t q,
                        struct layout l);
    unsigned (*empty)(const uint8_t *bucket, struct layout l);
    unsigned (*range)(const uint8_t *bucket, uint32_t from, uint32_t span, struct layout l);
    size_t (*group)(const struct group *g, bool *out, struct layout l, bool prefix);
    /* NULL: this instruction set has none. */
    void (*find_flat)(const struct flat_table_at *t, const uint64_t *hash, const uint64_t displacement[64],
                      struct group *g, unsigned core, unsigned tail, struct layout l);
    void (*find_sharded)(const struct flat_shards *t, const uint64_t *hash, const uint64_t displacement[64],
                         struct group *g, unsigned core, unsigned tail, struct layout l);
    void (*find_scaled)(const struct scaled_table_at *t, const uint64_t *hash, struct group *g, struct layout l);
    /* packed: see slots/match_pair_x86.inc. has_pair: whether there are the other two for a layout. */
    bool (*has_pair)(struct layout l);
    bool (*pair)(uint64_t split_address, const uintptr_t packed[2], uint64_t address, const uint64_t displacement[64],
                 unsigned core, unsigned tail, struct layout l);
    unsigned (*pair_mask)(uint64_t split_address, const uintptr_t packed[2], uint64_t address,
                          const uint64_t displacement[64], unsigned core, unsigned tail, struct layout l);
    /* Slots of 16 bits: see slots/put.inc. NULL: not with this instruction set. */
    void (*put)(uint8_t *first, uint8_t *second, const uint64_t v[2], unsigned mask);
};

extern const struct match_kernel match_portable, match_sse41, match_avx2, match_avx512, match_neon;

#endif
