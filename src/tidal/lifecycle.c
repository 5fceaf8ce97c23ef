/* The life of a tidal filter: making, copying, destroying; and its statistics. */
#include <math.h>

#include "base/alloc.h"
#include "filter/latency.h"
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

struct tidal *guira__tidal_struct_make(const struct guira__ops *ops) {
    struct layout l = ((const struct tidal_ops *)(const void *)ops)->layout;
    struct tidal *f = (struct tidal *)guira__small_alloc(tidal_size(l));
    if (f == NULL) return NULL;
    memset(f, 0, tidal_size(l));
    f->head.ops = ops;
    f->stash = &guira__no_stash;
    return f;
}

static guira_status create(struct stable_regions *regions, bool stays, const struct guira__ops *common,
                           const guira_config *c, guira **out) {
    struct layout l = ((const struct tidal_ops *)(const void *)common)->layout;
    unsigned level;
    uint64_t split, buckets = guira__buckets_for(c->capacity, c->max_load, l);
    if (buckets > MAX_BUCKETS) return GUIRA_ELIMIT;
    guira__table_shape(buckets, &level, &split);
    if (level + 1 >= max_level(l)) return GUIRA_ELIMIT;
    struct tidal *f = guira__tidal_struct_make(common);
    if (f == NULL) return GUIRA_ENOMEM;
    guira__head_init(&f->head, common, c);
    guira_status s = guira__tidal_set_config(f, c) && guira__stash_ready(f, buckets) ? GUIRA_OK : GUIRA_ENOMEM;
    if (s == GUIRA_OK && c->capacity > 0) f->head.rare->floor = buckets;
    if (s == GUIRA_OK) s = guira__table_create(f, level, split, regions, stays);
    if (s == GUIRA_OK) *out = &f->head;
    else guira__tidal_destroy(&f->head);
    return s;
}

guira_status guira__tidal_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    return create(NULL, false, ops, c, out);
}

guira_status guira__tidal_create_in(struct stable_regions *regions, const struct guira__ops *ops, const guira_config *c,
                                    guira **out) {
    return create(regions, true, ops, c, out);
}

static bool stays_big(const struct tidal *f) { return big_of(f) != NULL && big_of(f)->stays; }

guira_status guira__tidal_create_names(const struct tidal *f, guira **out) {
    guira_config c = guira__config_of(&f->head);
    c.capacity = 0;
    return create(NULL, stays_big(f), &tidal_ops(f)->names->common, &c, out);
}

void guira__tidal_destroy(guira *head) {
    struct tidal *f = tidal_of(head);
    guira__elders_destroy(f);
    guira__table_destroy(f);
    guira__stash_free(f);
    guira__rare_free(head);
    guira__small_free(f);
}

void guira__tidal_take_over(struct tidal *f, struct tidal *g) {
    struct tidal old;
    size_t size = tidal_size(tidal_layout(f));
    guira__latency_move(&f->head, &g->head);
    memcpy(&old, f, size);
    memcpy(f, g, size);
    memcpy(g, &old, size);
    guira__table_moved(f);
    guira__tidal_destroy(&g->head);
}

void guira__tidal_set_readers(struct tidal *f, struct readers *readers) {
    big_of(f)->readers = readers;
    if (f->elders == NULL) return;
    big_of(tidal_of(f->elders->names))->readers = readers == NULL ? NULL : readers->of_names;
}

/* --------------------------------------------------------------------------------------------------------------- clone */

static bool rare_copy(const struct tidal *f, struct tidal *to) {
    if (f->head.rare == NULL) return true;
    if (!guira__rare_make(&to->head)) return false;
    *to->head.rare = *f->head.rare;
    to->head.rare->latency = NULL;
    return true;
}

static bool stash_copy(const struct tidal *f, struct tidal *to) {
    if (!guira__stash_make_room(to, f->stash->n)) return false;
    for (uint64_t i = 0; i < f->stash->n; i++) stash_push(to->stash, f->stash->entry[i], STASH_LAST);
    return guira__stash_ready(to, bucket_count(f));
}

