/* The metrics of filters in the text format of Prometheus: by metric first, by filter second.
 *
 *     # HELP guira_items Members, copies counted.
 *     # TYPE guira_items gauge
 *     guira_items{name="sessions",kind="tidal"} 31337
 *     guira_items{name="blocked",kind="cuckoo"} 42
 *     # HELP guira_slots ...
 *
 * So the statistics of all filters are read first, once, and all values are of that moment. Nothing here depends on the
 * locale. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/atomics.h"
#include "filter/latency.h"
#include "guira_shared.h"
#include "io/io.h"
#include "window/window.h"

/* ---------------------------------------------------------------------------------------------- reading the statistics */

/* One filter at the moment when it was read. */
struct sample {
    const char *name;
    const char *kind;
    guira_stats stats;
    double max_load;               /* 0: it has none */
    double wanted_fpr;             /* 0: none was requested */
    const struct latency *latency; /* NULL: its lookups were never timed */
};

static const char *kind_name(guira_kind kind) {
    static const char *const name[] = {
        [GUIRA_TIDAL] = "tidal",     [GUIRA_CUCKOO] = "cuckoo",         [GUIRA_DYNAMIC] = "dynamic",
        [GUIRA_ELASTIC] = "elastic", [GUIRA_CONSISTENT] = "consistent",
    };
    return name[kind];
}

static guira_status read_filter(const guira *f, struct sample *out) {
    guira_config c = guira__config_of(f);
    out->kind = kind_name(c.kind);
    out->max_load = c.max_load;
    out->wanted_fpr = c.fpr;
    out->latency = f->rare == NULL ? NULL : f->rare->latency;
    guira_status s = guira_stats_get(f, &out->stats);
    size_t mapped;
    if (guira__view_bytes(f, &mapped) != NULL) out->stats.bytes += mapped; /* a view holds almost nothing else */
    return s;
}

#ifdef GUIRA__SHARED
static guira_status read_shared(const struct guira_shared *g, struct sample *out) {
    guira_config c = {.size = sizeof c};
    guira_status s = guira_shared_config_get(g, &c);
    out->kind = "shared";
    out->max_load = c.max_load;
    out->wanted_fpr = c.fpr;
    return s == GUIRA_OK ? guira_shared_stats_get(g, &out->stats) : s;
}
#else
static guira_status read_shared(const struct guira_shared *g, struct sample *out) {
    (void)g;
    (void)out;
    return GUIRA_EUNSUPPORTED;
}
#endif

static guira_status read_window(const guira_window *w, struct sample *out) {
    guira_config c = guira__config_of(&w->filter->head);
    out->kind = "window";
    out->max_load = c.max_load;
    out->wanted_fpr = c.fpr;
    return guira_window_stats_get(w, &out->stats);
}

/* A filter of any sort. */
static guira_status read_any(const guira_observed *what, struct sample *out) {
    int given = (what->filter != NULL) + (what->shared != NULL) + (what->window != NULL);
    if (what->name == NULL || given != 1) return GUIRA_EINVAL;
    *out = (struct sample){.name = what->name, .stats = GUIRA_STATS_INIT};
    if (what->filter != NULL) return read_filter(what->filter, out);
    return what->shared != NULL ? read_shared(what->shared, out) : read_window(what->window, out);
}

enum { OBSERVED_FIRST_SIZE = sizeof(guira_observed) }; /* version 1 of the struct: never changed again */

static guira_status read_all(const guira_observed *what, size_t n, struct sample *out) {
    size_t stride = n > 0 && what->size != 0 ? what->size : (size_t)OBSERVED_FIRST_SIZE;
    guira_status s = GUIRA_OK;
    for (size_t i = 0; s == GUIRA_OK && i < n; i++) {
        guira_observed one;
        s = guira__struct_in((const char *)what + i * stride, OBSERVED_FIRST_SIZE, sizeof one, &one);
        if (s == GUIRA_OK) s = read_any(&one, &out[i]);
    }
    return s;
}

/* ---------------------------------------------------------------------------------------------------------------- text */

struct text {
    guira_write_fn *write;
    void *to;
    bool failed;
    size_t n;
    char buffer[4096];
};

