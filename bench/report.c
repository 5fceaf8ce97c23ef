/* Tables for the terminal. Four lines per filter: the results, their ratios to the reference filter, and the same for the
 * speeds by processor time.
 *
 *                    insert   last 5%   ...       fpr
 *                    Mops/s    Mops/s   ...
 *     tidal-16        20.10      8.31   ...   4.7e-04
 *                     1.85x     9.70x   ...  ±1.1e-05      <- ratio to the reference; for the rate its standard error
 *       by cpu        20.80      8.52   ...
 *                     1.83x     9.65x   ...
 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME = 18, CELL = 10, FILTERS = 128 };

enum statistic { MEDIAN, MINIMUM };

struct column {
    enum metric metric;
    const char *heading;
    enum statistic statistic;
};

void report_head(const struct meta *m) {
    for (size_t i = 0; i < m->count; i++) printf("%-12s %s\n", m->entry[i].key, m->entry[i].value);
}

/* Prints text right-aligned in CELL columns. The caller gives its width because ± is two bytes but one column. */
static void print_cell(const char *text, size_t columns) {
    printf("%*s%s", columns < CELL ? (int)(CELL - columns) : 0, "", text);
}

static void print_number(double v) {
    char text[32];
    double size = fabs(v);
    int digits = size >= 10000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (isnan(v)) snprintf(text, sizeof text, "-");
    else if (size < 0.001 && size > 0) snprintf(text, sizeof text, "%.1e", v);
    else snprintf(text, sizeof text, "%.*f", digits, v);
    print_cell(text, strlen(text));
}

/* Without a false positive in n lookups of non-members the rate is below 3/n with 95 % confidence. */
static void print_rate(const struct series *s) {
    char text[32];
    if (s->hits == 0) snprintf(text, sizeof text, "<%.1e", 3 / (double)s->trials);
    else snprintf(text, sizeof text, "%.2e", (double)s->hits / (double)s->trials);
    print_cell(text, strlen(text));
}

static void print_rate_error(const struct series *s) {
    char text[32];
    snprintf(text, sizeof text, "±%.1e", summarise(s, BY_WALL).error);
    if (s->hits == 0) print_cell("", 0);
    else print_cell(text, strlen(text) - 1);
}

static void print_ratio(double quotient) {
    char text[32] = "";
    if (!isnan(quotient)) snprintf(text, sizeof text, "%.*fx", quotient >= 100 ? 0 : 2, quotient);
    print_cell(text, strlen(text));
}

/* The filters that have results for this workload and size (0: any), in the order of the first round. */
static size_t filters_with_results(const struct results *r, const char *workload, uint64_t size,
                                   const char *name[FILTERS]) {
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct series *s = &r->series[i];
        if (strcmp(s->workload, workload) != 0 || (size != 0 && s->size != size)) continue;
        size_t k = 0;
        while (k < n && strcmp(name[k], s->filter) != 0) k++;
        if (k == n && n < FILTERS) name[n++] = s->filter;
    }
    return n;
}

static void print_by_wall(const struct results *r, const struct series *const *s, const struct column *column,
                          size_t columns) {
    for (size_t i = 0; i < columns; i++) {
        if (s[i] == NULL) print_number(NAN);
        else if (s[i]->trials > 0) print_rate(s[i]);
        else if (column[i].statistic == MINIMUM) print_number(summarise(s[i], BY_WALL).min);
        else print_number(summarise(s[i], BY_WALL).median);
    }
    printf("\n%-*s", NAME, "");
    for (size_t i = 0; i < columns; i++) {
        if (s[i] != NULL && s[i]->trials > 0) print_rate_error(s[i]);
        else print_ratio(s[i] == NULL || column[i].statistic == MINIMUM ? NAN : results_ratio(r, s[i], BY_WALL));
    }
    printf("\n");
}

static bool has_speed(const struct series *s) { return s != NULL && summarise(s, BY_CPU).rounds > 0; }

static void print_by_cpu(const struct results *r, const struct series *const *s, size_t columns) {
    printf("%-*s", NAME, "  by cpu");
    for (size_t i = 0; i < columns; i++) {
        if (has_speed(s[i])) print_number(summarise(s[i], BY_CPU).median);
        else print_cell("", 0);
    }
    printf("\n%-*s", NAME, "");
    for (size_t i = 0; i < columns; i++) print_ratio(has_speed(s[i]) ? results_ratio(r, s[i], BY_CPU) : NAN);
    printf("\n");
}

