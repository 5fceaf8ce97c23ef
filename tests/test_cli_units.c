/* How the tool reads and writes quantities: cli/units.c and cli/timestamp.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "support.h"
#include "timestamp.h"
#include "units.h"

struct sample {
    const char *text;
    double value; /* negative: the text is invalid */
};

static void check_integers(bool (*read)(const char *, uint64_t *), const struct sample *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t x = 0;
        if (read(r[i].text, &x) != (r[i].value >= 0) || (r[i].value >= 0 && x != (uint64_t)r[i].value))
            fail_msg("'%s' was read as %llu", r[i].text, (unsigned long long)x);
    }
}

static void check_reals(bool (*read)(const char *, double *), const struct sample *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double x = 0;
        if (read(r[i].text, &x) != (r[i].value >= 0) ||
            (r[i].value >= 0 && (x < r[i].value - 1e-15 || x > r[i].value + 1e-15)))
            fail_msg("'%s' was read as %g", r[i].text, x);
    }
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void test_suffixes_of_counts_are_powers_of_1000(void **state) {
    (void)state;
    const struct sample r[] = {
        {"0", 0},  {"1000", 1000}, {"50k", 50000}, {"50K", 50000}, {"100M", 1e8}, {"2.5G", 2.5e9},      {"1e6", 1e6},
        {"", -1},  {"-1", -1},     {"+1", -1},     {" 1", -1},     {"1 ", -1},    {"0x10", -1},         {"1KiB", -1},
        {"k", -1}, {".", -1},      {"inf", -1},    {"nan", -1},    {"1e30", -1},  {"99999T", 99999e12}, {"1.2.3", -1}};
    check_integers(read_count, r, COUNT(r));
}

static void test_suffixes_of_sizes_are_powers_of_1024_or_1000(void **state) {
    (void)state;
    const struct sample r[] = {
        {"4096", 4096}, {"1B", 1},       {"64K", 65536}, {"64KiB", 65536}, {"64KB", 64000}, {"1.5GiB", 1610612736},
        {"10MB", 1e7},  {"1M", 1048576}, {"1T", 0x1p40}, {"1X", -1},       {"M", -1},       {"1kiB", -1}};
    check_integers(read_size, r, COUNT(r));
}

static void test_durations_can_have_several_units(void **state) {
    (void)state;
    const struct sample r[] = {{"90", 90000},     {"10m", 600000},   {"1h30m", 5400000}, {"250ms", 250}, {"1.5s", 1500},
                               {"2d", 172800000}, {"1w", 604800000}, {"1h30", -1},       {"0", -1},      {"0s", -1},
                               {"m", -1},         {"5x", -1},        {"", -1},           {"1mss", -1}};
    check_integers(read_duration, r, COUNT(r));
}

static void test_rates_and_factors_out_of_range_are_rejected(void **state) {
    (void)state;
    const struct sample rates[] = {{"0.001", 0.001}, {"0.1%", 0.001}, {"1e-6", 1e-6}, {"1/1000", 0.001},
                                   {"0", -1},        {"1", -1},       {"100%", -1},   {"1/0", -1},
                                   {"%", -1},        {"5%%", -1},     {"nan", -1}};
    const struct sample factors[] = {{"1", 1}, {"1000x", 1000}, {"2.5x", 2.5}, {"0.5x", -1}, {"x", -1}, {"2xx", -1}};
    check_reals(read_rate, rates, COUNT(rates));
    check_reals(read_factor, factors, COUNT(factors));
}

/* ------------------------------------------------------------------------------------------------------------ times */

static bool time_of(const char *text, int64_t *ms) { return timestamp_read(text, strlen(text), ms); }

