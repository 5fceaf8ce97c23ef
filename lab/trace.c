/* Flow traces, generated or read from a file; the contracts are in trace.h. */
#include "trace.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

/* ------------------------------------------------------------------------------------------------- flows and events */

static void *grow_array(void *p, size_t n, size_t *capacity, size_t size) {
    if (n <= *capacity) return p;
    *capacity = n * 2 + 64;
    p = realloc(p, *capacity * size);
    if (p == NULL) lab_fatal("no memory for the trace");
    return p;
}

static void add_flow(struct trace *t, double start, double end, const char *key, size_t length) {
    t->flow = grow_array(t->flow, t->flows + 1, &t->capacity, sizeof *t->flow);
    t->keys = grow_array(t->keys, t->bytes + length + 1, &t->keys_capacity, 1);
    t->flow[t->flows++] = (struct flow){start, end, t->bytes, length};
    memcpy(t->keys + t->bytes, key, length);
    t->bytes += length;
}

static int by_time(const void *a, const void *b) {
    const struct event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->arrives != y->arrives) return x->arrives ? 1 : -1;
    return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* Makes the sorted list of events and computes the peak. Departures sort before arrivals, so a flow without duration
 * gets the shortest possible one. */
static void make_events(struct trace *t) {
    free(t->event);
    t->event = malloc(2 * t->flows * sizeof *t->event + 1);
    if (t->event == NULL) lab_fatal("no memory for the trace");
    t->events = 0;
    for (size_t i = 0; i < t->flows; i++) {
        double end = t->flow[i].end > t->flow[i].start ? t->flow[i].end : nextafter(t->flow[i].start, INFINITY);
        t->event[t->events++] = (struct event){t->flow[i].start, i, true};
        t->event[t->events++] = (struct event){end, i, false};
    }
    qsort(t->event, t->events, sizeof *t->event, by_time);
    size_t open = 0;
    t->peak = 0;
    for (size_t i = 0; i < t->events; i++) {
        open = t->event[i].arrives ? open + 1 : open - 1;
        if (open > t->peak) t->peak = open;
    }
}

void trace_free(struct trace *t) {
    free(t->flow);
    free(t->keys);
    free(t->event);
    *t = (struct trace){0};
}

const char *trace_key(const struct trace *t, size_t flow, size_t *length) {
    *length = t->flow[flow].length;
    return t->keys + t->flow[flow].key;
}

/* ------------------------------------------------------------------------------------------------------- generating */

/* Relative arrival rate at time x in [0, 1): two slow waves, a burst, and low traffic at the end.
 *
 *     1.3 |      ___           _
 *     0.8 |  .--'   '--.___.--' '-.
 *     0.2 |_/                      '--____
 */
static double arrival_rate(double x) {
    double waves = 0.8 + 0.5 * sin(2 * 3.14159265358979 * (2 * x - 0.2));
    if (x > 0.55 && x < 0.60) waves += 0.9;
    return x > 0.85 ? 0.25 * waves : waves;
}

static double random_arrival(struct lab_rng *r, double seconds) {
    for (;;) {
        double x = lab_rng_unit(r);
        if (lab_rng_unit(r) * 2.3 < arrival_rate(x)) return x * seconds;
    }
}

