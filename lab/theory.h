/* The formulas of the papers and the guide as functions: corrected, and also as printed where the print is wrong.
 *
 *     theory_*_printed     as the document says, for comparison with measurements
 *     theory_*             corrected
 */
#ifndef GUIRA_LAB_THEORY_H
#define GUIRA_LAB_THEORY_H

#include <stdbool.h>
#include <stdint.h>

/* ----------------------------------------------------------------------------------- CCF: how much an I2CF can hold */

/* Eqs. 5 to 7: the expected fraction of the slots that n elements with k candidates can use, in m buckets of b
 * slots. */
double theory_usable_fraction(double n, double m, unsigned k, unsigned b);

/* Theorem 4: the n / m at which n equals the number of usable slots. m = INFINITY: the limit of large filters. */
double theory_threshold(double m, unsigned k, unsigned b);

/* The largest integer n that does not exceed the number of usable slots. Divided by m it gives Table II (m = 2^30) and
 * Fig. 3 (m = 50). */
double theory_crossover(double m, unsigned k, unsigned b);

/* The true threshold of n / m in the limit: above it, the (b + 1)-core of the random hypergraph has more than b edges
 * per node. */
double theory_core_threshold(unsigned k, unsigned b);

/* --------------------------------------------------------------------- CCF: Theorem 5, the probability that all fit */

/* Number of ways to throw balls into m bins such that exactly j bins are hit; exact while m^balls < 2^64. */
uint64_t theory_bins_hit_ways(unsigned m, unsigned balls, unsigned j);

/* Eq. 11 corrected: the probability that exactly j of m bins are hit, for any number of balls. */
double theory_bins_hit(unsigned m, unsigned balls, unsigned j);

/* Eq. 11 as printed: with n instead of n k. For small numbers only: it enumerates all compositions of n k. */
double theory_bins_hit_printed(unsigned m, unsigned n, unsigned k, unsigned j);

/* Theorem 5's bound with the sum from ceil(n/b) to min(nk, m), and as printed from floor(n/b). */
double theory_all_placed(unsigned m, unsigned n, unsigned k, unsigned b);
double theory_all_placed_printed_range(unsigned m, unsigned n, unsigned k, unsigned b);

/* -------------------------------------------------------------------------------------------------- false positives */

double theory_ccf_fpr_printed(unsigned s, unsigned k, unsigned b, unsigned f); /* Theorem 1 */
double theory_ccf_fpr(double n, unsigned f);                                   /* any of n fingerprints matches */
unsigned theory_ccf_bits(double n, double fpr);                                /* the f for which it is below fpr */

double theory_cuckoo_fpr(double slots_read, double load, unsigned f); /* plain cuckoo filter: 2b slots */
double theory_ecf_fpr(uint64_t buckets, unsigned b, double load, unsigned f, unsigned extended);
double theory_dcf_fpr(double one, unsigned filters);

/* ---------------------------------------------------------------------------------------------------- ECF: failures */

/* Theorem 6.2's expression with C(items, 2b + 1). Printed: items = n = log2 of the virtual size. */
double theory_ecf_failure(double items, uint64_t buckets, unsigned b, unsigned f);

/* ------------------------------------------------------------------------------------------------------------ guide */

struct sizing {
    unsigned bits;
    uint64_t slots, buckets, bytes; /* buckets: rounded up to a power of two */
    double bytes_any;               /* without rounding */
    double bytes_bloom;
};
struct sizing theory_guide_sizing(double items, double fpr, unsigned b, double load);

/* Bits per item. The cuckoo filter may have any number of buckets and a fractional slot width, for a smooth curve. */
double theory_bloom_bits(double fpr);
double theory_cuckoo_bits(double fpr, unsigned b, double load);

/* The false-positive rate below which a cuckoo filter is smaller than a Bloom filter. */
double theory_bloom_crossover(unsigned b, double load);

#endif
