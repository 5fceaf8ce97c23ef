/* What all experiments share: arguments, output files, random numbers and keys; checks.h has the checks.
 *
 *     lab-NAME --out DIR [--quick] [--seed N] [--trace FILE]
 *
 *     DIR/data.csv      the measurements, for the plot; commit, CPU, compiler and seed are in its first lines
 *     DIR/checks.csv    one line per statement: what the document says, what was measured, how they compare
 *     DIR/table*.csv    tables for the page, if there are any
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

#include "checks.h"
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

/* What the folder of an experiment defines; lab_main.c calls it. */
void experiment(struct lab *lab);

/* Parses the arguments and opens both files. Exits with a usage message if the arguments are invalid. */
struct lab lab_open(int argc, char **argv);
int lab_close(struct lab *lab); /* returns the exit status */

/* Several seeds, so that the spread can be shown. */
unsigned lab_seeds(const struct lab *lab);                       /* how many: 2 if quick, else 5 */
struct lab lab_with_seed(const struct lab *lab, unsigned round); /* the same experiment with another seed */

/* Opens another output file in the same directory, with the same first lines; the caller closes it. Exits on
 * failure. */
FILE *lab_file(const struct lab *lab, const char *file);

/* Prints a message and exits with status 2. For errors such as a full disk, not for experimental results. */
void lab_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Prints one line of progress. */
void lab_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A formatted string in a static buffer; it is overwritten by the sixteenth call after this one. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

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

double now(void); /* seconds of processor time, so that other work on the machine disturbs little */

#endif
