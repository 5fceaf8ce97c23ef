/* The formulas of the papers and the guide as functions: as printed where the print is wrong, and corrected.
 *
 *     theory_*_printed     what the document says, kept to be compared with what happens
 *     theory_*             what holds
 */
#ifndef GUIRA_LAB_THEORY_H
#define GUIRA_LAB_THEORY_H

#include <stdbool.h>
#include <stdint.h>

/* ----------------------------------------------------------------------------------- CCF: how much an I2CF can hold */

/* Eqs. 5 to 7: the part of the slots that can be used at all, with n elements in m buckets of b slots, k candidates. */
double theory_usable(double n, double m, unsigned k, unsigned b);

/* Theorem 4: the n / m at which all usable slots are used. m = INFINITY: the limit of large filters. */
double theory_threshold(double m, unsigned k, unsigned b);

/* The most elements, a whole number, that are still not more than the usable slots. Divided by m it is what Table II
 * (m = 2^30) and Fig. 3 (m = 50) show. */
double theory_crossover(double m, unsigned k, unsigned b);

/* The true threshold of n / m in the limit: where the core of the random hypergraph gets more than b edges a node. */
double theory_orientable(unsigned k, unsigned b);

/* -------------------------------------------------------------------- CCF: Theorem 5, the chance that all find room */

/* Ways to throw balls into m bins such that exactly j are hit; exact while m^balls < 2^64. */
uint64_t theory_hit_ways(unsigned m, unsigned balls, unsigned j);

/* Eq. 11 corrected: the chance of exactly j bins out of m, for any number of balls. */
double theory_hit(unsigned m, unsigned balls, unsigned j);

/* Eq. 11 as printed: with n where n k belongs. For small numbers only: it walks through all compositions of n k. */
double theory_hit_printed(unsigned m, unsigned n, unsigned k, unsigned j);

/* Theorem 5's bound with the sum from ceil(n/b) to min(nk, m), and as printed from floor(n/b). */
double theory_all_placed(unsigned m, unsigned n, unsigned k, unsigned b);
double theory_all_placed_printed_range(unsigned m, unsigned n, unsigned k, unsigned b);

/* -------------------------------------------------------------------------------------------------- false positives */

double theory_ccf_fpr_printed(unsigned s, unsigned k, unsigned b, unsigned f); /* Theorem 1 */
double theory_ccf_fpr(double n, unsigned f);                                   /* any of n fingerprints will do */
unsigned theory_ccf_bits(double n, double fpr);                                /* the f that keeps it below fpr */

double theory_cuckoo_fpr(double slots_looked_at, double load, unsigned f); /* the plain filter: 2b slots */
double theory_ecf_fpr(uint64_t buckets, unsigned b, double load, unsigned f, unsigned extended);
double theory_dcf_fpr(double one, unsigned filters);

/* ---------------------------------------------------------------------------------------------------- ECF: failures */

/* Theorem 6.2's expression with C(items, 2b + 1). Printed: items = n = log2 of the virtual size. */
double theory_ecf_failure(double items, uint64_t buckets, unsigned b, unsigned f);

/* ------------------------------------------------------------------------------------------------------------ guide */

struct sizing {
    unsigned bits;
    uint64_t slots, buckets, bytes; /* buckets: the next power of two */
    double bytes_any;               /* with any number of buckets */
    double bytes_bloom;
};
struct sizing theory_guide_sizing(double items, double fpr, unsigned b, double load);

/* Bits per item; the cuckoo filter of any size, with slots of a fractional width so that the curve is smooth. */
double theory_bloom_bits(double fpr);
double theory_cuckoo_bits(double fpr, unsigned b, double load);

/* The rate below which a cuckoo filter takes less than a Bloom filter. */
double theory_bloom_crossover(unsigned b, double load);

#endif
