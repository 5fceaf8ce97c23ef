/* Statements of the documents, and how they compare with what was measured. Each becomes a line of checks.csv, and the
 * verdicts on the page are computed from these lines.
 *
 *     printed value    compared on both sides, with a tolerance that stands beside it
 *     printed bound    "under 10 %": one side, because the document gives one side
 *     printed words    "a little slower": an interval that we read into the words, which stands beside them
 *     earlier value    not in any document: from a simulation of ours; shown, and not counted as printed
 *
 * A value measured with several seeds is a spread: its mean is compared, its extremes are shown. */
#ifndef GUIRA_LAB_CHECKS_H
#define GUIRA_LAB_CHECKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lab;

extern const char *const lab_check_columns; /* the first line of checks.csv */

struct spread {
    double mean, low, high;
    unsigned n;
};
struct spread spread_of(double value); /* of a single measurement */
void spread_add(struct spread *s, double value);
void spread_put(FILE *out, struct spread s); /* ",mean,low,high", for a line of data.csv */

/* Compares a number that the document prints. printed is the number as it stands there, "0.9481", "37 %" or "1.4";
 * the measurement is written with as many decimals. within: the largest absolute difference that counts as reproduced;
 * for a percentage as a fraction, so that 0.05 are five points. */
void lab_compare(struct lab *lab, const char *what, const char *printed, double measured, double within);
void lab_compare_spread(struct lab *lab, const char *what, const char *printed, struct spread measured, double within);

/* Compares a limit that the document prints: "under 10 %" or "above 10". */
void lab_compare_bound(struct lab *lab, const char *what, const char *printed, struct spread measured);

/* Compares words of the document, which we read as the interval from low to high. */
void lab_compare_words(struct lab *lab, const char *what, const char *printed, double low, double high,
                       struct spread measured);

/* The same for each of n points: the mean of every one of them must be in the interval. */
void lab_compare_each(struct lab *lab, const char *what, const char *printed, double low, double high,
                      const struct spread *point, unsigned n);

/* Compares a statement of the document that is not a number: yes or no. */
void lab_compare_fact(struct lab *lab, const char *what, const char *printed, const char *measured, bool agrees);

/* Compares a number of an earlier simulation of ours, which no document prints. */
void lab_compare_earlier(struct lab *lab, const char *what, const char *earlier, struct spread measured, double within);

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

/* A rate measured with several seeds: each with so many trials. rate_of_all counts the trials of all seeds together. */
struct rates {
    struct spread each;
    uint64_t hits, trials;
};
void rates_add(struct rates *all, struct rate one, uint64_t trials);
struct rate rate_of_all(const struct rates *all);

#endif