static int by_start(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Source and destination address, the key of a flow. mix() is bijective, so all pairs differ. */
static size_t address_pair(const struct lab_rng *r, size_t i, char *out, size_t size) {
    uint64_t pair = mix(r->state ^ i);
    const uint8_t *p = (const uint8_t *)&pair;
    return (size_t)snprintf(out, size, "%u.%u.%u.%u>%u.%u.%u.%u", p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
}

static void scale_durations(struct trace *t, const double *duration, double factor, double seconds) {
    for (size_t i = 0; i < t->flows; i++) t->flow[i].end = fmin(t->flow[i].start + factor * duration[i], seconds);
    make_events(t);
}

/* Most flows are short and a few are long (Pareto distribution). All durations are scaled until the peak is right. */
struct trace trace_generate(uint64_t seed, size_t flows, size_t peak, double seconds) {
    struct trace t = {0};
    struct lab_rng r = {mix(seed)};
    double *start = malloc(flows * sizeof *start + 1), *duration = malloc(flows * sizeof *duration + 1);
    if (start == NULL || duration == NULL) lab_fatal("no memory for the trace");
    for (size_t i = 0; i < flows; i++) start[i] = random_arrival(&r, seconds);
    qsort(start, flows, sizeof *start, by_start);
    for (size_t i = 0; i < flows; i++) {
        char key[64];
        size_t length = address_pair(&r, i, key, sizeof key);
        duration[i] = pow(1 - lab_rng_unit(&r), -1 / 1.8);
        add_flow(&t, start[i], seconds, key, length);
    }
    double low = 0, high = seconds;
    for (int i = 0; i < 60 && t.peak != peak; i++) {
        double middle = (low + high) / 2;
        scale_durations(&t, duration, middle, seconds);
        if (t.peak < peak) low = middle;
        else high = middle;
    }
    free(start);
    free(duration);
    return t;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

struct reader {
    const char *name;
    size_t line;
    char *message;
    size_t size;
};

/* The line comes from a file: what it has of control characters does not reach a terminal. */
__attribute__((format(printf, 2, 3))) static bool fail_at_line(const struct reader *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = snprintf(r->message, r->size, "%s:%zu: ", r->name, r->line);
    if (n >= 0 && (size_t)n < r->size) vsnprintf(r->message + n, r->size - (size_t)n, format, args);
    va_end(args);
    for (char *p = r->message; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = '?';
    return false;
}

static bool read_time(const struct reader *r, const char *field, const char *end, const char *what, double *out) {
    char *stop;
    *out = strtod(field, &stop);
    if (stop == field || stop != end)
        return fail_at_line(r, "the %s is not a number: '%.*s'", what, (int)(end - field), field);
    if (!isfinite(*out) || *out < 0) return fail_at_line(r, "the %s must be finite and not negative", what);
    return true;
}

static bool read_flow(const struct reader *r, struct trace *t, const char *line, size_t length) {
    const char *first = memchr(line, ',', length);
    const char *second = first ? memchr(first + 1, ',', length - (size_t)(first + 1 - line)) : NULL;
    double start, end;
    if (second == NULL) return fail_at_line(r, "expected three columns: start,end,key");
    if (!read_time(r, line, first, "start", &start) || !read_time(r, first + 1, second, "end", &end)) return false;
    if (end < start) return fail_at_line(r, "the flow ends (%g) before it starts (%g)", end, start);
    if (t->flows > 0 && start < t->flow[t->flows - 1].start)
        return fail_at_line(r, "not sorted by start: this flow starts at %g, the one before at %g", start,
                            t->flow[t->flows - 1].start);
    const char *key = second + 1;
    if (key == line + length) return fail_at_line(r, "the key is empty");
    add_flow(t, start, end, key, length - (size_t)(key - line));
    return true;
}

static const char byte_order_mark[] = "\xef\xbb\xbf"; /* which spreadsheets write */

static bool is_header(const char *line) { return strncmp(line, "start,end,key", 13) == 0; }

bool trace_read(FILE *in, const char *name, struct trace *out, char *message, size_t size) {
    struct reader r = {name, 0, message, size};
    struct trace t = {0};
    char *line = NULL;
    size_t space = 0;
    ssize_t n;
    bool good = true;
    errno = 0;
    while (good && (n = getline(&line, &space, in)) >= 0) {
        r.line++;
        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = '\0';
        size_t skip = r.line == 1 && strncmp(line, byte_order_mark, 3) == 0 ? 3 : 0;
        const char *row = line + skip;
        size_t length = (size_t)n - skip;
        if (length == 0 || row[0] == '#' || (t.flows == 0 && is_header(row))) continue;
        good = read_flow(&r, &t, row, length);
    }
    free(line);
    if (good && ferror(in)) good = fail_at_line(&r, "cannot read: %s", strerror(errno));
    if (good && t.flows == 0) good = fail_at_line(&r, "the trace is empty");
    if (good) make_events(&t);
    else trace_free(&t);
    *out = t;
    return good;
}
