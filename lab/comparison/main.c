/* CCF's Table I and the guide's comparison, measured: every filter at one size, grown without the keys, and on the flow
 * trace. Bits per item include rings, directories, flags and counters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contenders.h"
#include "replay.h"

enum { GROWTH = 16 };
static const double rate = 0.001;

struct result {
    /* made for all items at once */
    double bits, full_bits; /* per item, in the mean over the sizes of an octave, and at the size it is made for */
    double cell, absent_lines, present_lines, full_at;
    struct rate measured;
    const char *removes, *merges;
    /* grown, and on the trace */
    double grown_bits;
    struct spread trace_bits, peak_bits; /* of several traces */
    struct rate grown;
};

static uint64_t member(uint64_t i) { return mix((uint64_t)MEMBERS << 56 | i) | 1; }
static uint64_t stranger(uint64_t i) { return mix((uint64_t)NON_MEMBERS << 56 | i) & ~UINT64_C(1); }

static struct rate false_positives(const struct contender *c, const void *f, uint64_t probes) {
    uint64_t hits = 0;
    for (uint64_t i = 0; i < probes; i++) hits += c->contains(f, stranger(i), NULL);
    return rate_of(hits, probes);
}

/* ------------------------------------------------------------------------------------------------------ at one size */

static void count_lines(const struct contender *c, const void *f, uint64_t n, struct result *r) {
    enum { LOOKUPS = 2000 };
    uint64_t absent = 0, present = 0;
    if (!c->model) {
        r->absent_lines = contender_library_lines(f);
        return;
    }
    for (uint64_t i = 0; i < LOOKUPS; i++) {
        struct lines a = {.n = 0}, b = {.n = 0};
        c->contains(f, stranger(i), &a);
        c->contains(f, member(i % n), &b);
        absent += a.n;
        present += b.n;
    }
    r->absent_lines = (double)absent / LOOKUPS;
    r->present_lines = (double)present / LOOKUPS;
}

static const char *try_removing(struct lab *lab, const struct contender *c, void *f, uint64_t n) {
    if (c->remove == NULL) return "no";
    uint64_t kept = 0, lost = 0;
    for (uint64_t i = 0; i < n / 2; i++) kept += !c->remove(f, member(i));
    for (uint64_t i = n / 2; i < n; i++) lost += !c->contains(f, member(i), NULL);
    if (lost > 0)
        lab_must_hold(lab, text("%s: removing members loses no other", c->name), text("%" PRIu64, lost), false);
    return kept == 0 ? "yes" : "in part";
}

static const char *try_merging(const struct contender *c, struct plan plan) {
    if (c->merge == NULL) return "no";
    void *a = c->make(plan), *b = c->make(plan);
    uint64_t half = plan.items / 2, found = 0;
    for (uint64_t i = 0; i < half; i++) c->insert(a, member(i)), c->insert(b, member(half + i));
    bool merged = c->merge(a, b);
    for (uint64_t i = 0; i < 2 * half; i++) found += c->contains(a, member(i), NULL);
    c->destroy(a);
    c->destroy(b);
    return merged && found == 2 * half ? "yes" : "no";
}

/* The load at the first insertion that fails or makes the filter grow; 0: it has no slots. */
static double first_failure(const struct contender *c, void *f, uint64_t n) {
    double slots = c->slots(f);
    if (slots == 0) return 0;
    while (c->insert(f, member(n)) && c->slots(f) == slots) n++;
    return (double)n / slots;
}

/* The mean over the sizes of an octave, because filters with a power of two of buckets are full at some of them only. */
static double bits_over_an_octave(const struct lab *lab, const struct contender *c, uint64_t n) {
    enum { SIZES = 8 };
    double sum = 0;
    for (int i = 0; i < SIZES; i++) {
        uint64_t items = (uint64_t)((double)n * exp2((double)i / SIZES - 1));
        void *f = c->make((struct plan){.items = items, .growth = 1, .rate = rate, .seed = lab->seed});
        for (uint64_t j = 0; j < items; j++) c->insert(f, member(j));
        sum += c->bits(f) / (double)items;
        c->destroy(f);
    }
    return sum / SIZES;
}

static void measure_one_size(struct lab *lab, const struct contender *c, uint64_t n, struct result *r) {
    struct plan plan = {.items = n, .growth = 1, .rate = rate, .seed = lab->seed};
    void *f = c->make(plan);
    for (uint64_t i = 0; i < n; i++)
        if (!c->insert(f, member(i))) lab_fatal("%s is full", c->name);
    r->bits = bits_over_an_octave(lab, c, n);
    r->full_bits = c->bits(f) / (double)n;
    r->cell = c->width(f);
    r->measured = false_positives(c, f, lab->quick ? 100000 : 1000000);
    count_lines(c, f, n, r);
    r->full_at = first_failure(c, f, n);
    c->destroy(f);
    f = c->make(plan);
    for (uint64_t i = 0; i < n; i++) c->insert(f, member(i));
    r->removes = try_removing(lab, c, f, n);
    r->merges = try_merging(c, plan);
    c->destroy(f);
}

