/* The consistent cuckoo filter as a whole: making, copying, sizing, checking. See consistent.h. */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "consistent.h"

#define SELF ((struct consistent *)head)
#define CONST_SELF ((const struct consistent *)head)

uint64_t guira__consistent_buckets_for(const guira_config *c, uint64_t capacity) {
    double buckets = ceil((double)capacity / (c->max_load * c->bucket_slots));
    if (buckets >= 0x1p32) return UINT64_MAX;
    return buckets > (double)c->buckets ? (uint64_t)buckets : c->buckets;
}

/* ------------------------------------------------------------------------------------------------------- life and death */

static void list_free(struct consistent *f) {
    for (uint64_t i = 0; i < f->filters; i++) guira__i2cf_free(&f->list[i]);
    guira__free(f->list);
}

/* An empty list with one filter for what is reserved. */
static guira_status list_make(struct consistent *f) {
    struct shape s = guira__consistent_shape(&f->head.config);
    f->list = NULL;
    f->filters = f->room = 0;
    f->calm = UINT64_MAX;
    guira_status status = guira__consistent_out(f, &s, guira__consistent_buckets_for(&f->head.config, f->reserved));
    if (status != GUIRA_OK) list_free(f);
    return status;
}

guira_status guira__consistent_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    if (guira__consistent_buckets_for(c, c->capacity) == UINT64_MAX) return GUIRA_ELIMIT;
    struct consistent *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    f->head.ops = ops;
    f->head.contains = ops->contains;
    f->head.config = *c;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    f->reserved = c->capacity;
    guira__secret_derive(c->seed, f->head.secret);
    f->head.rng = guira__hash(f->head.secret, NULL, 0);
    guira_status s = list_make(f);
    if (s != GUIRA_OK) {
        guira__free(f);
        return s;
    }
    f->head.grows = 0; /* what is there from the beginning did not have to be added */
    *out = &f->head;
    return GUIRA_OK;
}

void guira__consistent_destroy(guira *head) {
    list_free(SELF);
    guira__free(head);
}

