/* The formulas of theory.h. Sums stop where the remaining terms are negligible. Roots are found by bisection: every
 * function is monotonic in the interval searched. */
#include "theory.h"

#include <math.h>
#include <stdlib.h>

/* ----------------------------------------------------------------------------------- CCF: how much an I2CF can hold */

/* P(X = x) for a binomial variable, or for its limit when n is infinite and mean is n p. */
static double poisson(double mean, unsigned x) { return exp(x * log(mean) - mean - lgamma(x + 1.0)); }
static double binomial(double n, double p, unsigned x) {
    double ways = 1; /* a product, because lgamma of 2^30 is less precise than the nine digits of Table II */
    for (unsigned i = 0; i < x; i++) ways *= (n - i) * p / (i + 1.0);
    return x > n ? 0 : ways * exp((n - x) * log1p(-p));
}

static double usable_fraction(double ratio, double m, unsigned k, unsigned b) {
    double unused = 0, hit = -expm1(k * log1p(-1 / m)); /* Eq. 5 */
    for (unsigned x = 0; x < b; x++) {
        double p = isinf(m) ? poisson(ratio * k, x) : binomial(ratio * m, hit, x);
        unused += (1 - (double)x / b) * p;
    }
    return 1 - unused;
}

double theory_usable_fraction(double n, double m, unsigned k, unsigned b) { return usable_fraction(n / m, m, k, b); }

double theory_threshold(double m, unsigned k, unsigned b) {
    double low = 1e-9, high = b;
    for (int i = 0; i < 200; i++) {
        double t = (low + high) / 2;
        if (usable_fraction(t, m, k, b) > t / b) low = t;
        else high = t;
    }
    return low;
}

double theory_crossover(double m, unsigned k, unsigned b) { return floor(theory_threshold(m, k, b) * m); }

static double poisson_at_least(double mean, unsigned x) {
    double sum = 0;
    for (unsigned i = x; i < x + 200; i++) sum += poisson(mean, i);
    return sum;
}

/* In the limit, the degrees in the (b + 1)-core are Poisson(x) conditioned on > b. The core has x P(>= b) / (k P(> b))
 * edges per node, which grows with x; the whole graph has x / P(>= b)^(k-1) / k. */
double theory_core_threshold(unsigned k, unsigned b) {
    double low = 1e-4, high = 100;
    for (int i = 0; i < 200; i++) {
        double x = (low + high) / 2;
        if (x * poisson_at_least(x, b) / (k * poisson_at_least(x, b + 1)) < b) low = x;
        else high = x;
    }
    return low / pow(poisson_at_least(low, b), k - 1.0) / k;
}

/* --------------------------------------------------------------------- CCF: Theorem 5, the probability that all fit */

/* Adds one ball at a time: it hits one of the j bins that were hit before, or one of the m - j others. */
uint64_t theory_bins_hit_ways(unsigned m, unsigned balls, unsigned j) {
    uint64_t *ways = calloc(m + 2, sizeof *ways);
    if (ways == NULL || j > m) return free(ways), 0;
    ways[0] = 1;
    for (unsigned ball = 0; ball < balls; ball++) {
        for (unsigned i = m; i > 0; i--) ways[i] = ways[i] * i + ways[i - 1] * (m - i + 1);
        ways[0] = 0;
    }
    uint64_t answer = ways[j];
    free(ways);
    return answer;
}

/* The same with probabilities, for all j at once; p has m + 1 elements. */
static void hit_all(unsigned m, unsigned balls, double *p) {
    p[0] = 1;
    for (unsigned i = 1; i <= m; i++) p[i] = 0;
    for (unsigned ball = 0; ball < balls; ball++) {
        for (unsigned i = m; i > 0; i--) p[i] = p[i] * i / m + p[i - 1] * (m - i + 1) / m;
        p[0] = 0;
    }
}

static double hit_between(unsigned m, unsigned balls, unsigned from, unsigned to) {
    double *p = calloc(m + 1, sizeof *p), sum = 0;
    if (p == NULL) return NAN;
    hit_all(m, balls, p);
    for (unsigned j = from; j <= to && j <= m; j++) sum += p[j];
    free(p);
    return sum;
}

double theory_bins_hit(unsigned m, unsigned balls, unsigned j) { return hit_between(m, balls, j, j); }

