/* Windows: a tidal filter whose entries have a time stamp, and a sweep that removes expired ones. docs/window.md explains.
 *
 * Time goes in STEPS, 16 to the length of the window. A stamp is the number of a step, and an entry of step s is alive
 * until step s + 16 is over. What was seen at time x is in some step, no matter where in it, so it expires
 *
 *     at the earliest     just after x + 16 steps   if x was at the end of its step      = length
 *     at the latest       at x + 17 steps           if x was at the start of it          = length * (1 + 1/16)
 *
 * THE SWEEP goes once through all addresses in every step, and removes what has expired:
 *
 *     address   000...            sweep          target                   111...
 *               [ done this round ][ to be done ][ can wait ..................... ]     target: how much of the step is over
 *
 * It may fall behind, because a call does only so much. But a stamp of 32 steps ago looks like one of now, so expired
 * entries must be removed within 15 steps. What is ahead of the sweep was last swept in the round before this one, which
 * began in step `before`. Its entries were at most 16 steps old then; after 15 more steps all buckets are swept at once.
 *
 *     window.c     the public functions
 *     sweep.c      time and the sweep
 *     file.c       checking, saving and loading
 *     tidal/stamp.h, tidal/stamp.inc     what the table does with stamps */
#ifndef GUIRA_WINDOW_WINDOW_H
#define GUIRA_WINDOW_WINDOW_H

#include "guira_window.h"
#include "tidal/stamp.h"

struct clock {
    uint64_t length; /* of the window */
    uint64_t now;
    uint64_t step;   /* the same in 16ths of the length, modulo 2^64 */
    uint64_t sweep;  /* the address that the sweep has come to */
    uint64_t target; /* and where it should be */
    uint64_t round;  /* the step in which this round of the sweep began */
    uint64_t before; /* and the round before it */
    bool slides;
};

struct guira_window {
    struct tidal *filter;
    struct clock clock;
};

/* The size of version 1 of guira_window_config: never changed again. */
enum { WINDOW_CONFIG_FIRST_SIZE = sizeof(guira_window_config) };

/* A window on top of a filter, with its clock at time 0. NULL: no memory. */
guira_window *guira__window_new(struct tidal *filter, uint64_t length, bool slides);

/* guira_window_create for an instruction set of the caller's choice. */
guira_status guira__window_create_isa(enum isa isa, const guira_window_config *c, guira_window **out);

/* Fills in the configuration of a window's filter. EFORMAT: it is not that of a window. */
guira_status guira__window_resolve(guira_config *c);

/* The functions of a window's filter with a resolved configuration; NULL: none for this instruction set. */
const struct guira__ops *guira__window_ops(enum isa isa, const guira_config *c);

/* ------------------------------------------------------------------------------------------------------------- sweep.c */

enum {
    BUCKETS_PER_CALL = 64, /* with one call per new entry 2 or 3 are enough; so many while traffic falls to a 20th */
    SWEEP_ALL_AFTER = 15   /* steps since `before`, and not one more */
};

/* Sets the clock to now: all that follows from it alone. */
void guira__clock_set(struct clock *c, uint64_t now);

/* How many steps now is after the clock's time, at most STAMPS; *then is the clock set to it. now must not be before the
 * clock's time. */
unsigned guira__clock_ahead(const struct clock *c, uint64_t now, struct clock *then);

/* Sets the time to now, and sweeps at most so many buckets, unless it is time to sweep all. Never fails. */
void guira__window_advance(guira_window *w, uint64_t now, uint64_t buckets);

/* All buckets have just been swept. */
void guira__sweep_start(guira_window *w);

/* The bucket of an address, and where the next one starts; 0: it is the last. */
struct swept_bucket {
    uint8_t *bytes;
    unsigned level;
    uint64_t end;
};
struct swept_bucket guira__bucket_at_address(const struct tidal *f, uint64_t address);

/* -------------------------------------------------------------------------------------------------------------- file.c */

const char *guira__window_check(const guira_window *w);
void guira__window_dump(const guira_window *w, guira__sink *sink, void *to);

#endif
