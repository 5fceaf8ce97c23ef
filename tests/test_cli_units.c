/* How the tool reads and writes quantities, times and fields: cli/units.c, time_parse.c, key_fields.c, csv.c, decode.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "csv.h"
#include "decode.h"
#include "key_fields.h"
#include "support.h"
#include "time_parse.h"
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

static const int64_t noon_2023 = 1700000000000; /* 2023-11-14T22:13:20Z */

static bool time_of(const char *text, int64_t *ms) {
    struct time_parser p = {.now = noon_2023};
    return time_parse(&p, text, strlen(text), ms);
}

static bool time_by(const char *format, const char *text, int64_t *ms) {
    struct time_parser p = {.now = noon_2023, .format = format};
    return time_parse(&p, text, strlen(text), ms);
}

static void set_zone(const char *zone) {
    setenv("TZ", zone, 1);
    tzset();
}

static void test_all_forms_of_a_time_give_the_same_value(void **state) {
    (void)state;
    static const char *const same[] = {"1700000000",
                                       "1700000000.0",
                                       "1700000000000",
                                       "1700000000000999",
                                       "1700000000000999999",
                                       "2023-11-14T22:13:20Z",
                                       "2023-11-14t22:13:20z",
                                       "2023-11-14 22:13:20Z",
                                       "2023-11-15T03:43:20+05:30",
                                       "2023-11-15T03:43:20+0530",
                                       "2023-11-14T23:13:20+01",
                                       "2023-11-14T22:13:20.000999-00:00",
                                       "2023-11-14 22:13:20,000 +0000 and more",
                                       "2023-11-14 22:13:20.000000999999 UTC",
                                       "2023/11/14 22:13:20 [error]",
                                       "2023-11-14T22:13:20",
                                       "2023-11-14 22:13:20 -5 degrees",
                                       "[2023-11-14T22:13:20Z]",
                                       "\"2023-11-14T22:13:20Z\"",
                                       "[14/Nov/2023:22:13:20 +0000] \"GET / HTTP/1.1\"",
                                       "14/Nov/2023:15:13:20 -0700",
                                       "Nov 14 22:13:20 host sshd[1]: x",
                                       "1700000000 x",
                                       "1700000000,"};
    int64_t ms;
    set_zone("UTC");
    for (size_t i = 0; i < COUNT(same); i++)
        if (!time_of(same[i], &ms) || ms != noon_2023) fail_msg("'%s' was read as %lld", same[i], (long long)ms);
    assert_true(time_of("1700000000.1239", &ms) && ms == 1700000000123);
    assert_true(time_of("0", &ms) && ms == 0);
    assert_true(time_of("99999999999", &ms) && ms == 99999999999000);
    assert_true(time_of("100000000000", &ms) && ms == 100000000000);
    assert_true(time_of("99999999999999", &ms) && ms == 99999999999999);
    assert_true(time_of("100000000000000", &ms) && ms == 100000000000);
    assert_true(time_of("1969-12-31T23:59:59.5Z", &ms) && ms == -500);
}

static void test_invalid_times_are_rejected(void **state) {
    (void)state;
    static const char *const invalid[] = {"",
                                          "-5",
                                          "1x",
                                          "1.",
                                          ".5",
                                          "[",
                                          "1700000000000.5",
                                          "99999999999999999999",
                                          "now",
                                          "2023-11-14",
                                          "2023-11-14T22:13Z",
                                          "2023-13-01T00:00:00Z",
                                          "2023-00-01T00:00:00Z",
                                          "2023-02-29T00:00:00Z",
                                          "2023-01-01T24:00:00Z",
                                          "2023-01-01T00:60:00Z",
                                          "2023-01-01T00:00:61Z",
                                          "2023-01-01T00:00:00+24:00",
                                          "2023-01-01T00:00:00+1",
                                          "2023-01-01T00:00:00Zx",
                                          "2023-01-01T00:00:00.Z",
                                          "14/Nov/2023 22:13:20",
                                          "14/Nov/2023:22:13",
                                          "Nov 31 00:00:00",
                                          "Nov 1 00:00:00",
                                          "Nox 14 22:13:20"};
    int64_t ms;
    set_zone("UTC");
    for (size_t i = 0; i < COUNT(invalid); i++)
        if (time_of(invalid[i], &ms)) fail_msg("'%s' was read as %lld", invalid[i], (long long)ms);
}