/* ------------------------------------------------------------------------------------------------------------ grown */

static void measure_growth(struct lab *lab, const struct contender *c, uint64_t n, struct result *r) {
    if (!c->grows) return;
    void *f = c->make((struct plan){.items = n / GROWTH, .growth = GROWTH, .rate = rate, .seed = lab->seed});
    uint64_t lost = 0;
    for (uint64_t i = 0; i < n / GROWTH * GROWTH; i++)
        if (!c->insert(f, member(i))) lab_fatal("%s cannot grow", c->name);
    for (uint64_t i = 0; i < n / GROWTH * GROWTH; i++) lost += !c->contains(f, member(i), NULL);
    if (lost > 0) lab_must_hold(lab, text("%s: growing loses no member", c->name), text("%" PRIu64, lost), false);
    r->grown_bits = c->bits(f) / (double)n;
    r->grown = false_positives(c, f, lab->quick ? 100000 : 1000000);
    c->destroy(f);
}

/* ----------------------------------------------------------------------------------------------------- on the trace */

/* The mean of bits per item over 200 samples with at least a hundredth of the peak, and the bits at the peak. A filter
 * that cannot remove keeps everything. */
static void measure_trace(struct lab *lab, const struct contender *c, const struct trace *t, struct result *r) {
    double first = c->grows ? GROWTH : 1, sum = 0, peak_bits = 0;
    struct plan plan = {.items = (uint64_t)ceil((double)t->peak / first), .growth = first, .rate = rate};
    plan.seed = lab->seed;
    void *f = c->make(plan);
    size_t items = 0, peak = 0, samples = 0, every = t->events < 200 ? 1 : t->events / 200;
    bool *in = calloc(t->flows, sizeof *in);
    if (in == NULL) lab_fatal("no memory for a replay");
    for (size_t i = 0; i < t->events; i++) {
        const struct event *e = &t->event[i];
        if (e->arrives) items += in[e->flow] = c->insert(f, member(e->flow));
        else if (in[e->flow]) {
            if (c->remove != NULL) c->remove(f, member(e->flow));
            items--;
        }
        if (items > peak) peak = items, peak_bits = c->bits(f) / (double)items;
        if (i % every != 0 || items < t->peak / 100 || items == 0) continue;
        sum += c->bits(f) / (double)items;
        samples++;
    }
    free(in);
    spread_add(&r->trace_bits, samples > 0 ? sum / (double)samples : 0);
    spread_add(&r->peak_bits, peak_bits);
    c->destroy(f);
}

/* ----------------------------------------------------------------------------------------------------------- output */

static const char *or_blank(double x, const char *format) {
    char buffer[32];
    if (x == 0) return "";
    snprintf(buffer, sizeof buffer, format, x);
    return text("%s", buffer);
}

static void put_tables(struct lab *lab, const struct result r[CONTENDERS], uint64_t n) {
    FILE *one = lab_file(lab, "table-a-one-size.csv"), *many = lab_file(lab, "table-b-changing.csv");
    fprintf(
        one,
        "# caption: Made for %" PRIu64
        " items at a rate of 0.1 %%. Bits per item include everything, mean over the sizes of an octave; cache lines "
        "of 64 bytes per lookup.\n",
        n);
    fputs(
        "filter,bits of a cell,bits per item,measured rate,lines (absent key),lines (present key),full at load,removes,"
        "merges\n",
        one);
    fprintf(many,
            "# caption: Grown %d-fold without the keys to %" PRIu64
            " items, 0.1 %% planned for the end; and the mean over "
            "several flow traces.\n",
            GROWTH, n);
    fputs(
        "filter,grows,bits per item when grown,rate when grown,bits per item at the trace's peak,mean over the trace\n",
        many);
    fputs("filter,name,bits,grown,trace,trace_low,trace_high\n", lab->data);
    for (int i = 0; i < CONTENDERS; i++) {
        const struct contender *c = &contenders[i];
        fprintf(one, "%s,%.0f,%.1f,%.2g,%.1f,%s,%s,%s,%s\n", c->name, r[i].cell, r[i].bits, r[i].measured.value,
                r[i].absent_lines, or_blank(r[i].present_lines, "%.1f"),
                r[i].full_at > 0 ? or_blank(r[i].full_at, "%.3f") : "never", r[i].removes, r[i].merges);
        fprintf(many, "%s,%s,%s,%s,%.1f,%.1f\n", c->name, c->grows ? "yes" : "no", or_blank(r[i].grown_bits, "%.1f"),
                or_blank(r[i].grown.value, "%.2g"), r[i].peak_bits.mean, r[i].trace_bits.mean);
        fprintf(lab->data, "%d,%s,%.2f,%.2f", i, c->name, r[i].bits, r[i].grown_bits);
        spread_put(lab->data, r[i].trace_bits);
        fputc('\n', lab->data);
    }
    if (fclose(one) != 0 || fclose(many) != 0) lab_fatal("%s: cannot write to %s", lab->name, lab->out);
}

