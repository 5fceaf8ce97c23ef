/* The life of a tidal filter: making, copying, destroying; and its statistics. */
#include <math.h>

#include "base/alloc.h"
#include "tidal/config.h"
#include "tidal/elders.h"
#include "tidal/table.h"

/* Displacements of partners: random, the top bit set so that partners are in opposite halves of the table, the last six
 * bits clear so that the core stays as it is. XOR with a constant keeps partners partners at every level. */
const uint64_t guira__displacement[64] = {
    0x867ce0444d03ad80, 0xb3cd554079c71e40, 0xb7d943f8c4293bc0, 0xd4156625a93d5100, 0xa956522f9ae1ef80,
    0xad68a7045a03a640, 0xb38980ffb28a7d40, 0xccc098ffc7878ec0, 0xa0f7f64b73c8fc40, 0xeb2e362b313e5000,
    0xbdb6544cf2ddb680, 0x984eeee4fe00a5c0, 0x8bd91ad9e0f08bc0, 0x842a8b9b3d644740, 0xafced4f1ae91f140,
    0x942d3c1c2669d400, 0xeac1d7498b344ec0, 0xa8b0b1647eb3ea80, 0x837b7c77dee8a940, 0xc75df77fd33cad80,
    0xb637ebf7b7ccfc80, 0xd719cd945625c900, 0xee9806bfda0e4b40, 0xa37a18b2c5fb0a00, 0xf6086d215d6a4040,
    0xf1d365d45dd68180, 0xacfe7330a0f80a80, 0x8b2e91638b762c00, 0xec92b7a09c587b40, 0xdc2a3cbb021afb00,
    0x8e180ebbecec7e40, 0xc56f4c824ca29d00, 0xd3343c71c2bd7940, 0x983d3256e546f480, 0xe10b8cfd5a7e8ec0,
    0xe80bf9e1f158f200, 0xd34f7adfcf055400, 0xbd024788164b1800, 0xd12abb2935bf0840, 0x9890b0f7c4f822c0,
    0xe8429a1a08cd2b00, 0x98389e8ba3a78a00, 0xa2e902e371e1e2c0, 0xf2ee6985f6a88940, 0xd8e96804f74373c0,
    0x89abbaf4bdd2f740, 0x9fb05f62dbdbaa40, 0xe202bb783c402b00, 0x9cd43c481ceb3600, 0xeb24da7d4f375180,
    0xc0bfdc9a9e6c3d40, 0x9c551dd2cd3a9300, 0xa6fbac7f59a295c0, 0x8595990400414500, 0xa212647c4354fc40,
    0xe4ea2fb94ff7c800, 0xca22a0cfad0ba3c0, 0xa32b24e3d6dd2680, 0xa683cd8bef864640, 0xa7da83c29410f940,
    0xa794fd3cb02eb9c0, 0xa7718e29509b0300, 0xc85ee9d2a14521c0, 0x8ad48c2e8a1b0000,
};

/* -------------------------------------------------------------------------------------------------- create, destroy */

guira_status guira__tidal_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    return guira__tidal_create_in(NULL, ops, c, out);
}

guira_status guira__tidal_create_in(struct stable_regions *regions, const struct guira__ops *common,
                                    const guira_config *c, guira **out) {
    const struct tidal_ops *ops = (const struct tidal_ops *)common;
    unsigned level;
    uint64_t split, buckets = guira__buckets_for(c->capacity, c->max_load, ops->layout);
    if (buckets > MAX_BUCKETS) return GUIRA_ELIMIT;
    guira__table_shape(buckets, &level, &split);
    if (level + 1 >= max_level(ops->layout)) return GUIRA_ELIMIT;
    struct tidal *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    guira__head_init(&f->head, common, c);
    f->ops = ops;
    f->regions = regions;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    f->floor = c->capacity > 0 ? buckets : 0;
    guira_status s = guira__table_create(f, level, split);
    if (s != GUIRA_OK) {
        guira__free(f);
        return s;
    }
    *out = &f->head;
    return GUIRA_OK;
}

void guira__tidal_destroy(guira *head) {
    struct tidal *f = tidal_of(head);
    guira__elders_destroy(f);
    guira__table_destroy(f);
    guira__free(f);
}

