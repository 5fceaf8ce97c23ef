/* Lock-free lookups: see lookup.inc. There is one table of them for each instruction set and layout. */
#ifndef GUIRA_SHARED_LOOKUP_H
#define GUIRA_SHARED_LOOKUP_H

#include "shared/reader_root.h"

struct lockfree_ops {
    unsigned slot_bits;
    /* By the reader roots, without a read-side critical section, unless they are in doubt. */
    bool (*contains)(const struct reader_roots *roots, uint64_t hash);
    size_t (*contains_many)(const struct reader_roots *roots, const uint64_t *hash, size_t n, bool *out);
    /* In the filter, in a read-side critical section: everywhere; outside the table only; counting. */
    bool (*contains_in_filter)(const struct tidal *f, uint64_t hash);
    bool (*contains_outside)(const struct tidal *f, uint64_t hash);
    uint64_t (*count)(const struct tidal *f, uint64_t hash);
};

enum { LOCKFREE_LAYOUTS = 17 }; /* 12 to 26 bits, 28 and 32 */

extern const struct lockfree_ops guira__lockfree_portable[LOCKFREE_LAYOUTS];
extern const struct lockfree_ops guira__lockfree_sse41[LOCKFREE_LAYOUTS];
extern const struct lockfree_ops guira__lockfree_avx2[LOCKFREE_LAYOUTS];
extern const struct lockfree_ops guira__lockfree_avx512[LOCKFREE_LAYOUTS];
extern const struct lockfree_ops guira__lockfree_neon[LOCKFREE_LAYOUTS];

/* The best one for this processor; NULL: no such slots. */
const struct lockfree_ops *guira__lockfree_ops(unsigned slot_bits);

#endif