static void test_times_of_syslog_roll_over_at_new_year(void **state) {
    (void)state;
    const int64_t new_year = 1704067200000, leap_day = 1709164800000, day = 86400000; /* 2024-01-01, 2024-02-29 */
    struct time_parser p = {.now = new_year + 5000};
    int64_t ms;
    set_zone("UTC");
    assert_true(time_parse(&p, "Dec 31 23:59:59", 15, &ms) && ms == new_year - 1000);
    assert_true(time_parse(&p, "Jan  1 00:00:01", 15, &ms) && ms == new_year + 1000);
    p.now = new_year - 2000; /* another machine is a little ahead */
    assert_true(time_parse(&p, "Jan  1 00:00:01", 15, &ms) && ms == new_year + 1000);
    p.now = leap_day + 400 * day; /* 2025 has no leap day: the latest one is in 2024 */
    assert_true(time_parse(&p, "Feb 29 00:00:00", 15, &ms) && ms == leap_day);
    p.now = leap_day + 2 * day;
    assert_true(time_parse(&p, "Mar  4 00:00:00", 15, &ms) && ms < p.now); /* two days ahead: last year's */
}

static void test_times_without_a_zone_are_local(void **state) {
    (void)state;
    int64_t ms;
    set_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    assert_true(time_of("2023-11-14T23:13:20", &ms) && ms == noon_2023);
    assert_true(time_of("2023-07-01 02:00:00", &ms) && ms == 1688169600000);
    assert_true(time_of("Nov 14 23:13:20", &ms) && ms == noon_2023);
    assert_true(time_by("%d.%m.%Y %H:%M:%S", "14.11.2023 23:13:20.5", &ms) && ms == noon_2023 + 500);
    struct time_parser p = {.now = noon_2023}; /* every quarter of an hour of a year agrees with mktime */
    for (time_t t = 1672527600; t < 1704063600; t += 887) {
        char text[32];
        struct tm tm;
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
        tm.tm_isdst = -1;
        time_t expected = mktime(&tm);
        if (!time_parse(&p, text, strlen(text), &ms) || ms != expected * 1000) fail_msg("%s", text);
    }
    set_zone("UTC");
}

static void test_formats_of_strptime(void **state) {
    (void)state;
    int64_t ms;
    set_zone("UTC");
    assert_true(time_by("%d.%m.%Y %H:%M:%S", "14.11.2023 22:13:20 x", &ms) && ms == noon_2023);
    assert_true(time_by("%d.%m.%Y %H:%M:%S", "14.11.2023 22:13:20,25", &ms) && ms == noon_2023 + 250);
    assert_true(time_by("%a, %d %b %Y %T %z", "Tue, 14 Nov 2023 23:13:20 +0100", &ms) && ms == noon_2023);
    assert_true(time_by("%b %d %T", "Nov 14 22:13:20", &ms) && ms == noon_2023);
    assert_false(time_by("%d.%m.%Y %H:%M:%S", "31.02.2023 22:13:20", &ms));
    assert_false(time_by("%d.%m.%Y %H:%M:%S", "14.11.2023 22:13:20x", &ms));
    assert_false(time_by("%H:%M:%S", "22:13:20", &ms)); /* no date */
    assert_true(time_format_is_valid("%d.%m.%Y %H:%M:%S"));
    assert_false(time_format_is_valid("%Q"));
    assert_false(time_format_is_valid("text"));
    assert_false(time_format_is_valid(""));
}

/* -------------------------------------------------------------------------------------------------------------- fields */

static void test_lists_of_fields(void **state) {
    (void)state;
    struct field_list list = {0};
    assert_true(field_list_read("1,3-5", &list) && field_list_read("7-", &list) && field_list_read("-2", &list));
    const struct field_range expected[] = {{1, 1}, {3, 5}, {7, 0}, {1, 2}};
    assert_int_equal(list.n, COUNT(expected));
    assert_memory_equal(list.range, expected, sizeof expected);
    static const char *const invalid[] = {"",    "0", "-",     "1,-", "-x", "1,",         ",1",
                                          "3-1", "a", "1-2-3", "1x",  "-0", "9999999999", "1 "};
    for (size_t i = 0; i < COUNT(invalid); i++)
        if (field_list_read(invalid[i], &list)) fail_msg("'%s' was accepted", invalid[i]);
}

static void check_fields(struct field_rule rule, const char *line, size_t n, const char *const *expected) {
    struct field_cursor c = field_first(rule, (struct slice){line, strlen(line)});
    struct slice field;
    for (size_t i = 0; i < n; i++)
        if (!field_next(&c, &field) || field.size != strlen(expected[i]) ||
            memcmp(field.data, expected[i], field.size) != 0)
            fail_msg("'%s': field %zu is not '%s'", line, i + 1, expected[i]);
    assert_false(field_next(&c, &field));
}

