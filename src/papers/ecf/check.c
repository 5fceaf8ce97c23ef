/* The invariants of an ECF. */
#include "papers/ecf/ecf.h"

const char *guira__ecf_check_shape(const struct ecf *f) {
    struct ecf_shape s;
    if (!guira__ecf_shape_replay(&s, &f->base.config, f->shape.first, f->shape.steps, f->shape.step))
        return "shape: impossible step";
    if (s.buckets != f->table.buckets || s.buckets != f->shape.buckets || s.range != f->shape.range ||
        s.first_range != f->shape.first_range)
        return "shape: wrong size";
    bool extended = s.steps > 0 && s.step[s.steps - 1] != HALVED;
    if (f->groups != 0 && !(extended && f->groups * s.step[s.steps - 1] == s.buckets)) return "pending: wrong size";
    if (f->left > f->groups) return "pending: more groups left than there are";
    if (!guira__stash_valid(&f->base.stash, &f->table)) return "stash: impossible entry";
    for (unsigned i = 0; i < f->base.stash.n; i++)
        if (!ecf_in_range(&f->shape, f->base.stash.entry[i])) return "stash: an entry outside its range";
    return NULL;
}

/* Copies in a pending group are equal, and one of each is in range; in other groups every entry is in range. */
static const char *check_group(const struct ecf *f, uint64_t group, uint64_t groups, uint64_t *items) {
    const unsigned slots = f->table.layout.slots;
    const bool pending = ecf_is_pending(f, group);
    unsigned in_range = 0, any = 0;
    for (uint64_t i = group; i < f->table.buckets; i += groups) {
        unsigned taken = guira__ecf_taken(f, i);
        *items += (uint64_t)__builtin_popcount(taken);
        in_range |= taken;
        any |= guira__table_match(&f->table, i, 0) ^ ((1U << slots) - 1);
        for (unsigned j = 0; j < slots; j++) {
            struct entry e = {i, table_get(&f->table, i * slots + j)};
            if (pending && e.what != table_get(&f->table, group * slots + j)) return "pending: copies that differ";
            if (!pending && e.what != 0 && !ecf_in_range(&f->shape, e)) return "table: an entry outside its range";
        }
    }
    return in_range == any ? NULL : "pending: no copy is in range";
}

const char *guira__ecf_check(const guira *head) {
    const struct ecf *f = const_ecf_of(head);
    uint64_t items = f->base.stash.n, left = 0, groups = f->groups > 0 ? f->groups : f->table.buckets;
    const char *broken = guira__ecf_check_shape(f);
    for (uint64_t group = 0; broken == NULL && group < groups; group++) {
        left += ecf_is_pending(f, group);
        broken = check_group(f, group, groups, &items);
    }
    if (broken != NULL) return broken;
    if (left != f->left) return "pending: wrong number of groups left";
    if (f->groups % 8 != 0 && f->pending[f->groups / 8] >> f->groups % 8 != 0) return "pending: bits after its end";
    if (guira__table_count_taken(&f->table, table_bytes(&f->table)) == UINT64_MAX) return "table: bits after its end";
    return items == head->items ? NULL : "counters: items";
}
