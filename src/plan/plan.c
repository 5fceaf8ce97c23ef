/* What it costs to hold n items at a false-positive rate e, and which way costs least.
 *
 * The one idea: a cuckoo filter pays log2(1/e) + 3 bits and a share of empty slots for an item, a Bloom filter
 * 1.44 * log2(1/e). So Bloom is smaller at high rates and cuckoo at low ones; with slots of any width, four to a
 * bucket, and load 0.95 they meet at about 0.4 %. (At 3 % Bloom is smaller, although the reverse is often claimed.)
 * A fixed filter here has four slots in a bucket. A tidal one has eight, which costs one bit more, and pays for its growth in
 * addition, log2(1 + ln(growth)) bits.
 *
 * Above that the reason to take a cuckoo filter is not its size: it removes, a tidal one also grows. The plan says what
 * that costs.
 *
 * Not counted: keys whose whole 64-bit hashes agree, n / 2^64 of them. It is 5e-10 at 2^33 items, where the best slot
 * reaches 3.5e-9. */
#include <float.h>
#include <math.h>

#include "cuckoo/config.h"
#include "filter/filter.h"
#include "tidal/config.h"

/* The guide's: four slots, a tenth of them kept free. */
static const double guide_load = 0.90;
enum { GUIDE_SLOTS = 4 };

/* Even at the smallest double as rate no row needs more than 2^60 bits for these, so no product below overflows. */
static const uint64_t most_items = UINT64_C(1) << 48;

/* Two candidates are two only if there are two buckets. */
static uint64_t buckets_for(uint64_t items, unsigned slots, double load) {
    uint64_t buckets = (uint64_t)ceil((double)items / (slots * load));
    return buckets < 2 ? 2 : buckets;
}

static uint64_t next_power_of_two(uint64_t x) {
    uint64_t p = 1;
    while (p < x) p <<= 1;
    return p;
}

static void finish(guira_plan_row *row, uint64_t items, double fpr) {
    row->bits_per_item = 8.0 * (double)row->bytes / (double)items;
    row->meets = row->fpr <= fpr;
}

/* --------------------------------------------------------------------------------------------------------- the rows */

struct slotted {
    const char *name;
    double load; /* the kind's default max_load */
    unsigned min_bits;
    struct layout (*layout)(unsigned bits);
    double (*rate)(struct layout l, double load, double growth);
    bool grows;
};

static double cuckoo_rate(struct layout l, double load, double growth) {
    (void)growth; /* a fixed filter is made at full size */
    return guira__cuckoo_rate(l, load);
}

static struct layout cuckoo_layout_of(unsigned bits) { return layout_of(bits, HALF_ROW); }

/* The narrowest slots that keep fpr, or else the widest there are. The rate is the one at full load, also where few items
 * fill their last bucket less: a filter is to keep its rate until it is full. */
static void plan_slotted(const struct slotted *way, uint64_t items, double fpr, double growth, guira_plan_row *row) {
    struct layout l = {.form = FORM_NONE};
    double rate = 1;
    for (unsigned bits = way->min_bits; bits <= MAX_WIDTH && rate > fpr; bits++) {
        if (way->layout(bits).form == FORM_NONE) continue;
        l = way->layout(bits);
        rate = way->rate(l, way->load, growth);
    }
    struct layout usual = layout_of_width(l.bits);
    if (way->rate(usual, way->load, growth) <= fpr) { /* four slots save nothing here: cuckoo/config.c takes eight */
        l = usual;
        rate = way->rate(l, way->load, growth);
    }
    uint64_t buckets = buckets_for(items, l.slots, way->load);
    *row = (guira_plan_row){
        .name = way->name,
        .bits = l.bits,
        .buckets = buckets,
        .bytes = (layout_row(buckets - 1, l) + 1) * l.bucket_bytes,
        .fpr = rate,
        .grows = way->grows,
        .removes = true,
    };
    finish(row, items, fpr);
}

/* The textbook filter: slots as wide as it takes, but buckets doubled until they suffice. The rounding leaves up to
 * half of them empty, which the rate, at the load it really has, gains from. */
static void plan_power_of_two(uint64_t items, double fpr, guira_plan_row *row) {
    unsigned bits = (unsigned)ceil(log2(2 * GUIDE_SLOTS) - log2(fpr)); /* 8 / fpr may be infinite */
    uint64_t buckets = next_power_of_two(buckets_for(items, GUIDE_SLOTS, guide_load));
    double compared = 2 * (double)items / (double)buckets;
    *row = (guira_plan_row){
        .name = "cuckoo, power of two",
        .bits = bits,
        .buckets = buckets,
        .bytes = (buckets * GUIDE_SLOTS * bits + 7) / 8,
        .fpr = -expm1(compared * log1p(-1 / (exp2(bits) - 1))),
        .removes = true,
    };
    finish(row, items, fpr);
}

