/* See replay.h. */
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
    if (in == NULL) lab_die("%s: %s", lab->trace, strerror(errno));
    struct trace t;
    char message[300];
    bool good = trace_read(in, lab->trace, &t, message, sizeof message);
    fclose(in);
    if (!good) lab_die("%s", message);
    return t;
}

static struct sample look(const guira *f, double time, uint64_t probes) {
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
    if (r.sample == NULL || in == NULL) lab_die("no memory for a replay");
    for (size_t i = 0; i < t->events; i++) {
        const struct event *e = &t->event[i];
        size_t length;
        const char *key = trace_key(t, e->flow, &length);
        if (e->arrives) {
            in[e->flow] = guira_insert(f, key, length) == GUIRA_OK;
            r.refused += !in[e->flow];
        } else if (in[e->flow]) r.denied += guira_remove(f, key, length) != GUIRA_OK;
        if (i * samples / t->events == r.samples && r.samples < samples) {
            r.denied += e->arrives && in[e->flow] && !guira_contains(f, key, length);
            r.sample[r.samples++] = look(f, e->time, probes);
        }
    }
    free(in);
    return r;
}

void replay_hold(struct lab *lab, const struct replay *r, int n) {
    uint64_t denied = 0, refused = 0;
    for (int i = 0; i < n; i++) {
        denied += r[i].denied;
        refused += r[i].refused;
    }
    lab_hold(lab, "no filter denies a member", text("%" PRIu64, denied), denied == 0);
    if (lab->trace == NULL) lab_hold(lab, "no filter refuses a member", text("%" PRIu64, refused), refused == 0);
    else lab_note(lab, "insertions refused (more copies of a key than it has places)", text("%" PRIu64, refused));
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
    if (kind == GUIRA_CONSISTENT) { /* grows when an insertion fails, not because of its load; see ccf-fig4/text.txt */
        c.max_load = 0.999;
        c.min_load = 0.985;
    }
    if (kind == GUIRA_TIDAL || kind == GUIRA_CUCKOO) c.slot_bits = 32;
    return c;
}
