/* All filters behind one interface; the contracts are in contenders.h. */
#include "contenders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/adaptive.h"
#include "models/bloom.h"
#include "models/cuckoo.h"
#include "models/quotient.h"
#include "theory.h"

enum { CELLS = 4 };
static const double most_load = 0.95;

static void *copied(const void *model, size_t size) {
    void *p = malloc(size);
    if (p == NULL) lab_fatal("no memory for a model");
    return memcpy(p, model, size);
}

static double final_items(struct plan p) { return (double)p.items * p.growth; }

/* The smallest power of two of buckets for so many items at the load 0.95. */
static uint64_t power_of_two_buckets(double items) {
    uint64_t buckets = 1;
    while ((double)(buckets * CELLS) * most_load < items) buckets *= 2;
    return buckets;
}

/* Bits of a fingerprint that is compared with 2 b of others. */
static unsigned fingerprint_bits(double rate) { return (unsigned)ceil(log2(2 * CELLS * most_load / rate)); }

/* ------------------------------------------------------------------------------------------------------------ Bloom */

static void *make_bloom_of(struct plan p, unsigned cell_bits) {
    struct bloom f = bloom_make((uint64_t)final_items(p), p.rate, cell_bits);
    return copied(&f, sizeof f);
}
static void *make_bloom(struct plan p) { return make_bloom_of(p, 1); }
static void *make_counting(struct plan p) { return make_bloom_of(p, 4); }
static void bloom_destroy(void *f) { bloom_free(f), free(f); }
static bool bloom_in(void *f, uint64_t key) { return bloom_insert(f, key), true; }
static bool bloom_has(const void *f, uint64_t key, struct lines *l) { return bloom_contains(f, key, 0, l); }
static bool bloom_out(void *f, uint64_t key) { return bloom_remove(f, key); }
static bool bloom_join(void *into, const void *from) { return bloom_merge(into, from), true; }
static double bloom_size(const void *f) { return bloom_bits(f); }
static double no_slots(const void *f) { return (void)f, 0; }
static double bloom_fpr(const void *f) { return bloom_rate(f); }
static unsigned bloom_width(const void *f) { return ((const struct bloom *)f)->cell_bits; }

/* DBF: every filter of the list adds its rate, so each gets its part. */
static void *make_dbf_of(struct plan p, unsigned cell_bits) {
    struct dbf f = dbf_make(p.items, p.rate / p.growth, cell_bits);
    return copied(&f, sizeof f);
}
static void *make_dbf(struct plan p) { return make_dbf_of(p, 1); }
static void *make_counting_dbf(struct plan p) { return make_dbf_of(p, 4); }
static void dbf_destroy(void *f) { dbf_free(f), free(f); }
static bool dbf_in(void *f, uint64_t key) { return dbf_insert(f, key), true; }
static bool dbf_has(const void *f, uint64_t key, struct lines *l) { return dbf_contains(f, key, l); }
static bool dbf_out(void *f, uint64_t key) { return dbf_remove(f, key); }
static double dbf_size(const void *f) { return dbf_bits(f); }
static double dbf_fpr(const void *f) { return dbf_rate(f); }
static unsigned dbf_width(const void *f) { return ((const struct dbf *)f)->filter[0].cell_bits; }

/* --------------------------------------------------------------------------------------------------------- quotient */

/* A remainder loses a bit with every doubling. */
static void *make_quotient(struct plan p) {
    unsigned q = (unsigned)ceil(log2((double)p.items / most_load));
    unsigned r = (unsigned)ceil(log2(final_items(p) / p.rate)) - q;
    struct quotient f = quotient_make(q, r);
    return copied(&f, sizeof f);
}
static void quotient_destroy(void *f) { quotient_free(f), free(f); }
static bool quotient_in(void *f, uint64_t key) {
    const struct quotient *q = f;
    if ((double)(q->items + 1) > most_load * (double)q->slots && !quotient_double(f)) return false;
    return quotient_insert(f, key);
}
static bool quotient_has(const void *f, uint64_t key, struct lines *l) { return quotient_contains(f, key, l); }
static bool quotient_out(void *f, uint64_t key) { return quotient_remove(f, key); }
static bool quotient_join(void *into, const void *from) {
    const struct quotient *a = into, *b = from;
    while ((double)(a->items + b->items) > most_load * (double)a->slots)
        if (!quotient_double(into)) return false;
    return quotient_merge(into, from);
}
static double quotient_size(const void *f) { return quotient_bits(f); }
static double quotient_slots(const void *f) { return (double)((const struct quotient *)f)->slots; }
static double quotient_fpr(const void *f) { return quotient_rate(f); }
static unsigned quotient_width(const void *f) { return ((const struct quotient *)f)->remainder_bits + 3; }

/* ------------------------------------------------------------------------------------------------------ CF, SCF, ACF */