static double bloom_rate(uint64_t items, uint64_t bits, unsigned hashes) {
    return pow(-expm1(-(double)hashes * (double)items / (double)bits), hashes);
}

/* The rate's formula solved for the bits. 1.4427 * items * log2(1/fpr) is what it becomes when the number of hash
 * functions may be a fraction; a whole number needs a little more (4e-6 of it at 0.1 %, 3 % at 40 %). */
static uint64_t bloom_bits(uint64_t items, double fpr, unsigned hashes) {
    double solved = -(double)hashes * (double)items / log1p(-pow(fpr, 1.0 / hashes));
    uint64_t bits = (uint64_t)fmax(1, ceil(solved)); /* the root of a rate next to 1 may round to 1: solved is 0 then */
    /* Rounding errors may leave the rate an ulp above fpr, and a row must not miss what it was solved for. */
    for (uint64_t more = 1; bloom_rate(items, bits, hashes) > fpr; more *= 2) bits += more;
    return bits;
}

/* log2(1/fpr) hash functions, rounded to the side that takes fewer bits: rounding to the nearest would let a stricter
 * rate cost less (2.28 bits per item at 0.355, 2.23 at 0.35). */
static void plan_bloom(uint64_t items, double fpr, guira_plan_row *row) {
    unsigned hashes = (unsigned)fmax(1, floor(-log2(fpr)));
    uint64_t bits = bloom_bits(items, fpr, hashes);
    uint64_t other = bloom_bits(items, fpr, hashes + 1);
    if (other < bits) {
        bits = other;
        hashes++;
    }
    *row = (guira_plan_row){
        .name = "bloom",
        .bits = hashes,
        .buckets = bits,
        .bytes = (bits + 7) / 8,
        .fpr = bloom_rate(items, bits, hashes),
    };
    finish(row, items, fpr);
}

/* The first of several equals, because the earlier rows can do more. */
static size_t smallest_row(const guira_plan_row *rows) {
    size_t best = GUIRA_PLAN_ROWS - 1; /* Bloom meets any rate, so there always is one */
    for (size_t i = GUIRA_PLAN_ROWS - 1; i-- > 0;)
        if (rows[i].meets && rows[i].bytes <= rows[best].bytes) best = i;
    return best;
}

enum { ROW_FIRST_SIZE = sizeof(guira_plan_row) }; /* version 1 of the struct: never changed again */

/* To the caller's rows, which may be of another size than ours. */
static guira_status rows_out(const guira_plan_row own[GUIRA_PLAN_ROWS], guira_plan_row *rows) {
    size_t size = rows->size, stride = size != 0 ? size : ROW_FIRST_SIZE;
    if (!guira__struct_size_ok(rows, ROW_FIRST_SIZE)) return GUIRA_EINVAL;
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        guira_plan_row *row = (guira_plan_row *)(void *)((char *)rows + i * stride);
        row->size = size;
        guira__struct_out(row, &own[i], ROW_FIRST_SIZE, sizeof own[i]);
    }
    return GUIRA_OK;
}

guira_status guira_plan(uint64_t items, double fpr, double growth, guira_plan_row rows[GUIRA_PLAN_ROWS],
                        size_t *smallest) {
    static const struct slotted tidal = {"tidal", 0.93, 12, layout_of_width, guira__tidal_rate, true};
    static const struct slotted cuckoo = {"cuckoo", 0.95, MIN_WIDTH, cuckoo_layout_of, cuckoo_rate, false};
    guira_plan_row own[GUIRA_PLAN_ROWS];

    /* Written so that NaN fails them. */
    bool fpr_ok = fpr > 0 && fpr < 1;
    bool growth_ok = growth >= 1 && growth <= DBL_MAX;
    if (items == 0 || !fpr_ok || !growth_ok || !rows || !smallest) return GUIRA_EINVAL;
    if (items > most_items) return GUIRA_ELIMIT;

    plan_slotted(&tidal, items, fpr, growth, &own[0]);
    plan_slotted(&cuckoo, items, fpr, growth, &own[1]);
    plan_power_of_two(items, fpr, &own[2]);
    plan_bloom(items, fpr, &own[3]);
    guira_status s = rows_out(own, rows);
    if (s == GUIRA_OK) *smallest = smallest_row(own);
    return s;
}
