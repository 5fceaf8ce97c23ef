/* From what the user left open to what a filter is made with: the one place for defaults and limits. */
#include <math.h>
#include <string.h>

#include "i2cf.h"
#include "journal.h"

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

/* The narrowest fingerprint that keeps the rate with so many entries in all: every one of them counts, see i2cf.h. */
static unsigned narrowest_consistent(const guira_config *c) {
    uint64_t room = c->buckets * c->bucket_slots, items = c->capacity > room ? c->capacity : room;
    if (c->fpr == 0) return 32;
    for (unsigned bits = 4; bits < 32; bits++)
        if (1 - guira__i2cf_miss(bits, (double)items) <= c->fpr) return bits;
    return 32;
}

static guira_status resolve_consistent(guira_config *c) {
    if (c->max_load == 0) c->max_load = 0.90; /* what two candidates of four slots hold on a ring without much moving */
    if ((c->fpr != 0 && !inside(c->fpr, 0, 1)) || resolve_loads(c) != GUIRA_OK) return GUIRA_EINVAL;
    if (c->bucket_slots == 0) c->bucket_slots = 4;
    if (c->buckets == 0) c->buckets = 64;
    if (c->max_filters == 0) c->max_filters = 1024;
    if (c->candidates == 0) c->candidates = 2;
    if (c->virtual_nodes == 0) c->virtual_nodes = 10;
    if (c->ring == 0) c->ring = UINT64_C(50000000000);
    if (c->max_kicks == 0) c->max_kicks = 500;
    if (c->buckets > UINT32_MAX) return GUIRA_ELIMIT;
    if (c->slot_bits == 0) c->slot_bits = narrowest_consistent(c);
    if (c->slot_bits < 4 || c->slot_bits > 32 || c->bucket_slots > MAX_BUCKET_SLOTS || c->candidates > MAX_CANDIDATES ||
        c->virtual_nodes > MAX_NODES || c->ring < 3 || c->max_kicks > MAX_WALK ||
        (unsigned)c->policy > GUIRA_FILTER_LEVEL)
        return GUIRA_EINVAL;
    return guira__seed_draw(c->seed);
}

guira_status guira__config_resolve(guira_config *c) {
    if (c->kind == GUIRA_CONSISTENT) return resolve_consistent(c);
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
