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

/* --------------------------------------------------------------------------------------------------------- subjects */

static bool guira_in(void *f, const void *key, size_t n) { return guira_insert(f, key, n) == GUIRA_OK; }
static bool guira_out(void *f, const void *key, size_t n) { return guira_remove(f, key, n) == GUIRA_OK; }
static bool guira_has(const void *f, const void *key, size_t n) { return guira_contains(f, key, n); }
static void guira_sample(const void *f, struct sample *out) {
    guira_stats s = lab_stats(f);
    *out = (struct sample){.items = s.items, .slots = s.slots, .buckets = s.buckets, .bytes = s.bytes};
}
struct subject replay_guira(guira *f) {
    return (struct subject){f, guira_in, guira_out, guira_has, guira_sample};
}

/* The hash of a key for models. */
static uint64_t hash_of(const void *key, size_t n) {
    uint64_t h = n;
    for (const uint8_t *p = key; n > 0; p++, n--) h = mix(h ^ *p);
    return h;
}

static bool i2cf_in(void *f, const void *key, size_t n) { return i2cf_insert(f, hash_of(key, n)); }
static bool i2cf_out(void *f, const void *key, size_t n) { return i2cf_remove(f, hash_of(key, n)); }
static bool i2cf_has(const void *f, const void *key, size_t n) { return i2cf_contains(f, hash_of(key, n)); }
static void i2cf_sample(const void *filter, struct sample *out) {
    const struct i2cf *f = filter;
    *out = (struct sample){.items = f->items, .buckets = f->buckets, .bytes = (uint64_t)(i2cf_bits(f) / 8)};
    out->slots = f->buckets * f->config.slots;
}
struct subject replay_i2cf(struct i2cf *f) {
    return (struct subject){f, i2cf_in, i2cf_out, i2cf_has, i2cf_sample};
}

static bool dcf_in(void *f, const void *key, size_t n) { return dcf_insert(f, hash_of(key, n)), true; }
static bool dcf_out(void *f, const void *key, size_t n) { return dcf_remove(f, hash_of(key, n)); }
static bool dcf_has(const void *f, const void *key, size_t n) { return dcf_contains(f, hash_of(key, n)); }
static void dcf_sample(const void *filter, struct sample *out) {
    const struct dcf *f = filter;
    *out = (struct sample){.items = f->total, .slots = dcf_slots(f), .buckets = f->filters * f->buckets};
    out->bytes = out->slots * 30 / 8;
}
struct subject replay_dcf(struct dcf *f) {
    return (struct subject){f, dcf_in, dcf_out, dcf_has, dcf_sample};
}

/* ----------------------------------------------------------------------------------------------------------- replay */

static struct sample take_sample(struct subject f, double time, uint64_t probes) {
    struct sample sample;
    uint64_t hits = 0;
    f.sample(f.filter, &sample);
    sample.time = time;
    for (uint64_t i = 0; i < probes; i++) {
        struct key key = key_of(NON_MEMBERS, i);
        hits += f.contains(f.filter, key.bytes, KEY_BYTES);
    }
    if (probes > 0) {
        struct rate r = rate_of(hits, probes);
        sample.fpr = r.value;
        sample.fpr_error = r.error;
    }
    return sample;
}

struct replay replay_run(const struct trace *t, struct subject f, size_t samples, uint64_t probes) {
    struct replay r = {.sample = calloc(samples, sizeof *r.sample)};
    bool *in = calloc(t->flows, sizeof *in);
    if (r.sample == NULL || in == NULL) lab_fatal("no memory for a replay");
    for (size_t i = 0; i < t->events; i++) {
        const struct event *e = &t->event[i];
        size_t length;
        const char *key = trace_key(t, e->flow, &length);
        if (e->arrives) {
            in[e->flow] = f.insert(f.filter, key, length);
            r.failed += !in[e->flow];
        } else if (in[e->flow]) r.false_negatives += !f.remove(f.filter, key, length);
        if (r.samples < samples && i * samples / t->events >= r.samples) { /* above: fewer events than samples */
            r.false_negatives += e->arrives && in[e->flow] && !f.contains(f.filter, key, length);
            r.sample[r.samples++] = take_sample(f, e->time, probes);
        }
    }
    free(in);
    return r;
}

void replay_check(struct lab *lab, const struct replay *r, int n, unsigned round) {
    uint64_t false_negatives = 0, failed = 0;
    for (int i = 0; i < n; i++) {
        false_negatives += r[i].false_negatives;
        failed += r[i].failed;
    }
    lab_must_hold(lab, text("seed %u: no filter has a false negative", round + 1), text("%" PRIu64, false_negatives),
                  false_negatives == 0);
    if (lab->trace == NULL)
        lab_must_hold(lab, text("seed %u: no insertion fails", round + 1), text("%" PRIu64, failed), failed == 0);
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

void replay_compare_mean(struct lab *lab, const char *filter, const char *printed, struct spread measured) {
    lab_compare_spread(lab, text("mean utilisation, %s", filter), printed, measured, 0.01);
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
