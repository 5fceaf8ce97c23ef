/* The configuration of a fixed cuckoo filter: defaults, limits, and the choice of its functions. */
#include <math.h>

#include "cuckoo/config.h"
#include "cuckoo/dispatch.h"

/* A random key has one of 2^bits - 1 fingerprints and meets the entries of two buckets. */
double guira__cuckoo_rate(struct layout l, double load) {
    return -expm1(2 * l.slots * load * log1p(-1 / (ldexp(1, (int)l.bits) - 1)));
}

bool guira__cuckoo_keeps_rate(const guira_config *c) {
    return c->fpr > 0 && guira__cuckoo_rate(layout_of_width(c->slot_bits), c->max_load) <= c->fpr;
}

/* The narrowest slots that keep the rate; 0: none does. */
static unsigned narrowest(const guira_config *c) {
    guira_config with = *c;
    for (with.slot_bits = MIN_WIDTH; with.slot_bits <= MAX_WIDTH; with.slot_bits++)
        if (layout_of_width(with.slot_bits).form != FORM_NONE && guira__cuckoo_keeps_rate(&with)) return with.slot_bits;
    return 0;
}

static guira_status resolve(guira_config *c) {
    if (c->capacity == 0 || (c->fpr != 0 && !config_inside(c->fpr, 0, 1))) return GUIRA_EINVAL;
    guira_status s = guira__config_loads(c, 0.95);
    if (s != GUIRA_OK) return s;
    if (c->slot_bits == 0) c->slot_bits = c->fpr == 0 ? 16 : narrowest(c);
    if (c->slot_bits == 0) return GUIRA_ELIMIT;
    return layout_of_width(c->slot_bits).form != FORM_NONE ? GUIRA_OK : GUIRA_EINVAL;
}

static const struct guira__ops *const tables[ISA_COUNT] = {
    [ISA_PORTABLE] = guira__cuckoo_portable,
#ifdef GUIRA__HAVE_SSE41
    [ISA_SSE41] = guira__cuckoo_sse41,
#endif
#ifdef GUIRA__HAVE_AVX2
    [ISA_AVX2] = guira__cuckoo_avx2,
#endif
#ifdef GUIRA__HAVE_AVX512
    [ISA_AVX512] = guira__cuckoo_avx512,
#endif
#ifdef GUIRA__HAVE_NEON
    [ISA_NEON] = guira__cuckoo_neon,
#endif
};

static const struct guira__ops *ops_for(enum isa isa, const guira_config *c) {
    const struct guira__ops *table = tables[guira__isa_resolve(isa)];
    if (table == NULL) return NULL;
    switch (c->slot_bits) {
    case 12: return &table[CUCKOO_12];
    case 16: return &table[CUCKOO_16];
    case 32: return &table[CUCKOO_32];
    default: return &table[c->slot_bits < 16 ? CUCKOO_NARROW : CUCKOO_WIDE];
    }
}

const struct guira__kind guira__cuckoo_kind = {resolve, ops_for};