static int at(const char *name) { return (int)(contender_named(name) - contenders); }

/* The quotient filter's lines at a load where its clusters are short. */
static double quotient_lines_at_three_quarters(const struct lab *lab) {
    enum { SLOTS = 1 << 14, ITEMS = SLOTS * 3 / 4 };
    const struct contender *c = contender_named("quotient");
    struct result r = {0};
    void *f = c->make((struct plan){.items = SLOTS * 9 / 10, .growth = 1, .rate = rate, .seed = lab->seed});
    for (uint64_t i = 0; i < ITEMS; i++) c->insert(f, member(i));
    count_lines(c, f, ITEMS, &r);
    c->destroy(f);
    return r.present_lines;
}

/* The guide's table, line by line. */
static void compare_with_the_guide(struct lab *lab, const struct result *r) {
    int cf = at("CF"), bloom = at("Bloom"), counting = at("counting Bloom"), quotient = at("quotient");
    lab_compare(lab, "guide: space of counting Bloom / of Bloom", "4", r[counting].bits / r[bloom].bits, 0.2);
    lab_compare(lab, "guide: cache lines per lookup, cuckoo", "2", r[cf].absent_lines, 0.25);
    lab_compare(lab, "guide: cache lines per lookup, Bloom, k = 10 (a present key)", "10", r[bloom].present_lines, 0.5);
    lab_compare(lab, "guide: cache lines per lookup, counting Bloom, k = 10 (a present key)", "10",
                r[counting].present_lines, 0.5);
    lab_compare_words(lab, "guide: cache lines per lookup, quotient (a present key, load 0.946)", "1-2", 1, 2,
                      spread_of(r[quotient].present_lines));
    lab_note(lab, "the same at load 0.75", text("%.2f", quotient_lines_at_three_quarters(lab)));
    lab_compare_fact(lab, "guide: deletion in cuckoo, Bloom, counting Bloom, quotient", "yes, no, yes, yes",
                     text("%s, %s, %s, %s", r[cf].removes, r[bloom].removes, r[counting].removes, r[quotient].removes),
                     strcmp(r[cf].removes, "yes") == 0 && strcmp(r[bloom].removes, "no") == 0 &&
                         strcmp(r[counting].removes, "yes") == 0 && strcmp(r[quotient].removes, "yes") == 0);
    lab_compare_fact(lab, "guide: all four can be merged", "yes",
                     text("%s, %s, %s, %s", r[cf].merges, r[bloom].merges, r[counting].merges, r[quotient].merges),
                     strcmp(r[cf].merges, "yes") == 0 && strcmp(r[bloom].merges, "yes") == 0 &&
                         strcmp(r[counting].merges, "yes") == 0 && strcmp(r[quotient].merges, "yes") == 0);
    lab_compare_fact(lab, "guide: insertions fail in cuckoo and quotient, not in Bloom filters", "yes, yes, no, no",
                     text("at %.2f, at %.2f, never, never", r[cf].full_at, r[quotient].full_at),
                     r[cf].full_at > 0 && r[quotient].full_at > 0 && r[bloom].full_at == 0 && r[counting].full_at == 0);
    lab_compare_fact(lab, "guide: of the four only the quotient filter grows easily", "quotient",
                     text("%.1f bits per item when grown %d-fold", r[quotient].grown_bits, GROWTH),
                     r[quotient].grown_bits > 0 && r[cf].grown_bits == 0 && r[bloom].grown_bits == 0);
}

/* Bits per item at the peak / mean over the trace: 1 if the space follows the items. */
static double elasticity(const struct result *r) { return r->peak_bits.mean / r->trace_bits.mean; }