static void print_row(const struct results *r, const char *workload, uint64_t size, const char *filter,
                      const struct column *column, size_t columns) {
    const struct series *s[16];
    bool speeds = false;
    for (size_t i = 0; i < columns; i++) {
        s[i] = results_find(r, workload, size, filter, column[i].metric);
        if (has_speed(s[i])) speeds = true;
    }
    printf("%-*s", NAME, filter);
    print_by_wall(r, s, column, columns);
    if (speeds) print_by_cpu(r, s, columns);
}

static void print_table(const struct results *r, const char *workload, uint64_t size, const struct column *column,
                        size_t columns) {
    const char *name[FILTERS];
    size_t n = filters_with_results(r, workload, size, name);
    if (n == 0) {
        printf("no filter has results\n");
        return;
    }
    const char *reference = results_reference(r, workload, size);
    if (reference != NULL) printf("x: ratio to %s\n", reference);
    printf("%-*s", NAME, "");
    for (size_t i = 0; i < columns; i++) print_cell(column[i].heading, strlen(column[i].heading));
    printf("\n%-*s", NAME, "");
    for (size_t i = 0; i < columns; i++) {
        const char *unit = column[i].metric == M_FPR ? "" : metric_unit(column[i].metric);
        print_cell(unit, strlen(unit));
    }
    printf("\n");
    for (size_t i = 0; i < n; i++) print_row(r, workload, size, name[i], column, columns);
    fflush(stdout);
}

/* fixed and grown */
static void print_filled(const struct results *r, const char *workload, uint64_t size) {
    static const struct column column[] = {
        {M_INSERT, "insert", MEDIAN},
        {M_INSERT_LAST, "last 5%", MEDIAN},
        {M_POSITIVE, "positive", MEDIAN},
        {M_NEGATIVE, "negative", MEDIAN},
        {M_POSITIVE_BATCH, "pos batch", MEDIAN},
        {M_NEGATIVE_BATCH, "neg batch", MEDIAN},
        {M_REMOVE, "remove", MEDIAN},
        {M_FPR, "fpr", MEDIAN},
        {M_BITS_PER_ITEM, "per item", MEDIAN},
        {M_CREATE, "create", MEDIAN},
        {M_HUGE, "huge", MEDIAN},
        {M_ABSENT, "neg/pos", MEDIAN},
        {M_ABSENT_BATCH, "in batch", MEDIAN},
    };
    print_table(r, workload, size, column, sizeof column / sizeof *column);
}

void report_fixed(const struct results *r, uint64_t slots, uint64_t items) {
    printf("\nfixed: %" PRIu64 " slots filled with %" PRIu64 " items; rounds: %u; ", slots, items, r->rounds);
    print_filled(r, "fixed", slots);
}

void report_grown(const struct results *r, uint64_t items) {
    printf("\ngrown: filters that grew from empty to %" PRIu64 " items; rounds: %u; ", items, r->rounds);
    print_filled(r, "grown", items);
}

void report_grow(const struct results *r, uint64_t items) {
    static const struct column column[] = {
        {M_INSERT, "insert", MEDIAN},     {M_P50, "p50", MEDIAN},
        {M_P9999, "p99.99", MEDIAN},      {M_WORST, "worst", MEDIAN},
        {M_WORST, "min worst", MINIMUM},  {M_WORST_CPU, "worst cpu", MEDIAN},
        {M_POSITIVE, "positive", MEDIAN}, {M_NEGATIVE, "negative", MEDIAN},
        {M_FPR, "fpr", MEDIAN},           {M_BITS_PER_ITEM, "per item", MEDIAN},
    };
    printf("\ngrow: from empty to %" PRIu64 " items; rounds: %u; ", items, r->rounds);
    print_table(r, "grow", items, column, sizeof column / sizeof *column);
}

void report_shrink(const struct results *r, uint64_t items, uint64_t left) {
    static const struct column column[] = {
        {M_REMOVE, "remove", MEDIAN},
        {M_P50, "p50", MEDIAN},
        {M_P9999, "p99.99", MEDIAN},
        {M_WORST, "worst", MEDIAN},
        {M_WORST, "min worst", MINIMUM},
        {M_WORST_CPU, "worst cpu", MEDIAN},
        {M_BYTES_PER_ITEM, "per item", MEDIAN},
        {M_FPR, "fpr", MEDIAN},
    };
    printf("\nshrink: from %" PRIu64 " items to %" PRIu64 "; rounds: %u; ", items, left, r->rounds);
    print_table(r, "shrink", items, column, sizeof column / sizeof *column);
}

void report_churn(const struct results *r, const char *workload, uint64_t items, uint64_t steps) {
    static const struct column column[] = {{M_CHURN, "churn", MEDIAN}, {M_BITS_PER_ITEM, "per item", MEDIAN}};
    printf("\n%s: %" PRIu64 " items, %" PRIu64 " steps; rounds: %u; ", workload, items, steps, r->rounds);
    print_table(r, workload, items, column, sizeof column / sizeof *column);
}

