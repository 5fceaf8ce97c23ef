/* The configuration of a fixed cuckoo filter: defaults, limits, and the choice of its functions. */
#include <math.h>

#include "cuckoo/config.h"
#include "cuckoo/dispatch.h"

/* A random key has one of 2^bits - 1 fingerprints and meets the entries of two buckets. */
double guira__cuckoo_rate(struct layout l, double load) {
    return -expm1(2 * l.slots * load * log1p(-1 / (ldexp(1, (int)l.bits) - 1)));
}

bool guira__cuckoo_keeps_rate(const guira_config *c) {
    return c->fpr > 0 && guira__cuckoo_rate(cuckoo_layout(c), c->max_load) <= c->fpr;
}

/* Buckets of four slots are planned to be filled to here; the first insertion is refused at 0.975 (docs/cuckoo.md). */
static const double highest_load_of_4 = 0.95;

/* The narrowest slots that keep the rate, so many to a bucket; 0: as many as is usual for the width. A width of 0: none
 * does. */
static struct layout narrowest(const guira_config *c, unsigned slots) {
    for (unsigned bits = MIN_WIDTH; bits <= MAX_WIDTH; bits++) {
        struct layout l = slots == 0 ? layout_of_width(bits) : layout_of(bits, slots);
        if (l.form != FORM_NONE && guira__cuckoo_rate(l, c->max_load) <= c->fpr) return l;
    }
    return (struct layout){.form = FORM_NONE};
}

/* The layout that keeps the rate in the least memory. For the same rate four slots need one bit less than eight. */
static struct layout smallest(const guira_config *c) {
    struct layout usual = narrowest(c, c->bucket_slots), four = narrowest(c, HALF_ROW);
    bool can = c->bucket_slots == 0 && c->max_load <= highest_load_of_4 && four.form != FORM_NONE;
    return can && (usual.form == FORM_NONE || four.bits < usual.bits) ? four : usual;
}

/* Without fpr: 16 bits. If slot_bits is set, the number of slots that format 1 has for it. */
static struct layout chosen(const guira_config *c) {
    if (c->slot_bits == 0 && c->fpr != 0) return smallest(c);
    unsigned bits = c->slot_bits != 0 ? c->slot_bits : 16;
    return c->bucket_slots == 0 ? layout_of_width(bits) : layout_of(bits, c->bucket_slots);
}

/* Either both are 0, or there are so many buckets, which halving has made of `factor` times as many. */
static bool size_is_possible(const guira_config *c) {
    bool power_of_two = (c->factor & (c->factor - 1)) == 0;
    if (c->buckets == 0) return c->factor == 0;
    return c->factor != 1 && power_of_two && c->buckets <= CUCKOO_MAX_BUCKETS / (c->factor == 0 ? 1 : c->factor);
}

static guira_status resolve(guira_config *c) {
    if ((c->capacity == 0 && c->buckets == 0) || !size_is_possible(c) || (c->fpr != 0 && !config_inside(c->fpr, 0, 1)))
        return GUIRA_EINVAL;
    guira_status s = guira__config_loads(c, 0.95);
    if (s != GUIRA_OK) return s;
    if (c->bucket_slots != 0 && layout_of(12, c->bucket_slots).form == FORM_NONE) return GUIRA_EINVAL;
    struct layout l = chosen(c);
    if (l.form == FORM_NONE) return c->slot_bits == 0 ? GUIRA_ELIMIT : GUIRA_EINVAL;
    c->slot_bits = l.bits;
    c->bucket_slots = l.slots;
    if (c->capacity == 0) c->capacity = (uint64_t)fmax(1, c->max_load * (double)(c->buckets * l.slots));
    return GUIRA_OK;
}

static const struct guira__ops *table_of(enum isa isa) {
    switch (isa) {
    case ISA_PORTABLE: return guira__cuckoo_portable;
#ifdef GUIRA__HAVE_SSE41
    case ISA_SSE41: return guira__cuckoo_sse41;
#endif
#ifdef GUIRA__HAVE_AVX2
    case ISA_AVX2: return guira__cuckoo_avx2;
#endif
#ifdef GUIRA__HAVE_AVX512
    case ISA_AVX512: return guira__cuckoo_avx512;
#endif
#ifdef GUIRA__HAVE_NEON
    case ISA_NEON: return guira__cuckoo_neon;
#endif
    default: return NULL;
    }
}

static const struct guira__ops *ops_for(enum isa isa, const guira_config *c) {
    const struct guira__ops *table = table_of(guira__isa_resolve(isa));
    if (table == NULL) return NULL;
    struct layout l = cuckoo_layout(c);
    if (l.slots == HALF_ROW) return &table[l.form == FORM_NARROW ? CUCKOO_NARROW_4 : CUCKOO_WIDE_4];
    if (l.form == FORM_PACKED) return &table[CUCKOO_12];
    if (l.form == FORM_WORDS) return &table[l.bits == 16 ? CUCKOO_16 : CUCKOO_32];
    return &table[l.form == FORM_NARROW ? CUCKOO_NARROW : CUCKOO_WIDE];
}

/* Its size does not change, so growth does not matter. */
static bool plan(const guira_config *c, double growth, guira_plan_row *row) {
    struct cuckoo f = {.buckets = guira__cuckoo_buckets(c), .layout = cuckoo_layout(c)};
    (void)growth;
    row->buckets = f.buckets;
    row->bytes = cuckoo_table_bytes(&f);
    row->fpr = guira__cuckoo_rate(f.layout, c->max_load);
    return f.buckets <= CUCKOO_MAX_BUCKETS;
}

const struct guira__kind guira__cuckoo_kind = {resolve, ops_for, plan};
