/* Tests of the lab's formulas against the numbers the papers print, and against exhaustive counts where possible. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "theory.h"

static void assert_near(double a, double b, double within) {
    if (!(fabs(a - b) <= within)) fail_msg("%.12g is not within %g of %.12g", a, within, b);
}

/* -------------------------------------------------------------------------------------------------------------- CCF */

static const double table2[6][4] = {
    {0.796812130, 1.861790807, 2.905683863, 3.934728166}, {0.940479791, 1.979049536, 2.992264312, 3.997079786},
    {0.980172599, 1.996604114, 2.999390447, 3.999888473}, {0.993022846, 1.999453835, 2.999955482, 3.999996295},
    {0.997483538, 1.999913939, 2.999996938, 3.999999888}, {0.999082240, 1.999986694, 2.999999798, 3.999999996},
};

static void test_thresholds_match_table_2(void **state) {
    (void)state;
    const double m = 1 << 30;
    for (unsigned k = 2; k <= 7; k++)
        for (unsigned b = 1; b <= 4; b++) assert_near(theory_crossover(m, k, b) / m, table2[k - 2][b - 1], 1e-9);
}

static void test_threshold_of_a_finite_filter_tends_to_the_limit(void **state) {
    (void)state;
    assert_near(theory_threshold(1e6, 2, 3), theory_threshold(INFINITY, 2, 3), 1e-5);
    assert_true(fabs(theory_threshold(50, 2, 2) - theory_threshold(INFINITY, 2, 2)) > 1e-4);
}

static void test_crossovers_match_figure_3(void **state) {
    (void)state;
    static const double expected[] = {93, 98, 99, 99};
    for (unsigned k = 2; k <= 5; k++) assert_near(theory_crossover(50, k, 2), expected[k - 2], 0);
}

/* Published: 0.5, 0.897, 0.959, 0.980 of the slots for two choices; 0.918 for three and one slot. */
static void test_core_thresholds_match_the_literature(void **state) {
    (void)state;
    static const double published[] = {0.500, 0.897, 0.959, 0.980};
    for (unsigned b = 1; b <= 4; b++) assert_near(theory_core_threshold(2, b) / b, published[b - 1], 6e-4);
    assert_near(theory_core_threshold(3, 1), 0.91794, 1e-4);
}

static void test_core_thresholds_are_below_theorem_4(void **state) {
    (void)state;
    for (unsigned k = 2; k <= 4; k++)
        for (unsigned b = 1; b <= 4; b++) assert_true(theory_core_threshold(k, b) < theory_threshold(INFINITY, k, b));
}

static void test_example_of_theorem_5_is_exact(void **state) {
    (void)state;
    static const uint64_t ways[] = {0, 5, 620, 5400, 7800, 1800};
    static const double printed[] = {0, 0.00032, 0.03968, 0.3456, 0.4992, 0.1152};
    for (unsigned j = 0; j <= 5; j++) {
        assert_int_equal(theory_bins_hit_ways(5, 6, j), ways[j]);
        assert_near(theory_bins_hit(5, 6, j), printed[j], 1e-15);
    }
    assert_int_equal(ways[2] + ways[3] + ways[4] + ways[5], 15620);
    assert_near(theory_all_placed(5, 3, 2, 2), 15620.0 / 15625, 1e-15);
    assert_near(theory_all_placed(5, 3, 2, 2), 0.99968, 1e-15);
}

/* Whether three fingerprints with two candidates each fit into five buckets of two slots. code is one of the 5^6
 * choices of candidates; all 2^3 assignments are tried. */
static bool placeable(unsigned code) {
    unsigned at[6];
    for (unsigned i = 0; i < 6; i++, code /= 5) at[i] = code % 5;
    for (unsigned choice = 0; choice < 8; choice++) {
        unsigned a = at[choice & 1], b = at[2 + (choice >> 1 & 1)], c = at[4 + (choice >> 2)];
        if (!(a == b && b == c)) return true;
    }
    return false;
}

static void test_theorem_5_bounds_the_counted_probability(void **state) {
    (void)state;
    unsigned placed = 0;
    for (unsigned code = 0; code < 15625; code++) placed += placeable(code);
    assert_true(placed / 15625.0 <= theory_all_placed(5, 3, 2, 2));
    assert_int_equal(placed, 15620); /* here the bound is exact: only "all six candidates in one bucket" fails */
    assert_near(theory_all_placed_printed_range(5, 3, 2, 2), 1, 1e-12); /* floor(3/2) = 1 counts that case too */
}

