/* Random configurations: every kind, every width, loads, growth, and few kicks. */
#include "stress.h"

#include <stdio.h>

static const char *const kind_names[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent"};

void describe(const guira_config *c) {
    snprintf(job.what, sizeof job.what,
             "%s, %u bits x %u, capacity %llu, buckets %llu, loads %.3f %.3f, growth %.0f, fpr %g, kicks %u",
             kind_names[c->kind], c->slot_bits, c->bucket_slots, (unsigned long long)c->capacity,
             (unsigned long long)c->buckets, c->max_load, c->min_load, c->growth, c->fpr, c->max_kicks);
}

static double fraction(struct rng *r, double from, double to) {
    return from + (to - from) * (double)(rng_next(r) >> 11) * 0x1p-53;
}

static unsigned kicks(struct rng *r) {
    switch (rng_below(r, 3)) {
    case 0: return 0;
    case 1: return (unsigned)(1 + rng_below(r, 5));
    default: return (unsigned)(1 + rng_below(r, 200));
    }
}

static unsigned width(struct rng *r, unsigned from) {
    unsigned w = (unsigned)(from + rng_below(r, 32 - from + 1));
    return w == 27 ? 28 : w > 28 ? 32 : w;
}

/* Loads, kicks and seed, which all kinds have. */
static guira_config common(guira_kind kind, struct rng *r) {
    guira_config c;
    guira_config_init(&c);
    c.kind = kind;
    c.max_kicks = kicks(r);
    if (chance(r, 2)) c.max_load = fraction(r, 0.4, 0.985);
    if (chance(r, 2)) c.min_load = chance(r, 2) ? -1 : fraction(r, 0.05, 0.9);
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    return c;
}

static guira_config tidal(struct rng *r) {
    guira_config c = common(GUIRA_TIDAL, r);
    if (chance(r, 2)) c.capacity = rng_scaled(r, 0, 15);
    if (chance(r, 3)) c.fpr = fraction(r, 0.0001, 0.1);
    if (c.fpr == 0 || chance(r, 4)) c.slot_bits = width(r, 12);
    if (chance(r, 3)) c.growth = (double)rng_scaled(r, 0, 20);
    return c;
}

static guira_config cuckoo(struct rng *r) {
    guira_config c = common(GUIRA_CUCKOO, r);
    if (chance(r, 4)) c.buckets = rng_scaled(r, 0, 12);
    else c.capacity = rng_scaled(r, 2, 15);
    if (chance(r, 4)) c.fpr = fraction(r, 0.0001, 0.1);
    else c.slot_bits = width(r, 6);
    if (chance(r, 2)) c.bucket_slots = chance(r, 2) ? 4 : c.slot_bits == 12 ? 10 : 8;
    return c;
}

/* Small, or a lookup goes through hundreds of filters. */
static guira_config of_papers(guira_kind kind, struct rng *r) {
    guira_config c = common(kind, r);
    const uint64_t rings[] = {0, 500, 100000};
    c.slot_bits = (unsigned)(4 + rng_below(r, 29));
    c.bucket_slots = (unsigned)(1 + rng_below(r, chance(r, 4) ? 16 : 5));
    c.buckets = kind == GUIRA_DYNAMIC ? rng_scaled(r, 5, 9) : rng_scaled(r, 1, 7);
    c.max_filters = (unsigned)(1 + rng_below(r, 64));
    c.factor = kind == GUIRA_ELASTIC ? (unsigned)(2 + rng_below(r, 3)) : 0;
    c.candidates = (unsigned)(1 + rng_below(r, 4));
    c.virtual_nodes = (unsigned)(1 + rng_below(r, 10));
    c.ring = rings[rng_below(r, 3)];
    c.policy = (guira_policy)rng_below(r, 3);
    if (kind == GUIRA_ELASTIC && c.min_load > 0) c.min_load = 0;
    return c;
}

/* Draws again if fields contradict each other, such as a min_load above max_load. */
guira_config config_draw(guira_kind kind, struct rng *r) {
    for (;;) {
        guira_config c = kind == GUIRA_TIDAL ? tidal(r) : kind == GUIRA_CUCKOO ? cuckoo(r) : of_papers(kind, r);
        guira *f;
        guira_status s = guira_create(&c, &f);
        guira_destroy(f);
        describe(&c);
        if (s == GUIRA_OK) return c;
        EXPECT(s == GUIRA_EINVAL || s == GUIRA_ELIMIT, "guira_create: %s", guira_strerror(s));
    }
}

guira_window_config window_config_draw(struct rng *r) {
    guira_window_config c = GUIRA_WINDOW_CONFIG_INIT;
    c.length = rng_scaled(r, 0, 20);
    c.slides = chance(r, 2);
    if (chance(r, 2)) c.fpr = fraction(r, 0.00001, 0.05);
    if (chance(r, 2)) c.capacity = rng_scaled(r, 0, 14);
    if (chance(r, 3)) c.growth = (double)rng_scaled(r, 0, 10);
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    snprintf(job.what, sizeof job.what, "window of %llu, fpr %g, capacity %llu, growth %.0f%s",
             (unsigned long long)c.length, c.fpr, (unsigned long long)c.capacity, c.growth, c.slides ? ", slides" : "");
    return c;
}
