/* See totals.h. The section of INFO is called guira_totals, its fields guira_..., because the server puts the module's
 * name in front. */
#include "totals.h"

struct totals totals;

void totals_tell(redis_info *info, int for_crash_report) {
    const struct {
        const char *name;
        const atomic_ullong *counter;
    } fields[] = {
        {"filters", &totals.filters},
        {"windows", &totals.windows},
        {"loads_in_progress", &totals.parcels},
        {"memory_bytes", &totals.memory_bytes},
        {"items_looked_up", &totals.looked_up},
        {"items_found", &totals.found},
        {"items_added", &totals.added},
        {"items_refused", &totals.refused},
        {"items_present", &totals.present},
        {"items_deleted", &totals.deleted},
        {"items_not_deleted", &totals.not_deleted},
        {"window_sightings", &totals.sightings},
        {"window_repeats", &totals.repeats},
        {"window_ticks", &totals.ticks},
    };
    (void)for_crash_report;
    if (redis.InfoAddSection(info, "totals") != REDIS_OK) return;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        redis.InfoAddFieldULongLong(info, fields[i].name,
                                    atomic_load_explicit(fields[i].counter, memory_order_relaxed));
}
