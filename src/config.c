/* From what the user left open to what a filter is made with: the one place for defaults and limits. */
#include <math.h>
#include <string.h>

#include "journal.h"
#include "kind.h"

void guira_config_init(guira_config *c) {
    if (c != NULL) memset(c, 0, sizeof *c);
}

static bool inside(double x, double low, double high) { return x > low && x < high; } /* NaN is nowhere inside */

/* The rate of a fresh filter at its greatest load. */
static double rate_of(guira_kind kind, unsigned w, double load) {
    double candidates = 2.0 * bucket_slots(w) * load;
    return kind == GUIRA_TIDAL ? ldexp(candidates, 1 - (int)w) : candidates / (ldexp(1, (int)w) - 1);
}

static unsigned narrowest(const guira_config *c) {
    if (c->fpr == 0) return 16;
    for (unsigned w = 12; w < 32; w += 4)
        if ((w == 12 || w == 16) && rate_of(c->kind, w, c->max_load) <= c->fpr) return w;
    return 32;
}

static guira_status resolve_loads(guira_config *c) {
    if (c->max_load == 0) c->max_load = c->kind == GUIRA_TIDAL ? 0.93 : 0.95;
    if (!inside(c->max_load, 0, 1)) return GUIRA_EINVAL;
    if (c->min_load == 0) c->min_load = c->max_load > 0.1 ? c->max_load - 0.05 : c->max_load / 2;
    if (c->min_load < 0) c->min_load = -1;
    else if (!inside(c->min_load, 0, c->max_load)) return GUIRA_EINVAL;
    return GUIRA_OK;
}

guira_status guira__config_resolve(guira_config *c) {
    if (c->kind != GUIRA_TIDAL && c->kind != GUIRA_CUCKOO) return GUIRA_EINVAL;
    if (c->kind == GUIRA_CUCKOO && c->capacity == 0) return GUIRA_EINVAL;
    if (c->fpr != 0 && !inside(c->fpr, 0, 1)) return GUIRA_EINVAL;
    guira_status s = resolve_loads(c);
    if (s != GUIRA_OK) return s;
    if (c->slot_bits == 0) c->slot_bits = narrowest(c);
    if (c->slot_bits != 12 && c->slot_bits != 16 && c->slot_bits != 32) return GUIRA_EINVAL;
    if (c->max_kicks == 0) c->max_kicks = 500;
    if (c->max_kicks > MAX_KICKS) return GUIRA_EINVAL;
    return guira__seed_draw(c->seed);
}

guira_status guira__config_resolve_aged(guira_config *c) {
    c->slot_bits = 32; /* what they take */
    guira_status s = guira__config_resolve(c);
    c->slot_bits = AGED;
    return s;
}
