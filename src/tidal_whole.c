/* See tidal_whole.h. */
#include "tidal_whole.h"

#include <math.h>

#include "alloc.h"
#include "tidal_elders.h"
#include "tidal_table.h"

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

static unsigned width(const struct tidal *f) { return f->head.ops->slot_bits; }

/* ------------------------------------------------------------------------------------------------------- life and death */

guira_status guira__tidal_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    return guira__tidal_create_on(NULL, ops, c, out);
}

guira_status guira__tidal_create_on(struct ground *ground, const struct guira__ops *ops, const guira_config *c,
                                    guira **out) {
    unsigned w = ops->slot_bits, level;
    uint64_t line, buckets = guira__buckets_for(c->capacity, c->max_load, w);
    if (buckets > MAX_BUCKETS) return GUIRA_ELIMIT;
    guira__table_shape(buckets, &level, &line);
    if (level + 1 >= max_level(w)) return GUIRA_ELIMIT;
    struct tidal *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    f->head.ops = ops;
    f->head.config = *c;
    f->ground = ground;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    f->floor = c->capacity > 0 ? buckets : 0;
    guira__secret_derive(c->seed, f->head.secret);
    f->head.rng = guira__hash(f->head.secret, NULL, 0);
    guira_status s = guira__table_create(f, level, line);
    if (s != GUIRA_OK) {
        guira__free(f);
        return s;
    }
    *out = &f->head;
    return GUIRA_OK;
}

void guira__tidal_destroy(guira *head) {
    struct tidal *f = (struct tidal *)head;
    guira__elders_destroy(f);
    guira__table_destroy(f);
    guira__free(f);
}

/* A struct like f's, seen by nobody, to be given a table. */
static struct tidal *like(const struct tidal *f, struct ground *ground) {
    struct tidal *g = guira__alloc(sizeof *g);
    if (g == NULL) return NULL;
    *g = *f;
    g->view = NULL;
    g->ground = ground;
    g->head.limbo = NULL;
    g->head.moves = NULL;
    g->head.sight = NULL;
    g->head.bytes = guira__alloc_cost(sizeof *g);
    return g;
}

/* Into one that is empty. Word by word, because on a ground somebody who is late may be looking; and no zeros, because
 * where nobody has written yet there need not be any memory. */
static void bucket_copy(uint8_t *to, const uint8_t *from, unsigned w) {
    for (unsigned i = 0; i < bucket_bytes(w); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        if (word != 0) SHOW(*(uint64_t *)(void *)(to + i), word);
    }
}

guira_status guira__tidal_clone(const guira *f, guira **out) { return guira__tidal_clone_on(NULL, f, out); }

guira_status guira__tidal_clone_on(struct ground *ground, const guira *head, guira **out) {
    const struct tidal *f = (const struct tidal *)head;
    struct tidal *g = like(f, ground);
    if (g == NULL) return GUIRA_ENOMEM;
    if (guira__elders_clone(f, g) != GUIRA_OK || guira__table_create(g, f->level, f->line) != GUIRA_OK) {
        guira__tidal_destroy(&g->head);
        return GUIRA_ENOMEM;
    }
    struct walk from = walk_start(f), to = walk_start(g);
    for (const uint8_t *bucket; (bucket = walk_next(&from)) != NULL;) bucket_copy(walk_next(&to), bucket, width(f));
    *out = &g->head;
    return GUIRA_OK;
}

static void be_seen(struct tidal *f, uint64_t *moves, struct limbo *limbo) {
    guira *both[] = {&f->head, f->elders == NULL ? &f->head : f->elders->names};
    for (unsigned i = 0; i < 2; i++) {
        both[i]->limbo = limbo;
        both[i]->moves = moves;
    }
}

void guira__tidal_show(guira *head, struct sight *sight, struct limbo *limbo) {
    struct tidal *f = (struct tidal *)head;
    be_seen(f, &sight->moves, limbo);
    head->sight = sight;
    visible_move(head->moves);
    guira__table_show_flat(f);
    PUBLISH(sight->filter, head);
    visible_move(head->moves);
    watch_beside(f);
}

void guira__tidal_hide(guira *head) {
    be_seen((struct tidal *)head, NULL, NULL);
    head->sight = NULL;
}

/* ------------------------------------------------------------------------------------------------------------------ size */

void guira__tidal_become(struct tidal *f, struct tidal *g) {
    struct tidal old = *f;
    *f = *g;
    *g = old;
    guira__tidal_destroy(&g->head);
}

/* Grows a copy and takes its place, so that memory running out half way leaves no trace. */
static guira_status grow_to(struct tidal *f, uint64_t buckets) {
    guira *copy;
    guira_status s = guira__tidal_clone(&f->head, &copy);
    if (s != GUIRA_OK) return s;
    struct tidal *g = (struct tidal *)copy;
    while (s == GUIRA_OK && bucket_count(g) < buckets) s = copy->ops->grow(copy);
    if (s == GUIRA_OK) guira__tidal_become(f, g);
    else guira__tidal_destroy(copy);
    return s;
}

