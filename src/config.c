/* From what the user left open to what a filter is made with: the one place for defaults and limits. */
#include <math.h>
#include <string.h>

#include "buckets.h"
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

/* ------------------------------------------------------------------------------------------------ dynamic and elastic */

static bool is_papers(guira_kind kind) { return kind == GUIRA_DYNAMIC || kind == GUIRA_ELASTIC; }

/* What two choices among buckets of so many slots can carry; the thresholds are 0.5, 0.897, 0.959, 0.980. */
static double highest_load(unsigned bucket_slots) {
    static const double load[] = {0.45, 0.85, 0.92};
    return bucket_slots < 4 ? load[bucket_slots - 1] : 0.95;
}

/* An extension divides the load by the factor, and what it leaves must not be sparse already. */
static guira_status resolve_elastic(guira_config *c) {
    if (c->factor == 0) c->factor = 2;
    if (c->factor < 2 || c->factor > 16) return GUIRA_EINVAL;
    if (c->min_load == 0) c->min_load = c->max_load / (2 * c->factor);
    return c->min_load < c->max_load / c->factor ? GUIRA_OK : GUIRA_EINVAL;
}

/* As many buckets as the capacity needs if the user does not say. */
static guira_status resolve_buckets(guira_config *c, double needed) {
    if (needed > (double)GUIRA__MOST_BUCKETS) return GUIRA_ELIMIT;
    if (c->buckets == 0) c->buckets = c->capacity == 0 ? 64 : (uint64_t)fmax(needed, 2);
    return c->buckets >= 2 && c->buckets <= GUIRA__MOST_BUCKETS ? GUIRA_OK : GUIRA_EINVAL;
}

/* By how much the rate is worse than a plain filter's: a list has several, a window only part of the buckets. */
static double rate_factor(const guira_config *c, double needed) {
    if (c->kind == GUIRA_DYNAMIC) return fmax(1, ceil(needed / (double)c->buckets));
    double buckets = fmax((double)c->buckets, needed);
    return buckets / exp2(floor(log2(buckets)));
}

/* The narrowest fingerprint that gives the rate when the capacity is used up. */
static unsigned narrowest_fingerprint(const guira_config *c, double factor) {
    unsigned bits = 4;
    if (c->fpr == 0) return 16;
    while (bits < 32 && 2 * factor * c->bucket_slots * c->max_load / (ldexp(1, (int)bits) - 1) > c->fpr) bits++;
    return bits;
}

static guira_status resolve_papers(guira_config *c) {
    if (c->bucket_slots == 0) c->bucket_slots = 4;
    if (c->bucket_slots > 16) return GUIRA_EINVAL;
    if (c->max_load == 0) c->max_load = highest_load(c->bucket_slots);
    guira_status s = c->kind == GUIRA_ELASTIC ? resolve_elastic(c) : GUIRA_OK;
    if (s == GUIRA_OK) s = resolve_loads(c);
    double needed = ceil((double)c->capacity / (c->max_load * c->bucket_slots));
    if (s == GUIRA_OK) s = resolve_buckets(c, needed);
    if (s != GUIRA_OK) return s;
    if (c->slot_bits == 0) c->slot_bits = narrowest_fingerprint(c, rate_factor(c, needed));
    if (c->max_filters == 0) c->max_filters = 1024;
    return c->slot_bits >= 4 && c->slot_bits <= 32 ? GUIRA_OK : GUIRA_EINVAL;
}

/* ---------------------------------------------------------------------------------------------------------- consistent */

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

/* ------------------------------------------------------------------------------------------------------------ all kinds */

static guira_status resolve_fixed_widths(guira_config *c) {
    guira_status s = resolve_loads(c);
    if (s != GUIRA_OK) return s;
    if (c->slot_bits == 0) c->slot_bits = narrowest(c);
    return c->slot_bits == 12 || c->slot_bits == 16 || c->slot_bits == 32 ? GUIRA_OK : GUIRA_EINVAL;
}

guira_status guira__config_resolve(guira_config *c) {
    if (c->kind == GUIRA_CONSISTENT) return resolve_consistent(c);
    if (c->kind != GUIRA_TIDAL && c->kind != GUIRA_CUCKOO && !is_papers(c->kind)) return GUIRA_EINVAL;
    if (c->kind == GUIRA_CUCKOO && c->capacity == 0) return GUIRA_EINVAL;
    if (c->fpr != 0 && !inside(c->fpr, 0, 1)) return GUIRA_EINVAL;
    guira_status s = is_papers(c->kind) ? resolve_papers(c) : resolve_fixed_widths(c);
    if (s != GUIRA_OK) return s;
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
