/* See line_work.h. */
#include "line_work.h"

#include <string.h>

#include "report.h"

struct worker {
    struct key_reader *keys;
    struct time_reader *time; /* NULL: no times */
    struct hasher hasher;
};

static uint64_t hash_for_filter(const void *f, const void *key, size_t n) { return guira_hash(f, key, n); }
static uint64_t hash_for_window(const void *w, const void *key, size_t n) { return guira_window_hash(w, key, n); }

struct hasher hasher_of_filter(const guira *f) {
    return (struct hasher){hash_for_filter, f};
}
struct hasher hasher_of_window(const guira_window *w) {
    return (struct hasher){hash_for_window, w};
}

struct hasher hasher_twin_of_filter(const guira *f) {
    guira_config config = {.size = sizeof config}, small;
    guira *twin;
    guira_config_get(f, &config);
    guira_config_init(&small);
    memcpy(small.seed, config.seed, sizeof small.seed);
    small.kind = GUIRA_CUCKOO; /* has its secret at hand; a small tidal filter derives it from the seed */
    small.capacity = 1;
    if (guira_create(&small, &twin) != GUIRA_OK) trouble("out of memory");
    return hasher_of_filter(twin);
}

struct hasher hasher_twin_of_window(const guira_window *w) {
    guira_window_config config = GUIRA_WINDOW_CONFIG_INIT;
    guira_window *twin;
    guira_window_config_get(w, &config);
    config.capacity = 1 << 14; /* for the same reason not a small one */
    config.fpr = 0;
    if (guira_window_create(&config, &twin) != GUIRA_OK) trouble("out of memory");
    return hasher_of_window(twin);
}

static void prepare(void *context, const struct slice *line, size_t n, uint64_t *hash, int64_t *time) {
    struct worker *w = context;
    for (size_t i = 0; i < n; i++) {
        struct slice key = key_of(w->keys, line[i]);
        hash[i] = w->hasher.hash(w->hasher.what, key.data, key.size);
    }
    if (w->time == NULL) return;
    time_reader_tick(w->time);
    for (size_t i = 0; i < n; i++) time[i] = time_of_line(w->time, line[i]);
}

/* Workers live until the process exits. */
static struct worker *worker_new(const struct key_options *k, struct hasher h, const struct time_options *time) {
    struct worker *w = alloc_or_die(NULL, sizeof *w);
    *w = (struct worker){.keys = key_reader_new(k), .hasher = h};
    if (time != NULL && time->field != NULL) w->time = time_reader_new(time, k);
    return w;
}

struct lines_config line_work(const struct key_options *k, struct operands files, struct hasher h,
                              const struct time_options *time, unsigned jobs) {
    struct lines_config c = {.files = files, .end = key_line_end(k), .jobs = jobs, .prepare = prepare};
    if (k->csv) c.csv = key_field_rule(k).delimiter;
    for (unsigned i = 0; i < (jobs > 1 ? jobs : 1); i++) c.worker[i] = worker_new(k, h, time);
    return c;
}
