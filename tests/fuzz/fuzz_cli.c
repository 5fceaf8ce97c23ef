/* What the tool reads from users and logs: quantities, times, fields, CSV, JSON, regular expressions, options.
 *
 *     input   [ which ][ ... ]
 *
 * An error of the user ends the command, so report.h's functions are replaced by ones that end the input. */
#include "fuzz_input.h"

#include <getopt.h>
#include <math.h>
#include <setjmp.h>

#include "csv.h"
#include "key_fields.h"
#include "keys.h"
#include "options.h"
#include "report.h"
#include "time_parse.h"
#include "units.h"

/* -------------------------------------------------------------------------------------------------------- errors */

static jmp_buf end_of_input;
static bool running; /* an input; libFuzzer itself may exit */

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_exit(int status) {
    if (!running) __real_exit(status);
    longjmp(end_of_input, 1);
}

void note(const char *format, ...) { (void)format; }
void trouble(const char *format, ...) {
    (void)format;
    longjmp(end_of_input, 1);
}
const char *system_error(void) { return "error"; }
void *alloc_or_die(void *old, unsigned long size) {
    void *p = realloc(old, size);
    CHECK(p != NULL);
    return p;
}

/* ------------------------------------------------------------------------------------------------------ quantities */

static void check_quantities(const char *text) {
    char written[UNIT_TEXT];
    uint64_t n;
    double x;
    if (read_count(text, &n)) CHECK(strlen(write_count((double)n, written)) < UNIT_TEXT);
    if (read_size(text, &n)) CHECK(strlen(write_size((double)n, written)) < UNIT_TEXT);
    if (read_duration(text, &n)) CHECK(n > 0 && strlen(write_duration(n, written)) < UNIT_TEXT);
    if (read_rate(text, &x)) CHECK(x > 0 && x < 1 && strlen(write_rate(x, written)) < UNIT_TEXT);
    if (read_factor(text, &x)) CHECK(x >= 1 && isfinite(x));
}

/* --------------------------------------------------------------------------------------------------------- times */

/* What a time is must not depend on what was read before it, nor on what follows its end. */
static void check_time(const char *format, const char *text, size_t n) {
    struct time_parser p = {.format = format, .now = INT64_C(1700000000000)}, q = p;
    int64_t first = 0, again = 0, cached = 0;
    bool is = time_parse(&p, text, n, &first);
    CHECK(time_parse(&p, text, n, &cached) == is && (!is || cached == first));
    char *exact = malloc(n + 1); /* reads beyond the end are found */
    CHECK(exact != NULL);
    memcpy(exact, text, n);
    CHECK(time_parse(&q, exact, n, &again) == is && (!is || again == first));
    free(exact);
}

static void check_times(struct cursor *in) {
    char *format = take_until(in, '\n'), *text = take_text(in, in->n);
    check_time(NULL, text, strlen(text));
    if (time_format_is_valid(format)) check_time(format, text, strlen(text));
    free(text);
    free(format);
}

/* ------------------------------------------------------------------------------------------------------------ CSV */

/* A value in quotes is the value; records and fields lie within the text. It does not matter in which pieces it is read. */
static void check_csv(const char *text, size_t n) {
    char *copy = malloc(2 * n + 2), *value = malloc(2 * n + 3);
    struct csv_scan whole = {0}, pieces = {0};
    csv_scan_to(&whole, text, n, '\n', ",");
    csv_scan_to(&pieces, text, n / 2, '\n', ",");
    csv_scan_to(&pieces, text, n, '\n', ",");
    CHECK(copy != NULL && value != NULL && whole.complete <= n && whole.complete == pieces.complete);
    memcpy(copy, text, n);
    size_t quoted = csv_quote(copy, n);
    CHECK(quoted <= 2 * n + 2);
    CHECK(csv_value((struct slice){copy, quoted}, value) == n && memcmp(value, text, n) == 0);
    CHECK(csv_field_end(copy, copy + quoted, ",") == copy + quoted);
    free(value);
    free(copy);
}

static void check_fields(struct cursor *in) {
    struct field_list list = {.n = 0};
    char *which = take_until(in, '\n'), *line = take_text(in, in->n);
    const size_t n = strlen(line);
    struct slice field;
    const struct field_rule rules[] = {{NULL, false}, {",", false}, {",", true}, {"::", true}};
    for (unsigned i = 0; i < 4; i++) {
        struct field_cursor c = field_first(rules[i], (struct slice){line, n});
        for (uint64_t number = 1; field_next(&c, &field) && number < 40; number++) {
            struct slice found;
            CHECK(field.data >= line && field.data + field.size <= line + n);
            CHECK(field_find(rules[i], (struct slice){line, n}, number, &found) && found.data == field.data &&
                  found.size == field.size);
        }
    }
    if (field_list_read(which, &list))
        for (size_t i = 0; i < list.n; i++) CHECK(list.range[i].from > 0 || list.range[i].to > 0);
    check_csv(line, n);
    free(line);
    free(which);
}