void report_threads(const struct results *r, uint64_t items) {
    static const struct column column[] = {
        {M_READ_1, "1 reader", MEDIAN},
        {M_READ_2, "2 readers", MEDIAN},
        {M_READ_PAUSED, "paused", MEDIAN},
        {M_READ_GROWING, "growing", MEDIAN},
    };
    printf("\nthreads: %" PRIu64 " items; rounds: %u; ", items, r->rounds);
    print_table(r, "threads", items, column, sizeof column / sizeof *column);
}

void report_interleaved(const struct results *r, uint64_t slots) {
    static const struct column column[] = {
        {M_INSERT, "insert", MEDIAN},
        {M_POSITIVE, "positive", MEDIAN},
        {M_NEGATIVE, "negative", MEDIAN},
        {M_POSITIVE_BATCH, "pos batch", MEDIAN},
        {M_NEGATIVE_BATCH, "neg batch", MEDIAN},
        {M_REMOVE, "remove", MEDIAN},
        {M_BITS_PER_ITEM, "per item", MEDIAN},
    };
    printf("\ninterleaved: %" PRIu64 " slots, all filters side by side; ", slots);
    print_table(r, "interleaved", slots, column, sizeof column / sizeof *column);
}

void report_zipf(const struct results *r, const char *workload, uint64_t draws, uint64_t distinct) {
    static const struct column column[] = {
        {M_REFUSED, "refused", MEDIAN},
        {M_OVERCOUNTED, "overcount", MEDIAN},
        {M_BITS_PER_ITEM, "per copy", MEDIAN},
        {M_BITS_PER_KEY, "per key", MEDIAN},
        {M_BYTES, "bytes", MEDIAN},
        {M_BYTES_LEFT, "left", MEDIAN},
        {M_INSERT, "insert", MEDIAN},
        {M_REMOVE, "remove", MEDIAN},
    };
    printf("\n%s: %" PRIu64 " draws of %" PRIu64 " different keys; rounds: %u; ", workload, draws, distinct, r->rounds);
    print_table(r, workload, draws, column, sizeof column / sizeof *column);
}

void report_scale(const struct results *r, uint64_t items) {
    static const struct column column[] = {
        {M_INSERT, "insert", MEDIAN},
        {M_POSITIVE, "positive", MEDIAN},
        {M_NEGATIVE, "negative", MEDIAN},
        {M_POSITIVE_BATCH, "pos batch", MEDIAN},
        {M_NEGATIVE_BATCH, "neg batch", MEDIAN},
        {M_FPR, "fpr", MEDIAN},
        {M_BYTES, "bytes", MEDIAN},
        {M_BITS_PER_ITEM, "per item", MEDIAN},
        {M_HUGE, "huge", MEDIAN},
    };
    printf("\nscale: %" PRIu64 " items; rounds: %u; ", items, r->rounds);
    print_table(r, "scale", items, column, sizeof column / sizeof *column);
}

static void print_milestone(const struct results *r, uint64_t items, const char *const *name, size_t n) {
    printf("%-*" PRIu64, NAME, items);
    for (size_t i = 0; i < n; i++) {
        const struct series *bytes = results_find(r, "milestone", items, name[i], M_BYTES);
        const struct series *fpr = results_find(r, "milestone", items, name[i], M_FPR);
        if (bytes == NULL || fpr == NULL) {
            printf("%*s", 3 * CELL + 2, "-");
            continue;
        }
        printf(" %*.0f ", CELL, summarise(bytes, BY_WALL).median);
        print_rate(fpr);
        print_rate_error(fpr);
    }
    printf("\n");
}

void report_milestones(const struct results *r) {
    const char *name[FILTERS];
    size_t n = filters_with_results(r, "milestone", 0, name);
    if (n == 0) return;
    printf("\ngrow, milestones: bytes, false-positive rate\n%-*s", NAME, "items");
    for (size_t i = 0; i < n; i++) printf("%*s", 3 * CELL + 2, name[i]);
    printf("\n");
    uint64_t done = 0; /* sizes were recorded in ascending order, so a larger size starts a new line */
    for (size_t i = 0; i < r->count; i++) {
        const struct series *s = &r->series[i];
        if (strcmp(s->workload, "milestone") != 0 || s->size <= done) continue;
        done = s->size;
        print_milestone(r, done, name, n);
    }
    fflush(stdout);
}

void report_notes(const struct results *r) {
    if (r->notes > 0) printf("\n");
    for (size_t i = 0; i < r->notes; i++) printf("note: %s\n", r->note[i]);
}
