/* What every experiment is made of: its arguments, its data, and what it found.
 *
 *     experiment --out DIR [--quick] [--seed N] [--trace FILE]
 *
 *     DIR/data.csv      the measurements, for the plot; commit, CPU, compiler and seed are in its first lines
 *     DIR/checks.csv    one line per statement of the document: what it says, what was measured, how that compares
 *
 * The verdict on the page is made from checks.csv, never written by hand. An experiment fails (exit status 1) if a
 * statement that we say is right turns out to be wrong. A number that differs from a paper's is no failure. */
#ifndef GUIRA_LAB_LAB_H
#define GUIRA_LAB_LAB_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "guira.h"

struct lab {
    const char *name;
    const char *out;
    const char *trace; /* NULL: the generated one */
    bool quick;        /* a fraction of the work */
    uint64_t seed;
    FILE *data, *checks;
    unsigned broken; /* statements of ours that do not hold */
};

/* Ends the program with a message if the arguments make no sense. */
struct lab lab_open(int argc, char **argv, const char *name);
int lab_close(struct lab *lab); /* the exit status */

/* One more file beside data.csv, with the same first lines; the caller closes it. Dies if that cannot be. */
FILE *lab_file(const struct lab *lab, const char *file);

/* Ends the program: something that is no result but an accident. */
void lab_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* One line of progress. */
void lab_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A string that lives until eight more were made. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --------------------------------------------------------------------------------------------------------- findings */

/* A number the document prints, beside ours. within: the relative difference that counts as reproduced. */
void lab_compare(struct lab *lab, const char *what, double printed, double measured, double within);

/* A statement the document makes that is not a plain number. */
void lab_agree(struct lab *lab, const char *what, const char *printed, const char *measured, bool agrees);

/* A statement we say is wrong. refuted: the measurement says so too. If not, the page says that we were wrong. */
void lab_refute(struct lab *lab, const char *what, const char *printed, const char *measured, bool refuted);

/* What is right instead. Must hold, or the experiment fails. */
void lab_hold(struct lab *lab, const char *what, const char *measured, bool holds);

/* A number worth showing that nobody claimed. */
void lab_note(struct lab *lab, const char *what, const char *measured);

/* ------------------------------------------------------------------------------------------------------------ rates */

struct rate {
    double value, error; /* error: half the 95 % interval of the binomial distribution */
};
struct rate rate_of(uint64_t hits, uint64_t trials);
const char *rate_text(struct rate r);                        /* "0.00185 +- 0.00008" */
bool rate_is(struct rate r, double expected, double beyond); /* within the error and beyond it a part of expected */

/* -------------------------------------------------------------------------------------------------- chance and keys */

struct dice {
    uint64_t state;
};
uint64_t mix(uint64_t x); /* one to one */
uint64_t dice_next(struct dice *r);
uint64_t dice_below(struct dice *r, uint64_t n);
double dice_unit(struct dice *r); /* [0, 1) */

/* Key number i of a stream, 13 bytes as in the papers' data; no two are equal. Streams: who is in, who is not. */
enum { KEY_BYTES = 13 };
enum stream { MEMBERS = 1, STRANGERS = 2, OTHERS = 3 };
struct key {
    uint8_t bytes[KEY_BYTES];
};
struct key key_of(enum stream stream, uint64_t i);

/* ---------------------------------------------------------------------------------------------------------- filters */

guira *lab_filter(const struct lab *lab, guira_config c); /* with the experiment's seed; dies if it cannot be made */
guira_status lab_insert(guira *f, enum stream stream, uint64_t i);
guira_status lab_remove(guira *f, enum stream stream, uint64_t i);
bool lab_contains(const guira *f, enum stream stream, uint64_t i);
guira_stats lab_stats(const guira *f);
struct rate lab_fpr(const guira *f, uint64_t probes);             /* of strangers */
uint64_t lab_missing(const guira *f, uint64_t from, uint64_t to); /* members from..to-1 that f denies */
uint64_t lab_fill(guira *f, uint64_t from, uint64_t to);          /* inserts members; the first that failed, or to */
double now(void);                                                 /* seconds */

#endif
