/* See filter_new.h.
 *
 * WHAT IF NOBODY KNOWS HOW MANY? A tidal filter starts with a few slots and its rate rises with the logarithm of growth.
 * The width is then chosen for a thousand million lines; fewer only make the rate better, ten times more raise it by a
 * tenth. */
#include "filter_new.h"

#include "filter_file.h"
#include "report.h"

static const uint64_t many = 1000000000, smallest = 16;

unsigned width_for(const struct wish *w) {
    guira_plan_row rows[GUIRA_PLAN_ROWS];
    size_t best;
    uint64_t items = w->items > 0 ? w->items : many;
    double growth = w->items > 0 ? 1 : (double)many / (double)smallest;
    if (w->fpr == 0) return 0;
    guira_status s = guira_plan(items, w->fpr, growth, rows, &best);
    if (s != GUIRA_OK) trouble("--items: %s", guira_strerror(s));
    if (!rows[0].meets)
        trouble("--fpr: less than any filter of this kind can do; the least is about %.0e", rows[0].fpr);
    return rows[0].bits;
}

guira *filter_new(const struct wish *w) {
    guira_config c;
    guira *f;
    guira_config_init(&c);
    c.kind = (guira_kind)w->kind;
    c.capacity = w->items;
    c.fpr = w->fpr;
    c.max_load = w->load;
    if (c.kind == GUIRA_TIDAL) c.slot_bits = width_for(w);
    if (c.kind == GUIRA_CUCKOO && w->items == 0)
        trouble("a cuckoo filter has a fixed size: say --items, or use --kind tidal");
    guira_status s = guira_create(&c, &f);
    if (s == GUIRA_ENOMEM || s == GUIRA_ELIMIT)
        trouble("no memory for a filter with room for that many; lower --items");
    if (s != GUIRA_OK) trouble("no such filter: --kind %s: %s", kind_names[w->kind], guira_strerror(s));
    return f;
}
