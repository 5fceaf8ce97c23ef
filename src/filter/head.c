/* See head.h. */
#include "filter/head.h"

#include <string.h>

enum { HEAD_NUMBERS = 8 };

void guira__head_write(struct guira__writer *w, const guira *f) {
    const struct stash *stash = f->ops->stash(f);
    const uint64_t number[HEAD_NUMBERS] = {f->items,    f->weight, f->evict.rng, f->evict.kicks,
                                           f->failures, f->grows,  f->shrinks,   stash->n};
    guira__section_start(w, "head", 8 * HEAD_NUMBERS + UINT64_C(16) * stash->n);
    for (size_t i = 0; i < HEAD_NUMBERS; i++) guira__section_put_u64(w, number[i]);
    for (size_t i = 0; i < stash->n; i++) {
        guira__section_put_u64(w, stash->entry[i].where);
        guira__section_put_u64(w, stash->entry[i].what);
    }
}

bool guira__head_read(struct guira__reader *r, const struct guira__ops *ops, const guira_config *c, guira *f,
                      struct stash *stash) {
    uint64_t length;
    const uint8_t *p = guira__section_get(r, "head", &length);
    if (p == NULL || length < UINT64_C(8) * HEAD_NUMBERS) return false;
    memset(f, 0, sizeof *f);
    f->ops = ops;
    f->contains = ops->contains;
    memcpy(f->seed, c->seed, sizeof f->seed);
    uint64_t *const number[] = {&f->items,    &f->weight, &f->evict.rng, &f->evict.kicks,
                                &f->failures, &f->grows,  &f->shrinks};
    for (size_t i = 0; i < HEAD_NUMBERS - 1; i++, p += 8) *number[i] = get_u64(p);
    uint64_t stashed = get_u64(p);
    if (stashed > STASH_LAST || length != 8 * HEAD_NUMBERS + 16 * stashed) return false;
    stash->n = (uint32_t)stashed;
    for (size_t i = 0; i < stashed; i++)
        stash->entry[i] = (struct entry){get_u64(p + 8 + 16 * i), get_u64(p + 16 + 16 * i)};
    return true;
}
