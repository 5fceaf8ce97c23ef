/* Tests of the lab's flow traces: the generated trace has the paper's totals; an invalid file is rejected with the
 * line. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

static struct trace generated(uint64_t seed) { return trace_generate(seed, PAPER_FLOWS, PAPER_PEAK, PAPER_SECONDS); }

static void test_generated_trace_has_the_papers_totals(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct trace t = generated(seed);
        assert_int_equal(t.flows, 58941);
        assert_int_equal(t.events, 2 * 58941);
        assert_int_equal(t.peak, 7290);
        assert_true(t.event[0].time >= 0 && t.event[t.events - 1].time <= PAPER_SECONDS + 1e-6);
        trace_free(&t);
    }
}

static void test_events_are_sorted_and_flows_start_before_they_end(void **state) {
    (void)state;
    struct trace t = generated(7);
    bool *open = calloc(t.flows, sizeof *open);
    assert_non_null(open);
    size_t present = 0, peak = 0;
    for (size_t i = 0; i < t.events; i++) {
        const struct event *e = &t.event[i];
        assert_true(i == 0 || t.event[i - 1].time <= e->time);
        assert_true(open[e->flow] != e->arrives);
        open[e->flow] = e->arrives;
        present = e->arrives ? present + 1 : present - 1;
        if (present > peak) peak = present;
    }
    assert_int_equal(present, 0);
    assert_int_equal(peak, t.peak);
    free(open);
    trace_free(&t);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void test_generated_keys_are_all_different(void **state) {
    (void)state;
    struct trace t = trace_generate(1, 5000, 600, 1200);
    char **key = calloc(t.flows, sizeof *key);
    assert_non_null(key);
    for (size_t i = 0; i < t.flows; i++) {
        size_t length;
        const char *k = trace_key(&t, i, &length);
        key[i] = strndup(k, length);
    }
    qsort(key, t.flows, sizeof *key, by_text);
    for (size_t i = 1; i < t.flows; i++) assert_true(strcmp(key[i - 1], key[i]) != 0);
    for (size_t i = 0; i < t.flows; i++) free(key[i]);
    free(key);
    trace_free(&t);
}

static void test_the_same_seed_gives_the_same_trace(void **state) {
    (void)state;
    struct trace a = trace_generate(5, 2000, 250, 1200), b = trace_generate(5, 2000, 250, 1200),
                 c = trace_generate(6, 2000, 250, 1200);
    assert_int_equal(a.bytes, b.bytes);
    assert_memory_equal(a.keys, b.keys, a.bytes);
    assert_memory_equal(a.flow, b.flow, a.flows * sizeof *a.flow);
    assert_true(a.bytes != c.bytes || memcmp(a.keys, c.keys, a.bytes) != 0);
    trace_free(&a);
    trace_free(&b);
    trace_free(&c);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static bool read_from(const char *content, size_t n, struct trace *out, char *message, size_t size) {
    FILE *in = tmpfile();
    assert_non_null(in);
    assert_int_equal(fwrite(content, 1, n, in), n);
    rewind(in);
    bool good = trace_read(in, "t.csv", out, message, size);
    fclose(in);
    return good;
}

static void test_a_valid_trace_is_read(void **state) {
    (void)state;
    static const char content[] = "start,end,key\n# a comment\n0,2,a\n\n0.5,1.5,b,with a comma\r\n1.5,1.5,c\n";
    struct trace t;
    char message[200] = "";
    assert_true(read_from(content, sizeof content - 1, &t, message, sizeof message));
    assert_int_equal(t.flows, 3);
    assert_int_equal(t.peak, 2); /* b ends before c starts */
    size_t length;
    const char *key = trace_key(&t, 1, &length);
    assert_int_equal(length, strlen("b,with a comma"));
    assert_memory_equal(key, "b,with a comma", length);
    trace_free(&t);
}

