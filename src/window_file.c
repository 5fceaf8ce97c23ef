/* A window as a whole: its invariants, and its file. That is a tidal filter's (tidal_file.c) with one section in front:
 *
 *     window   length, whether it slides, now; the hand's address, the steps of its round and of the one before
 *
 * All else that the clock says follows from that. */
#include "format.h"
#include "tidal_age.h"
#include "tidal_file.h"
#include "tidal_whole.h"
#include "window.h"

enum { WINDOW_NUMBERS = 6, WINDOW_BYTES = 8 * WINDOW_NUMBERS };

/* ------------------------------------------------------------------------------------------------------------ checking */

static const char *check_clock(const struct clock *c) {
    struct clock again = *c;
    guira__clock_set(&again, c->now);
    if (c->step != again.step || c->target != again.target) return "clock: not what its time says";
    if (c->step - c->before > LAST_CALL) return "hand: too late";
    if (c->step + 1 - c->round > c->step + 1 - c->before) return "hand: in an impossible round";
    if (c->round == c->step + 1 && c->hand != 0) return "hand: ahead of time";
    return NULL;
}

/* What the hand has seen since a step was at most so old then. In a bucket that it has seen in part, before that. */
static const char *check_ages(const struct tidal *f) {
    const struct clock *c = &f->clock;
    for (uint64_t i = 0; i < f->head.stash.n; i++)
        if (stamp_age(f, stamp_of(f->head.stash.entry[i])) > OLDEST_ALIVE) return "stash: an entry that has expired";
    uint64_t address = 0;
    do {
        struct stretch s = stretch_at(f, address);
        bool done = s.end != 0 && s.end <= c->hand;
        uint64_t oldest = OLDEST_ALIVE + c->step - (done ? c->round : c->before);
        for (unsigned j = 0; j < bucket_slots(AGED); j++) {
            uint64_t slot = slot_get(s.bucket, j, AGED);
            if (slot != 0 && slot_age(f, slot) > oldest) return "table: an entry that the hand has missed";
        }
        address = s.end;
    } while (address != 0);
    return NULL;
}

const char *guira__window_check(const guira *head) {
    const struct tidal *f = (const struct tidal *)head;
    const char *broken = check_clock(&f->clock);
    if (broken == NULL) broken = guira__tidal_check(head);
    return broken == NULL ? check_ages(f) : broken;
}

/* ------------------------------------------------------------------------------------------------------------- the file */

static void numbers_of(const struct clock *c, uint64_t number[WINDOW_NUMBERS]) {
    const uint64_t all[WINDOW_NUMBERS] = {c->length, c->slides, c->now, c->hand, c->round, c->before};
    memcpy(number, all, sizeof all);
}

void guira__window_dump(const guira *f, guira__sink *sink, void *to) {
    uint64_t number[WINDOW_NUMBERS];
    numbers_of(&((const struct tidal *)f)->clock, number);
    sink(to, number, sizeof number);
    guira__tidal_dump(f, sink, to);
}

void guira__window_save(const guira *f, struct guira__writer *to) {
    uint64_t number[WINDOW_NUMBERS];
    numbers_of(&((const struct tidal *)f)->clock, number);
    guira__section_start(to, "window", WINDOW_BYTES);
    for (size_t i = 0; i < WINDOW_NUMBERS; i++) guira__section_put_u64(to, number[i]);
    guira__tidal_save(f, to);
}

guira_status guira__window_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                                guira **out) {
    const uint8_t *p = guira__section_expect(from, "window", WINDOW_BYTES);
    if (p == NULL || get_u64(p) == 0 || get_u64(p + 8) > 1) return GUIRA_ECORRUPT;
    struct clock clock = {.length = get_u64(p), .slides = get_u64(p + 8) != 0};
    guira__clock_set(&clock, get_u64(p + 16));
    clock.hand = get_u64(p + 24);
    clock.round = get_u64(p + 32);
    clock.before = get_u64(p + 40);
    guira_status s = guira__tidal_view(ops, c, from, out);
    if (s == GUIRA_OK) ((struct tidal *)*out)->clock = clock;
    return s;
}