/* A filter like f, with nothing in it, of that size. */
static guira_status empty_like(const struct tidal *f, uint64_t buckets, guira **out) {
    unsigned level;
    uint64_t line;
    struct tidal *g = like(f, NULL);
    if (g == NULL) return GUIRA_ENOMEM;
    g->elders = NULL;
    g->beside = false;
    g->head.items = g->head.weight = 0;
    g->head.stash = (struct stash){0};
    guira__table_shape(buckets, &level, &line);
    guira_status s = guira__table_create(g, level, line);
    if (s == GUIRA_OK) *out = &g->head;
    else guira__free(g);
    return s;
}

guira_status guira__tidal_clone_empty(const guira *f, guira **out) {
    const struct tidal *t = (const struct tidal *)f;
    return empty_like(t, t->floor, out);
}

static guira_status start_over(struct tidal *f, uint64_t buckets) {
    guira *g;
    guira_status s = empty_like(f, buckets, &g);
    if (s == GUIRA_OK) guira__tidal_become(f, (struct tidal *)g);
    return s;
}

guira_status guira__tidal_reserve(guira *head, uint64_t items) {
    struct tidal *f = (struct tidal *)head;
    uint64_t buckets = guira__buckets_for(items, head->config.max_load, width(f));
    unsigned level;
    uint64_t line;
    if (buckets > MAX_BUCKETS) return GUIRA_ELIMIT;
    guira__table_shape(buckets, &level, &line);
    if (level + 1 >= max_level(width(f))) return GUIRA_ELIMIT;
    if (!guira__memory_has(ldexp((double)buckets, (int)bucket_shift(width(f))))) return GUIRA_ENOMEM;
    guira_status s = GUIRA_OK;
    if (buckets > bucket_count(f)) s = head->items == 0 ? start_over(f, buckets) : grow_to(f, buckets);
    if (s == GUIRA_OK && buckets > f->floor) guira__table_set_floor(f, buckets);
    return s;
}

void guira__tidal_ebb_to_fit(guira *head) {
    struct tidal *f = (struct tidal *)head;
    uint64_t buckets = guira__buckets_for(head->items, head->config.max_load, width(f));
    guira__table_set_floor(f, 0);
    while (bucket_count(f) > buckets && head->ops->shrink(head) == GUIRA_OK) {
    }
}

guira_status guira__tidal_shrink_to_fit(guira *head) {
    struct tidal *f = (struct tidal *)head;
    guira__table_set_floor(f, 0);
    if (head->items == 0) start_over(f, MIN_BUCKETS); /* without memory everything stays as it is: as far as it gets */
    else guira__tidal_ebb_to_fit(head);
    return GUIRA_OK;
}

guira_status guira__tidal_clear(guira *head) {
    struct tidal *f = (struct tidal *)head;
    return start_over(f, f->floor);
}

/* ------------------------------------------------------------------------------------------------------------- looking */

/* A random key matches an entry that knows K address bits and c of core, from either side, with probability
 * 2 / 2^(K + c). Summed over all entries this is the number of matches to expect, and e^-that the chance of none. */
static double predicted_rate(const struct tidal *f) {
    double weight = (double)f->head.weight + guira__elders_weight(f);
    return -expm1(-ldexp(weight, 1 - ALL_KNOWN - (int)core_bits(width(f))));
}

void guira__tidal_stats(const guira *head, guira_stats *out) {
    const struct tidal *f = (const struct tidal *)head;
    out->buckets = bucket_count(f);
    out->slots = out->buckets * bucket_slots(width(f));
    out->bytes = head->bytes + guira__elders_bytes(f);
    out->elders = guira__elders_total(f);
    out->fpr = predicted_rate(f);
}

/* What was found in the table. */
struct tally {
    uint64_t items, weight;
};

/* A name knows all of itself. One that did not would answer for others. */
static bool knows_enough(unsigned known, unsigned w) { return known >= (w == 64 ? ALL_KNOWN : 1); }

ALWAYS_INLINE const char *check_bucket(const uint8_t *bucket, unsigned level, unsigned w, struct tally *sum) {
    for (unsigned j = 0; j < bucket_slots(w); j++) {
        uint64_t s = slot_get(bucket, j, w);
        if (s == 0) continue;
        if ((unsigned)__builtin_ctzll(s) > tail_bits(w)) return "table: a slot without a mark";
        unsigned known = slot_known(s, level, w);
        if (known > ALL_KNOWN) return "table: an entry that knows more than there is";
        if (!knows_enough(known, w)) return "table: a name that is cut short";
        sum->items++;
        sum->weight += weight_of(known);
    }
    if (w == 12 && bucket[15] != 0) return "table: something in the byte between two buckets";
    return NULL;
}

ALWAYS_INLINE const char *check_buckets_of(const struct tidal *f, unsigned w, struct tally *sum) {
    struct walk walk = walk_start(f);
    const char *broken = NULL;
    for (const uint8_t *bucket; broken == NULL && (bucket = walk_next(&walk)) != NULL;)
        broken = check_bucket(bucket, f->level + walk.side, w, sum);
    return broken;
}

