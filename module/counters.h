/* Counters of the whole server for INFO: values, their memory, and items processed since the start.
 * The counters are atomic because the server may free values on a background thread. */
#ifndef GUIRA_MODULE_COUNTERS_H
#define GUIRA_MODULE_COUNTERS_H

#include <stdatomic.h>

#include "redis.h"

struct counters {
    atomic_ullong filters, windows, partial_loads; /* values that exist now */
    atomic_ullong memory_bytes;                    /* allocated for all of them, counted in memory.c */
    atomic_ullong looked_up, found;                /* items in CF.EXISTS, CF.MEXISTS and CF.COUNT */
    atomic_ullong added, refused, present;         /* items in CF.ADD, CF.INSERT, ...NX; present: not added (...NX) */
    atomic_ullong deleted, not_deleted;            /* items in CF.DEL; not_deleted: not found */
    atomic_ullong window_items, window_repeats;    /* items in CFW.SEEN, and those of them seen before */
    atomic_ullong window_ticks;                    /* expirations by window_timer.c */
};

extern struct counters counters;

static inline void counter_add(atomic_ullong *counter, unsigned long long by) {
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}
static inline void counter_sub(atomic_ullong *counter, unsigned long long by) {
    atomic_fetch_sub_explicit(counter, by, memory_order_relaxed);
}

/* Writes all counters into the reply of INFO. */
void counters_report(redis_info *info, int for_crash_report);

#endif
