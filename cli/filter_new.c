/* See filter_new.h. */
#include "filter_new.h"

#include "filter_file.h"
#include "report.h"

guira *filter_new(const struct filter_spec *spec) {
    guira_config c;
    guira *f;
    guira_config_init(&c);
    c.kind = (guira_kind)spec->kind;
    c.capacity = spec->items;
    c.fpr = spec->fpr;
    c.growth = spec->items > 0 && !spec->may_grow && c.kind == GUIRA_TIDAL ? 1 : 0; /* 0: up to 10^10 lines */
    parameters_apply(&spec->parameters, &c);
    if (c.kind == GUIRA_CUCKOO && spec->items == 0 && c.buckets == 0)
        trouble("--kind cuckoo requires --items or --buckets, because its size is fixed; --kind tidal does not");
    guira_status s = guira_create(&c, &f);
    if (s == GUIRA_ELIMIT && spec->fpr > 0 && spec->fpr < 2e-7)
        trouble("--fpr: too low for a filter of this kind; the lowest rate is about 2e-7, or 7e-9 with --items");
    if (s == GUIRA_ELIMIT && spec->parameters.integer[PARAM_RING] > 0)
        trouble("--ring: too small: each bucket needs twice as many points as it has --virtual-nodes; increase --ring");
    if (s == GUIRA_ENOMEM || s == GUIRA_ELIMIT) trouble("not enough memory for a filter of that size; reduce --items");
    if (s == GUIRA_EINVAL)
        trouble("--kind %s: a parameter is out of range; 'guira build --help' has the ranges", kind_names[spec->kind]);
    if (s != GUIRA_OK) trouble("--kind %s: %s", kind_names[spec->kind], guira_strerror(s));
    return f;
}
