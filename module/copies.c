/* See copies.h. */
#include "copies.h"

#include <string.h>

#include "memory.h"

enum { FIRST_SLOTS = 8 };

static uint64_t home(const struct copies *c, uint64_t what) {
    uint64_t mixed = (what ^ what >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 32) & (c->slots - 1);
}

/* The slot that has `what`, or the free one where it belongs. A table is at most half full, so this ends. */
static struct copy *find(const struct copies *c, uint64_t what) {
    uint64_t i = home(c, what);
    while (c->slot[i].what != 0 && c->slot[i].what != what) i = (i + 1) & (c->slots - 1);
    return &c->slot[i];
}

uint64_t copies_of(const struct copies *c, uint64_t what) { return c->used == 0 ? 0 : find(c, what)->count; }

static bool enlarge(struct copies *c) {
    struct copies larger = {.slots = c->slots == 0 ? FIRST_SLOTS : 2 * c->slots, .used = c->used, .total = c->total};
    larger.slot = memory_alloc(larger.slots * sizeof *larger.slot);
    if (larger.slot == NULL) return false;
    memset(larger.slot, 0, larger.slots * sizeof *larger.slot);
    for (uint64_t i = 0; i < c->slots; i++)
        if (c->slot[i].what != 0) *find(&larger, c->slot[i].what) = c->slot[i];
    memory_free(c->slot);
    *c = larger;
    return true;
}

bool copies_add(struct copies *c, uint64_t what) {
    if (2 * (c->used + 1) > c->slots && !enlarge(c)) return false;
    struct copy *s = find(c, what);
    c->used += s->what == 0;
    *s = (struct copy){what, s->count + 1};
    c->total++;
    return true;
}

/* Frees slot i, and closes the gap: entries that come after it and began their search before it move back. */
static void free_slot(struct copies *c, uint64_t i) {
    uint64_t mask = c->slots - 1;
    for (uint64_t j = (i + 1) & mask; c->slot[j].what != 0; j = (j + 1) & mask) {
        uint64_t distance = (j - home(c, c->slot[j].what)) & mask;
        if (distance < ((j - i) & mask)) continue;
        c->slot[i] = c->slot[j];
        i = j;
    }
    c->slot[i] = (struct copy){0, 0};
}

bool copies_remove(struct copies *c, uint64_t what) {
    struct copy *s = c->used == 0 ? NULL : find(c, what);
    if (s == NULL || s->what == 0) return false;
    c->total--;
    if (--s->count > 0) return true;
    free_slot(c, (uint64_t)(s - c->slot));
    if (--c->used == 0) copies_free(c);
    return true;
}

void copies_free(struct copies *c) {
    memory_free(c->slot);
    *c = (struct copies){0};
}

bool copies_valid(const struct copies *c) {
    uint64_t used = 0, total = 0;
    if (c->slots == 0) return c->used == 0 && c->total == 0;
    if (c->slots < FIRST_SLOTS || (c->slots & (c->slots - 1)) != 0 || 2 * c->used > c->slots || c->used == 0)
        return false;
    for (uint64_t i = 0; i < c->slots; i++) { /* first the number of free slots, on which find() depends */
        used += c->slot[i].what != 0;
        if ((c->slot[i].what == 0) != (c->slot[i].count == 0) || c->slot[i].count > UINT64_C(1) << 48) return false;
        total += c->slot[i].count;
    }
    if (used != c->used || total != c->total) return false;
    for (uint64_t i = 0; i < c->slots; i++)
        if (c->slot[i].what != 0 && find(c, c->slot[i].what) != &c->slot[i]) return false;
    return true;
}