static void *make_cuckoo_of(struct plan p, bool simplified) {
    struct cuckoo f =
        cuckoo_make(power_of_two_buckets(final_items(p)), CELLS, fingerprint_bits(p.rate), simplified, p.seed);
    return copied(&f, sizeof f);
}
static void *make_cf(struct plan p) { return make_cuckoo_of(p, false); }
static void *make_scf(struct plan p) { return make_cuckoo_of(p, true); }
static void cuckoo_destroy(void *f) { cuckoo_free(f), free(f); }
static bool cuckoo_in(void *f, uint64_t key) { return cuckoo_insert(f, key); }
static bool cuckoo_has(const void *f, uint64_t key, struct lines *l) { return cuckoo_contains(f, key, l); }
static bool cuckoo_out(void *f, uint64_t key) { return cuckoo_remove(f, key); }
static bool cuckoo_join(void *into, const void *from) { return cuckoo_merge(into, from); }
static double cuckoo_size(const void *f) { return cuckoo_bits(f); }
static double cuckoo_slots(const void *f) {
    const struct cuckoo *c = f;
    return (double)(c->buckets * c->slots);
}
static double cuckoo_fpr(const void *f) { return cuckoo_rate(f); }
static unsigned cuckoo_width(const void *f) { return ((const struct cuckoo *)f)->bits; }

static void *make_acf(struct plan p) {
    struct adaptive f = adaptive_make(power_of_two_buckets(final_items(p)), CELLS, fingerprint_bits(p.rate), p.seed);
    return copied(&f, sizeof f);
}
static void acf_destroy(void *f) { adaptive_free(f), free(f); }
static bool acf_in(void *f, uint64_t key) { return adaptive_insert(f, key); }
static bool acf_has(const void *f, uint64_t key, struct lines *l) { return adaptive_contains(f, key, l); }
static bool acf_out(void *f, uint64_t key) { return adaptive_remove(f, key); }
static double acf_size(const void *f) { return adaptive_bits(f); }
static double acf_slots(const void *f) {
    const struct adaptive *a = f;
    return (double)(a->buckets * a->slots);
}
static double acf_fpr(const void *f) { return adaptive_rate(f); }
static unsigned acf_width(const void *f) { return ((const struct adaptive *)f)->bits; }

/* ------------------------------------------------------------------------------------------------------- the library */

static void *make_guira(struct plan p, guira_config c) {
    guira *f;
    uint64_t seed[2] = {mix(p.seed + 1), mix(p.seed + 2)};
    memcpy(c.seed, seed, sizeof c.seed);
    guira_status s = guira_create(&c, &f);
    if (s != GUIRA_OK) lab_fatal("cannot create a filter for %" PRIu64 " items: %s", p.items, guira_strerror(s));
    return f;
}
static void *make_fixed(struct plan p) {
    return make_guira(p, (guira_config){.kind = GUIRA_CUCKOO, .capacity = (uint64_t)final_items(p), .fpr = p.rate});
}
static void *make_dynamic(struct plan p) {
    guira_config c = {.kind = GUIRA_DYNAMIC, .bucket_slots = CELLS, .slot_bits = fingerprint_bits(p.rate / p.growth)};
    c.buckets = (uint64_t)fmax(2, (double)power_of_two_buckets((double)p.items));
    return make_guira(p, c);
}
static void *make_elastic(struct plan p) {
    uint64_t buckets = (uint64_t)fmax(2, ceil((double)p.items / most_load / CELLS));
    guira_config c = {.kind = GUIRA_ELASTIC, .bucket_slots = CELLS, .buckets = buckets};
    c.slot_bits = fingerprint_bits(p.rate); /* of a filter with a power of two of buckets, never extended */
    double copies = exp2(ceil(log2(p.growth)));
    while (theory_ecf_fpr((uint64_t)((double)buckets * copies), CELLS, most_load, c.slot_bits, (unsigned)copies) >
           p.rate)
        c.slot_bits++;
    return make_guira(p, c);
}
static void *make_consistent(struct plan p, guira_policy policy) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .bucket_slots = CELLS, .policy = policy};
    c.capacity = p.items;
    c.slot_bits = theory_ccf_bits(final_items(p), p.rate);
    return make_guira(p, c);
}
static void *make_i2cf(struct plan p) { return make_consistent(p, GUIRA_BUCKET_LEVEL); }
static void *make_ccf(struct plan p) { return make_consistent(p, GUIRA_BOTH_LEVELS); }
static void *make_tidal(struct plan p) {
    guira_config c = {.kind = GUIRA_TIDAL, .capacity = p.items, .fpr = p.rate, .growth = p.growth};
    return make_guira(p, c);
}
static void destroy_guira(void *f) { guira_destroy(f); }
static bool guira_in(void *f, uint64_t key) { return guira_insert(f, &key, sizeof key) == GUIRA_OK; }
static bool guira_out(void *f, uint64_t key) { return guira_remove(f, &key, sizeof key) == GUIRA_OK; }
static bool guira_has(const void *f, uint64_t key, struct lines *l) {
    return (void)l, guira_contains(f, &key, sizeof key);
}
static bool guira_join(void *into, const void *from) { return guira_merge(into, from) == GUIRA_OK; }
static double guira_size(const void *f) { return 8.0 * (double)lab_stats(f).bytes; }
static double guira_slots(const void *f) { return (double)lab_stats(f).slots; }
static double guira_fpr(const void *f) { return lab_stats(f).fpr; }
static unsigned guira_width(const void *f) {
    guira_config c;
    guira_config_init(&c);
    return guira_config_get(f, &c) == GUIRA_OK ? c.slot_bits : 0;
}