void guira__tidal_take_over(struct tidal *f, struct tidal *g) {
    struct tidal old = *f;
    *f = *g;
    *g = old;
    guira__tidal_destroy(&g->head);
}

void guira__tidal_set_readers(struct tidal *f, struct readers *readers) {
    f->readers = readers;
    if (f->elders == NULL) return;
    tidal_of(f->elders->names)->readers = readers == NULL ? NULL : readers->of_names;
}

/* --------------------------------------------------------------------------------------------------------------- clone */

/* A struct like f's, without a table and without readers. */
static struct tidal *like(const struct tidal *f, struct stable_regions *regions) {
    struct tidal *g = guira__alloc(sizeof *g);
    if (g == NULL) return NULL;
    *g = *f;
    g->directory = NULL;
    g->regions = regions;
    g->readers = NULL;
    g->head.bytes = guira__alloc_cost(sizeof *g);
    return g;
}

/* Into an empty bucket. Word by word or byte by byte, because in a stable region a late reader may be reading; and no zeros, because where
 * nothing was written yet there need not be any memory. */
static void bucket_copy(uint8_t *to, const uint8_t *from, struct layout l) {
    bool words = l.form == FORM_WORDS || l.form == FORM_PACKED;
    for (unsigned i = 0; words && i < l.bucket_bytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        if (word != 0) store_relaxed(*(uint64_t *)(void *)(to + i), word);
    }
    for (unsigned i = 0; !words && i < l.bucket_bytes; i++)
        if (from[i] != 0) store_relaxed(to[i], from[i]);
}

guira_status guira__tidal_clone(const guira *f, guira **out) { return guira__tidal_clone_in(NULL, f, out); }

guira_status guira__tidal_clone_in(struct stable_regions *regions, const guira *head, guira **out) {
    const struct tidal *f = const_tidal_of(head);
    struct tidal *g = like(f, regions);
    if (g == NULL) return GUIRA_ENOMEM;
    if (guira__elders_clone(f, g) != GUIRA_OK || guira__table_create(g, f->level, f->split) != GUIRA_OK) {
        guira__tidal_destroy(&g->head);
        return GUIRA_ENOMEM;
    }
    struct bucket_walk from = walk_start(f), to = walk_start(g);
    for (const uint8_t *bucket; (bucket = walk_next(&from)) != NULL;)
        bucket_copy(walk_next(&to), bucket, tidal_layout(f));
    *out = &g->head;
    return GUIRA_OK;
}

guira_status guira__tidal_clone_empty(const guira *head, uint64_t buckets, guira **out) {
    unsigned level;
    uint64_t split;
    struct tidal *g = like(const_tidal_of(head), NULL);
    if (g == NULL) return GUIRA_ENOMEM;
    g->elders = NULL;
    g->head.items = g->head.weight = 0;
    g->head.stash = (struct stash){0};
    guira__table_shape(buckets, &level, &split);
    guira_status s = guira__table_create(g, level, split);
    if (s == GUIRA_OK) *out = &g->head;
    else guira__free(g);
    return s;
}

/* --------------------------------------------------------------------------------------------------------------- stats */

/* A random key matches an entry that knows K address bits and c of core, from either side, with probability
 * 2 / 2^(K + c). Summed over all entries this is the number of matches to expect, and e^-that the chance of none. */
static double predicted_rate(const struct tidal *f) {
    double weight = (double)f->head.weight + guira__elders_weight(f);
    return -expm1(-ldexp(weight, 1 - ALL_KNOWN - (int)core_bits(tidal_layout(f))));
}

void guira__tidal_stats(const guira *head, guira_stats *out) {
    const struct tidal *f = const_tidal_of(head);
    out->buckets = bucket_count(f);
    out->slots = out->buckets * tidal_layout(f).slots;
    out->bytes = head->bytes + guira__elders_bytes(f);
    out->elders = guira__elders_total(f);
    out->fpr = predicted_rate(f);
    out->fpr_kept = guira__tidal_keeps_rate(&head->config, tidal_layout(const_tidal_of(head))) ? head->config.fpr : 0;
}
