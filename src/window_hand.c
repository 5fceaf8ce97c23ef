/* See window.h. */
#include "tidal_age.h"
#include "window.h"

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
    return steps < STAMPS ? (unsigned)steps : STAMPS;
}

/* ------------------------------------------------------------------------------------------------------------ the hand */

/* Drops from a bucket what will be dead so many steps from now. Returns where the next bucket starts, 0 after the last. */
static uint64_t sweep_bucket(struct tidal *f, uint64_t address, unsigned ahead) {
    struct stretch s = stretch_at(f, address);
    for (unsigned j = 0; j < bucket_slots(AGED); j++) {
        uint64_t slot = slot_get(s.bucket, j, AGED);
        if (slot != 0 && slot_age(f, slot) + ahead > OLDEST_ALIVE) slot_drop(f, s.bucket, j, s.level);
    }
    return s.end;
}

static void sweep_stash(struct tidal *f, unsigned ahead) {
    struct stash *s = &f->head.stash;
    for (uint64_t i = s->n; i-- > 0;) {
        struct entry e = s->entry[i];
        if (stamp_age(f, stamp_of(e)) + ahead <= OLDEST_ALIVE) continue;
        stash_drop(s, i, f->head.moves);
        f->head.weight -= weight_of(known_of(e));
        f->head.items--;
    }
    watch_beside(f);
}

/* If everybody is dead a new table is made, which takes no time; without memory for it the old one is swept. */
static void sweep_all(struct tidal *f, unsigned ahead) {
    if (f->head.items == 0) return;
    if (ahead > OLDEST_ALIVE && f->head.ops->clear(&f->head) == GUIRA_OK) return;
    sweep_stash(f, ahead);
    for (uint64_t address = sweep_bucket(f, 0, ahead); address != 0;) address = sweep_bucket(f, address, ahead);
}

/* Two steps for each bucket that was swept: what was in it is not worth more. */
static void give_back(struct tidal *f, uint64_t swept) {
    for (uint64_t i = 0; i < 2 * swept && f->head.items < f->shrink_at; i++)
        if (f->head.ops->shrink(&f->head) != GUIRA_OK) return;
}

void guira__hand_start(struct clock *c) {
    c->hand = 0;
    c->before = c->step;
    c->round = c->step + 1; /* there is nothing to do in this step */
}

static bool hand_is_due(const struct clock *c) {
    uint64_t late = c->step + 1 - c->round;
    return late > 1 || (late == 1 && c->hand < c->target);
}

/* Buckets may be split and merged between two calls. What counts is the address: the bucket that has it is the next
 * one, also if it was there in part before. */
static void move_hand(struct tidal *f, uint64_t most) {
    struct clock *c = &f->clock;
    uint64_t n = 0;
    for (; n < most && hand_is_due(c); n++) {
        c->hand = sweep_bucket(f, c->hand, 0);
        if (c->hand != 0) continue;
        c->before = c->round;
        c->round = c->round == c->step ? c->step + 1 : c->step; /* one round in a step is enough */
    }
    give_back(f, n);
}

/* Stamps are read by the step that is over, while none of them can be mistaken. Nothing may move meanwhile: what is
 * alive still could get behind the sweep. */
static void set_clock(struct tidal *f, uint64_t now) {
    struct clock then;
    unsigned ahead = guira__clock_ahead(&f->clock, now, &then);
    uint64_t buckets = bucket_count(f);
    bool last_call = ahead > OLDEST_ALIVE || f->clock.step + ahead - f->clock.before > LAST_CALL;
    if (last_call) sweep_all(f, ahead);
    f->clock = then;
    if (!last_call) return;
    guira__hand_start(&f->clock);
    give_back(f, buckets);
}

void guira__window_advance(struct tidal *f, uint64_t now, uint64_t buckets) {
    if (now != f->clock.now) set_clock(f, now);
    if (UNLIKELY(f->beside)) sweep_stash(f, 0);
    move_hand(f, buckets);
}
