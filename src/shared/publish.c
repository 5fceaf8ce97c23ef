/* What a shard reports to its readers: the hooks of struct readers (tidal/tidal.h). */
#define _GNU_SOURCE
#include "shared/shared.h"

/* Any address shifted by 63 is one of the tail's bits, and the bucket number before it is 0. */
static const uint64_t empty_bucket[8] __attribute__((aligned(64)));

/* No table has level 0. */
static struct flat_table *empty_table(struct shard *shard) { return &shard->flat[0]; }

static uint64_t packed(uintptr_t start, unsigned to_tail) { return (uint64_t)start << 6 | to_tail; }

static struct shard *shard_of(struct readers *r) {
    return (struct shard *)(void *)((char *)r - offsetof(struct shard, readers));
}

static struct shard *shard_of_names(struct readers *r) {
    return (struct shard *)(void *)((char *)r - offsetof(struct shard, names));
}

static void retire(struct readers *r, void *start, size_t size, void (*end)(void *start, size_t size)) {
    guira__retire(&shard_of(r)->retired, start, size, end);
}

static void retire_of_names(struct readers *r, void *start, size_t size, void (*end)(void *start, size_t size)) {
    guira__retire(&shard_of_names(r)->retired, start, size, end);
}

/* The flat table of f's level. What does not change is written once, before a reader can see it. The split array must be
 * there before the split address, so that comes last. */
static const struct flat_table *flat_table_of(struct shard *shard, const struct tidal *f) {
    const uintptr_t *start = f->flat_start;
    bool stable = big_of(f)->array[UNSPLIT].stable && (f->split_address == 0 || big_of(f)->array[SPLIT].stable);
    bool can_be_packed = (uint64_t)(start[UNSPLIT] | start[SPLIT]) >> PACKED_ADDRESS_BITS == 0;
    if (!stable || !can_be_packed) return empty_table(shard);
    struct flat_table *flat = &shard->flat[f->level];
    if (flat->packed[UNSPLIT] == 0) flat->packed[UNSPLIT] = packed(start[UNSPLIT], f->to_tail);
    if (flat->packed[SPLIT] == 0 && start[SPLIT] != 0)
        store_relaxed(flat->packed[SPLIT], packed(start[SPLIT], f->to_tail - 1U));
    store_release(flat->split_address, f->split_address);
    return flat;
}

/* Readers must not rely on the flat table until `outside` takes the flag back, after the version has been incremented. */
static void publish(struct readers *r, const struct tidal *f) {
    struct shard *shard = shard_of(r);
    version_set_flags(r->version, VERSION_NOT_FLAT);
    store_release(shard->root->flat, flat_table_of(shard, f));
}

static void outside(struct readers *r, bool any) {
    bool flat = shard_of(r)->root->flat != empty_table(shard_of(r));
    version_set_flags(r->version, !flat ? VERSION_NOT_FLAT : any ? VERSION_OUTSIDE : 0);
}

void guira__shard_init_readers(struct shard *shard, struct reader_root *root) {
    shard->root = root;
    shard->names = (struct readers){.version = &root->version, .retire = retire_of_names};
    shard->readers = (struct readers){
        .version = &root->version, .of_names = &shard->names, .retire = retire, .publish = publish, .outside = outside};
    *empty_table(shard) = (struct flat_table){.packed = {packed((uintptr_t)empty_bucket, 63)}};
    root->flat = empty_table(shard);
}

void guira__shard_publish(guira_shared *g, unsigned i, guira *f) {
    struct shard *shard = &g->shard[i];
    guira__tidal_set_readers(tidal_of(f), &shard->readers);
    version_bump(shard->readers.version);
    publish(&shard->readers, tidal_of(f));
    store_release(shard->root->filter, f);
    version_bump(shard->readers.version);
    update_has_outside(tidal_of(f));
}

void guira__shard_detach(guira *f) { guira__tidal_set_readers(tidal_of(f), NULL); }
