/* See filter_new.h. */
#include "filter_new.h"

#include "filter_file.h"
#include "report.h"

static guira_config config_of(const struct filter_spec *spec) {
    guira_config c;
    guira_config_init(&c);
    c.kind = (guira_kind)spec->kind;
    c.capacity = spec->items;
    c.fpr = spec->fpr;
    c.growth = spec->items > 0 && !spec->may_grow && c.kind == GUIRA_TIDAL ? 1 : 0; /* 0: up to 10^10 lines */
    parameters_apply(&spec->parameters, &c);
    return c;
}

/* The option without which the others would be valid; NULL: there is no single one. */
static const char *find_invalid(const struct filter_spec *spec) {
    for (unsigned i = 0; i < PARAM_OPTIONS; i++) {
        struct filter_spec rest = *spec;
        const char *name = parameter_unset(&rest.parameters, i);
        if (rest.items == 0 && rest.kind == GUIRA_CUCKOO) rest.items = 1; /* it was given --buckets */
        guira_config c = config_of(&rest);
        guira *f;
        guira_status s = name == NULL ? GUIRA_EINVAL : guira_create(&c, &f);
        if (s == GUIRA_OK) guira_destroy(f);
        if (s != GUIRA_EINVAL) return name;
    }
    return NULL;
}

static _Noreturn void invalid_parameter(const struct filter_spec *spec) {
    const char *name = find_invalid(spec);
    if (name != NULL) trouble("--%s: out of range for --kind %s", name, kind_names[spec->kind]);
    trouble("--kind %s: several parameters are out of range, or do not fit together", kind_names[spec->kind]);
}

guira *filter_new(const struct filter_spec *spec) {
    guira_config c = config_of(spec);
    guira *f;
    if (c.kind == GUIRA_CUCKOO && spec->items == 0 && c.buckets == 0)
        trouble("--kind cuckoo requires --items or --buckets, because its size is fixed; --kind tidal does not");
    guira_status s = guira_create(&c, &f);
    if (s == GUIRA_ELIMIT && spec->fpr > 0 && spec->fpr < 2e-7)
        trouble("--fpr: too low for a filter of this kind; the lowest rate is about 2e-7, or 7e-9 with --items");
    if (s == GUIRA_ELIMIT && spec->parameters.integer[PARAM_RING] > 0)
        trouble("--ring: too small: each bucket needs twice as many points as it has --virtual-nodes; increase --ring");
    if (s == GUIRA_ELIMIT && c.kind == GUIRA_DYNAMIC && spec->items > 0 && c.buckets > 0)
        trouble("--items: too many for the filters there may be; increase --max-filters or --buckets");
    if (s == GUIRA_ENOMEM || s == GUIRA_ELIMIT)
        trouble("not enough memory for a filter of that size%s", spec->items > 0 ? "; reduce --items"
                                                                 : c.buckets > 0 ? "; reduce --buckets"
                                                                                 : "");
    if (s == GUIRA_EINVAL) invalid_parameter(spec);
    if (s != GUIRA_OK) trouble("--kind %s: %s", kind_names[spec->kind], guira_strerror(s));
    return f;
}
