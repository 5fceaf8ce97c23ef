/* Structs of the library as arrays of doubles, which JavaScript reads and writes without knowing where their fields are.
 * Used by both ways to JavaScript: WebAssembly (../wasm) and Node-API (../node). core.mjs has the same orders.
 *
 * A double holds whole numbers up to 2^53. What does not fit its field, fractions and negative numbers where there may be
 * none, is GUIRA_EINVAL. */
#ifndef GUIRA_JS_FLAT_H
#define GUIRA_JS_FLAT_H

#include <math.h>
#include <string.h>

#include "guira.h"
#include "guira_window.h"

enum { FLAT_CONFIG = 16, FLAT_WINDOW = 5, FLAT_STATS = 15, FLAT_PLAN = 10 };

static inline bool flat_is_whole(double d, double most) { return d >= 0 && d <= most && d == floor(d); }

/* Sets *out; false: d does not fit. */
static inline bool flat_u64(double d, uint64_t *out) {
    if (!flat_is_whole(d, 9007199254740992.0)) return false;
    *out = (uint64_t)d;
    return true;
}

static inline bool flat_unsigned(double d, unsigned *out) {
    if (!flat_is_whole(d, 4294967295.0)) return false;
    *out = (unsigned)d;
    return true;
}

static inline guira_status flat_config_in(const double d[FLAT_CONFIG], const uint8_t seed[16], guira_config *c) {
    unsigned kind, policy;
    guira_config_init(c);
    bool fits = flat_unsigned(d[0], &kind) && flat_u64(d[1], &c->capacity) && flat_unsigned(d[3], &c->slot_bits) &&
                flat_unsigned(d[7], &c->max_kicks) && flat_unsigned(d[8], &c->bucket_slots) &&
                flat_u64(d[9], &c->buckets) && flat_unsigned(d[10], &c->max_filters) &&
                flat_unsigned(d[11], &c->factor) && flat_unsigned(d[12], &c->candidates) &&
                flat_unsigned(d[13], &c->virtual_nodes) && flat_u64(d[14], &c->ring) && flat_unsigned(d[15], &policy);
    if (!fits) return GUIRA_EINVAL;
    c->kind = (guira_kind)kind;
    c->policy = (guira_policy)policy;
    c->fpr = d[2];
    c->max_load = d[4];
    c->min_load = d[5];
    c->growth = d[6];
    memcpy(c->seed, seed, sizeof c->seed);
    return GUIRA_OK;
}

static inline void flat_config_out(const guira_config *c, double d[FLAT_CONFIG], uint8_t seed[16]) {
    const double all[FLAT_CONFIG] = {c->kind,         (double)c->capacity, c->fpr,          c->slot_bits,
                                     c->max_load,     c->min_load,         c->growth,       c->max_kicks,
                                     c->bucket_slots, (double)c->buckets,  c->max_filters,  c->factor,
                                     c->candidates,   c->virtual_nodes,    (double)c->ring, c->policy};
    memcpy(d, all, sizeof all);
    memcpy(seed, c->seed, sizeof c->seed);
}

static inline void flat_stats_out(const guira_stats *s, double d[FLAT_STATS]) {
    const double all[FLAT_STATS] = {
        (double)s->items,  (double)s->slots, (double)s->buckets,   (double)s->bytes,   (double)s->stash,
        (double)s->elders, (double)s->kicks, (double)s->failures,  (double)s->grows,   (double)s->shrinks,
        s->load,           s->fpr,           (double)s->evictions, (double)s->filters, s->fpr_kept};
    memcpy(d, all, sizeof all);
}

static inline guira_status flat_window_in(const double d[FLAT_WINDOW], const uint8_t seed[16], guira_window_config *c) {
    memset(c, 0, sizeof *c);
    c->size = sizeof *c;
    if (!flat_u64(d[0], &c->length) || !flat_u64(d[3], &c->capacity)) return GUIRA_EINVAL;
    c->fpr = d[1];
    c->slides = d[2] != 0;
    c->growth = d[4];
    memcpy(c->seed, seed, sizeof c->seed);
    return GUIRA_OK;
}

static inline void flat_window_out(const guira_window_config *c, double d[FLAT_WINDOW], uint8_t seed[16]) {
    const double all[FLAT_WINDOW] = {(double)c->length, c->fpr, c->slides, (double)c->capacity, c->growth};
    memcpy(d, all, sizeof all);
    memcpy(seed, c->seed, sizeof c->seed);
}

static inline void flat_plan_out(const guira_plan_row *r, double d[FLAT_PLAN]) {
    const double all[FLAT_PLAN] = {r->bits,  (double)r->buckets, (double)r->bytes, r->fpr,          r->bits_per_item,
                                   r->meets, r->grows,           r->removes,       r->bucket_slots, r->available};
    memcpy(d, all, sizeof all);
}

#endif
