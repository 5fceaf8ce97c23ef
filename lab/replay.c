/* Replays flow traces on filters; the contracts are in replay.h. */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct trace replay_trace(const struct lab *lab) {
    if (lab->trace == NULL) {
        size_t part = lab->quick ? 8 : 1;
        return trace_generate(lab->seed, PAPER_FLOWS / part, PAPER_PEAK / part, PAPER_SECONDS);
    }
    FILE *in = fopen(lab->trace, "r");
    if (in == NULL) lab_fatal("%s: %s", lab->trace, strerror(errno));
    struct trace t;
    char message[300];
    bool good = trace_read(in, lab->trace, &t, message, sizeof message);
    fclose(in);
    if (!good) lab_fatal("%s", message);
    return t;
}

static struct sample take_sample(const guira *f, double time, uint64_t probes) {
    guira_stats s = lab_stats(f);
    struct sample sample = {.time = time, .items = s.items, .slots = s.slots, .buckets = s.buckets, .bytes = s.bytes};
    if (probes > 0) {
        struct rate r = lab_fpr(f, probes);
        sample.fpr = r.value;
        sample.fpr_error = r.error;
    }
    return sample;
}

struct replay replay_run(const struct trace *t, guira *f, size_t samples, uint64_t probes) {
    struct replay r = {.sample = calloc(samples, sizeof *r.sample)};
    bool *in = calloc(t->flows, sizeof *in);
    if (r.sample == NULL || in == NULL) lab_fatal("no memory for a replay");
    for (size_t i = 0; i < t->events; i++) {
        const struct event *e = &t->event[i];
        size_t length;
        const char *key = trace_key(t, e->flow, &length);
        if (e->arrives) {
            in[e->flow] = guira_insert(f, key, length) == GUIRA_OK;
            r.failed += !in[e->flow];
        } else if (in[e->flow]) r.false_negatives += guira_remove(f, key, length) != GUIRA_OK;
        if (i * samples / t->events == r.samples && r.samples < samples) {
            r.false_negatives += e->arrives && in[e->flow] && !guira_contains(f, key, length);
            r.sample[r.samples++] = take_sample(f, e->time, probes);
        }
    }
    free(in);
    return r;
}

void replay_check(struct lab *lab, const struct replay *r, int n) {
    uint64_t false_negatives = 0, failed = 0;
    for (int i = 0; i < n; i++) {
        false_negatives += r[i].false_negatives;
        failed += r[i].failed;
    }
    lab_must_hold(lab, "no filter has a false negative", text("%" PRIu64, false_negatives), false_negatives == 0);
    if (lab->trace == NULL) lab_must_hold(lab, "no insertion fails", text("%" PRIu64, failed), failed == 0);
    else
        lab_note(lab, "failed insertions (more copies of a key than its buckets have slots)", text("%" PRIu64, failed));
}

void replay_free(struct replay *r) { free(r->sample); }

static double load_of(const struct sample *s) { return s->slots > 0 ? (double)s->items / (double)s->slots : 0; }

double replay_mean_load(const struct replay *r) {
    double sum = 0;
    for (size_t i = 0; i < r->samples; i++) sum += load_of(&r->sample[i]);
    return sum / (double)r->samples;
}

guira_config replay_config(guira_kind kind) {
    guira_config c = {.kind = kind, .slot_bits = 30, .bucket_slots = 3, .buckets = 64, .candidates = 2};
    c.virtual_nodes = 10;
    c.max_kicks = kind == GUIRA_CONSISTENT ? 1200 : 1000;
    if (kind == GUIRA_CONSISTENT) { /* grows when an insertion fails, not at a load; see ccf-fig4/text.txt */
        c.max_load = 0.999;
        c.min_load = 0.985;
    }
    if (kind == GUIRA_TIDAL || kind == GUIRA_CUCKOO) c.slot_bits = 32;
    return c;
}