static void flush(struct text *t) {
    if (t->n > 0 && !t->failed) t->failed = !t->write(t->to, t->buffer, t->n);
    t->n = 0;
}

static void put_char(struct text *t, char c) {
    if (t->n == sizeof t->buffer) flush(t);
    t->buffer[t->n++] = c;
}

static void put(struct text *t, const char *s) {
    for (; *s != '\0'; s++) put_char(t, *s);
}

static void put_whole(struct text *t, uint64_t v) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, v);
    put(t, digits);
}

/* printf's decimal point is the locale's, and may have several bytes: what is no part of a number stands for it. */
static void put_real(struct text *t, double v) {
    char digits[64];
    if (!isfinite(v)) {
        put(t, "NaN");
        return;
    }
    snprintf(digits, sizeof digits, "%.9g", v);
    bool in_point = false;
    for (const char *s = digits; *s != '\0'; s++) {
        bool point = strchr("0123456789+-e", *s) == NULL;
        if (!point) put_char(t, *s);
        else if (!in_point) put_char(t, '.');
        in_point = point;
    }
}

/* How many bytes the character at s has; 0: it is none. */
static size_t utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
               : s[0] >= 0xe0 && s[0] <= 0xef ? 3
               : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                              : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0; /* so does the end of the string */
    bool too_long = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool too_large = s[0] == 0xf4 && s[1] >= 0x90;
    return too_long || surrogate || too_large ? 0 : n;
}

/* One scrape with a byte that is not UTF-8 is refused as a whole. Writing such bytes by number keeps names apart that
 * differ in nothing else. Returns how many bytes of the name it took. */
static size_t put_quoted(struct text *t, const unsigned char *s) {
    size_t n = utf8_length(s);
    char number[8];
    if (n == 0) {
        snprintf(number, sizeof number, "\\\\x%02x", *s);
        put(t, number);
        return 1;
    }
    if (*s == '\n') {
        put(t, "\\n");
        return 1;
    }
    if (*s == '"' || *s == '\\') put_char(t, '\\');
    for (size_t i = 0; i < n; i++) put_char(t, (char)s[i]);
    return n;
}

static void put_name(struct text *t, const char *name) {
    for (const unsigned char *s = (const unsigned char *)name; *s != '\0';) s += put_quoted(t, s);
}

/* `metric_suffix{name="...",kind="..."} `; le: one label more, or NULL. */
static void put_series(struct text *t, const char *metric, const char *suffix, const struct sample *of,
                       const char *le) {
    put(t, metric);
    put(t, suffix);
    put(t, "{name=\"");
    put_name(t, of->name);
    put(t, "\",kind=\"");
    put(t, of->kind);
    if (le != NULL) put(t, "\",le=\"");
    if (le != NULL) put(t, le);
    put(t, "\"} ");
}

static void put_heading(struct text *t, const char *metric, const char *type, const char *help) {
    const char *const piece[] = {"# HELP ", metric, " ", help, "\n# TYPE ", metric, " ", type, "\n"};
    for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) put(t, piece[i]);
}

/* ------------------------------------------------------------------------------------------------------------- families */

/* Whole numbers, ratios, and ratios that are there only if they are not 0. */
enum shape { WHOLE, RATIO, RATIO_IF_ANY };

struct family {
    const char *name, *type, *help;
    size_t at; /* in struct sample */
    enum shape shape;
};

#define STAT(field) offsetof(struct sample, stats.field)