#define LIBRARY guira_in, guira_has, guira_out
#define MEASURES guira_size, guira_slots, guira_fpr, guira_width

const struct contender contenders[CONTENDERS] = {
    {"Bloom", "BF", false, true, make_bloom, bloom_destroy, bloom_in, bloom_has, NULL, bloom_join, bloom_size, no_slots,
     bloom_fpr, bloom_width},
    {"counting Bloom", "", false, true, make_counting, bloom_destroy, bloom_in, bloom_has, bloom_out, bloom_join,
     bloom_size, no_slots, bloom_fpr, bloom_width},
    {"DBF", "DBF", true, true, make_dbf, dbf_destroy, dbf_in, dbf_has, NULL, NULL, dbf_size, no_slots, dbf_fpr,
     dbf_width},
    {"DBF with counters", "", true, true, make_counting_dbf, dbf_destroy, dbf_in, dbf_has, dbf_out, NULL, dbf_size,
     no_slots, dbf_fpr, dbf_width},
    {"quotient", "", true, true, make_quotient, quotient_destroy, quotient_in, quotient_has, quotient_out,
     quotient_join, quotient_size, quotient_slots, quotient_fpr, quotient_width},
    {"CF", "CF", false, true, make_cf, cuckoo_destroy, cuckoo_in, cuckoo_has, cuckoo_out, cuckoo_join, cuckoo_size,
     cuckoo_slots, cuckoo_fpr, cuckoo_width},
    {"SCF", "SCF", false, true, make_scf, cuckoo_destroy, cuckoo_in, cuckoo_has, cuckoo_out, cuckoo_join, cuckoo_size,
     cuckoo_slots, cuckoo_fpr, cuckoo_width},
    {"ACF", "ACF", false, true, make_acf, acf_destroy, acf_in, acf_has, acf_out, NULL, acf_size, acf_slots, acf_fpr,
     acf_width},
    {"cuckoo", "", false, false, make_fixed, destroy_guira, LIBRARY, guira_join, MEASURES},
    {"DCF", "DCF", true, false, make_dynamic, destroy_guira, LIBRARY, guira_join, MEASURES},
    {"ECF", "", true, false, make_elastic, destroy_guira, LIBRARY, guira_join, MEASURES},
    {"I2CF", "I2CF", true, false, make_i2cf, destroy_guira, LIBRARY, guira_join, MEASURES},
    {"CCF", "CCF", true, false, make_ccf, destroy_guira, LIBRARY, guira_join, MEASURES},
    {"tidal", "", true, false, make_tidal, destroy_guira, LIBRARY, guira_join, MEASURES},
};

const struct contender *contender_named(const char *name) {
    for (int i = 0; i < CONTENDERS; i++)
        if (strcmp(contenders[i].name, name) == 0) return &contenders[i];
    lab_fatal("no filter is named %s", name);
}

/* ------------------------------------------------------------------------------------------------------- cache lines */

/* The mean over all positions of a bucket; one of 15 bytes (ten slots of 12 bits) takes 16. */
static double lines_of_a_bucket(unsigned slots, unsigned width) {
    uint64_t bits = (uint64_t)slots * width, bytes = (bits + 7) / 8, total = 0;
    if (bytes == 15) bytes = 16;
    for (uint64_t i = 0; i < LINE_BITS; i++) {
        struct lines l = {.n = 0};
        lines_touch(&l, 0, i * bytes * 8, bits);
        total += l.n;
    }
    return (double)total / LINE_BITS;
}

/* A binary search among so many points of 96 bits (a position and the number of a bucket). */
static double lines_of_a_search(uint64_t points) {
    enum { SEARCHES = 1000 };
    struct lab_rng r = {points};
    uint64_t total = 0;
    for (int i = 0; i < SEARCHES; i++) {
        struct lines l = {.n = 0};
        uint64_t low = 0, high = points, wanted = lab_rng_below(&r, points);
        while (low < high) {
            uint64_t middle = (low + high) / 2;
            lines_touch(&l, 0, middle * 96, 96);
            if (middle < wanted) low = middle + 1;
            else high = middle;
        }
        total += l.n;
    }
    return (double)total / SEARCHES;
}

double contender_library_lines(const guira *f) {
    guira_config c;
    guira_config_init(&c);
    guira_stats s = lab_stats(f);
    if (guira_config_get(f, &c) != GUIRA_OK || s.buckets == 0) lab_fatal("cannot read a configuration");
    double bucket = lines_of_a_bucket((unsigned)(s.slots / s.buckets), c.slot_bits), filters = (double)s.filters;
    if (c.kind != GUIRA_CONSISTENT) return 2 * filters * bucket;
    double points = (double)s.buckets * c.virtual_nodes / filters;
    return filters * c.candidates * (lines_of_a_search((uint64_t)points) + bucket);
}