/* One for each width: loading waits for this, and a width that the compiler knows makes it four times as fast. */
static const char *check_buckets(const struct tidal *f, struct tally *sum) {
    switch (width(f)) {
    case 12: return check_buckets_of(f, 12, sum);
    case 16: return check_buckets_of(f, 16, sum);
    case 32: return check_buckets_of(f, 32, sum);
    case 64: return check_buckets_of(f, 64, sum);
    default: return check_buckets_of(f, AGED, sum);
    }
}

static const char *check_shape(const struct tidal *f) {
    if (f->level < 1 || f->level + 1 > max_level(width(f))) return "tide line: an impossible level";
    if (f->line >> f->level != 0) return "tide line: beyond the end";
    if (f->tide != f->line << (64 - f->level)) return "tide line: not where the buckets are";
    if (table_is_view(f)) return NULL;
    if (f->array[RIGHT].level != f->level || !f->array[RIGHT].open) return "tide line: no right of its level";
    if (f->array[LEFT].open != (f->line > 0)) return "tide line: a left that is not needed, or none";
    if (f->line > 0 && f->array[LEFT].level != f->level + 1) return "tide line: a left of the wrong level";
    if (f->to_segment != 64 - f->directory_bits) return "directory: lookups use a wrong shift";
    return NULL;
}

/* Each pair of the directory must have what is on this side of the line, and nothing beyond it. */
static const char *check_directory(const struct tidal *f) {
    const struct array *right = &f->array[RIGHT], *left = &f->array[LEFT];
    if (table_is_view(f)) return NULL;
    for (uint64_t i = 0; i < UINT64_C(1) << f->directory_bits; i++) {
        uint64_t r = i >> (f->directory_bits + right->log2_buckets - right->level);
        bool needs_right = (r + 1) << right->log2_buckets > f->line;
        if (array_has(right, r) != needs_right) return "directory: wrong about the right";
        uint64_t l = left->open ? i >> (f->directory_bits + left->log2_buckets - left->level) : 0;
        bool needs_left = left->open && l << left->log2_buckets < 2 * f->line;
        if (array_has(left, l) != needs_left) return "directory: wrong about the left";
        if (needs_right && f->segment[2 * i + RIGHT] == 0) return "directory: nothing on the right";
        if (needs_left && f->segment[2 * i + LEFT] == 0) return "directory: nothing on the left";
    }
    return NULL;
}

static const char *check_stash(const struct tidal *f, struct tally *sum) {
    const struct stash *s = &f->head.stash;
    if (s->n > (width(f) == 64 ? STASH_SIZE : STASH_LAST)) return "stash: more than it can hold";
    for (unsigned i = 0; i < s->n; i++) {
        unsigned known = known_of(s->entry[i]);
        if (s->entry[i].what >> 8 >> (width(f) == AGED ? STAMP_BITS : 0) != 0) return "stash: an impossible stamp";
        if (known > ALL_KNOWN || !knows_enough(known, width(f)))
            return "stash: an entry that knows too much or too little";
        sum->items++;
        sum->weight += weight_of(known);
    }
    if (f->beside != (s->n > 0 || f->elders != NULL)) return "stash: lookups are not told of it, or for nothing";
    return NULL;
}

const char *guira__tidal_check_frame(const struct tidal *f) {
    struct tally stashed = {0, 0};
    const char *broken = check_shape(f);
    if (broken == NULL) broken = check_stash(f, &stashed);
    if (broken == NULL) broken = guira__elders_check_levels(f);
    uint64_t elders = broken == NULL ? guira__elders_total(f) : 0, slots = bucket_count(f) * bucket_slots(width(f));
    if (broken == NULL && (f->head.items < elders || f->head.items - elders > slots + stashed.items))
        return "counters: more items than places";
    return broken;
}

const char *guira__tidal_check(const guira *head) {
    const struct tidal *f = (const struct tidal *)head;
    struct tally sum = {0, 0};
    const char *broken = check_shape(f);
    if (broken == NULL) broken = check_directory(f);
    if (broken == NULL) broken = check_buckets(f, &sum);
    if (broken == NULL) broken = check_stash(f, &sum);
    if (broken == NULL) broken = guira__elders_check(f);
    if (broken == NULL && sum.items + guira__elders_total(f) != head->items) return "counters: items";
    if (broken == NULL && sum.weight != f->head.weight) return "counters: weight";
    return broken;
}

void guira__tidal_dump(const guira *head, guira__sink *sink, void *to) {
    const struct tidal *f = (const struct tidal *)head;
    guira__head_dump(head, sink, to);
    sink(to, &f->level, sizeof f->level);
    sink(to, &f->line, sizeof f->line);
    sink(to, &f->floor, sizeof f->floor);
    struct walk walk = walk_start(f);
    for (const uint8_t *bucket; (bucket = walk_next(&walk)) != NULL;) sink(to, bucket, bucket_bytes(width(f)));
    guira__elders_dump(f, sink, to);
}
