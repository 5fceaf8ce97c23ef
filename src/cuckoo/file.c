/* The fixed cuckoo filter as a file: see format/sections.h. Its sections:
 *
 *     head     counters and stash
 *     table    the buckets */
#include "base/alloc.h"
#include "cuckoo/cuckoo.h"
#include "filter/head.h"

void guira__cuckoo_save(const guira *head, struct guira__writer *to) {
    const struct cuckoo *f = const_cuckoo_of(head);
    guira__head_write(to, head);
    guira__section_start(to, "table", cuckoo_table_bytes(f));
    guira__section_put(to, f->table, cuckoo_table_bytes(f));
}

/* The part that is small: enough that lookups are safe. */
static guira_status view_read(struct cuckoo *f, const struct guira__ops *ops, const guira_config *c,
                              struct guira__reader *from) {
    if (!guira__head_read(from, ops, c, &f->head, &f->stash)) return GUIRA_ECORRUPT;
    guira__cuckoo_set_config(f, c);
    f->buckets = guira__cuckoo_buckets(c);
    f->shift = cuckoo_shift(c);
    f->layout = cuckoo_layout(c);
    f->is_view = true;
    f->bytes = guira__alloc_cost(sizeof *f);
    if (f->buckets > CUCKOO_MAX_BUCKETS || guira__cuckoo_check_stash(f) != NULL) return GUIRA_ECORRUPT;
    f->table = (uint8_t *)(uintptr_t)guira__section_expect(from, "table", cuckoo_table_bytes(f));
    return f->table != NULL ? GUIRA_OK : GUIRA_ECORRUPT;
}

guira_status guira__cuckoo_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                                guira **out) {
    struct cuckoo *f = (struct cuckoo *)guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    guira_status s = view_read(f, ops, c, from);
    if (s == GUIRA_OK) *out = &f->head;
    else guira__free(f);
    return s;
}
