/* The data type "MBbloomCF": RedisBloom's cuckoo filters, as its RDB files have them. Such a key loads as a filter of ours
 * with an old part (old_part.h). It keeps the name of its type, since a server does not change that.
 *
 *     RedisBloom writes    filters, buckets, items, deleted, bucket size, max iterations, expansion,
 *                          and for each filter: buckets, slots                               versions up to 4
 *     we write             as for our own filters                                            version OURS
 *
 * If RedisBloom is loaded too, the type belongs to it, and its keys stay its own. */
#include "old_type.h"

#include "memory.h"

redis_type *old_type;

enum { FIRST_WITH_OPTIONS = 4, OURS_WITHOUT_MARK = 100, OURS = 101 };

/* ---------------------------------------------------------------------------------------------------------------- loading */

/* Filters of before version 4 do not have the last four numbers, nor their sub-filters a size: RedisBloom takes the
 * defaults. */
static bool load_shape(redis_io *io, int version, struct old_shape *s) {
    *s = (struct old_shape){.filters = redis.LoadUnsigned(io), .buckets = redis.LoadUnsigned(io)};
    redis.LoadUnsigned(io); /* items: counted again */
    s->bucket_size = 2;
    s->max_iterations = 20;
    s->expansion = 1;
    if (version < FIRST_WITH_OPTIONS) return !redis.IsIOError(io);
    s->deleted = redis.LoadUnsigned(io);
    s->bucket_size = redis.LoadUnsigned(io);
    s->max_iterations = redis.LoadUnsigned(io);
    s->expansion = redis.LoadUnsigned(io);
    return !redis.IsIOError(io) && s->max_iterations >= 1 && s->max_iterations <= MAX_ITERATIONS_LIMIT &&
           s->expansion <= MAX_EXPANSION;
}

/* One sub-filter; false: not valid. */
static bool load_filter(redis_io *io, int version, struct old_shape *s, uint64_t i, uint8_t **slots) {
    size_t n = 0;
    s->buckets_of[i] = version < FIRST_WITH_OPTIONS ? s->buckets : redis.LoadUnsigned(io);
    if (redis.IsIOError(io)) return false;
    char *bytes = redis.LoadStringBuffer(io, &n);
    if (bytes == NULL || redis.IsIOError(io)) return false;
    memory_adopt(bytes);
    *slots = (uint8_t *)bytes;
    const struct old_shape alone = {.filters = 1, .bucket_size = s->bucket_size, .buckets_of = {s->buckets_of[i]}};
    return old_shape_valid(&alone) && old_shape_bytes(&alone) == n;
}

static struct filter *load_filters(redis_io *io, int version, struct old_shape *s, uint8_t **slots) {
    long long before = memory_of_thread();
    uint64_t loaded = 0;
    bool good = s->filters >= 1 && s->filters <= OLD_MAX_FILTERS;
    for (; good && loaded < s->filters; loaded++) good = load_filter(io, version, s, loaded, &slots[loaded]);
    struct old_part *p = good && old_shape_valid(s) ? old_part_create(s) : NULL;
    for (uint64_t i = 0; i < loaded; i++) {
        if (p != NULL) p->filter[i].slots = slots[i];
        else memory_free(slots[i]);
    }
    if (p == NULL) return NULL;
    old_part_count_items(p);
    return filter_create_with_old_part(s, p, before);
}

static void *rdb_load(redis_io *io, int version) {
    struct old_shape s;
    uint8_t *slots[OLD_MAX_FILTERS] = {NULL};
    if (version == OURS || version == OURS_WITHOUT_MARK)
        return filter_rdb_load(&filter_serializer, io, version == OURS);
    struct filter *f = NULL;
    if (version <= FIRST_WITH_OPTIONS && load_shape(io, version, &s)) f = load_filters(io, version, &s, slots);
    if (f == NULL) redis.LogIOError(io, "warning", "guira: not a cuckoo filter of RedisBloom, or not enough memory");
    else filter_changed(f, memory_of_thread()); /* an empty one has no old part any more */
    return f;
}

static void *read_dump(const uint8_t *bytes, size_t n) {
    struct old_shape s;
    long long before = memory_of_thread();
    if (n < OLD_HEADER || !old_shape_parse(bytes, &s) || n != OLD_HEADER + old_shape_bytes(&s)) return NULL;
    if (s.max_iterations < 1 || s.expansion > MAX_EXPANSION) return NULL;
    struct old_part *p = old_part_of_slots(&s, bytes + OLD_HEADER);
    struct filter *f = p != NULL ? filter_create_with_old_part(&s, p, before) : NULL;
    if (f != NULL) filter_changed(f, memory_of_thread());
    return f;
}

const struct serializer old_dump_serializer = {CF_LOADCHUNK, NULL, NULL, read_dump};

bool old_type_register(redis_ctx *ctx) {
    redis_type_methods methods = filter_methods;
    methods.rdb_load = rdb_load;
    old_type = redis.CreateDataType(ctx, "MBbloomCF", OURS, &methods);
    if (old_type == NULL) redis.Log(ctx, "notice", "guira: RedisBloom is loaded too, so its filters are left to it");
    return true;
}
