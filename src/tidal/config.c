/* The configuration of a tidal filter: defaults and limits, and the width that keeps a rate.
 *
 * A filter that is filled to its load has a false-positive rate of `fresh`. When it has grown from n0 items to n, the rate
 * is at most fresh * (1 + ln(n / n0)), whatever was inserted and removed in between, but for moves and chance: docs/tidal.md has
 * the proof, and rate.c sees to the rest. */
#include <math.h>

#include "format/contents.h"
#include "tidal/config.h"
#include "tidal/table.h"

enum { MIN_TIDAL_BITS = 12 }; /* a core of 6 bits, a mark, and a tail that lasts for some growth */

static const double default_load = 0.93;

double guira__tidal_rate(struct layout l, double load, double smallest, double growth) {
    double fresh = ldexp(2.0 * l.slots * load, 1 - (int)l.bits);
    double at_one_size = RATE_AT_ONE_SIZE + 1 / sqrt(fmax(smallest, MIN_BUCKETS * l.slots * load)); /* see rate.c */
    return -expm1(-fresh * (at_one_size + RATE_OF_GROWTH * log(growth)));
}

static double smallest_of(double capacity, double load, struct layout l) {
    return capacity > 0 ? capacity : MIN_BUCKETS * l.slots * load;
}

bool guira__tidal_keeps_rate(const guira_config *c, struct layout l) {
    double smallest = smallest_of((double)c->capacity, c->max_load, l);
    double growth = c->growth > 0 ? c->growth : fmax(1, CONFIG_GROWS_TO / smallest);
    return c->fpr > 0 && guira__tidal_rate(l, c->max_load, smallest, growth) <= c->fpr;
}

/* Growth is counted from the capacity: what an entry forgets in a smaller table it does not get back. */
uint64_t guira__tidal_least_buckets(const guira_config *c, struct layout l) {
    bool counts = c->capacity > 0 && guira__tidal_keeps_rate(c, l);
    return counts ? guira__buckets_for(c->capacity, c->max_load, l) : 0;
}