/* A struct like f's, without a table, elders or readers. NULL: no memory. */
static struct tidal *like(const struct tidal *f, bool with_stash) {
    struct tidal *g = guira__tidal_struct_make(f->head.ops);
    if (g == NULL) return NULL;
    struct stash *none = g->stash;
    memcpy(g, f, tidal_size(tidal_layout(f)));
    guira__head_copied(&g->head);
    g->head.secret = NULL;
    g->elders = NULL;
    g->stash = none;
    memset(g->flat_start, 0, sizeof g->flat_start);
    if (rare_copy(f, g) && (!with_stash || stash_copy(f, g))) return g;
    guira__tidal_destroy(&g->head);
    return NULL;
}

static guira_status clone(struct stable_regions *regions, bool stays, const struct tidal *f, guira **out) {
    struct tidal *g = like(f, true);
    if (g == NULL) return GUIRA_ENOMEM;
    guira_status s = guira__elders_clone(f, stays, g);
    if (s == GUIRA_OK) s = guira__table_create(g, f->level, tidal_split(f), regions, stays);
    if (s != GUIRA_OK) {
        guira__tidal_destroy(&g->head);
        return s;
    }
    guira__table_copy(f, g);
    *out = &g->head;
    return GUIRA_OK;
}

guira_status guira__tidal_clone(const guira *f, guira **out) {
    return clone(NULL, stays_big(const_tidal_of(f)), const_tidal_of(f), out);
}

guira_status guira__tidal_clone_in(struct stable_regions *regions, const guira *f, guira **out) {
    return clone(regions, true, const_tidal_of(f), out);
}

guira_status guira__tidal_clone_names(const guira *names, bool stays, guira **out) {
    return clone(NULL, stays, const_tidal_of(names), out);
}

guira_status guira__tidal_clone_empty(const guira *head, uint64_t buckets, guira **out) {
    const struct tidal *f = const_tidal_of(head);
    unsigned level;
    uint64_t split;
    struct tidal *g = like(f, false);
    if (g == NULL) return GUIRA_ENOMEM;
    g->has_outside = false;
    g->head.items = g->head.weight = 0;
    guira__table_shape(buckets, &level, &split);
    guira_status s = guira__stash_ready(g, buckets) ? GUIRA_OK : GUIRA_ENOMEM;
    if (s == GUIRA_OK) s = guira__table_create(g, level, split, NULL, stays_big(f));
    if (s == GUIRA_OK) *out = &g->head;
    else guira__tidal_destroy(&g->head);
    return s;
}

/* --------------------------------------------------------------------------------------------------------------- stats */

/* A random key matches an entry that knows K address bits and c of core, from either side, with probability
 * 2 / 2^(K + c). Summed over all entries this is the number of matches to expect, and e^-that the chance of none. */
static double predicted_rate(const struct tidal *f) {
    double weight = (double)f->head.weight + guira__elders_weight(f);
    return -expm1(-ldexp(weight, 1 - ALL_KNOWN - (int)core_bits(tidal_layout(f))));
}

uint64_t guira__tidal_bytes(const struct tidal *f) {
    return guira__small_cost(tidal_size(tidal_layout(f))) + guira__stash_bytes(f) + guira__table_bytes(f);
}

struct stash *guira__tidal_stash(const guira *f) {
    return const_tidal_of(f)->stash;
}

void guira__tidal_stats(const guira *head, guira_stats *out) {
    const struct tidal *f = const_tidal_of(head);
    out->buckets = bucket_count(f);
    out->slots = out->buckets * tidal_layout(f).slots;
    out->bytes = guira__tidal_bytes(f) + guira__elders_bytes(f);
    out->elders = guira__elders_total(f);
    out->load = (double)(head->items - tidal_counted(f)) / (double)out->slots;
    out->fpr = predicted_rate(f);
    guira_config c = guira__config_of(head);
    bool kept = guira__tidal_keeps_rate(&c, tidal_layout(f)) && out->fpr <= c.fpr; /* merging adds rates up */
    out->fpr_kept = kept ? c.fpr : 0;
}
