/* Why tidal exists: capacity and false-positive rate of every kind during the flow trace, and during growth alone. All
 * have 16 bits per slot and start with 256 slots (cuckoo, which cannot grow, starts with the capacity of the peak). */
#include <string.h>

#include "replay.h"

enum { TIDAL, CUCKOO, DCF, ECF, CCF, FILTERS };
static const char *const name[] = {"tidal", "cuckoo", "DCF", "ECF", "CCF"};
static const guira_kind kind[] = {GUIRA_TIDAL, GUIRA_CUCKOO, GUIRA_DYNAMIC, GUIRA_ELASTIC, GUIRA_CONSISTENT};

/* All that can grow do so at the same load, so that their utilisation can be compared. ECF
 * shrinks at a quarter of it, because it halves. */
static const double most_load = 0.93;

static guira *make(const struct lab *lab, int which, uint64_t peak) {
    guira_config c = {
        .kind = kind[which], .slot_bits = 16, .buckets = 64, .bucket_slots = 4, .policy = GUIRA_BUCKET_LEVEL};
    if (which == TIDAL) c.capacity = 230;
    if (which != CUCKOO) c.max_load = most_load;
    if (which != CUCKOO && which != ECF) c.min_load = most_load - 0.05;
    if (which == CUCKOO) c.capacity = peak, c.buckets = 0; /* as many as the capacity needs */
    return lab_filter(lab, c);
}

enum { STEPS = 9 }; /* 225, 450, ... 57,600 items */

/* Doubles the number of items up to most and adds the rate at each step. */
static void grow(const struct lab *lab, int which, uint64_t most, uint64_t probes, struct rates all[STEPS]) {
    guira *f = make(lab, which, most);
    uint64_t before = 0, items = 225;
    for (unsigned step = 0; items <= most; step++, before = items, items *= 2) {
        if (lab_fill(f, before, items) != items) break; /* ECF cannot grow any more when all offsets are used */
        rates_add(&all[step], lab_fpr(f, probes), probes);
    }
    guira_destroy(f);
}

static void put_growth(struct lab *lab, struct rates all[FILTERS][STEPS]) {
    FILE *out = lab_file(lab, "growth.csv");
    fputs("filter,items,fpr,low,high\n", out);
    for (int f = 0; f < FILTERS; f++)
        for (unsigned step = 0; step < STEPS; step++) {
            if (all[f][step].trials == 0) continue;
            fprintf(out, "%d,%u", f, 225U << step);
            spread_put(out, all[f][step].each);
            fputc('\n', out);
        }
    if (fclose(out) != 0) lab_fatal("%s: cannot write to %s", lab->name, lab->out);
}

static void measure_growth(struct lab *lab) {
    static struct rates all[FILTERS][STEPS];
    uint64_t most = lab->quick ? 7200 : 57600, probes = lab->quick ? 10000 : 100000;
    struct rate rate[FILTERS];
    bool lowest = true;
    for (int f = 0; f < FILTERS; f++) {
        if (f == CUCKOO) continue;
        for (unsigned round = 0; round < (lab->quick ? 2U : 3U); round++) {
            struct lab one = lab_with_seed(lab, round);
            grow(&one, f, most, probes, all[f]);
        }
        for (unsigned step = 0; step < STEPS; step++)
            if (all[f][step].trials > 0) rate[f] = rate_of_all(&all[f][step]);
        lab_progress("grown to %" PRIu64 " items: %s, false-positive rate %s", most, name[f], rate_text(rate[f]));
        lowest &= f == TIDAL || rate[TIDAL].value < rate[f].value;
    }
    put_growth(lab, all);
    lab_must_hold(lab,
                  text("grown %" PRIu64 "-fold without the keys, tidal has the lowest rate of all kinds that can grow",
                       most / 225),
                  text("tidal %s, DCF %s, ECF %s, CCF %s", rate_text(rate[TIDAL]), rate_text(rate[DCF]),
                       rate_text(rate[ECF]), rate_text(rate[CCF])),
                  lowest);
}

static void put_samples(struct lab *lab, const struct replay r[FILTERS]) {
    fputs("seconds,items", lab->data);
    for (int f = 0; f < FILTERS; f++)
        fprintf(lab->data, ",%s_slots,%s_bytes,%s_fpr,%s_error", name[f], name[f], name[f], name[f]);
    fputc('\n', lab->data);
    for (size_t i = 0; i < r[0].samples; i++) {
        fprintf(lab->data, "%.2f,%" PRIu64, r[0].sample[i].time, r[0].sample[i].items);
        for (int f = 0; f < FILTERS; f++) {
            const struct sample *s = &r[f].sample[i];
            fprintf(lab->data, ",%" PRIu64 ",%" PRIu64 ",%.3g,%.2g", s->slots, s->bytes, s->fpr, s->fpr_error);
        }
        fputc('\n', lab->data);
    }
}

static struct rate highest_rate(const struct replay *r) {
    struct rate most = {0, 0};
    for (size_t i = 0; i < r->samples; i++)
        if (r->sample[i].fpr > most.value) most = (struct rate){r->sample[i].fpr, r->sample[i].fpr_error};
    return most;
}

static void put_checks(struct lab *lab, const struct replay r[FILTERS]) {
    bool highest_load = true;
    double mean[FILTERS];
    for (int f = 0; f < FILTERS; f++) {
        mean[f] = replay_mean_load(&r[f]);
        highest_load &= mean[TIDAL] > mean[f] - 0.02;
    }
    const char *means = text("tidal %.3f, DCF %.3f, CCF %.3f, cuckoo %.3f, ECF %.3f", mean[TIDAL], mean[DCF], mean[CCF],
                             mean[CUCKOO], mean[ECF]);
    if (lab->trace == NULL)
        lab_must_hold(lab,
                      "with the same limits of the load, no kind has a mean utilisation more than 0.02 above tidal's",
                      means, highest_load);
    else lab_note(lab, "mean utilisation during this trace", means);
    replay_check(lab, r, FILTERS, 0);
    for (int f = 0; f < FILTERS; f++)
        lab_note(lab, text("highest false-positive rate during the trace, %s", name[f]),
                 rate_text(highest_rate(&r[f])));
}

void experiment(struct lab *lab) {
    struct trace t = replay_trace(lab);
    struct replay r[FILTERS];
    lab_progress("trace: %zu flows, %zu concurrent at the peak", t.flows, t.peak);
    for (int f = 0; f < FILTERS; f++) {
        guira *filter = make(lab, f, t.peak);
        r[f] = replay_run(&t, replay_guira(filter), lab->quick ? 60 : 150, lab->quick ? 4000 : 40000);
        lab_progress("%s: mean utilisation %.3f, highest rate %s", name[f], replay_mean_load(&r[f]),
                     rate_text(highest_rate(&r[f])));
        guira_destroy(filter);
    }
    measure_growth(lab);
    put_samples(lab, r);
    put_checks(lab, r);
    for (int f = 0; f < FILTERS; f++) replay_free(&r[f]);
    trace_free(&t);
}
