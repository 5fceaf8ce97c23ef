/* The configuration of an ECF: defaults and limits. */
#include <math.h>

#include "papers/ecf/ecf.h"

/* An extension divides the load by the factor, and must not leave a filter that is sparse already. A range has only part of
 * the buckets, which makes the rate worse by L / 2^n. */
static guira_status resolve(guira_config *c) {
    bool min_load_is_default = c->min_load == 0;
    double needed;
    if (c->factor == 0) c->factor = 2;
    if (c->factor < 2 || c->factor > MAX_FACTOR) return GUIRA_EINVAL;
    guira_status s = guira__papers_config(c, &needed);
    if (s != GUIRA_OK) return s;
    if (min_load_is_default) c->min_load = c->max_load / (2 * c->factor);
    if (c->min_load >= c->max_load / c->factor) return GUIRA_EINVAL;
    int range;
    return guira__papers_config_width(c, 2 * frexp(fmax((double)c->buckets, needed), &range)); /* L / 2^(n-1) */
}

static const struct guira__ops *ops_for(enum isa isa, const guira_config *c) {
    (void)isa;
    (void)c;
    return &guira__ecf_ops;
}

/* A filter that grows has a flag for each of its pending groups. */
static bool plan(const guira_config *c, double growth, guira_plan_row *row) {
    struct ecf_shape shape = guira__ecf_shape(c->buckets);
    row->buckets = c->buckets;
    row->bytes = packed_bytes(c->buckets * c->bucket_slots, c->slot_bits);
    if (growth > 1) row->bytes += (c->buckets / c->factor + 7) / 8;
    row->fpr = guira__ecf_rate(&shape, c->slot_bits, growth * (double)c->capacity);
    return true;
}

const struct guira__kind guira__ecf_kind = {resolve, ops_for, plan};
