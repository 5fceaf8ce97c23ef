/* Draws from a Zipf distribution without a table, by rejection (W. Hoermann and G. Derflinger, "Rejection-inversion to
 * generate variates from monotone discrete distributions", 1996).
 *
 *     |\          the area below x^-s from k - 1/2 to k + 1/2 is at least k^-s, because the curve is convex. A point is
 *     | \         drawn uniformly below the curve, by inverting its integral, and rounded to the next k. It is accepted
 *     |  `-.      if it lies in the last k^-s of the area of its k, so that k is drawn in proportion to k^-s.
 *     +--------
 */
#include "zipf.h"

#include "keys.h"

#include <math.h>

/* The integral of x^-s, up to a constant. For s near 1 the logarithm is its limit. */
static double integral(const struct zipf *z, double x) {
    double t = 1 - z->s;
    return fabs(t) < 1e-9 ? log(x) : expm1(t * log(x)) / t;
}

static double inverse(const struct zipf *z, double area) {
    double t = 1 - z->s;
    return fabs(t) < 1e-9 ? exp(area) : exp(log1p(t * area) / t);
}

struct zipf zipf_make(double s, uint64_t n, uint64_t seed) {
    struct zipf z = {.s = s, .n = n, .seed = seed};
    z.low = integral(&z, 1.5) - 1; /* rank 1 gets exactly its weight, 1 */
    z.high = integral(&z, (double)n + 0.5);
    return z;
}

uint64_t zipf_draw(struct zipf *z) {
    for (;;) {
        double u = (double)(keys_at(z->seed, z->next++) >> 11) * 0x1p-53;
        double area = z->low + u * (z->high - z->low);
        double k = fmin(fmax(floor(inverse(z, area) + 0.5), 1), (double)z->n); /* rounding may leave the range */
        if (area >= integral(z, k + 0.5) - pow(k, -z->s)) return (uint64_t)k;
    }
}
