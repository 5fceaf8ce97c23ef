/* Tests of how the lab compares a statement with a measurement: the verdicts on its page depend on this. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab.h"

static struct lab with_file(void) {
    struct lab lab = {.name = "test", .checks = tmpfile()};
    assert_non_null(lab.checks);
    return lab;
}

/* The line that was written since the last call. */
static const char *line_of(struct lab *lab) {
    static char line[1000];
    rewind(lab->checks);
    size_t n = fread(line, 1, sizeof line - 1, lab->checks);
    line[n] = '\0';
    rewind(lab->checks);
    assert_int_equal(ftruncate(fileno(lab->checks), 0), 0);
    return line;
}

static void expect(struct lab *lab, const char *part) {
    const char *line = line_of(lab);
    if (strstr(line, part) == NULL) fail_msg("no %s in %s", part, line);
}

static void test_a_printed_value_is_compared_on_both_sides(void **state) {
    (void)state;
    struct lab lab = with_file();
    lab_compare(&lab, "x", "0.9481", 0.9581, 0.02);
    expect(&lab, "\"0.9481\",\"\302\261 0.02\",\"0.9581\",\"+1.1 %\",\"reproduced\"");
    lab_compare(&lab, "x", "0.9481", 0.9781, 0.02);
    expect(&lab, "differs");
    lab_compare(&lab, "x", "0.9481", 0.9181, 0.02);
    expect(&lab, "differs");
    lab_compare(&lab, "x", "37 %", 0.415, 0.05);
    expect(&lab, "\"\302\261 5 points\",\"42 %\",\"+4 points\",\"reproduced\"");
    lab_compare(&lab, "x", "37 %", 0.43, 0.05);
    expect(&lab, "differs");
    lab_compare(&lab, "x", "13", 13, 0);
    expect(&lab, "\"exact\",\"13\",\"\",\"reproduced\"");
    lab_compare(&lab, "x", "13", 14, 0);
    expect(&lab, "differs");
    fclose(lab.checks);
}

static void test_large_numbers_have_four_digits(void **state) {
    (void)state;
    struct lab lab = with_file();
    lab_compare(&lab, "x", "350000", 1115937, 35000);
    expect(&lab, "\"1116000\",\"+219 %\",\"differs\"");
    lab_compare(&lab, "x", "218103808", 218103807, 0);
    expect(&lab, "\"exact\",\"218103807\"");
    lab_compare(&lab, "x", "40000", 40123, 4000);
    expect(&lab, "\"40123\"");
    fclose(lab.checks);
}

static void test_the_mean_of_several_runs_is_compared(void **state) {
    (void)state;
    struct lab lab = with_file();
    struct spread s = {0};
    spread_add(&s, 0.90);
    spread_add(&s, 0.96);
    assert_true(s.low == 0.90 && s.high == 0.96 && s.n == 2);
    lab_compare_spread(&lab, "x", "0.931", s, 0.002);
    expect(&lab, "0.930 (0.900 to 0.960 in 2 runs)");
    lab_compare_spread(&lab, "x", "0.931", s, 0.0005);
    expect(&lab, "differs");
    fclose(lab.checks);
}

static void test_a_printed_limit_has_one_side(void **state) {
    (void)state;
    struct lab lab = with_file();
    lab_compare_bound(&lab, "x", "under 10 %", spread_of(0.06));
    expect(&lab, "reproduced");
    lab_compare_bound(&lab, "x", "under 10 %", spread_of(0.11));
    expect(&lab, "differs");
    lab_compare_bound(&lab, "x", "above 10", spread_of(8.3));
    expect(&lab, "differs");
    lab_compare_bound(&lab, "x", "above 10", spread_of(10.1));
    expect(&lab, "reproduced");
    fclose(lab.checks);
}

static void test_words_are_an_interval(void **state) {
    (void)state;
    struct lab lab = with_file();
    lab_compare_words(&lab, "x", "nearly half", 0.40, 0.50, spread_of(0.45));
    expect(&lab, "\"read as 0.4 to 0.5\"");
    lab_compare_words(&lab, "x", "nearly half", 0.40, 0.50, spread_of(1));
    expect(&lab, "differs");
    fclose(lab.checks);
}

static void test_each_point_must_be_in_the_interval(void **state) {
    (void)state;
    struct lab lab = with_file();
    struct spread point[3] = {spread_of(0.95), spread_of(1.0), spread_of(1.05)};
    lab_compare_each(&lab, "x", "nearly the same", 0.9, 1.1, point, 3);
    expect(&lab, "\"each read as 0.9 to 1.1\",\"0.95 to 1.05 (3 points, means of 1 runs)\",\"\",\"reproduced\"");
    point[1] = spread_of(1.2); /* the mean of all three would be inside */
    lab_compare_each(&lab, "x", "nearly the same", 0.9, 1.1, point, 3);
    expect(&lab, "differs");
    fclose(lab.checks);
}

static void test_rates_of_several_seeds_are_counted_together(void **state) {
    (void)state;
    struct rates all = {.hits = 0};
    rates_add(&all, rate_of(10, 1000), 1000);
    rates_add(&all, rate_of(30, 1000), 1000);
    struct rate r = rate_of_all(&all);
    assert_true(all.hits == 40 && all.trials == 2000 && r.value == 0.02);
    assert_true(all.each.low == 0.01 && all.each.high == 0.03 && r.error < rate_of(10, 1000).error);
}

static void test_what_no_document_prints_is_not_compared_with_the_print(void **state) {
    (void)state;
    struct lab lab = with_file();
    lab_compare_earlier(&lab, "x", "3500", spread_of(3600), 350);
    expect(&lab, "\"earlier\",\"x\",\"3500 (ours, earlier)\"");
    lab_compare_earlier(&lab, "x", "3500", spread_of(4000), 350);
    expect(&lab, "changed");
    fclose(lab.checks);
}

static void test_a_corrected_statement_that_does_not_hold_is_counted(void **state) {
    (void)state;
    struct lab lab = with_file();
    lab_must_hold(&lab, "x", "1", true);
    assert_int_equal(lab.broken, 0);
    lab_refute(&lab, "x", "1", "1", false); /* a matter for the page, not a failure */
    assert_int_equal(lab.broken, 0);
    lab_must_hold(&lab, "x", "1", false);
    assert_int_equal(lab.broken, 1);
    fclose(lab.checks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_printed_value_is_compared_on_both_sides),
        cmocka_unit_test(test_large_numbers_have_four_digits),
        cmocka_unit_test(test_the_mean_of_several_runs_is_compared),
        cmocka_unit_test(test_a_printed_limit_has_one_side),
        cmocka_unit_test(test_words_are_an_interval),
        cmocka_unit_test(test_each_point_must_be_in_the_interval),
        cmocka_unit_test(test_rates_of_several_seeds_are_counted_together),
        cmocka_unit_test(test_what_no_document_prints_is_not_compared_with_the_print),
        cmocka_unit_test(test_a_corrected_statement_that_does_not_hold_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
