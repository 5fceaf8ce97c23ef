/* The configuration of a CCF: defaults and limits. */
#include "papers/ccf/ccf.h"

/* The narrowest fingerprint that keeps the rate with so many entries in all: every one of them counts, see i2cf.h. */
static unsigned narrowest(const guira_config *c) {
    uint64_t room = c->buckets * c->bucket_slots, items = c->capacity > room ? c->capacity : room;
    unsigned bits = c->fpr == 0 ? 32 : 4;
    while (bits < 32 && 1 - guira__i2cf_miss(bits, (double)items) > c->fpr) bits++;
    return bits;
}

static guira_status resolve(guira_config *c) {
    /* 0.90 is what two candidates of four slots hold on a ring without much moving. */
    if ((c->fpr != 0 && !config_inside(c->fpr, 0, 1)) || guira__config_loads(c, 0.90) != GUIRA_OK) return GUIRA_EINVAL;
    if (c->bucket_slots == 0) c->bucket_slots = 4;
    if (c->buckets == 0) c->buckets = 64;
    if (c->max_filters == 0) c->max_filters = 1024;
    if (c->candidates == 0) c->candidates = 2;
    if (c->virtual_nodes == 0) c->virtual_nodes = 10;
    if (c->ring == 0) c->ring = UINT64_C(50000000000);
    if (c->buckets > UINT32_MAX) return GUIRA_ELIMIT;
    if (c->slot_bits == 0) c->slot_bits = narrowest(c);
    if (c->slot_bits < 4 || c->slot_bits > 32 || c->bucket_slots > PAPERS_MAX_SLOTS || c->candidates > MAX_CANDIDATES ||
        c->virtual_nodes > MAX_NODES || c->ring < 3 || (unsigned)c->policy > GUIRA_FILTER_LEVEL)
        return GUIRA_EINVAL;
    return GUIRA_OK;
}

static const struct guira__ops *ops_for(enum isa isa, const guira_config *c) {
    (void)isa;
    (void)c;
    return &guira__ccf_ops;
}

/* One filter; most of its bytes are the points of its ring. */
static bool plan(const guira_config *c, double growth, guira_plan_row *row) {
    struct i2cf f = guira__i2cf_like(c);
    row->buckets = guira__ccf_buckets_for(c, c->capacity);
    if (row->buckets == UINT64_MAX || !guira__i2cf_fits_ring(&f, row->buckets)) return false;
    row->bytes = guira__i2cf_block_bytes(&f, guira__i2cf_room(row->buckets));
    row->fpr = 1 - guira__i2cf_miss(c->slot_bits, growth * (double)c->capacity);
    return true;
}

const struct guira__kind guira__ccf_kind = {resolve, ops_for, plan};
