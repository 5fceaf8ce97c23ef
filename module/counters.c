/* See counters.h. The server puts the module's name in front of all names: the section of INFO becomes guira_totals, its
 * fields guira_filters and so on. The names are public, docs/metrics.md lists them. */
#include "counters.h"

struct counters counters;

void counters_report(redis_info *info, int for_crash_report) {
    const struct {
        const char *name;
        const atomic_ullong *counter;
    } fields[] = {
        {"filters", &counters.filters},
        {"windows", &counters.windows},
        {"loads_in_progress", &counters.partial_loads},
        {"memory_bytes", &counters.memory_bytes},
        {"items_looked_up", &counters.looked_up},
        {"items_found", &counters.found},
        {"items_added", &counters.added},
        {"items_refused", &counters.refused},
        {"items_present", &counters.present},
        {"items_deleted", &counters.deleted},
        {"items_not_deleted", &counters.not_deleted},
        {"window_sightings", &counters.window_items},
        {"window_repeats", &counters.window_repeats},
        {"window_ticks", &counters.window_ticks},
    };
    (void)for_crash_report;
    if (redis.InfoAddSection(info, "totals") != REDIS_OK) return;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        redis.InfoAddFieldULongLong(info, fields[i].name,
                                    atomic_load_explicit(fields[i].counter, memory_order_relaxed));
}