/* ----------------------------------------------------------------------------------------------------------- keys */

/* The options, one a line, then the line. The key is the same each time. */
static void check_keys(struct cursor *in) {
    struct key_options k = {0};
    unsigned how = (unsigned)take_number(in, 1);
    char *fields = take_until(in, '\n'), *text = take_until(in, '\n'), *line = take_text(in, in->n);
    k.csv = how & 1;
    k.ignore_case = (how & 2) != 0;
    k.zero = (how & 4) != 0;
    if (how & 8 && !field_list_read(fields, &k.fields)) trouble("fields");
    if (how & (16 | 32 | 64) && *text == '\0') trouble("an option with a text is not given an empty one");
    if (how & 16) k.delimiter = text;
    if (how & 32) k.json = (struct text_list){{text}, 1};
    if (how & 64) k.regex = text;
    key_options_check(&k, false);
    struct key_reader *r = key_reader_new(&k);
    struct slice key = key_of(r, (struct slice){line, strlen(line)});
    char *copy = malloc(key.size + 1);
    CHECK(copy != NULL);
    if (key.size > 0) memcpy(copy, key.data, key.size);
    struct slice again = key_of(r, (struct slice){line, strlen(line)});
    CHECK(again.size == key.size && (key.size == 0 || memcmp(copy, again.data, key.size) == 0));
}

/* -------------------------------------------------------------------------------------------------------- options */

/* Arguments that end with NUL, for a table with every type of option. */
static void check_options(struct cursor *in) {
    enum { MOST = 12 };
    static const char *const colours[] = {"red", "green", "blue", NULL};
    bool flag = false;
    const char *text = NULL;
    uint64_t count = 1, size = 1, duration = 1;
    double rate = 0.5, factor = 1;
    unsigned choice = 0;
    struct field_list fields = {.n = 0};
    struct text_list texts = {.n = 0};
    const struct opt table[] = {{'f', "flag", OPT_FLAG, &flag, NULL, "", NULL},
                                {'t', "text", OPT_TEXT, &text, "T", "", NULL},
                                {'n', "count", OPT_COUNT, &count, "N", "", NULL},
                                {'k', "fields", OPT_FIELDS, &fields, "N", "", NULL},
                                {0, "size", OPT_SIZE, &size, "N", "", NULL},
                                {0, "duration", OPT_DURATION, &duration, "N", "", NULL},
                                {'r', "rate", OPT_RATE, &rate, "N", "", NULL},
                                {0, "factor", OPT_FACTOR, &factor, "N", "", NULL},
                                {0, "texts", OPT_TEXTS, &texts, "N", "", NULL},
                                {'c', "choice", OPT_CHOICE, &choice, "N", "", colours},
                                OPT_END};
    const struct command command = {.name = "fuzz", .usage = "[options] [FILE...]", .summary = "", .more = ""};
    char *argv[MOST + 2] = {"fuzz"};
    int argc = 1;
    while (in->n > 0 && argc <= MOST) argv[argc++] = take_until(in, 0);
    optind = 0; /* starts getopt_long again */
    options_read(&command, table, &argc, argv, 0, MAX_OPERANDS);
    CHECK(argc >= 1 && argc <= MOST + 1 && count > 0 && size > 0 && duration > 0 && rate > 0 && rate < 1 &&
          factor >= 1);
    CHECK(choice < 3 && texts.n <= MAX_TEXTS && fields.n <= MAX_RANGES && (text == NULL || *text != '\0'));
}

static void check(struct cursor *in) {
    uint64_t which = take_number(in, 1) % 5;
    if (which == 1) check_times(in);
    else if (which == 2) check_fields(in);
    else if (which == 3) check_keys(in);
    else if (which == 4) check_options(in);
    else {
        char *text = take_text(in, in->n);
        check_quantities(text);
        free(text);
    }
}

/* What an input allocates before an error of the user is not freed: the command would have ended. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct cursor in = {data, n};
    running = true;
    if (setjmp(end_of_input) == 0) check(&in);
    running = false;
    return 0;
}