/* The narrowest slots that keep the rate; 0: none does. */
static unsigned narrowest(const guira_config *c) {
    for (unsigned bits = MIN_TIDAL_BITS; bits <= MAX_WIDTH; bits++) {
        struct layout l = layout_of_width(bits);
        if (l.form != FORM_NONE && guira__tidal_keeps_rate(c, l)) return bits;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------ in little memory
 *
 * A filter keeps of its configuration what is not the default, most of it in guira.rare. Two things many small filters have
 * besides: the wanted rate, which is nearly always a short decimal number, k / 10^e, in 28 bits; and the load, which is a
 * whole percentage, 81 % to 95 %, in four. */

enum { CODE_DIGITS = 15, CODE_BITS = 4 };
static const double power_of_ten[CODE_DIGITS + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* 0: there is none for x, or x is 0. Dividing gives exactly the number that was meant by the decimal digits. */
static uint32_t code_of(double x) {
    for (uint32_t e = 0; e <= CODE_DIGITS; e++) {
        double k = nearbyint(x * power_of_ten[e]);
        if (k > 0 && k < 1 << 24 && k / power_of_ten[e] == x) return (uint32_t)k << CODE_BITS | e;
    }
    return 0;
}

static double decoded(uint32_t code) { return (code >> CODE_BITS) / power_of_ten[code & CODE_DIGITS]; }

enum { BELOW_FIRST_LOAD = 80, LOAD_CODES = 16 };

static double load_decoded(unsigned code) { return (BELOW_FIRST_LOAD + code) / 100.0; }

/* 0: the default, or there is none for x. */
static unsigned load_code_of(double x) {
    unsigned code = 1;
    if (x == default_load) return 0;
    while (code < LOAD_CODES && load_decoded(code) != x) code++;
    return code < LOAD_CODES ? code : 0;
}

/* 0: the default. */
static double max_load_of(const struct tidal *f) {
    if (f->load_code != 0) return load_decoded(f->load_code);
    return f->head.rare != NULL ? f->head.rare->max_load : 0;
}

/* c, with 0 for what is the default. */
static struct rare without_defaults(const guira_config *c, uint32_t fpr_code, unsigned load_code) {
    guira_config other = {.max_load = c->max_load};
    guira__config_loads(&other, default_load);
    return (struct rare){.capacity = c->capacity & ((UINT64_C(1) << 48) - 1),
                         .max_kicks = (uint16_t)(c->max_kicks == other.max_kicks ? 0 : c->max_kicks),
                         .fpr = fpr_code != 0 ? 0 : c->fpr,
                         .max_load = c->max_load == default_load || load_code != 0 ? 0 : c->max_load,
                         .min_load = c->min_load == other.min_load ? 0 : c->min_load,
                         .growth = c->growth};
}

bool guira__tidal_set_config(struct tidal *f, const guira_config *c) {
    uint32_t fpr_code = code_of(c->fpr);
    unsigned load_code = load_code_of(c->max_load);
    f->fpr_code = fpr_code & ((UINT32_C(1) << 28) - 1);
    f->load_code = load_code & (LOAD_CODES - 1);
    struct rare r = without_defaults(c, fpr_code, load_code), none = {0};
    if (memcmp(&r, &none, sizeof r) == 0) return true;
    if (!guira__rare_make(&f->head)) return false;
    *f->head.rare = r;
    f->head.rare->least = guira__tidal_least_buckets(c, tidal_layout(f));
    return true;
}

void guira__tidal_config(const guira *head, guira_config *out) {
    const struct tidal *f = const_tidal_of(head);
    const struct rare none = {0}, *r = head->rare != NULL ? head->rare : &none;
    guira_config_init(out);
    struct layout l = tidal_layout(f);
    out->slot_bits = l.stamp_bits > 0 ? window_slot_bits(l.bits) : l.bits;
    out->capacity = r->capacity;
    out->fpr = f->fpr_code != 0 ? decoded(f->fpr_code) : r->fpr;
    out->max_load = max_load_of(f);
    out->min_load = r->min_load;
    out->max_kicks = r->max_kicks;
    out->growth = r->growth;
    memcpy(out->seed, head->seed, sizeof out->seed);
    guira__config_loads(out, default_load);
}

void guira__tidal_loads(const struct tidal *f, double *max_load, double *min_load) {
    const struct rare *r = f->head.rare;
    guira_config c = {.max_load = max_load_of(f), .min_load = r != NULL ? r->min_load : 0};
    guira__config_loads(&c, default_load);
    *max_load = c.max_load;
    *min_load = c.min_load;
}

bool guira__tidal_rate_wanted(const struct tidal *f, struct rate_wanted *out) {
    const struct rare none = {0}, *r = f->head.rare != NULL ? f->head.rare : &none;
    struct layout l = tidal_layout(f);
    out->fpr = f->fpr_code != 0 ? decoded(f->fpr_code) : r->fpr;
    double load = max_load_of(f);
    out->load = load == 0 ? default_load : load;
    out->least = smallest_of((double)r->capacity, out->load, l);
    out->most = r->growth > 0 ? r->growth * out->least : fmax(out->least, CONFIG_GROWS_TO);
    return out->fpr > 0;
}

/* ---------------------------------------------------------------------------------------------------------- resolving */

static guira_status resolve(guira_config *c) {
    if (c->fpr != 0 && !config_inside(c->fpr, 0, 1)) return GUIRA_EINVAL;
    if (c->growth != 0 && !(c->growth >= 1 && c->growth <= 1e18)) return GUIRA_EINVAL;
    guira_status s = guira__config_loads(c, default_load);
    if (s != GUIRA_OK) return s;
    if (c->slot_bits == 0) c->slot_bits = c->fpr == 0 ? 16 : narrowest(c);
    if (c->slot_bits == 0) return GUIRA_ELIMIT;
    struct layout l = layout_of_width(c->slot_bits);
    return l.form != FORM_NONE && l.bits >= MIN_TIDAL_BITS ? GUIRA_OK : GUIRA_EINVAL;
}

static const struct guira__ops *ops_for(enum isa isa, const guira_config *c) {
    const struct tidal_ops *ops = guira__tidal_ops(isa, layout_of_width(c->slot_bits));
    return ops == NULL ? NULL : &ops->common;
}

static bool plan(const guira_config *c, double growth, guira_plan_row *row) {
    struct layout l = layout_of_width(c->slot_bits);
    row->buckets = guira__buckets_for(c->capacity, c->max_load, l);
    row->bytes = row->buckets * l.bucket_bytes;
    row->fpr = guira__tidal_rate(l, c->max_load, smallest_of((double)c->capacity, c->max_load, l), growth);
    return row->buckets <= MAX_BUCKETS;
}

const struct guira__kind guira__tidal_kind = {resolve, ops_for, plan};