static const struct family families[] = {
    {"guira_items", "gauge", "Members, copies counted.", STAT(items), WHOLE},
    {"guira_slots", "gauge", "Slots in all buckets.", STAT(slots), WHOLE},
    {"guira_buckets", "gauge", "Buckets.", STAT(buckets), WHOLE},
    {"guira_memory_bytes", "gauge", "Memory held, everything included.", STAT(bytes), WHOLE},
    {"guira_load_ratio", "gauge", "Members per slot.", STAT(load), RATIO},
    {"guira_load_max_ratio", "gauge", "Load above which it grows, or that its size was planned for.",
     offsetof(struct sample, max_load), RATIO_IF_ANY},
    {"guira_stash_items", "gauge", "Members in the stash, outside the table.", STAT(stash), WHOLE},
    {"guira_elder_items", "gauge", "Members that can be split no further, kept outside the table.", STAT(elders),
     WHOLE},
    {"guira_false_positive_ratio", "gauge", "False-positive rate to expect now, computed from the entries.", STAT(fpr),
     RATIO},
    {"guira_false_positive_target_ratio", "gauge", "False-positive rate that was requested.",
     offsetof(struct sample, wanted_fpr), RATIO_IF_ANY},
    {"guira_insert_failures_total", "counter", "Insertions refused.", STAT(failures), WHOLE},
    {"guira_kicks_total", "counter", "Entries moved to make room for others.", STAT(kicks), WHOLE},
    {"guira_evictions_total", "counter", "Times entries were moved to make room for one.", STAT(evictions), WHOLE},
    {"guira_grows_total", "counter", "Buckets added.", STAT(grows), WHOLE},
    {"guira_shrinks_total", "counter", "Buckets removed.", STAT(shrinks), WHOLE},
};

static uint64_t whole_of(const struct sample *s, const struct family *f) {
    uint64_t v;
    memcpy(&v, (const char *)s + f->at, sizeof v);
    return v;
}

static double real_of(const struct sample *s, const struct family *f) {
    double v;
    memcpy(&v, (const char *)s + f->at, sizeof v);
    return v;
}

static bool has(const struct sample *s, const struct family *f) {
    return f->shape != RATIO_IF_ANY || real_of(s, f) != 0;
}

static void put_family(struct text *t, const struct family *f, const struct sample *samples, size_t n) {
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!has(&samples[i], f)) continue;
        if (!any) put_heading(t, f->name, f->type, f->help);
        any = true;
        put_series(t, f->name, "", &samples[i], NULL);
        if (f->shape == WHOLE) put_whole(t, whole_of(&samples[i], f));
        else put_real(t, real_of(&samples[i], f));
        put_char(t, '\n');
    }
}

/* Buckets of Prometheus count all up to their bound. Lookups may go on meanwhile, so the count is what was added up. */
static void put_histogram(struct text *t, const char *metric, const struct sample *of) {
    uint64_t total = 0;
    for (size_t i = 0; i <= LATENCY_BOUNDS; i++) {
        total += load_relaxed(of->latency->timed[i]);
        put_series(t, metric, "_bucket", of, i < LATENCY_BOUNDS ? guira__latency_bound[i].seconds : "+Inf");
        put_whole(t, total);
        put_char(t, '\n');
    }
    put_series(t, metric, "_sum", of, NULL);
    put_real(t, (double)load_relaxed(of->latency->sum) / 1e9);
    put_char(t, '\n');
    put_series(t, metric, "_count", of, NULL);
    put_whole(t, total);
    put_char(t, '\n');
}

static void put_latencies(struct text *t, const struct sample *samples, size_t n) {
    static const char metric[] = "guira_lookup_duration_seconds";
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (samples[i].latency == NULL) continue;
        if (!any) put_heading(t, metric, "histogram", "Time of one lookup, of those that were timed.");
        any = true;
        put_histogram(t, metric, &samples[i]);
    }
}

guira_status guira_metrics_write(const guira_observed *what, size_t n, guira_write_fn *write, void *to) {
    if ((what == NULL && n > 0) || write == NULL) return GUIRA_EINVAL;
    if (n == 0) return GUIRA_OK;
    struct sample *samples =
        n <= SIZE_MAX / sizeof *samples ? (struct sample *)guira__alloc(n * sizeof *samples) : NULL;
    if (samples == NULL) return GUIRA_ENOMEM;
    guira_status s = read_all(what, n, samples);
    if (s == GUIRA_OK) {
        struct text t;
        t.write = write;
        t.to = to;
        t.failed = false;
        t.n = 0;
        for (size_t i = 0; i < sizeof families / sizeof *families; i++) put_family(&t, &families[i], samples, n);
        put_latencies(&t, samples, n);
        flush(&t);
        s = t.failed ? GUIRA_EIO : GUIRA_OK;
    }
    guira__free(samples);
    return s;
}
