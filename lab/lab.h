/* What all experiments share: arguments, output files, checks, random numbers and keys.
 *
 *     experiment --out DIR [--quick] [--seed N] [--trace FILE]
 *
 *     DIR/data.csv      the measurements, for the plot; commit, CPU, compiler and seed are in its first lines
 *     DIR/checks.csv    one line per statement: what the document says, what was measured, how they compare
 *
 * The verdict on the page is computed from checks.csv, never written by hand. An experiment fails (exit status 1) if a
 * statement that we claim to be right does not hold. A number that differs from a paper's is not a failure. */
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
    const char *trace; /* file of a flow trace; NULL: use the generated one */
    bool quick;        /* smaller sizes, fewer trials */
    uint64_t seed;
    FILE *data, *checks;
    unsigned broken; /* number of our statements that do not hold */
};

/* Parses the arguments and opens both files. Exits with a usage message if the arguments are invalid. */
struct lab lab_open(int argc, char **argv, const char *name);
int lab_close(struct lab *lab); /* returns the exit status */

/* Opens another output file in the same directory, with the same first lines; the caller closes it. Exits on
 * failure. */
FILE *lab_file(const struct lab *lab, const char *file);

/* Prints a message and exits with status 2. For errors such as a full disk, not for experimental results. */
void lab_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Prints one line of progress. */
void lab_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A formatted string in a static buffer; it is overwritten by the eighth call after this one. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ----------------------------------------------------------------------------------------------------------- checks */

/* Compares a number the document prints with ours. within: the relative difference that counts as reproduced. */
void lab_compare(struct lab *lab, const char *what, double printed, double measured, double within);

/* Compares a statement of the document that is not a plain number. */
void lab_compare_text(struct lab *lab, const char *what, const char *printed, const char *measured, bool agrees);

/* A statement that we say is wrong. refuted: whether the measurement confirms this. If not, the page says so. */
void lab_refute(struct lab *lab, const char *what, const char *printed, const char *measured, bool refuted);

/* What is right instead. If it does not hold, the experiment fails. */
void lab_must_hold(struct lab *lab, const char *what, const char *measured, bool holds);

/* A measurement to show that is not compared with anything. */
void lab_note(struct lab *lab, const char *what, const char *measured);

/* ------------------------------------------------------------------------------------------------------------ rates */

struct rate {
    double value, error; /* error: half the 95 % interval of the binomial distribution */
};
struct rate rate_of(uint64_t hits, uint64_t trials);
const char *rate_text(struct rate r); /* "0.00185 +- 0.00008" */

/* Whether r agrees with expected, within three times the error plus tolerance * expected. */
bool rate_is(struct rate r, double expected, double tolerance);

/* ------------------------------------------------------------------------------------------ random numbers and keys */

struct lab_rng {
    uint64_t state;
};
uint64_t mix(uint64_t x); /* a bijective 64-bit mixer */
uint64_t lab_rng_next(struct lab_rng *r);
uint64_t lab_rng_below(struct lab_rng *r, uint64_t n);
double lab_rng_unit(struct lab_rng *r); /* [0, 1) */

/* Key number i of a stream: 13 bytes, as in the papers' data. All keys of all streams differ. MEMBERS are inserted,
 * NON_MEMBERS are used to measure false positives, EXTRA is for special cases. */
enum { KEY_BYTES = 13 };
enum stream { MEMBERS = 1, NON_MEMBERS = 2, EXTRA = 3 };
struct key {
    uint8_t bytes[KEY_BYTES];
};
struct key key_of(enum stream stream, uint64_t i);

/* ---------------------------------------------------------------------------------------------------------- filters */

guira *lab_filter(const struct lab *lab, guira_config c); /* with the experiment's seed; exits on failure */
guira_status lab_insert(guira *f, enum stream stream, uint64_t i);
guira_status lab_remove(guira *f, enum stream stream, uint64_t i);
bool lab_contains(const guira *f, enum stream stream, uint64_t i);
guira_stats lab_stats(const guira *f);
struct rate lab_fpr(const guira *f, uint64_t probes);                     /* measured with non-members */
uint64_t lab_false_negatives(const guira *f, uint64_t from, uint64_t to); /* among members from..to-1 */

/* Inserts members from..to-1. Returns the number of the first that failed, or to. */
uint64_t lab_fill(guira *f, uint64_t from, uint64_t to);

double now(void); /* seconds */

#endif
