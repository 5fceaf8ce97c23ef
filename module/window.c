/* See window.h. As a stream a window is the rate that was asked for and the library's file. */
#include "window.h"

#include <string.h>

#include "memory.h"
#include "totals.h"

redis_type *window_type;

/* The first section of a window's file is its clock, which starts with the length (docs/format.md, docs/window.md). */
enum { RECORD = 8, AT_LENGTH = FILE_HEADER + 64, SHORTEST_FILE = AT_LENGTH + 64, ENCODING = 1 };

/* ------------------------------------------------------------------------------------------------------ life and death */

/* g is the window's from now on, or destroyed if there is no memory. */
static struct window *wrap(guira_window *g, const struct window_options *o) {
    struct window *w = memory_take(sizeof *w);
    if (w == NULL) {
        guira_window_destroy(g);
        return NULL;
    }
    *w = (struct window){.guira = g, .options = *o};
    count_up(&totals.windows, 1);
    return w;
}

guira_status window_create(const struct window_options *o, struct window **out) {
    guira_window_config c = {.length = (uint64_t)o->length, .fpr = o->error};
    guira_window *g;
    memcpy(c.seed, o->seed, sizeof c.seed);
    *out = NULL;
    guira_status s = guira_window_create(&c, &g);
    if (s != GUIRA_OK) return s;
    *out = wrap(g, o);
    return *out != NULL ? GUIRA_OK : GUIRA_ENOMEM;
}

static void drop(void *value) {
    struct window *w = value;
    guira_window_destroy(w->guira);
    memory_give(w);
    count_down(&totals.windows, 1);
}

uint64_t window_bytes(const struct window *w) {
    guira_stats s;
    guira_window_stats_get(w->guira, &s);
    return sizeof *w + s.bytes;
}

/* ---------------------------------------------------------------------------------------------------------- as a stream */

static uint64_t stream_size(const void *value) {
    const struct window *w = value;
    return RECORD + guira_window_saved_size(w->guira);
}

static bool stream_write(const void *value, guira_write_fn *write, void *to) {
    const struct window *w = value;
    uint8_t record[RECORD];
    put_fraction(record, w->options.error);
    return write(to, record, RECORD) && guira_window_save_to(w->guira, write, to) == GUIRA_OK;
}

static void *stream_read(const uint8_t *bytes, size_t n, int flags) {
    struct window_options o = {0};
    guira_window *g;
    (void)flags;
    if (n < RECORD + SHORTEST_FILE) return NULL;
    const uint8_t *file = bytes + RECORD;
    o.error = get_fraction(bytes);
    o.length = (long long)get_number(file + AT_LENGTH);
    if (!(o.error >= 0 && o.error < 1) || o.length < SHORTEST_WINDOW || o.length > LONGEST_WINDOW) return NULL;
    if (!file_is_tame(file) || guira_window_load_from(file, n - RECORD, &g) != GUIRA_OK) return NULL;
    memcpy(o.seed, file + AT_SEED, sizeof o.seed);
    return wrap(g, &o);
}

const struct codec window_codec = {"CFW._LOADCHUNK", stream_size, stream_write, stream_read};

/* ------------------------------------------------------------------------------------------------------------ as a type */

static void *rdb_load(redis_io *io, int version) { return version == ENCODING ? codec_load(&window_codec, io) : NULL; }
static void rdb_save(redis_io *io, void *value) { codec_save(&window_codec, value, io); }
static void digest(redis_digest *to, void *value) { codec_digest(&window_codec, value, to); }
static size_t mem_usage(const void *value) { return window_bytes(value); }

static void aof_rewrite(redis_io *io, redis_string *key, void *value) { codec_rewrite(&window_codec, value, io, key); }

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return value_effort(window_bytes(value));
}

static void *copy(redis_string *from, redis_string *to, const void *value) {
    const struct window *w = value;
    guira_window *g;
    (void)from;
    (void)to;
    return guira_window_clone(w->guira, &g) == GUIRA_OK ? wrap(g, &w->options) : NULL;
}

bool window_register(redis_ctx *ctx) {
    static redis_type_methods methods = {
        .version = REDIS_TYPE_METHODS_VERSION,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage = mem_usage,
        .digest = digest,
        .free = drop,
        .free_effort = free_effort,
        .copy = copy,
        .defrag = value_defrag,
    };
    window_type = redis.CreateDataType(ctx, "guira-win", ENCODING, &methods);
    return window_type != NULL;
}
