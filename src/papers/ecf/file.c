/* An ECF as a file: see format/sections.h. Its sections:
 *
 *     head      counters and stash
 *     shape     the first size, how many steps, groups, left, min_buckets, retry_below, then the steps
 *     table     the slots
 *     pending   one bit per group, if there are any
 *
 * Of the shape only the first size and the steps are written. The rest follows from them, so a file cannot claim
 * anything else. */
#include "base/alloc.h"
#include "filter/head.h"
#include "papers/ecf/ecf.h"

enum { SHAPE_NUMBERS = 6 };

void guira__ecf_save(const guira *head, struct guira__writer *w) {
    const struct ecf *f = const_ecf_of(head);
    const uint64_t number[SHAPE_NUMBERS] = {f->shape.first, f->shape.steps, f->groups,
                                            f->left,        f->min_buckets, f->retry_below};
    guira__section_start(w, "shape", 8 * SHAPE_NUMBERS + MAX_STEPS);
    for (size_t i = 0; i < SHAPE_NUMBERS; i++) guira__section_put_u64(w, number[i]);
    guira__section_put(w, f->shape.step, MAX_STEPS);
    guira__section_start(w, "table", table_bytes(&f->table));
    guira__section_put(w, f->table.bytes, table_bytes(&f->table));
    if (f->groups == 0) return;
    guira__section_start(w, "pending", ecf_pending_bytes(f));
    guira__section_put(w, f->pending, ecf_pending_bytes(f));
}

static bool view_shape(struct ecf *f, struct guira__reader *r) {
    uint64_t first, steps;
    uint64_t *const number[SHAPE_NUMBERS] = {&first, &steps, &f->groups, &f->left, &f->min_buckets, &f->retry_below};
    const uint8_t *p = guira__section_expect(r, "shape", 8 * SHAPE_NUMBERS + MAX_STEPS);
    if (p == NULL) return false;
    for (size_t i = 0; i < SHAPE_NUMBERS; i++, p += 8) *number[i] = get_u64(p);
    if (!guira__ecf_shape_replay(&f->shape, &f->base.config, first, steps, p)) return false;
    f->table = table_of_config(&f->base.config, f->shape.buckets);
    return f->min_buckets <= f->shape.buckets && guira__ecf_check_shape(f) == NULL;
}

guira_status guira__ecf_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r,
                             guira **out) {
    struct ecf *f = (struct ecf *)guira__papers_alloc(sizeof *f, &guira__ecf_paper, 1);
    if (f == NULL) return GUIRA_ENOMEM;
    bool good = guira__papers_read(&f->base, ops, c, r) && view_shape(f, r);
    f->is_view = true;
    if (good) f->table.bytes = (uint8_t *)(uintptr_t)guira__section_expect(r, "table", table_bytes(&f->table));
    good = good && f->table.bytes != NULL;
    if (good && f->groups > 0)
        f->pending = (uint8_t *)(uintptr_t)guira__section_expect(r, "pending", ecf_pending_bytes(f));
    good = good && (f->groups == 0 || f->pending != NULL);
    return guira__papers_made(&f->head, good ? GUIRA_OK : GUIRA_ECORRUPT, guira__ecf_destroy, out);
}
