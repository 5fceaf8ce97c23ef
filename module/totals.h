/* What the module has done so far, for INFO; and the memory all its values take, which the allocator counts.
 * Values may be freed by other threads than the one that runs commands, so the counters are atomic. */
#ifndef GUIRA_MODULE_TOTALS_H
#define GUIRA_MODULE_TOTALS_H

#include <stdatomic.h>

#include "redis.h"

struct totals {
    atomic_ullong filters, windows, parcels; /* values there are */
    atomic_ullong memory_bytes;              /* what they hold */
    atomic_ullong looked_up, found;          /* items asked for by CF.EXISTS, CF.MEXISTS and CF.COUNT */
    atomic_ullong added, refused, present;   /* by CF.ADD, CF.INSERT and so on; present: there already, for ...NX */
    atomic_ullong deleted, not_deleted;
    atomic_ullong sightings, repeats, ticks; /* CFW.SEEN; and windows that forgot while nobody asked */
};

extern struct totals totals;

static inline void count_up(atomic_ullong *counter, unsigned long long by) {
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}
static inline void count_down(atomic_ullong *counter, unsigned long long by) {
    atomic_fetch_sub_explicit(counter, by, memory_order_relaxed);
}

void totals_tell(redis_info *info, int for_crash_report);

#endif
