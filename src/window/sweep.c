/* Time and the sweep of a window: see window.h. */
#include "window/window.h"

/* ---------------------------------------------------------------------------------------------------------------- time */

/* 16 * now / length, modulo 2^64. *rest / length is how much of the step is over. The 16 comes in by four doublings,
 * because the product may have more than 64 bits. */
static uint64_t step_at(uint64_t length, uint64_t now, uint64_t *rest) {
    uint64_t step = now / length, r = now % length;
    for (unsigned i = 0; i < 4; i++) {
        bool carry = r >= length - r;
        step = 2 * step + carry;
        r = carry ? r - (length - r) : 2 * r;
    }
    *rest = r;
    return step;
}

/* The address that far into all addresses. 32 bits of it will do. */
static uint64_t address_at(uint64_t rest, uint64_t length) {
    unsigned excess = length >> 32 == 0 ? 0 : 32 - (unsigned)__builtin_clzll(length);
    return (rest >> excess << 32) / ((length >> excess) + (excess > 0)) << 32;
}

void guira__clock_set(struct clock *c, uint64_t now) {
    uint64_t rest;
    c->now = now;
    c->step = step_at(c->length, now, &rest);
    c->target = address_at(rest, c->length);
}

/* Steps are numbers modulo 2^64, so their difference says nothing if too much time has passed. */
unsigned guira__clock_ahead(const struct clock *c, uint64_t now, struct clock *then) {
    uint64_t passed = now - c->now;
    *then = *c;
    guira__clock_set(then, now);
    if (passed >= c->length && passed - c->length >= c->length) return STAMPS;
    uint64_t steps = then->step - c->step;
    return steps < STAMPS ? (unsigned)steps : (unsigned)STAMPS;
}

/* ----------------------------------------------------------------------------------------------------------- the sweep */

struct swept_bucket guira__bucket_at_address(const struct tidal *f, uint64_t address) {
    struct layout l = tidal_layout(f);
    unsigned side = side_of(f, address), level = level_of(f, side);
    uint64_t number = address >> (64 - level);
    return (struct swept_bucket){bucket_at(f, side, number, l), level, (number + 1) << (64 - level)};
}

static void remove_slot(struct tidal *f, struct swept_bucket b, unsigned slot) {
    struct layout l = tidal_layout(f);
    f->head.weight -= weight_of(slot_known(slot_get(b.bytes, slot, l), b.level, l));
    f->head.items--;
    slot_set(b.bytes, slot, 0, l);
}

/* Removes from a bucket what will have expired so many steps from now. Returns where the next bucket starts, 0 after the
 * last. */
static uint64_t sweep_bucket(struct tidal *f, uint64_t address, unsigned ahead) {
    struct swept_bucket b = guira__bucket_at_address(f, address);
    struct layout l = tidal_layout(f);
    for (unsigned j = 0; j < l.slots; j++) {
        uint64_t slot = slot_get(b.bytes, j, l);
        if (slot != 0 && slot_age(f, slot, l) + ahead > OLDEST_ALIVE) remove_slot(f, b, j);
    }
    return b.end;
}

static void sweep_stash(struct tidal *f, unsigned ahead) {
    struct stash *s = f->stash;
    for (uint64_t i = s->n; i-- > 0;) {
        struct entry e = s->entry[i];
        if (stamp_age(f, stamp_of(e)) + ahead <= OLDEST_ALIVE) continue;
        stash_drop(s, i, NULL);
        f->head.weight -= weight_of(known_of(e));
        f->head.items--;
    }
    guira__stash_trim(f);
    update_has_outside(f);
}

/* If everything has expired a new table is made, which takes no time; without memory for it the old one is swept. */
static void sweep_all(struct tidal *f, unsigned ahead) {
    if (f->head.items == 0) return;
    if (ahead > OLDEST_ALIVE && guira__tidal_clear(&f->head) == GUIRA_OK) return;
    sweep_stash(f, ahead);
    for (uint64_t address = sweep_bucket(f, 0, ahead); address != 0;) address = sweep_bucket(f, address, ahead);
}

/* At most two steps for each bucket that was swept. */
static void give_back(struct tidal *f, uint64_t swept) {
    for (uint64_t i = 0; i < 2 * swept && f->head.items < f->shrink_at; i++)
        if (tidal_ops(f)->shrink(f) != GUIRA_OK) return;
}

void guira__sweep_start(guira_window *w) {
    w->clock.sweep = 0;
    w->clock.before = w->clock.step;
    w->clock.round = w->clock.step + 1;
}

static bool sweep_is_due(const struct clock *c) {
    uint64_t late = c->step + 1 - c->round;
    return late > 1 || (late == 1 && c->sweep < c->target);
}

/* Buckets may be split and merged between two calls. What counts is the address: the bucket that has it is the next
 * one, even if part of it was swept before. */
static void sweep_some(guira_window *w, uint64_t most) {
    struct clock *c = &w->clock;
    uint64_t n = 0;
    for (; n < most && sweep_is_due(c); n++) {
        c->sweep = sweep_bucket(w->filter, c->sweep, 0);
        if (c->sweep != 0) continue;
        c->before = c->round;
        c->round = c->round == c->step ? c->step + 1 : c->step; /* one round in a step is enough */
    }
    give_back(w->filter, n);
}

/* Expired stamps are found by the old time, while none of them can look new. No entry may be moved meanwhile: one that is
 * still alive could get behind the sweep. */
static void set_time(guira_window *w, uint64_t now) {
    struct clock then;
    unsigned ahead = guira__clock_ahead(&w->clock, now, &then);
    uint64_t buckets = bucket_count(w->filter);
    bool sweep_everything = ahead > OLDEST_ALIVE || w->clock.step + ahead - w->clock.before > SWEEP_ALL_AFTER;
    if (sweep_everything) sweep_all(w->filter, ahead);
    w->clock = then;
    w->filter->step = then.step;
    if (!sweep_everything) return;
    guira__sweep_start(w);
    give_back(w->filter, buckets);
}

void guira__window_advance(guira_window *w, uint64_t now, uint64_t buckets) {
    if (now != w->clock.now) set_time(w, now);
    if (UNLIKELY(w->filter->has_outside)) sweep_stash(w->filter, 0);
    sweep_some(w, buckets);
}