/* Table I has plus signs; what they say about order is compared. */
static void compare_with_table_1(struct lab *lab, const struct result *r) {
    static const char *const fixed[] = {"Bloom", "CF", "ACF", "SCF"}, *const elastic[] = {"DBF with counters", "DCF",
                                                                                          "I2CF"};
    double best_fixed = 0, worst_elastic = 1;
    for (int i = 0; i < 4; i++) best_fixed = fmax(best_fixed, elasticity(&r[at(fixed[i])]));
    for (int i = 0; i < 3; i++) worst_elastic = fmin(worst_elastic, elasticity(&r[at(elastic[i])]));
    lab_compare_fact(
        lab, "Table I, capacity elasticity: DBF, DCF and I2CF (++) follow the trace, BF, CF, ACF, SCF do not",
        "++ and nothing", text("space at the peak / mean: %.2f or more, %.2f or less", worst_elastic, best_fixed),
        worst_elastic > best_fixed);
    double i2cf = elasticity(&r[at("I2CF")]), ccf = elasticity(&r[at("CCF")]);
    lab_compare_fact(lab, "Table I, capacity elasticity: CCF (+++) follows better than I2CF (++)", "better",
                     text("%.2f and %.2f", ccf, i2cf), ccf > i2cf);
    lab_refute(lab, "Table I, space efficiency: I2CF and CCF (+++) take less space than CF and DCF (++)", "less",
               text("%.0f and %.0f bits per item; CF %.1f, DCF %.1f", r[at("I2CF")].bits, r[at("CCF")].bits,
                    r[at("CF")].bits, r[at("DCF")].bits),
               r[at("I2CF")].bits > r[at("DCF")].bits && r[at("CCF")].bits > r[at("CF")].bits);
    lab_compare_fact(
        lab,
        "Table I, space efficiency: BF (+) takes more space than CF (++), at 0.1 %: where a power of two of "
        "buckets is full, and in the mean over all sizes",
        "more",
        text("%.1f against %.1f and %.1f bits per item (cuckoo, any number of buckets: %.1f)", r[at("Bloom")].bits,
             r[at("CF")].full_bits, r[at("CF")].bits, r[at("cuckoo")].bits),
        r[at("Bloom")].bits > r[at("CF")].full_bits && r[at("Bloom")].bits > r[at("CF")].bits);
}

/* By how many errors of the measurement a rate is above the planned one. */
static double errors_above(struct rate r) { return r.error > 0 ? (r.value - rate) / r.error : 0; }

/* An error is half the 95 % interval: of 25 rates that are exactly the planned one, one is two errors above in one run of a
 * thousand. */
static void check_rates(struct lab *lab, const struct result *r) {
    const char *highest = "";
    double most = -INFINITY;
    for (int i = 0; i < CONTENDERS; i++)
        for (int grown = 0; grown < (contenders[i].grows ? 2 : 1); grown++) {
            struct rate measured = grown ? r[i].grown : r[i].measured;
            if (errors_above(measured) <= most) continue;
            most = errors_above(measured);
            highest = text("highest: %s%s, %s", contenders[i].name, grown ? " grown" : "", rate_text(measured));
        }
    lab_must_hold(lab, "every filter keeps the planned rate of 0.1 %, also when grown (at most two errors above)",
                  highest, most <= 2);
}

static void check_tidal(struct lab *lab, const struct result *r) {
    double smallest = INFINITY, tidal = r[at("tidal")].trace_bits.mean;
    for (int i = 0; i < CONTENDERS; i++) {
        const struct contender *c = &contenders[i];
        if (c->grows && c->remove != NULL && strcmp(c->name, "tidal") != 0)
            smallest = fmin(smallest, r[i].trace_bits.mean);
    }
    const char *what = "mean bits per item on the trace: tidal, and the smallest other filter that grows and removes";
    const char *both = text("%.1f and %.1f", tidal, smallest);
    if (lab->quick || lab->trace != NULL) lab_note(lab, what, both); /* a small trace compares constants */
    else lab_must_hold(lab, text("%s: at most a tenth more", what), both, tidal < 1.1 * smallest);
}

void experiment(struct lab *lab) {
    static struct result r[CONTENDERS];
    uint64_t n = lab->quick ? 3880 : 31000; /* nearly full for a power of two of buckets */
    for (unsigned round = 0; round < (lab->quick ? 2U : 3U); round++) {
        struct lab one = lab_with_seed(lab, round);
        struct trace t = replay_trace(&one);
        for (int i = 0; i < CONTENDERS; i++) measure_trace(&one, &contenders[i], &t, &r[i]);
        trace_free(&t);
    }
    for (int i = 0; i < CONTENDERS; i++) {
        const struct contender *c = &contenders[i];
        measure_one_size(lab, c, n, &r[i]);
        measure_growth(lab, c, n, &r[i]);
        lab_progress("%s: %.1f bits per item, %.1f grown, %.1f on the trace", c->name, r[i].bits, r[i].grown_bits,
                     r[i].trace_bits.mean);
    }
    put_tables(lab, r, n);
    compare_with_the_guide(lab, r);
    compare_with_table_1(lab, r);
    check_rates(lab, r);
    check_tidal(lab, r);
}
