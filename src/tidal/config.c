/* The configuration of a tidal filter: defaults and limits, and the width that keeps a rate.
 *
 * A filter that is filled to its load has a false-positive rate of `fresh`. When it has grown from n0 items to n, the rate
 * is at most fresh * (1 + ln(n / n0)), whatever was inserted and removed in between: docs/tidal.md proves it. */
#include <math.h>

#include "tidal/config.h"
#include "tidal/tidal.h"

enum { MIN_TIDAL_BITS = 12 }; /* a core of 6 bits, a mark, and a tail that lasts for some growth */

static const double most_items = 1e10; /* that a filter grows to if the user does not say */

/* Entries that move across the split pointer may lose a bit. Over random histories this raised the predicted rate to at
 * most 1.016 of the formula. */
static const double margin = 1.02;

double guira__tidal_rate(struct layout l, double load, double growth) {
    double fresh = ldexp(2.0 * l.slots * load, 1 - (int)l.bits);
    return -expm1(-margin * fresh * (1 + log(growth)));
}

static double growth_of(const guira_config *c, struct layout l) {
    double smallest = c->capacity > 0 ? (double)c->capacity : MIN_BUCKETS * l.slots * c->max_load;
    return c->growth > 0 ? c->growth : fmax(1, most_items / smallest);
}

bool guira__tidal_keeps_rate(const guira_config *c, struct layout l) {
    return c->fpr > 0 && guira__tidal_rate(l, c->max_load, growth_of(c, l)) <= c->fpr;
}

/* The narrowest slots that keep the rate; 0: none does. */
static unsigned narrowest(const guira_config *c) {
    for (unsigned bits = MIN_TIDAL_BITS; bits <= MAX_WIDTH; bits++) {
        struct layout l = layout_of_width(bits);
        if (l.form != FORM_NONE && guira__tidal_keeps_rate(c, l)) return bits;
    }
    return 0;
}

static guira_status resolve(guira_config *c) {
    if (c->fpr != 0 && !config_inside(c->fpr, 0, 1)) return GUIRA_EINVAL;
    if (c->growth != 0 && !(c->growth >= 1 && c->growth <= 1e18)) return GUIRA_EINVAL;
    guira_status s = guira__config_loads(c, 0.93);
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

const struct guira__kind guira__tidal_kind = {resolve, ops_for};