static void test_a_byte_order_mark_is_skipped(void **state) {
    (void)state;
    static const char *const content[] = {"\xef\xbb\xbfstart,end,key\r\n0,2,a\r\n",
                                          "\357\273\2770,2,a\n", /* octal: in hexadecimal the 0 would belong to it */
                                          "\xef\xbb\xbf\n0,2,a\n"};
    for (size_t i = 0; i < sizeof content / sizeof *content; i++) {
        struct trace t;
        char message[200] = "";
        assert_true(read_from(content[i], strlen(content[i]), &t, message, sizeof message));
        assert_int_equal(t.flows, 1);
        trace_free(&t);
    }
}

/* Whatever stands in a trace is either read or rejected with a message that a terminal can show. */
static void test_lines_of_any_bytes_are_read_or_rejected(void **state) {
    (void)state;
    static const char *const piece[] = {
        "0,1,a\n", "2,3,b,c", "\n",     "\r\n",   "#",   "\xef\xbb\xbf", "start,end,key\n",
        "\x1b]0;", "\xff",    "1e308,", "1e309,", "-1,", "+.5,",         "0x1p3,",
        "inf,",    "nan",     " ",      ",",      "\"",  "%s%n"};
    struct rng r = rng_for(__func__);
    unsigned good = 0;
    for (unsigned i = 0; i < 4000; i++) {
        char content[80] = "", message[60] = "";
        size_t n = 0;
        for (size_t k = rng_below(&r, 6); k > 0; k--) {
            const char *p = piece[rng_below(&r, sizeof piece / sizeof *piece)];
            memcpy(content + n, p, strlen(p));
            n += strlen(p);
            if (rng_below(&r, 16) == 0) content[n++] = '\0';
        }
        struct trace t;
        bool is_read = read_from(content, n, &t, message, sizeof message);
        assert_true(is_read == (t.flows > 0) && is_read == (message[0] == '\0'));
        for (const char *p = message; *p != '\0'; p++) assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
        for (size_t k = 0; k < t.flows; k++) assert_true(t.flow[k].length > 0 && t.flow[k].end >= t.flow[k].start);
        good += is_read;
        trace_free(&t);
    }
    assert_true(good > 200 && good < 3800);
}

static void test_an_invalid_trace_is_rejected_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *content, *message;
    } bad[] = {
        {"", "t.csv:0: the trace is empty"},
        {"start,end,key\n", "t.csv:1: the trace is empty"},
        {"0,1,a\n0,1\n", "t.csv:2: expected three columns"},
        {"start,end,key\n0\n", "t.csv:2: expected three columns"},
        {"0,1,a\n1,2,\n", "t.csv:2: the key is empty"},
        {"0,1,a\n5,3,b\n", "t.csv:2: the flow ends (3) before it starts (5)"},
        {"4,9,a\n# comment\n3,9,b\n", "t.csv:3: not sorted by start: this flow starts at 3, the one before at 4"},
        {"zero,1,a\n", "t.csv:1: the start is not a number: 'zero'"},
        {"0,1x,a\n", "t.csv:1: the end is not a number: '1x'"},
        {"-1,1,a\n", "t.csv:1: the start must be finite and not negative"},
        {"0,inf,a\n", "t.csv:1: the end must be finite and not negative"},
        {"nan,1,a\n", "t.csv:1: the start must be finite and not negative"},
        {"\x1b[31m,1,a\n", "t.csv:1: the start is not a number: '?[31m'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trace t;
        char message[200] = "";
        assert_false(read_from(bad[i].content, strlen(bad[i].content), &t, message, sizeof message));
        assert_int_equal(t.flows, 0);
        if (strncmp(message, bad[i].message, strlen(bad[i].message)) != 0)
            fail_msg("'%s' is not '%s'", message, bad[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_trace_has_the_papers_totals),
        cmocka_unit_test(test_events_are_sorted_and_flows_start_before_they_end),
        cmocka_unit_test(test_generated_keys_are_all_different),
        cmocka_unit_test(test_the_same_seed_gives_the_same_trace),
        cmocka_unit_test(test_a_valid_trace_is_read),
        cmocka_unit_test(test_a_byte_order_mark_is_skipped),
        cmocka_unit_test(test_an_invalid_trace_is_rejected_with_its_line),
        cmocka_unit_test(test_lines_of_any_bytes_are_read_or_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
