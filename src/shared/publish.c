/* What a shard reports to its readers: the hooks of struct readers (tidal/tidal.h). */
#define _GNU_SOURCE
#include "shared/shared.h"

/* Any address shifted by 63 is one of the tail's bits, and the bucket number before it is 0. */
static const uint64_t empty_bucket[8] __attribute__((aligned(64)));
const struct flat_table guira__empty_table = {{(uintptr_t)empty_bucket, (uintptr_t)empty_bucket}, {63, 63}, 0};

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
    bool stable = big_of(f)->array[UNSPLIT].stable && (f->split_address == 0 || big_of(f)->array[SPLIT].stable);
    if (!stable) return &guira__empty_table;
    struct flat_table *flat = &shard->flat[f->level];
    if (flat->start[UNSPLIT] == 0) {
        flat->to_tail[UNSPLIT] = f->to_tail;
        flat->to_tail[SPLIT] = f->to_tail - 1U;
        flat->start[UNSPLIT] = f->flat_start[UNSPLIT];
    }
    if (flat->start[SPLIT] == 0) flat->start[SPLIT] = f->flat_start[SPLIT];
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
    bool flat = shard_of(r)->root->flat != &guira__empty_table;
    version_set_flags(r->version, !flat ? VERSION_NOT_FLAT : any ? VERSION_OUTSIDE : 0);
}

void guira__shard_init_readers(struct shard *shard, struct reader_root *root) {
    shard->root = root;
    shard->names = (struct readers){.version = &root->version, .retire = retire_of_names};
    shard->readers = (struct readers){
        .version = &root->version, .of_names = &shard->names, .retire = retire, .publish = publish, .outside = outside};
    root->flat = &guira__empty_table;
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
