/* The configuration of a DCF: defaults and limits. */
#include <math.h>

#include "papers/dcf/dcf.h"

/* A list of n filters has n times the rate of one. */
static guira_status resolve(guira_config *c) {
    double needed;
    guira_status s = guira__papers_config(c, &needed);
    return s == GUIRA_OK ? guira__papers_config_width(c, fmax(1, ceil(needed / (double)c->buckets))) : s;
}

static const struct guira__ops *ops_for(enum isa isa, const guira_config *c) {
    (void)isa;
    (void)c;
    return &guira__dcf_ops;
}

/* Growth adds filters, and all of them are searched. */
static bool plan(const guira_config *c, double growth, guira_plan_row *row) {
    row->buckets = c->buckets;
    row->bytes = packed_bytes(c->buckets * c->bucket_slots, c->slot_bits);
    row->fpr = guira__dcf_rate(c, growth * (double)c->capacity);
    return true;
}

const struct guira__kind guira__dcf_kind = {resolve, ops_for, plan};
