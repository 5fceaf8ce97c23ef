/* Guide: its three programs on their own demonstration, 14,000 keys in 4096 x 4 slots, as printed and corrected; and its
 * metrics while a filter is filled completely. */
#include <stdlib.h>
#include <string.h>

#include "models/ecf.h"
#include "models/guide_program.h"

enum { SLOTS = GUIDE_BUCKETS * GUIDE_SLOTS, BITS = 12 };

/* --------------------------------------------------------------------------------------------------- the programs */

/* What a program does on its demonstration. */
struct outcome {
    struct spread load, overflows, buckets, rate, lost;
};

static const char *name_of(char prefix, unsigned i) {
    static char name[16];
    snprintf(name, sizeof name, "%c%u", prefix, i);
    return name;
}

static void run_demonstration(const struct lab *lab, enum language language, bool corrected, struct outcome *out) {
    static struct guide_program p;
    static bool used[GUIDE_BUCKETS];
    unsigned buckets = 0, lost = 0, hits = 0, probes = lab->quick ? 20000 : 100000;
    guide_program_start(&p, language, corrected, lab->seed);
    memset(used, 0, sizeof used);
    for (unsigned i = 0; i < GUIDE_KEYS; i++) {
        guide_program_insert(&p, name_of('k', i));
        buckets += !used[guide_program_index(&p, name_of('k', i))];
        used[guide_program_index(&p, name_of('k', i))] = true;
    }
    for (unsigned i = 0; i < GUIDE_KEYS; i++) lost += !guide_program_lookup(&p, name_of('k', i));
    for (unsigned i = 0; i < probes; i++) hits += guide_program_lookup(&p, name_of('k', GUIDE_KEYS + i));
    spread_add(&out->load, (double)p.count / SLOTS);
    spread_add(&out->overflows, p.failures);
    spread_add(&out->buckets, buckets);
    spread_add(&out->rate, (double)hits / probes);
    spread_add(&out->lost, lost);
}

static const char *range(struct spread s) {
    return s.low < s.high ? text("%.0f (%.0f to %.0f)", s.mean, s.low, s.high) : text("%.0f", s.mean);
}

static void run_programs(struct lab *lab) {
    static const char *const language[] = {"Go", "Java", "Python"};
    static struct outcome x[2][3];
    FILE *out = lab_file(lab, "table-programs.csv");
    fprintf(out,
            "# caption: The guide's programs on their demonstration: keys k0 to k13999; false positives among the keys "
            "that follow. %u runs.\n",
            lab_seeds(lab));
    fputs("program,load it prints,in the stash,first buckets in use,false positives,false negatives\n", out);
    for (int corrected = 0; corrected < 2; corrected++)
        for (int i = GO; i <= PYTHON; i++) {
            struct outcome *o = &x[corrected][i];
            for (unsigned round = 0; round < lab_seeds(lab); round++) {
                struct lab one = lab_with_seed(lab, round);
                run_demonstration(&one, (enum language)i, corrected, o);
            }
            fprintf(out, "\"%s, %s\",%.3f,%s,%s of 4096,%.2g,%s\n", language[i], corrected ? "corrected" : "as printed",
                    o->load.mean, range(o->overflows), range(o->buckets), o->rate.mean, range(o->lost));
        }
    if (fclose(out) != 0) lab_fatal("%s: cannot write to %s", lab->name, lab->out);
    bool sound = true;
    for (int i = GO; i <= PYTHON; i++) {
        lab_compare_earlier(lab, text("load that the %s program prints", language[i]), "0.854", x[0][i].load, 0.0006);
        lab_compare_earlier(lab, text("overflows of the %s program", language[i]), i == GO ? "8492" : "0",
                            x[0][i].overflows, i == GO ? 100 : 0);
        sound &= x[1][i].overflows.high == 0 && x[1][i].lost.high == 0 && x[1][i].rate.mean < 2 * 8.0 / 4096;
    }
    lab_must_hold(lab, "corrected, all three have no overflow, no false negative, and a rate below twice 2 b / 2^f",
                  text("Go: %.4f", x[1][GO].rate.mean), sound);
}

/* ------------------------------------------------------------------------------------------------------ the metrics */

static struct ecf plain_filter(uint64_t seed) {
    struct ecf f = ecf_make(GUIDE_BUCKETS, GUIDE_SLOTS, BITS, seed);
    f.plain = true;
    return f;
}

enum { FROM = 50, TO = 100 }; /* percent of load */
#define FORMULA (2.0 * GUIDE_SLOTS / (1 << BITS))

struct alerts {
    struct spread failure, kicks; /* load at the first failure, and where kicks per insertion exceed 10 */
    struct spread rate;           /* at load 0.95, relative to the guide's formula */
    struct spread overflow[TO - FROM], per_insert[TO - FROM]; /* at every percent of load */
};

/* Fills a filter completely. */
static void fill_up(const struct lab *lab, struct alerts *a) {
    struct ecf f = plain_filter(lab->seed);
    uint64_t n = 0, overflow = 0;
    double failure = 0, warned = 0;
    for (unsigned percent = FROM; percent < TO; percent++) {
        uint64_t to = percent * SLOTS / 100, from = n, kicks = f.kicks;
        for (; n < to; n++) {
            bool in = ecf_insert(&f, (lab->seed << 32) + n);
            overflow += !in;
            if (!in && failure == 0) failure = (double)n / SLOTS;
        }
        double per_insert = (double)(f.kicks - kicks) / (double)(n - from);
        if (warned == 0 && per_insert > 10) warned = percent / 100.0;
        if (percent == 95) spread_add(&a->rate, ecf_fpr(&f, lab->quick ? 100000 : 500000).value / FORMULA);
        spread_add(&a->overflow[percent - FROM], (double)overflow);
        spread_add(&a->per_insert[percent - FROM], per_insert);
    }
    spread_add(&a->failure, failure);
    spread_add(&a->kicks, warned);
    ecf_free(&f);
}

static void check_metrics(struct lab *lab) {
    static struct alerts a;
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        fill_up(&one, &a);
    }
    fputs("load,failures,low,high,kicks_per_insert,low,high\n", lab->data);
    for (unsigned percent = FROM; percent < TO; percent++) {
        fprintf(lab->data, "%.2f", percent / 100.0);
        spread_put(lab->data, a.overflow[percent - FROM]);
        spread_put(lab->data, a.per_insert[percent - FROM]);
        fputc('\n', lab->data);
    }
    lab_compare_spread(lab, "load at which insertions begin to fail (b = 4)", "0.95", a.failure, 0.03);
    lab_compare_fact(lab, "the alert at load 0.90 comes before the first failure", "leading indicator",
                     text("first failure at %.3f or later", a.failure.low), a.failure.low > 0.90);
    lab_compare_words(lab, "false-positive rate at load 0.95, 12 bits, b = 4, relative to 2 b / 2^f", "about 2b / 2^f",
                      0.9, 1.1, a.rate);
    lab_must_hold(lab, "kicks warn of failures: above 10 per insertion (the guide has \"rising\", without a number)",
                  text("from load %.2f, first failure at %.3f", a.kicks.mean, a.failure.mean),
                  a.kicks.mean < a.failure.mean);
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

void experiment(struct lab *lab) {
    run_programs(lab);
    check_metrics(lab);
    library_metrics(lab);
}
