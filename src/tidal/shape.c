/* The shape of a table: how many buckets it takes for so many items, and what lookups and policies derive from its split
 * pointer and from where its memory is. Nothing here allocates. See table.h. */
#include <math.h>

#include "filter/latency.h"
#include "tidal/config.h"
#include "tidal/elders.h"
#include "tidal/rate.h"
#include "tidal/table.h"

void guira__table_shape(uint64_t buckets, unsigned *level, uint64_t *split) {
    if (buckets < MIN_BUCKETS) buckets = MIN_BUCKETS;
    *level = 63U - (unsigned)__builtin_clzll(buckets);
    *split = buckets - (UINT64_C(1) << *level);
}

uint64_t guira__items_at(uint64_t buckets, double load, struct layout l) {
    return (uint64_t)(load * (double)(buckets * l.slots));
}

uint64_t guira__buckets_for(uint64_t items, double load, struct layout l) {
    double wanted = ceil((double)items / (load * l.slots));
    if (wanted > (double)MAX_BUCKETS) return MAX_BUCKETS + 1;
    uint64_t buckets = (uint64_t)wanted;
    while (guira__items_at(buckets, load, l) < items) buckets++; /* rounding may lose one */
    return buckets < MIN_BUCKETS ? (uint64_t)MIN_BUCKETS : buckets;
}

uint64_t guira__table_needs(const struct tidal *f, uint64_t items) {
    double max_load, min_load;
    guira__tidal_loads(f, &max_load, &min_load);
    return guira__buckets_for(items, max_load, tidal_layout(f));
}

static void thresholds(struct tidal *f) {
    uint64_t buckets = bucket_count(f);
    double max_load, min_load;
    struct layout l = tidal_layout(f);
    guira__tidal_loads(f, &max_load, &min_load);
    f->grow_at = guira__items_at(buckets, max_load, l) + tidal_counted(f);
    f->shrink_at = 0;
    if (min_load < 0 || buckets <= tidal_floor(f) || buckets <= MIN_BUCKETS) return;
    uint64_t sparse = (uint64_t)ceil(min_load * (double)(buckets * l.slots));
    uint64_t fits = guira__items_at(buckets - 1, max_load, l) + 1; /* in small tables: not so far as to grow again */
    f->shrink_at = (sparse < fits ? sparse : fits) + tidal_counted(f);
}

/* A small filter has no place for it, and computes it when needed. */
static void set_rate_limit(struct tidal *f) {
    if (big_of(f) != NULL) big_of(f)->limit = guira__rate_limit(f);
}

static void refresh_by_directory(struct tidal *f) {
    const struct big *b = big_of(f);
    f->segment = b->directory->segment;
    f->to_segment = (uint8_t)b->directory->to_segment;
    f->flat_start[UNSPLIT] = (uintptr_t)b->array[UNSPLIT].region;
    f->flat_start[SPLIT] = (uintptr_t)b->array[SPLIT].region;
}

/* One pair would do, but to_segment must be a legal shift. */
static void refresh_in_one_piece(struct tidal *f) {
    f->segment = big_of(f) == NULL ? f->flat_start : big_of(f)->of_view;
    f->to_segment = 63;
    for (unsigned side = UNSPLIT; side <= SPLIT; side++)
        f->segment[side] = f->segment[AGAIN + side] = f->flat_start[side];
}

/* False: an address is too long, so lookups must use the directory. */
static bool refresh_packed(struct tidal *f) {
    for (unsigned side = UNSPLIT; side <= SPLIT; side++) {
        uint64_t start = f->flat_start[side];
        if (sizeof(uintptr_t) < 8 || start >> PACKED_ADDRESS_BITS != 0) return false;
        f->flat_start[PACKED + side] = (uintptr_t)(start << 6 | (f->to_tail - side));
    }
    return true;
}

void guira__table_moved(struct tidal *f) {
    if (in_one_piece(f)) refresh_in_one_piece(f);
    else refresh_by_directory(f);
    f->to_tail = (uint8_t)to_tail_at(f->level, tidal_layout(f));
    bool flat = big_of(f) != NULL && is_flat(f) && !knows_all(tidal_layout(f)) && refresh_packed(f);
    guira__latency_set_contains(&f->head, flat ? tidal_ops(f)->contains_flat : tidal_ops(f)->common.contains);
    thresholds(f);
    set_rate_limit(f);
}

void guira__table_set_floor(struct tidal *f, uint64_t buckets) {
    uint64_t least = tidal_least(f) < bucket_count(f) ? tidal_least(f) : bucket_count(f); /* less: only in a file */
    if (f->head.rare != NULL) f->head.rare->floor = buckets > least ? buckets : least;
    if (tidal_readers(f) == NULL) guira__rare_trim(&f->head); /* they read the configuration */
    thresholds(f);
    set_rate_limit(f);
}

void guira__table_set_counted(struct tidal *f, uint64_t copies) {
    f->elders->counted = copies;
    thresholds(f);
}