guira_status guira__consistent_clone(const guira *head, guira **out) {
    const struct consistent *f = CONST_SELF;
    struct consistent *g = guira__alloc(sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    *g = *f;
    g->head.bytes = guira__alloc_cost(sizeof *g);
    g->list = guira__alloc(f->room * sizeof *g->list);
    guira_status s = g->list != NULL ? GUIRA_OK : GUIRA_ENOMEM;
    for (g->filters = 0; s == GUIRA_OK && g->filters < f->filters; g->filters += s == GUIRA_OK)
        s = guira__i2cf_clone(&f->list[g->filters], &g->list[g->filters]);
    if (s != GUIRA_OK) {
        guira__consistent_destroy(&g->head);
        return s;
    }
    *out = &g->head;
    return GUIRA_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- size */

/* A filter like the old one with another number of buckets in its place. */
static guira_status rebuild(struct consistent *f, struct i2cf *old, uint64_t buckets, bool only_if_smaller) {
    struct i2cf by;
    uint64_t rng = f->head.rng, kicks = f->head.kicks;
    guira_status s = guira__i2cf_rebuild(old, buckets, f->head.config.max_kicks, &f->head, &by);
    if (s == GUIRA_OK && only_if_smaller && by.buckets >= old->buckets) {
        guira__i2cf_free(&by);
        s = GUIRA_EFULL;
    }
    if (s == GUIRA_OK) {
        guira__consistent_replace(f, old, &by);
        return GUIRA_OK;
    }
    f->head.rng = rng;
    f->head.kicks = kicks;
    return s;
}

/* What is missing comes as one filter, or, if it may be but one, as buckets of the smallest. */
guira_status guira__consistent_reserve(guira *head, uint64_t items) {
    struct consistent *f = SELF;
    const guira_config *c = &head->config;
    struct shape shape = guira__consistent_shape(c);
    double missing = (double)items / c->max_load - (double)guira__consistent_totals(f).slots;
    double buckets = ceil(missing / shape.slots);
    if (buckets >= 0x1p32) return GUIRA_ELIMIT;
    guira_status s = GUIRA_OK;
    struct i2cf *smallest = guira__consistent_smallest(f);
    if (buckets > 0 && c->policy != GUIRA_BUCKET_LEVEL && f->filters < c->max_filters)
        s = guira__consistent_out(f, &shape, (uint64_t)buckets);
    else if (buckets > 0 && c->policy == GUIRA_FILTER_LEVEL) s = GUIRA_ELIMIT;
    else if (buckets > 0)
        s = rebuild(f, smallest, smallest->buckets + (uint64_t)ceil(missing / smallest->shape.slots), false);
    if (s == GUIRA_OK) f->reserved = items;
    return s;
}

/* The buckets a filter needs for what is in it. At the filter level one is never smaller than it was planned. */
static uint64_t fitting(const struct consistent *f, const struct i2cf *it) {
    const guira_config *c = &f->head.config;
    double buckets = ceil((double)it->items / (c->max_load * it->shape.slots));
    uint64_t least = c->policy == GUIRA_FILTER_LEVEL ? c->buckets : 1;
    return buckets > (double)least ? (uint64_t)buckets : least;
}

/* Whether the load would stay below max_load without the filter that compact would take away. */
static bool can_compact(const struct consistent *f) {
    const struct i2cf *whole = guira__consistent_dispensable(f);
    if (whole == NULL) return false;
    double left = (double)(guira__consistent_totals(f).slots - i2cf_slots(whole));
    return (double)f->head.items <= f->head.config.max_load * left;
}

guira_status guira__consistent_shrink_to_fit(guira *head) {
    struct consistent *f = SELF;
    f->reserved = 0;
    while (can_compact(f) && guira__consistent_compact(f) == GUIRA_OK) {
    }
    for (uint64_t i = 0; i < f->filters; i++)
        if (fitting(f, &f->list[i]) < f->list[i].buckets) (void)rebuild(f, &f->list[i], fitting(f, &f->list[i]), true);
    return GUIRA_OK;
}

guira_status guira__consistent_clear(guira *head) {
    struct consistent *f = SELF, fresh = *f;
    fresh.head.items = 0;
    guira_status s = list_make(&fresh);
    if (s != GUIRA_OK) return s;
    fresh.head.grows = f->head.grows;
    list_free(f);
    *f = fresh;
    return GUIRA_OK;
}

/* -------------------------------------------------------------------------------------------------------- looking at it */

void guira__consistent_stats(const guira *head, guira_stats *out) {
    const struct consistent *f = CONST_SELF;
    struct totals t = guira__consistent_totals(f);
    double entries[33] = {0}, miss = 1; /* by bits */
    out->slots = t.slots;
    out->buckets = t.buckets;
    out->filters = f->filters;
    out->bytes = head->bytes + guira__alloc_cost(f->room * sizeof *f->list) + t.bytes;
    for (uint64_t i = 0; i < f->filters; i++) entries[f->list[i].shape.bits] += (double)f->list[i].items;
    for (unsigned bits = 4; bits <= 32; bits++) miss *= guira__i2cf_miss(bits, entries[bits]);
    out->fpr = head->items > 0 ? 1 - miss : 0;
}

const char *guira__consistent_check(const guira *head) {
    const struct consistent *f = CONST_SELF;
    uint64_t items = 0;
    if (f->filters == 0 || f->filters > f->room) return "list: no filter, or more than there is memory for";
    for (uint64_t i = 0; i < f->filters; i++) {
        const char *broken = guira__i2cf_check(&f->list[i]);
        if (broken != NULL) return broken;
        items += f->list[i].items;
    }
    if (head->stash.n > 0) return "stash: this kind has none";
    if (f->reserved > guira__consistent_totals(f).slots) return "counters: more reserved than there is room for";
    return items == head->items ? NULL : "counters: items";
}

void guira__consistent_dump(const guira *head, guira__sink *sink, void *to) {
    const struct consistent *f = CONST_SELF;
    const uint64_t number[] = {f->filters, f->reserved, f->calm};
    guira__head_dump(head, sink, to);
    sink(to, number, sizeof number);
    for (uint64_t i = 0; i < f->filters; i++) guira__i2cf_dump(&f->list[i], sink, to);
}