static void test_all_forms_of_a_time_give_the_same_value(void **state) {
    (void)state;
    static const char *const same[] = {"1700000000",
                                       "1700000000.0",
                                       "1700000000000",
                                       "2023-11-14T22:13:20Z",
                                       "2023-11-14t22:13:20z",
                                       "2023-11-14 22:13:20Z",
                                       "2023-11-15T03:43:20+05:30",
                                       "2023-11-14T22:13:20.000999-00:00"};
    int64_t ms;
    for (size_t i = 0; i < COUNT(same); i++)
        if (!time_of(same[i], &ms) || ms != 1700000000000) fail_msg("'%s' was read as %lld", same[i], (long long)ms);
    assert_true(time_of("1700000000.1239", &ms) && ms == 1700000000123);
    assert_true(time_of("0", &ms) && ms == 0);
    assert_true(time_of("99999999999", &ms) && ms == 99999999999000);
    assert_true(time_of("100000000000", &ms) && ms == 100000000000);
    assert_true(time_of("1969-12-31T23:59:59.5Z", &ms) && ms == -500);
}

static void test_invalid_times_are_rejected(void **state) {
    (void)state;
    static const char *const invalid[] = {"",
                                          "-5",
                                          "1x",
                                          "1.",
                                          ".5",
                                          "17000000000000000",
                                          "1700000000000.5",
                                          "now",
                                          "2023-11-14",
                                          "2023-11-14T22:13:20",
                                          "2023-11-14T22:13Z",
                                          "2023-13-01T00:00:00Z",
                                          "2023-00-01T00:00:00Z",
                                          "2023-02-29T00:00:00Z",
                                          "2023-01-01T24:00:00Z",
                                          "2023-01-01T00:60:00Z",
                                          "2023-01-01T00:00:61Z",
                                          "2023-01-01T00:00:00+24:00",
                                          "2023-01-01T00:00:00Zx",
                                          "2023-01-01T00:00:00.Z"};
    int64_t ms;
    for (size_t i = 0; i < COUNT(invalid); i++)
        if (time_of(invalid[i], &ms)) fail_msg("'%s' was read as %lld", invalid[i], (long long)ms);
}

static void test_every_day_from_1600_to_2400_agrees_with_gmtime(void **state) {
    (void)state;
    for (time_t day = -135140; day < 157054; day++) { /* 1600 to 2400 */
        time_t seconds = day * 86400;
        struct tm t;
        char text[32];
        int64_t ms;
        assert_non_null(gmtime_r(&seconds, &t));
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &t);
        if (!time_of(text, &ms) || ms != seconds * 1000) fail_msg("%s was read as %lld", text, (long long)ms);
    }
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static void test_quantities_are_written_with_three_digits(void **state) {
    (void)state;
    char to[UNIT_TEXT];
    assert_string_equal(write_count(0, to), "0");
    assert_string_equal(write_count(999, to), "999");
    assert_string_equal(write_count(1234, to), "1.23k");
    assert_string_equal(write_count(999999, to), "1.00M");
    assert_string_equal(write_count(1e8, to), "100M");
    assert_string_equal(write_size(1023, to), "1023 B");
    assert_string_equal(write_size(1536, to), "1.50 KiB");
    assert_string_equal(write_size(0x1p30, to), "1.00 GiB");
    assert_string_equal(write_elapsed(75, to), "1:15");
    assert_string_equal(write_elapsed(3661, to), "1:01:01");
    assert_string_equal(write_elapsed(1e300, to), "277777:46:40");
    assert_string_equal(write_rate(0.001, to), "0.1%");
    assert_string_equal(write_rate(1e-6, to), "1.0e-06");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suffixes_of_counts_are_powers_of_1000),
        cmocka_unit_test(test_suffixes_of_sizes_are_powers_of_1024_or_1000),
        cmocka_unit_test(test_durations_can_have_several_units),
        cmocka_unit_test(test_rates_and_factors_out_of_range_are_rejected),
        cmocka_unit_test(test_all_forms_of_a_time_give_the_same_value),
        cmocka_unit_test(test_invalid_times_are_rejected),
        cmocka_unit_test(test_every_day_from_1600_to_2400_agrees_with_gmtime),
        cmocka_unit_test(test_quantities_are_written_with_three_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
