/* Windows: a tidal filter whose entries have an age, and a hand that drops them in time. docs/window.md tells the story.
 *
 * Time goes in STEPS, 16 to the length of the window. A stamp is the number of a step, and an entry of step s is alive
 * until step s + 16 is over. What was seen at x is in some step, no matter where in it, so it is gone
 *
 *     at the earliest     just after x + 16 steps   if x was at the end of its step      = length
 *     at the latest       at x + 17 steps           if x was at the start of it          = length * (1 + 1/16)
 *
 * THE HAND goes once through all addresses in every step, like that of a clock, and drops what is dead:
 *
 *     address   000...            hand           target                   111...
 *               [ done this round ][ to be done ][ can wait ..................... ]     target: how much of the step is over
 *
 * It may fall behind: a call does so much and no more. But a stamp of 32 steps ago looks like one of now, so the dead
 * must be dropped within 15 steps. What is ahead of the hand it last saw in the round before this one, which began in
 * step `before`. At most 16 steps old were its entries then; after 15 more steps it has to go all the way at once.
 *
 *     window.c         the public functions
 *     window_hand.c    time and the hand
 *     window_file.c    checking, saving and loading
 *     tidal_age.h, tidal_sight.h    the table's part of it */
#ifndef GUIRA_WINDOW_H
#define GUIRA_WINDOW_H

#include "tidal.h"

struct guira_window {
    struct tidal filter; /* with w = 27 */
};

/* guira_window_create with an instruction set of the caller's choosing, see isa.h. */
guira_status guira__window_create_on(const char *isa, const guira_window_config *c, guira_window **out);

/* --------------------------------------------------------------------------------------------------- time and the hand */

enum {
    BUCKETS_PER_CALL = 64, /* with one call per new entry 2 or 3 are enough; so many while traffic falls to a 20th */
    LAST_CALL = 15         /* steps since `before`, and not one more */
};

/* Sets the clock to now: all that follows from it alone. */
void guira__clock_set(struct clock *c, uint64_t now);

/* How many steps after the clock's now is, but not more than STAMPS; *then is the clock set to it. now must not be before
 * the clock's. */
unsigned guira__clock_ahead(const struct clock *c, uint64_t now, struct clock *then);

/* It becomes now, and the hand moves on by so many buckets at most, if the last call did not come. Never fails. */
void guira__window_advance(struct tidal *f, uint64_t now, uint64_t buckets);

/* The hand has just been everywhere. */
void guira__hand_start(struct clock *c);

/* --------------------------------------------------------------------------------------------------- for the ops table */

const char *guira__window_check(const guira *f);
void guira__window_dump(const guira *f, guira__sink *sink, void *to);
void guira__window_save(const guira *f, struct guira__writer *to);
guira_status guira__window_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                                guira **out);

#endif
