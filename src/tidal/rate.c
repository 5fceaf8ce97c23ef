/* See rate.h. What is computed here decides what a filter does, so it must be the same on every machine: sums, products,
 * quotients and roots only, no other functions of the mathematical library. */
#include "tidal/rate.h"

#include <math.h>

#include "tidal/config.h"
#include "tidal/elders.h"

static const double ln_2 = 0.6931471805599453;

/* How much lower the load is at the limit, as a share of max_load: 0.80 instead of 0.93. There hardly any insertion finds
 * both buckets full, and what else more room can do is little. Only small filters ever go further. */
static const double lowering = 0.14;

/* Nearness begins this far below the limit, in weights of a filter that never grew. In small filters chance counts: that
 * more entries than usual are on the side where they know less. */
static double band(double items) { return 1.0 / 16 + 1 / sqrt(items); }

/* log2 within 0.009: exact for powers of two, a parabola in between. */
static double log2_about(double x) {
    int exponent;
    double m = 2 * frexp(x, &exponent) - 1;
    return exponent - 1 + m * (1.34 - 0.34 * m);
}

/* -ln(1 - p), or a little less. */
static double exponent_of(double p) { return p * (1 + p * (0.5 + p / 3)); }

/* The weight of a filter that never grew, at its highest load. */
static double fresh_weight(struct layout l, double load) { return l.slots * load * (double)weight_of(tail_bits(l)); }

/* The largest growth from the largest capacity is beyond 64 bits. */
static uint64_t items_of(double n) { return n < 0x1p63 ? (uint64_t)n : UINT64_C(1) << 63; }

/* All that the rate allows, less what growth from here on will add. */
struct rate_limit guira__rate_limit(const struct tidal *f) {
    const struct rate_limit none = {0, 0};
    struct layout l = tidal_layout(f);
    struct rate_wanted w;
    if (knows_all(l) || !guira__tidal_rate_wanted(f, &w)) return none;
    double all = exponent_of(w.fpr) * (double)(UINT64_C(1) << (ALL_KNOWN - 1 + core_bits(l)));
    double fresh = fresh_weight(l, w.load), per_bucket = l.slots * w.load;
    double first = log2_about(w.least), last = log2_about(w.most),
           here = log2_about((double)bucket_count(f) * per_bucket);
    if (all < fresh * (1 + ln_2 * (last - first))) return none; /* the slots are too narrow */
    double to_come = here < last ? RATE_OF_GROWTH * fresh * ln_2 * (last - here) : 0;
    return (struct rate_limit){to_come < all ? (uint64_t)(all - to_come) : 0, items_of(w.most)};
}

double guira__rate_nearness(const struct tidal *f) {
    struct rate_limit limit = big_of(f) != NULL ? big_of(f)->limit : guira__rate_limit(f);
    if (limit.items == 0 || f->head.items - tidal_counted(f) > limit.items) return 0;
    struct layout l = tidal_layout(f);
    double weight = (double)f->head.weight + guira__elders_weight(f);
    double width = band((double)(bucket_count(f) * l.slots)) * fresh_weight(l, 1);
    double near = 1 - ((double)limit.weight - weight) / width;
    return near < 0 ? 0 : near > 3 ? 3 : near;
}

static double present_load(const struct tidal *f) {
    return (double)(f->head.items - tidal_counted(f)) / (double)(bucket_count(f) * tidal_layout(f).slots);
}

/* The first half of the way to the limit is left to moves. */
void guira__rate_make_room(struct tidal *f) {
    double max_load, min_load, nearness = guira__rate_nearness(f);
    if (nearness <= 0.5) return;
    guira__tidal_loads(f, &max_load, &min_load);
    if (present_load(f) > max_load * (1 - lowering * (2 * nearness - 1))) (void)tidal_ops(f)->grow(f);
}

bool guira__rate_needs_size(const struct tidal *f) {
    double max_load, min_load, nearness = guira__rate_nearness(f);
    if (nearness <= 0) return false;
    guira__tidal_loads(f, &max_load, &min_load);
    return present_load(f) > min_load - max_load * lowering * nearness;
}
