/* See kinds.h. */
#include "kinds/kinds.h"

#include "cuckoo/cuckoo.h"
#include "papers/papers.h"
#include "tidal/tidal.h"

/* The small build for WebAssembly is without the papers' kinds. */
static const struct guira__kind *const kinds[] = {
    [GUIRA_TIDAL] = &guira__tidal_kind, [GUIRA_CUCKOO] = &guira__cuckoo_kind,
#if !defined(GUIRA_NO_PAPERS)
    [GUIRA_DYNAMIC] = &guira__dcf_kind, [GUIRA_ELASTIC] = &guira__ecf_kind,   [GUIRA_CONSISTENT] = &guira__ccf_kind,
#else
    [GUIRA_CONSISTENT] = NULL,
#endif
};

guira_status guira__config_resolve(guira_config *c) {
    if ((unsigned)c->kind >= sizeof kinds / sizeof *kinds) return GUIRA_EINVAL;
    if (kinds[c->kind] == NULL) return GUIRA_EUNSUPPORTED;
    guira_status s = kinds[c->kind]->resolve(c);
    return s == GUIRA_OK ? guira__seed_draw(c->seed) : s;
}

guira_status guira__kind_plan(guira_config *c, double growth, guira_plan_row *row) {
    if (kinds[c->kind] == NULL) return GUIRA_EUNSUPPORTED;
    guira_status s = kinds[c->kind]->resolve(c);
    if (s != GUIRA_OK) return s;
    return kinds[c->kind]->plan(c, growth, row) ? GUIRA_OK : GUIRA_ELIMIT;
}

const struct guira__ops *guira__kind_ops(enum isa isa, const guira_config *c) {
    return kinds[c->kind] == NULL ? NULL : kinds[c->kind]->ops(isa, c);
}

guira_status guira__create_isa(enum isa isa, const guira_config *c, guira **out) {
    guira_config resolved;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    guira_status s = guira__config_read(c, &resolved);
    if (s == GUIRA_OK) s = guira__config_resolve(&resolved);
    if (s != GUIRA_OK) return s;
    const struct guira__ops *ops = guira__kind_ops(isa, &resolved);
    return ops == NULL ? GUIRA_EUNSUPPORTED : ops->create(ops, &resolved, out);
}

guira_status guira_create(const guira_config *c, guira **out) { return guira__create_isa(ISA_BEST, c, out); }
