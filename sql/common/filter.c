/* See filter.h. */
#include "common/filter.h"

#include <string.h>

/* The seed under which texts are hashed to seeds: the first decimals of pi. Not secret. */
static const uint8_t seed_of_seeds[SQL_SEED_BYTES] = {3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 38, 32, 79};

/* Two hashes of the text, under two seeds; an all-zero seed would mean one drawn at random. */
guira_status sql_seed(const char *text, size_t length, uint8_t out[SQL_SEED_BYTES]) {
    for (uint8_t half = 0; half < 2; half++) {
        guira_config c;
        guira *f;
        guira_config_init(&c);
        memcpy(c.seed, seed_of_seeds, sizeof c.seed);
        c.seed[0] = (uint8_t)(c.seed[0] + half);
        guira_status s = guira_create(&c, &f);
        if (s != GUIRA_OK) return s;
        uint64_t hash = guira_hash(f, text, length);
        guira_destroy(f);
        for (unsigned i = 0; i < 8; i++) out[8 * half + i] = (uint8_t)(hash >> 8 * i);
    }
    out[0] |= 1;
    return GUIRA_OK;
}

guira_status sql_create(const uint8_t seed[SQL_SEED_BYTES], double rate, uint64_t items, unsigned slot_bits,
                        guira **out) {
    guira_config c;
    guira_config_init(&c);
    memcpy(c.seed, seed, sizeof c.seed);
    c.fpr = rate;
    c.capacity = items;
    c.slot_bits = slot_bits;
    return guira_create(&c, out);
}

guira_status sql_insert(guira *f, const void *key, size_t length) {
    guira_status s = guira_insert_unique(f, key, length);
    return s == GUIRA_EEXIST ? GUIRA_OK : s;
}

static uint64_t items_of(const guira *f) {
    guira_stats stats = GUIRA_STATS_INIT;
    return guira_stats_get(f, &stats) == GUIRA_OK ? stats.items : 0;
}

guira_status sql_unite(guira **into, const guira *from) {
    guira *copy;
    if (items_of(from) == 0) return GUIRA_OK;
    if (items_of(*into) > 0) return guira_union(*into, from);
    guira_status s = guira_clone(from, &copy);
    if (s != GUIRA_OK) return s;
    guira_destroy(*into);
    *into = copy;
    return GUIRA_OK;
}

static bool append(void *to, const void *bytes, size_t n) {
    char **at = to;
    memcpy(*at, bytes, n);
    *at += n;
    return true;
}

guira_status sql_save(const guira *f, void *to) {
    char *at = to;
    return guira_save_to(f, append, &at);
}

const char *sql_kind_name(guira_kind kind) {
    static const char *const name[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent"};
    return (unsigned)kind < sizeof name / sizeof *name ? name[kind] : "unknown";
}

const char *sql_error(guira_status s) {
    if (s == GUIRA_EFORMAT) return "these bytes are not a guira filter";
    if (s == GUIRA_ECORRUPT) return "the filter is corrupt";
    if (s == GUIRA_ELIMIT) return "no filter can have so low a rate or so many items";
    if (s == GUIRA_ENOENT) return "this filter is no longer open; call guira_open again";
    return guira_strerror(s);
}

const char *sql_union_error(guira_status s) {
    if (s == GUIRA_EINVAL) return "a union needs the same seed, and 12-bit slots in both filters or in none";
    if (s == GUIRA_EUNSUPPORTED) return "a union needs tidal filters";
    return sql_error(s);
}