static void test_equation_11_as_printed_gives_zero(void **state) {
    (void)state;
    for (unsigned j = 1; j <= 5; j++) assert_near(theory_bins_hit_printed(5, 3, 2, j), 0, 0);
    for (unsigned j = 1; j <= 5; j++) assert_near(theory_bins_hit_printed(5, 6, 1, j), theory_bins_hit(5, 6, j), 1e-12);
}

static void test_equation_11_sums_to_one_for_many_balls(void **state) {
    (void)state;
    double sum = 0;
    for (unsigned j = 0; j <= 64; j++) sum += theory_bins_hit(64, 350, j);
    assert_near(sum, 1, 1e-12);
}

/* -------------------------------------------------------------------------------------------------- false positives */

static void test_false_positive_rates_match_the_formulas(void **state) {
    (void)state;
    assert_near(theory_ccf_fpr_printed(1, 2, 3, 16), 9.155e-5, 1e-8);
    assert_near(theory_ccf_fpr(6451, 16), 0.09374, 1e-5);
    assert_int_equal(theory_ccf_bits(6451, 0.001), 23);
    assert_true(theory_ccf_fpr(6451, 23) <= 0.001 && theory_ccf_fpr(6451, 22) > 0.001);
    assert_near(theory_cuckoo_fpr(8, 0.95, 12), 0.001854, 1e-6);
    assert_near(theory_dcf_fpr(0.001, 8), 0.007972, 1e-6);
}

static void test_ecf_rate_equals_cuckoo_rate_only_at_powers_of_two(void **state) {
    (void)state;
    double plain = theory_cuckoo_fpr(8, 0.97, 12);
    assert_near(theory_ecf_fpr(65536, 4, 0.97, 12, 1), plain, 1e-12);
    assert_near(theory_ecf_fpr(65535, 4, 0.97, 12, 1) / plain, 2, 0.01);
    assert_near(theory_ecf_fpr(24576, 4, 0.97, 12, 1) / plain, 1.5, 0.01);
    assert_near(theory_ecf_fpr(65536 * 8, 4, 0.97, 12, 8) / plain, 8, 0.1);
}

static void test_theorem_6_2_depends_on_the_number_of_items(void **state) {
    (void)state;
    assert_near(theory_ecf_failure(15, 32768, 4, 16), 0, 1e-40); /* as printed: C(15, 9) */
    assert_true(theory_ecf_failure(100, 8, 1, 4) > 1);           /* corrected: an expected value, not a probability */
}

/* ------------------------------------------------------------------------------------------------------------ guide */

static void test_sizing_matches_the_guide(void **state) {
    (void)state;
    struct sizing s = theory_guide_sizing(1e8, 0.001, 4, 0.90);
    assert_int_equal(s.bits, 13);
    assert_int_equal(s.slots, 111111112);
    assert_int_equal(s.buckets, 33554432);
    assert_int_equal(s.bytes, 218103808);
    assert_near(s.bytes_bloom / 1e6, 179.7, 0.1);
    assert_near(s.bytes_any / 1e6, 180.6, 0.1);
    assert_near(theory_guide_sizing(1e8, 0.001, 4, 0.95).bytes_any / 1e6, 171.1, 0.1);
}

static void test_cuckoo_is_smaller_than_bloom_only_below_the_crossover(void **state) {
    (void)state;
    double e = theory_bloom_crossover(4, 0.95);
    assert_near(e, 0.0042, 0.0001);
    assert_true(theory_cuckoo_bits(e / 2, 4, 0.95) < theory_bloom_bits(e / 2));
    assert_true(theory_cuckoo_bits(0.03, 4, 0.95) > theory_bloom_bits(0.03));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thresholds_match_table_2),
        cmocka_unit_test(test_threshold_of_a_finite_filter_tends_to_the_limit),
        cmocka_unit_test(test_crossovers_match_figure_3),
        cmocka_unit_test(test_core_thresholds_match_the_literature),
        cmocka_unit_test(test_core_thresholds_are_below_theorem_4),
        cmocka_unit_test(test_example_of_theorem_5_is_exact),
        cmocka_unit_test(test_theorem_5_bounds_the_counted_probability),
        cmocka_unit_test(test_equation_11_as_printed_gives_zero),
        cmocka_unit_test(test_equation_11_sums_to_one_for_many_balls),
        cmocka_unit_test(test_false_positive_rates_match_the_formulas),
        cmocka_unit_test(test_ecf_rate_equals_cuckoo_rate_only_at_powers_of_two),
        cmocka_unit_test(test_theorem_6_2_depends_on_the_number_of_items),
        cmocka_unit_test(test_sizing_matches_the_guide),
        cmocka_unit_test(test_cuckoo_is_smaller_than_bloom_only_below_the_crossover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
