/* Guide: its demonstration with 14,000 keys in 4096 x 4 slots, and its six metrics while the filter is filled
 * completely. */
#include <stdlib.h>
#include <string.h>

#include "models/ecf.h"

enum { BUCKETS = 4096, CELLS = 4, SLOTS = BUCKETS * CELLS, BITS = 12 };

static struct ecf plain_filter(const struct lab *lab) {
    struct ecf f = ecf_make(BUCKETS, CELLS, BITS, lab->seed);
    f.plain = true;
    return f;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* p99 of a lookup in microseconds. Batches of 16 are timed, because single lookups are below the clock's resolution. */
static double latency_p99(struct ecf *f) {
    enum { BATCHES = 2000, EACH = 16 };
    static double spent[BATCHES];
    uint64_t found = 0;
    for (uint64_t i = 0; i < BATCHES; i++) {
        double begin = now();
        for (uint64_t j = 0; j < EACH; j++) found += ecf_contains(f, i * EACH + j);
        spent[i] = (now() - begin) / EACH * 1e6;
    }
    qsort(spent, BATCHES, sizeof *spent, by_value);
    if (found > BATCHES * EACH) lab_fatal("more hits than lookups"); /* keeps the lookups from being optimised away */
    return spent[BATCHES * 99 / 100];
}

struct outcome {
    double failure, alert; /* load at the first failure, and where kicks per insertion exceed 10 */
    double p99;            /* of lookups in the full filter */
};

/* Fills a filter completely and writes the metrics at every percent of load. */
static struct outcome fill_up(struct lab *lab) {
    struct ecf f = plain_filter(lab);
    struct outcome c = {0, 0, 0};
    uint64_t n = 0, overflow = 0;
    fputs("load,failures,fpr,kicks_per_insert\n", lab->data);
    for (unsigned percent = 50; percent <= 99; percent++) {
        uint64_t to = percent * SLOTS / 100, from = n, kicks = f.kicks;
        for (; n < to; n++) {
            bool in = ecf_insert(&f, (uint64_t)MEMBERS << 56 | n);
            overflow += !in;
            if (!in && c.failure == 0) c.failure = (double)n / SLOTS;
        }
        double per_insert = (double)(f.kicks - kicks) / (double)(n - from);
        if (c.alert == 0 && per_insert > 10) c.alert = percent / 100.0;
        fprintf(lab->data, "%.2f,%" PRIu64 ",%.6f,%.3f\n", percent / 100.0, overflow,
                ecf_fpr(&f, lab->quick ? 20000 : 200000).value, per_insert);
    }
    c.p99 = latency_p99(&f);
    ecf_free(&f);
    return c;
}

struct page {
    char text[1 << 16];
    size_t n;
};

static bool append(void *to, const void *bytes, size_t n) {
    struct page *p = to;
    if (n >= sizeof p->text - p->n) return false;
    memcpy(p->text + p->n, bytes, n);
    p->n += n;
    return true;
}

/* The library exports the guide's six metrics under its own names. */
static void library_metrics(struct lab *lab) {
    static const char *const wanted[] = {
        "guira_load_ratio",           "guira_insert_failures_total",   "guira_stash_items",
        "guira_false_positive_ratio", "guira_lookup_duration_seconds", "guira_kicks_total"};
    static struct page page;
    guira *f = lab_filter(lab, (guira_config){.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 14000});
    unsigned exported = 0;
    guira_latency_sample(f, 1);
    lab_fill(f, 0, 14000);
    lab_fpr(f, 1000);
    const guira_observed one = {.name = "demo", .filter = f};
    if (guira_metrics_write(&one, 1, append, &page) != GUIRA_OK) lab_fatal("%s: cannot write the metrics", lab->name);
    for (unsigned i = 0; i < 6; i++) exported += strstr(page.text, wanted[i]) != NULL;
    lab_must_hold(lab, "the library exports all six metrics", text("%u of 6", exported), exported == 6);
    guira_destroy(f);
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "guide-demo");
    struct outcome c = fill_up(&lab);
    struct ecf f = plain_filter(&lab);
    uint64_t in = ecf_fill(&f, 0, 14000);
    lab_compare(&lab, "load after 14,000 keys", 0.854, (double)in / SLOTS, 0.001);
    lab_compare(&lab, "overflows", 0, (double)(14000 - in), 0);
    lab_compare_text(&lab, "cf_load_factor: alert at 0.90, insertions fail from about 0.95", "no failure below 0.90",
                     text("first failure at %.3f", c.failure), c.failure > 0.90);
    lab_compare_text(&lab, "cf_relocation_kicks_avg rises before inserts fail", "an early warning",
                     text("above 10 per insert from load %.2f", c.alert), c.alert > 0 && c.alert <= c.failure + 0.01);
    struct rate rate = ecf_fpr(&f, lab.quick ? 200000 : 2000000);
    lab_compare_text(&lab, "cf_false_positive_estimate stays below 2 b / 2^f", text("%.5f", 8 / 4096.0),
                     rate_text(rate), rate.value < 8 / 4096.0 + rate.error);
    lab_compare_text(&lab, "cf_lookup_latency_p99: two buckets, at most a few microseconds", "a few",
                     text("%.2f", c.p99), c.p99 < 5);
    ecf_free(&f);
    library_metrics(&lab);
    return lab_close(&lab);
}
