/* See window.h. A serialized window is the requested false positive rate, followed by the library's file:
 *
 *     [ rate ][ file: see docs/format.md ]
 */
#include "window.h"

#include <string.h>

#include "counters.h"
#include "memory.h"

redis_type *window_type;

enum { RECORD = 8, ENCODING = 1 };

/* ------------------------------------------------------------------------------------------------------------ lifecycle */

void window_changed(struct window *w, long long before) {
    w->bytes = (uint64_t)((long long)w->bytes + memory_of_thread() - before);
}

/* Takes ownership of g, and destroys it if there is no memory. before: memory_of_thread() when g was not there yet. */
static struct window *wrap(guira_window *g, const struct window_options *o, long long before) {
    struct window *w = memory_alloc(sizeof *w);
    if (w == NULL) {
        guira_window_destroy(g);
        return NULL;
    }
    *w = (struct window){.guira = g, .options = *o};
    window_changed(w, before);
    counter_add(&counters.windows, 1);
    return w;
}

guira_status window_create(const struct window_options *o, struct window **out) {
    guira_window_config c = {.length = (uint64_t)o->length, .fpr = o->fpr};
    long long before = memory_of_thread();
    guira_window *g;
    memcpy(c.seed, o->seed, sizeof c.seed);
    *out = NULL;
    guira_status s = guira_window_create(&c, &g);
    if (s != GUIRA_OK) return s;
    *out = wrap(g, o, before);
    return *out != NULL ? GUIRA_OK : GUIRA_ENOMEM;
}

static void window_free(void *value) {
    struct window *w = value;
    guira_window_destroy(w->guira);
    memory_free(w);
    counter_sub(&counters.windows, 1);
}

/* -------------------------------------------------------------------------------------------------------- serialization */

static uint64_t serialized_size(const void *value) {
    const struct window *w = value;
    return RECORD + guira_window_saved_size(w->guira);
}

static bool serialize(const void *value, guira_write_fn *write, void *to) {
    const struct window *w = value;
    uint8_t record[RECORD];
    put_double(record, w->options.fpr);
    return write(to, record, RECORD) && guira_window_save_to(w->guira, write, to) == GUIRA_OK;
}

static void *deserialize(const uint8_t *bytes, size_t n) {
    struct window_options o = {0};
    guira_file info = GUIRA_FILE_INIT;
    guira_config c = {.size = sizeof c};
    long long before = memory_of_thread();
    guira_window *g;
    if (n < RECORD || guira_file_info(bytes + RECORD, n - RECORD, &info, &c) != GUIRA_OK) return NULL;
    if (info.content != GUIRA_FILE_WINDOW || !file_options_allowed(&c)) return NULL;
    o.fpr = get_double(bytes);
    o.length = info.window_length > MAX_WINDOW_MS ? -1 : (long long)info.window_length;
    if (!(o.fpr >= 0 && o.fpr < 1) || o.length < MIN_WINDOW_MS) return NULL;
    if (info.window_now > INT64_MAX) return NULL; /* CFW._SEEN could not carry that time to replicas */
    if (guira_window_load_from(bytes + RECORD, n - RECORD, &g) != GUIRA_OK) return NULL;
    memcpy(o.seed, c.seed, sizeof o.seed);
    return wrap(g, &o, before);
}

const struct serializer window_serializer = {CFW_LOADCHUNK, serialized_size, serialize, deserialize};

/* ------------------------------------------------------------------------------------------------------------ data type */

static void *rdb_load(redis_io *io, int version) {
    return version == ENCODING ? rdb_load_value(&window_serializer, io) : NULL;
}
static void rdb_save(redis_io *io, void *value) { rdb_save_value(&window_serializer, value, io); }
static void digest(redis_digest *to, void *value) { digest_value(&window_serializer, value, to); }
/* The server's part of a timer, its entry in the server's tree of timers, ours, and the name of the key. */
enum { TIMER_BYTES = 112 };

static size_t mem_usage(const void *value) {
    const struct window *w = value;
    return w->bytes + memory_of_server_per_key() + (w->timer != 0 ? TIMER_BYTES : 0);
}

static void aof_rewrite(redis_io *io, redis_string *key, void *value) {
    aof_rewrite_value(&window_serializer, value, false, io, key);
}

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return free_effort_of_bytes(mem_usage(value));
}

static void *copy(redis_string *from, redis_string *to, const void *value) {
    const struct window *w = value;
    long long before = memory_of_thread();
    guira_window *g;
    (void)from;
    (void)to;
    return guira_window_clone(w->guira, &g) == GUIRA_OK ? wrap(g, &w->options, before) : NULL;
}

bool window_register(redis_ctx *ctx) {
    static redis_type_methods methods = {
        .version = REDIS_TYPE_METHODS_VERSION,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage = mem_usage,
        .digest = digest,
        .free = window_free,
        .free_effort = free_effort,
        .copy = copy,
        .defrag = defrag_struct,
    };
    window_type = redis.CreateDataType(ctx, "guira-win", ENCODING, &methods);
    return window_type != NULL;
}
