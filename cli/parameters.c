/* See parameters.h. */
#include "parameters.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "filter_file.h"
#include "report.h"

const char *const policy_names[] = {"both", "bucket", "filter", NULL};

#define HAS(kind) (1U << (kind))

enum {
    LISTS = HAS(GUIRA_DYNAMIC) | HAS(GUIRA_CONSISTENT),
    PAPERS = LISTS | HAS(GUIRA_ELASTIC),
    ALL = PAPERS | HAS(GUIRA_TIDAL) | HAS(GUIRA_CUCKOO),
    SIZED = ALL & ~HAS(GUIRA_TIDAL),
    RESIZED = ALL & ~HAS(GUIRA_CUCKOO)
};

/* An integer, the kinds that have it, and its field, which is an unsigned unless `wide`. */
static const struct {
    const char *option, *json;
    unsigned kinds;
    size_t field;
    bool wide;
} integers[PARAM_COUNT] = {
    [PARAM_SLOT_BITS] = {"slot-bits", "slot_bits", ALL, offsetof(guira_config, slot_bits), false},
    [PARAM_BUCKET_SLOTS] = {"bucket-slots", "bucket_slots", SIZED, offsetof(guira_config, bucket_slots), false},
    [PARAM_BUCKETS] = {"buckets", "buckets_configured", SIZED, offsetof(guira_config, buckets), true},
    [PARAM_MAX_FILTERS] = {"max-filters", "max_filters", LISTS, offsetof(guira_config, max_filters), false},
    [PARAM_FACTOR] = {"factor", "factor", HAS(GUIRA_ELASTIC), offsetof(guira_config, factor), false},
    [PARAM_CANDIDATES] = {"candidates", "candidates", HAS(GUIRA_CONSISTENT), offsetof(guira_config, candidates), false},
    [PARAM_VIRTUAL_NODES] = {"virtual-nodes", "virtual_nodes", HAS(GUIRA_CONSISTENT),
                             offsetof(guira_config, virtual_nodes), false},
    [PARAM_RING] = {"ring", "ring", HAS(GUIRA_CONSISTENT), offsetof(guira_config, ring), true},
    [PARAM_MAX_KICKS] = {"max-kicks", "max_kicks", ALL, offsetof(guira_config, max_kicks), false},
};

bool parameters_given(const struct parameters *p) {
    bool given = p->max_load > 0 || p->min_load > 0 || p->growth > 0 || p->never_shrinks || p->policy > 0;
    for (unsigned i = 0; i < PARAM_COUNT; i++) given |= p->integer[i] > 0;
    return given;
}

const char *parameter_unset(struct parameters *p, unsigned i) {
    static const char *const names[] = {"max-load", "min-load", "growth"};
    double *const reals[] = {&p->max_load, &p->min_load, &p->growth};
    bool given = i < PARAM_COUNT ? p->integer[i] > 0 : *reals[i - PARAM_COUNT] > 0;
    if (i < PARAM_COUNT) p->integer[i] = 0;
    else *reals[i - PARAM_COUNT] = 0;
    if (!given) return NULL;
    return i < PARAM_COUNT ? integers[i].option : names[i - PARAM_COUNT];
}

static void must_have(const guira_config *c, const char *option, unsigned kinds) {
    if (kinds & HAS(c->kind)) return;
    char list[100];
    int used = 0;
    for (unsigned i = 0; kind_names[i] != NULL; i++)
        if (kinds & HAS(i))
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", used > 0 ? " or " : "", kind_names[i]);
    trouble("--%s requires --kind %s", option, list);
}

static void set_integer(unsigned which, uint64_t value, guira_config *c) {
    void *field = (char *)c + integers[which].field;
    must_have(c, integers[which].option, integers[which].kinds);
    if (integers[which].wide) *(uint64_t *)field = value;
    else if (value > UINT_MAX) trouble("--%s: %" PRIu64 " is too large", integers[which].option, value);
    else *(unsigned *)field = (unsigned)value;
}

void parameters_apply(const struct parameters *p, guira_config *c) {
    for (unsigned i = 0; i < PARAM_COUNT; i++)
        if (p->integer[i] > 0) set_integer(i, p->integer[i], c);
    if (p->never_shrinks && p->min_load > 0) trouble("--min-load and --never-shrink cannot be combined");
    if (p->never_shrinks || p->min_load > 0) must_have(c, p->never_shrinks ? "never-shrink" : "min-load", RESIZED);
    if (p->growth > 0) must_have(c, "growth", HAS(GUIRA_TIDAL));
    if (p->policy > 0) must_have(c, "policy", HAS(GUIRA_CONSISTENT));
    if (p->max_load > 0) c->max_load = p->max_load;
    if (p->min_load > 0) c->min_load = p->min_load;
    if (p->never_shrinks) c->min_load = -1;
    if (p->growth > 0) c->growth = p->growth;
    c->policy = (guira_policy)p->policy;
}

/* ------------------------------------------------------------------------------------------------------------ printing */

static uint64_t integer_of(const guira_config *c, unsigned which) {
    const void *field = (const char *)c + integers[which].field;
    return integers[which].wide ? *(const uint64_t *)field : *(const unsigned *)field;
}

void parameters_print(const guira_config *c) {
    printf("max-load %.4g", c->max_load);
    if (c->kind != GUIRA_CUCKOO && c->min_load > 0) printf(", min-load %.4g", c->min_load);
    else if (c->kind != GUIRA_CUCKOO) printf(", never-shrink");
    if (c->growth > 0) printf(", growth %.4g", c->growth);
    for (unsigned i = 0; i < PARAM_COUNT; i++)
        if (i != PARAM_SLOT_BITS && (integers[i].kinds & HAS(c->kind)) && integer_of(c, i) > 0)
            printf(", %s %" PRIu64, integers[i].option, integer_of(c, i));
    if (c->kind == GUIRA_CONSISTENT) printf(", policy %s", policy_names[c->policy]);
}

void parameters_print_json(const guira_config *c) {
    printf(",\"max_load\":%.6g", c->max_load);
    if (c->kind != GUIRA_CUCKOO && c->min_load > 0) printf(",\"min_load\":%.6g", c->min_load);
    else if (c->kind != GUIRA_CUCKOO) printf(",\"min_load\":null");
    if (c->growth > 0) printf(",\"growth\":%.6g", c->growth);
    for (unsigned i = 0; i < PARAM_COUNT; i++)
        if (i != PARAM_SLOT_BITS && (integers[i].kinds & HAS(c->kind)) && integer_of(c, i) > 0)
            printf(",\"%s\":%" PRIu64, integers[i].json, integer_of(c, i));
    if (c->kind == GUIRA_CONSISTENT) printf(",\"policy\":\"%s\"", policy_names[c->policy]);
}