static void test_fields_by_blanks_delimiters_and_csv(void **state) {
    (void)state;
    static const char *const words[] = {"a", "b", "c"}, *const four[] = {"a", "", "b:c", ""},
                             *const quoted[] = {"a", "\"b,\"\"c\n\"", "5\" disk", ""};
    check_fields((struct field_rule){NULL, false}, "  a \tb  c ", 3, words);
    check_fields((struct field_rule){NULL, false}, "   ", 0, words);
    check_fields((struct field_rule){"::", false}, "a::::b:c::", 4, four);
    check_fields((struct field_rule){",", true}, "a,\"b,\"\"c\n\",5\" disk,", 4, quoted);
}

static void test_values_and_records_of_csv(void **state) {
    (void)state;
    static const struct {
        const char *field, *value;
    } r[] = {{"", ""},     {"a", "a"},         {"\"a,b\"", "a,b"}, {"\"a\"\"b\"", "a\"b"},
             {"\"\"", ""}, {"\"\"\"\"", "\""}, {"5\"", "5\""},     {"\"a", "a"}};
    char to[32];
    for (size_t i = 0; i < COUNT(r); i++) {
        size_t n = csv_value((struct slice){r[i].field, strlen(r[i].field)}, to);
        if (n != strlen(r[i].value) || memcmp(to, r[i].value, n) != 0)
            fail_msg("'%s' has the value '%.*s'", r[i].field, (int)n, to);
    }
    const char *text = "a,\"b\nc\",d\ne,\"f";
    assert_ptr_equal(csv_record_end(text, text + strlen(text), '\n', ","), text + 9);
    memcpy(to, "a\"b", 3);
    assert_int_equal(csv_quote(to, 3), 6);
    assert_memory_equal(to, "\"a\"\"b\"", 6);
}

/* How many bytes are complete records, by the function that knows one record. */
static size_t complete_records(const char *text, size_t n, const char *delimiter) {
    const char *p = text, *stop;
    while ((stop = csv_record_end(p, text + n, '\n', delimiter)) != NULL) p = stop + 1;
    return (size_t)(p - text);
}

/* Every text of seven characters, in every two pieces. */
static void check_scan(const char alphabet[4], const char *delimiter) {
    enum { LENGTH = 7 };
    char text[LENGTH + 1] = "";
    for (unsigned code = 0; code < 1U << 2 * LENGTH; code++) {
        for (unsigned i = 0; i < LENGTH; i++) text[i] = alphabet[code >> 2 * i & 3];
        size_t expected = complete_records(text, LENGTH, delimiter);
        for (size_t first = 0; first <= LENGTH; first++) {
            struct csv_scan s = {0};
            csv_scan_to(&s, text, first, '\n', delimiter);
            if (s.complete != complete_records(text, first, delimiter)) fail_msg("the first %zu of '%s'", first, text);
            csv_scan_to(&s, text, LENGTH, '\n', delimiter);
            if (s.complete != expected) fail_msg("'%s' in pieces of %zu and the rest", text, first);
        }
    }
}

static void test_records_of_csv_are_found_in_pieces(void **state) {
    (void)state;
    check_scan("a,\"\n", ",");
    check_scan("a:\"\n", "::");
    check_scan("a\"\"\n", "\"");
}

static void test_compressed_files_are_recognised(void **state) {
    (void)state;
    assert_int_equal(decoder_format("\x1f\x8b\x08...", 6), GZIP);
    assert_int_equal(decoder_format("\x28\xb5\x2f\xfd", 4), ZSTD);
    assert_int_equal(decoder_format("\x28\xb5", 2), UNDECIDED);
    assert_int_equal(decoder_format("", 0), UNDECIDED);
    assert_int_equal(decoder_format("(a)\n", 4), PLAIN);
    assert_int_equal(decoder_format("\x1f\x8b\x09", 3), PLAIN);
}

static void test_every_day_from_1600_to_2400_agrees_with_gmtime(void **state) {
    (void)state;
    set_zone("UTC");
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
    assert_string_equal(write_duration(5400000, to), "1h30m");
    assert_string_equal(write_duration(600600, to), "10m");
    assert_string_equal(write_duration(250, to), "250ms");
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
        cmocka_unit_test(test_times_of_syslog_roll_over_at_new_year),
        cmocka_unit_test(test_times_without_a_zone_are_local),
        cmocka_unit_test(test_formats_of_strptime),
        cmocka_unit_test(test_lists_of_fields),
        cmocka_unit_test(test_fields_by_blanks_delimiters_and_csv),
        cmocka_unit_test(test_values_and_records_of_csv),
        cmocka_unit_test(test_records_of_csv_are_found_in_pieces),
        cmocka_unit_test(test_compressed_files_are_recognised),
        cmocka_unit_test(test_every_day_from_1600_to_2400_agrees_with_gmtime),
        cmocka_unit_test(test_quantities_are_written_with_three_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