static double choose(double n, double k) {
    if (k < 0 || k > n || n < 0) return 0;
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}

/* The sum, over all compositions of `sum` into `parts` numbers >= 1, of the product of C(top - previous parts,
 * part). */
static double compositions(double top, unsigned sum, unsigned parts) {
    if (parts == 0) return sum == 0;
    double total = 0;
    for (unsigned part = 1; part <= sum; part++) {
        double ways = choose(top, part);
        if (ways > 0) total += ways * compositions(top - part, sum - part, parts - 1);
    }
    return total;
}

double theory_bins_hit_printed(unsigned m, unsigned n, unsigned k, unsigned j) {
    return choose(m, j) * compositions(n, n * k, j) / pow(m, n * k);
}

double theory_all_placed(unsigned m, unsigned n, unsigned k, unsigned b) {
    unsigned most = n * k < m ? n * k : m;
    return hit_between(m, n * k, (n + b - 1) / b, most);
}

double theory_all_placed_printed_range(unsigned m, unsigned n, unsigned k, unsigned b) {
    return hit_between(m, n * k, n / b, n * k > m ? n * k : m);
}

/* -------------------------------------------------------------------------------------------------- false positives */

/* The probability that at least one of so many fingerprints matches, if each matches with probability chance. */
static double any_matches(double fingerprints, double chance) { return -expm1(fingerprints * log1p(-chance)); }

double theory_ccf_fpr_printed(unsigned s, unsigned k, unsigned b, unsigned f) {
    return any_matches((double)s * k * b, ldexp(1, -(int)f));
}
double theory_ccf_fpr(double n, unsigned f) { return any_matches(n, ldexp(1, -(int)f)); }
unsigned theory_ccf_bits(double n, double fpr) { return (unsigned)ceil(log2(n / fpr)); }

double theory_cuckoo_fpr(double slots_read, double load, unsigned f) {
    return any_matches(slots_read * load, ldexp(1, -(int)f));
}

/* A fingerprint is stored within its virtual filter of 2^n buckets, so it is in a given bucket of that with probability
 * 1 / 2^n, not 1 / L. Extension keeps 2^n and multiplies L. */
double theory_ecf_fpr(uint64_t buckets, unsigned b, double load, unsigned f, unsigned extended) {
    double virtual_buckets = exp2(floor(log2((double)buckets / extended)));
    return any_matches(2.0 * b * load, (double)buckets / virtual_buckets * ldexp(1, -(int)f));
}

double theory_dcf_fpr(double one, unsigned filters) { return any_matches(filters, one); }

/* ---------------------------------------------------------------------------------------------------- ECF: failures */

double theory_ecf_failure(double items, uint64_t buckets, unsigned b, unsigned f) {
    double n = floor(log2((double)buckets)), beta = (double)buckets / exp2(n);
    double alpha = -2.0 / 3 * beta * beta + 4 * beta - 8 + 20 / (3 * beta);
    return choose(items, 2.0 * b + 1) * pow(2 / exp2(n + f) + alpha / exp2(2 * n), 2.0 * b);
}

/* ------------------------------------------------------------------------------------------------------------ guide */

struct sizing theory_guide_sizing(double items, double fpr, unsigned b, double load) {
    struct sizing s = {
        .bits = (unsigned)ceil(log2(2.0 * b / fpr)), .slots = (uint64_t)ceil(items / load), .buckets = 1};
    while (s.buckets * b < s.slots) s.buckets *= 2;
    s.bytes = s.buckets * b * s.bits / 8;
    s.bytes_any = (double)s.slots * s.bits / 8;
    s.bytes_bloom = items * theory_bloom_bits(fpr) / 8;
    return s;
}

double theory_bloom_bits(double fpr) { return -log2(fpr) / log(2); }
double theory_cuckoo_bits(double fpr, unsigned b, double load) { return log2(2 * b * load / fpr) / load; }

double theory_bloom_crossover(unsigned b, double load) {
    double low = 1e-12, high = 0.5;
    for (int i = 0; i < 200; i++) {
        double fpr = sqrt(low * high);
        if (theory_cuckoo_bits(fpr, b, load) < theory_bloom_bits(fpr)) low = fpr;
        else high = fpr;
    }
    return low;
}
