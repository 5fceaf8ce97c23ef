/* What it costs to hold n items at a false-positive rate e, and which kind costs least.
 *
 * The one idea: each kind says what its configuration leads to, as guira_create would; only the Bloom filter, which this
 * library does not have, is computed here.
 *
 * A cuckoo filter pays log2(1/e) + 3 bits and a share of empty slots for an item, a Bloom filter 1.44 * log2(1/e). So Bloom
 * is smaller at high rates and cuckoo at low ones; with slots of any width, four to a bucket, and load 0.95 they meet at
 * about 0.4 %. (At 3 % Bloom is smaller, although the reverse is often claimed.) For growth a tidal filter pays
 * log2(1 + ln(growth)) bits, the papers' kinds log2(growth): their rate is proportional to the items.
 *
 * Not counted: keys whose whole 64-bit hashes agree, n / 2^64 of them. It is 5e-10 at 2^33 items, where the best slot
 * reaches 3.5e-9. */
#include <float.h>
#include <math.h>

#include "kinds/kinds.h"

/* Even at the smallest double as rate no row needs more than 2^60 bits for these, so no product below overflows. */
static const uint64_t most_items = UINT64_C(1) << 48;

enum { WIDEST = 32, BLOOM = GUIRA_PLAN_ROWS - 1 };

static void finish(guira_plan_row *row, uint64_t items, double fpr) {
    row->bits_per_item = 8.0 * (double)row->bytes / (double)items;
    row->meets = row->fpr <= fpr;
}

/* ------------------------------------------------------------------------------------------------- what can be made */

struct request {
    uint64_t items;
    double fpr;
    double growth; /* as the caller says it; 0: the default */
    double factor; /* what that means */
};

/* The rate of the papers' kinds is proportional to the items, and their fpr is for the capacity. */
static guira_config config_for(guira_kind kind, const struct request *r) {
    bool of_a_paper = kind >= GUIRA_DYNAMIC;
    return (guira_config){
        .kind = kind,
        .capacity = r->items,
        .fpr = of_a_paper ? fmax(r->fpr / r->factor, DBL_TRUE_MIN) : r->fpr,
        .growth = r->growth,
    };
}

/* If no width keeps the rate, the row is for the widest slots, and does not meet it. */
static void plan_kind(guira_kind kind, const char *name, const struct request *r, guira_plan_row *row) {
    guira_config c = config_for(kind, r);
    *row = (guira_plan_row){.name = name, .grows = kind != GUIRA_CUCKOO, .removes = true, .kind = kind};
    guira_status s = guira__kind_plan(&c, r->factor, row);
    if (s == GUIRA_ELIMIT) {
        c = config_for(kind, r);
        c.slot_bits = WIDEST;
        s = guira__kind_plan(&c, r->factor, row);
    }
    row->available = s == GUIRA_OK;
    row->bits = c.slot_bits;
    row->bucket_slots = c.bucket_slots;
    if (!row->available) {
        row->buckets = row->bytes = 0;
        row->fpr = 1;
    }
    finish(row, r->items, r->fpr);
}

/* ------------------------------------------------------------------------------------------------------------- bloom */

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
static void plan_bloom(const struct request *r, guira_plan_row *row) {
    const uint64_t items = r->items;
    const double fpr = r->fpr;
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

/* ---------------------------------------------------------------------------------------------------------- the rows */

/* The first of several equals, because the earlier rows can do more. */
static size_t smallest_row(const guira_plan_row *rows) {
    size_t best = BLOOM; /* it meets any rate, so there always is one */
    for (size_t i = BLOOM; i-- > 0;)
        if (rows[i].meets && rows[i].bytes <= rows[best].bytes) best = i;
    return best;
}

enum { ROW_FIRST_SIZE = sizeof(guira_plan_row) }; /* version 1 of the struct: never changed again */

/* To the caller's rows, which may be of another size than ours. */
static guira_status rows_out(const guira_plan_row own[GUIRA_PLAN_ROWS], guira_plan_row *rows) {
    size_t size = rows->size, stride = size != 0 ? size : (size_t)ROW_FIRST_SIZE;
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
    static const char *const names[BLOOM] = {
        [GUIRA_TIDAL] = "tidal",     [GUIRA_CUCKOO] = "cuckoo",         [GUIRA_DYNAMIC] = "dynamic",
        [GUIRA_ELASTIC] = "elastic", [GUIRA_CONSISTENT] = "consistent",
    };
    guira_plan_row own[GUIRA_PLAN_ROWS];

    /* Written so that NaN fails them. */
    bool fpr_ok = fpr > 0 && fpr < 1;
    bool growth_ok = growth == 0 || (growth >= 1 && growth <= 1e18);
    if (items == 0 || !fpr_ok || !growth_ok || !rows || !smallest) return GUIRA_EINVAL;
    if (items > most_items) return GUIRA_ELIMIT;

    double factor = growth > 0 ? growth : fmax(1, CONFIG_GROWS_TO / (double)items);
    struct request r = {items, fpr, growth, factor};
    for (unsigned kind = 0; kind < BLOOM; kind++) plan_kind((guira_kind)kind, names[kind], &r, &own[kind]);
    plan_bloom(&r, &own[BLOOM]);
    guira_status s = rows_out(own, rows);
    if (s == GUIRA_OK) *smallest = smallest_row(own);
    return s;
}
