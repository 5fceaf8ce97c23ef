/* The draws of the benchmark's multiset workload have the frequencies of a Zipf distribution. The seeds are fixed, so the
 * test passes always or never. */
#include "zipf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RANKS = 1000, DRAWS = 400000 };

/* Chi-square over the ranks of which ten draws or more are expected: its mean is the number of ranks less one, its
 * standard deviation about sqrt(2 * ranks). */
static void check_exponent(double s) {
    struct zipf z = zipf_make(s, RANKS, 1);
    uint64_t *drawn = calloc(RANKS + 1, sizeof *drawn);
    double total = 0;
    double chi = 0;
    double ranks = 0;
    assert_non_null(drawn);
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t k = zipf_draw(&z);
        assert_in_range(k, 1, RANKS);
        drawn[k]++;
    }
    for (size_t k = 1; k <= RANKS; k++) total += pow((double)k, -s);
    for (size_t k = 1; k <= RANKS; k++) {
        double expected = DRAWS * pow((double)k, -s) / total;
        if (expected < 10) break;
        chi += pow((double)drawn[k] - expected, 2) / expected;
        ranks++;
    }
    if (fabs(chi - (ranks - 1)) > 4 * sqrt(2 * ranks)) fail_msg("s = %g: chi-square %g for %g ranks", s, chi, ranks);
    free(drawn);
}

static void test_draws_have_the_frequencies_of_the_distribution(void **state) {
    (void)state;
    static const double exponent[] = {0.1, 0.8, 1, 1.1, 1.5, 4};
    for (size_t i = 0; i < sizeof exponent / sizeof *exponent; i++) check_exponent(exponent[i]);
}

static void test_one_rank_is_always_drawn(void **state) {
    (void)state;
    struct zipf z = zipf_make(1.1, 1, 1);
    for (int i = 0; i < 1000; i++) assert_int_equal(zipf_draw(&z), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_have_the_frequencies_of_the_distribution),
        cmocka_unit_test(test_one_rank_is_always_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
