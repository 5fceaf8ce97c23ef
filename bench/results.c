/* Stores the measurements and computes medians and ratios.
 *
 * WHY IS THE RATIO NOT THE RATIO OF THE MEDIANS? The rounds of all filters are interleaved, so round k of two filters
 * ran within seconds of each other, with the same load from other processes and the same clock frequency. Dividing
 * round by round cancels these effects; the median of the quotients then ignores rounds in which only one was
 * disturbed.
 */
#include "results.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *unit;
} metrics[METRICS] = {
    [M_CREATE] = {"create", "ms"},
    [M_INSERT] = {"insert", "Mops/s"},
    [M_INSERT_LAST] = {"insert_last_5pct", "Mops/s"},
    [M_POSITIVE] = {"lookup_positive", "Mops/s"},
    [M_NEGATIVE] = {"lookup_negative", "Mops/s"},
    [M_POSITIVE_BATCH] = {"lookup_positive_batch", "Mops/s"},
    [M_NEGATIVE_BATCH] = {"lookup_negative_batch", "Mops/s"},
    [M_REMOVE] = {"remove", "Mops/s"},
    [M_CHURN] = {"churn", "Mops/s"},
    [M_READ_1] = {"read_1_thread", "Mops/s"},
    [M_READ_2] = {"read_2_threads", "Mops/s"},
    [M_READ_PAUSED] = {"read_writer_paused", "Mops/s"},
    [M_READ_GROWING] = {"read_writer_growing", "Mops/s"},
    [M_P50] = {"p50", "ns"},
    [M_P9999] = {"p99.99", "us"},
    [M_WORST] = {"worst", "ms"},
    [M_WORST_CPU] = {"worst_cpu", "ms"},
    [M_ABSENT] = {"absent_to_present", "1"},
    [M_ABSENT_BATCH] = {"absent_to_present_batch", "1"},
    [M_REFUSED] = {"refused", "%"},
    [M_OVERCOUNTED] = {"overcounted", "%"},
    [M_FPR] = {"fpr", "1"},
    [M_BYTES] = {"bytes", "B"},
    [M_BYTES_LEFT] = {"bytes_left", "B"},
    [M_HUGE] = {"huge_pages", "%"},
    [M_BITS_PER_ITEM] = {"bits_per_item", "bit"},
    [M_BITS_PER_KEY] = {"bits_per_distinct_key", "bit"},
    [M_BYTES_PER_ITEM] = {"bytes_per_item", "B"},
};

const char *metric_name(enum metric m) { return metrics[m].name; }

const char *metric_unit(enum metric m) { return metrics[m].unit; }

static void *reallocate(void *p, size_t size) {
    void *q = realloc(p, size);
    if (q == NULL) {
        fprintf(stderr, "guira-bench: out of memory for the results\n");
        exit(1);
    }
    return q;
}

void results_free(struct results *r) {
    for (size_t i = 0; i < r->notes; i++) free(r->note[i]);
    free(r->note);
    free(r->series);
}

const struct series *results_find(const struct results *r, const char *workload, uint64_t size, const char *filter,
                                  enum metric m) {
    for (size_t i = 0; i < r->count; i++) {
        const struct series *s = &r->series[i];
        if (s->metric == m && s->size == size && strcmp(s->workload, workload) == 0 && strcmp(s->filter, filter) == 0)
            return s;
    }
    return NULL;
}

/* Finds or adds the series of a value. */
static struct series *find_or_add_series(struct results *r, struct result_key at, enum metric m) {
    const struct series *old = results_find(r, at.workload, at.size, at.filter, m);
    if (old != NULL) return &r->series[old - r->series];
    if (r->count == r->room) {
        r->room = r->room * 2 + 64;
        r->series = reallocate(r->series, r->room * sizeof *r->series);
    }
    struct series *s = &r->series[r->count++];
    *s = (struct series){.workload = at.workload, .size = at.size, .filter = at.filter, .metric = m};
    for (size_t i = 0; i < MAX_ROUNDS; i++) s->value[BY_WALL][i] = s->value[BY_CPU][i] = NAN;
    return s;
}

void results_add(struct results *r, struct result_key at, enum metric m, double value) {
    find_or_add_series(r, at, m)->value[BY_WALL][at.round] = value;
}

void results_speed(struct results *r, struct result_key at, enum metric m, struct speed speed) {
    struct series *s = find_or_add_series(r, at, m);
    s->value[BY_WALL][at.round] = speed.wall;
    s->value[BY_CPU][at.round] = speed.cpu;
}

void results_rate(struct results *r, struct result_key at, uint64_t hits, uint64_t trials) {
    struct series *s = find_or_add_series(r, at, M_FPR);
    s->value[BY_WALL][at.round] = (double)hits / (double)trials;
    s->hits += hits;
    s->trials += trials;
}

void results_note(struct results *r, const char *format, ...) {
    char text[320];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (size_t i = 0; i < r->notes; i++)
        if (strcmp(r->note[i], text) == 0) return;
    r->note = reallocate(r->note, (r->notes + 1) * sizeof *r->note);
    r->note[r->notes] = reallocate(NULL, strlen(text) + 1);
    memcpy(r->note[r->notes++], text, strlen(text) + 1);
}

void results_lost(struct results *r, struct result_key at, const char *when, uint64_t members, uint64_t found) {
    results_note(r, "%s %llu: %s LOST MEMBERS %s: %llu of %llu found", at.workload, (unsigned long long)at.size,
                 at.filter, when, (unsigned long long)found, (unsigned long long)members);
    r->lost = true;
}

struct summary summarise(const struct series *s, enum clock by) {
    double value[MAX_ROUNDS];
    struct summary out = {.median = NAN, .min = INFINITY, .max = -INFINITY};
    for (size_t i = 0; i < MAX_ROUNDS; i++) {
        if (isnan(s->value[by][i])) continue;
        value[out.rounds++] = s->value[by][i];
        out.min = fmin(out.min, s->value[by][i]);
        out.max = fmax(out.max, s->value[by][i]);
    }
    if (out.rounds > 0) out.median = median(value, out.rounds);
    if (s->trials > 0 && by == BY_WALL) {
        out.median = (double)s->hits / (double)s->trials;
        out.error = sqrt(out.median * (1 - out.median) / (double)s->trials);
    }
    return out;
}

const char *results_reference(const struct results *r, const char *workload, uint64_t size) {
    for (const char *const *name = r->reference; *name != NULL; name++)
        for (size_t i = 0; i < r->count; i++) {
            const struct series *s = &r->series[i];
            if (s->size == size && strcmp(s->workload, workload) == 0 && strcmp(s->filter, *name) == 0) return *name;
        }
    return NULL;
}

static double ratio(const struct series *s, const struct series *reference, enum clock by) {
    if (s->trials > 0 && by == BY_WALL) {
        if (s->hits == 0 || reference->hits == 0) return NAN;
        return summarise(s, BY_WALL).median / summarise(reference, BY_WALL).median;
    }
    double quotient[MAX_ROUNDS];
    size_t n = 0;
    for (size_t i = 0; i < MAX_ROUNDS; i++) {
        double q = s->value[by][i] / reference->value[by][i];
        if (isfinite(q)) quotient[n++] = q;
    }
    return n > 0 ? median(quotient, n) : NAN;
}

double results_ratio(const struct results *r, const struct series *s, enum clock by) {
    const char *name = results_reference(r, s->workload, s->size);
    if (name == NULL) return NAN;
    const struct series *reference = results_find(r, s->workload, s->size, name, s->metric);
    return reference != NULL ? ratio(s, reference, by) : NAN;
}
