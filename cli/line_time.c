/* See line_time.h. */
#include "line_time.h"

#include <stdlib.h>
#include <time.h>

#include "csv.h"
#include "key_json.h"
#include "report.h"
#include "time_parse.h"
#include "units.h"

const char *const bad_time_names[] = {
    [BAD_TIME_PASS] = "pass", [BAD_TIME_DROP] = "drop", [BAD_TIME_STOP] = "stop", NULL};

struct time_reader {
    struct time_parser parser;
    uint64_t field; /* 0: JSON */
    struct field_rule rule;
    char line_end;
    bool to_line_end; /* a time with blanks is several fields: it is looked for up to the end of the line */
    struct json_reader *json;
    struct text_buffer value;
};

static bool is_path(const char *field) { return *field == '.' || *field == '['; }

static bool is_number(const char *field) {
    size_t n = strspn(field, "0123456789");
    return n > 0 && n < 10 && field[n] == '\0' && strtoull(field, NULL, 10) > 0;
}

void time_options_check(struct time_options *t) {
    if (t->field == NULL && t->format != NULL) trouble("--time-format requires --time-field");
    if (t->field == NULL && t->max_skew > 0) trouble("--max-skew requires --time-field");
    if (t->field == NULL && t->bad != BAD_TIME_PASS) trouble("--bad-time requires --time-field");
    if (t->field != NULL && !is_path(t->field) && !is_number(t->field))
        trouble("--time-field: '%s' is not a field number (1, 2, ...) or a path in JSON (.time)", t->field);
    if (t->format != NULL && !time_format_is_valid(t->format))
        trouble("--time-format: '%s' is not a format of strptime (try '%%d.%%m.%%Y %%H:%%M:%%S')", t->format);
    if (t->format != NULL && !time_format_has_date(t->format))
        trouble(
            "--time-format: '%s' must have a day and a month; a time of day alone does not tell which line is older",
            t->format);
    if (t->max_skew == 0) read_duration(DEFAULT_SKEW, &t->max_skew);
}

int64_t time_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void time_reader_tick(struct time_reader *r) { r->parser.now = time_now(); }

struct time_reader *time_reader_new(const struct time_options *t, const struct key_options *k) {
    struct time_reader *r = alloc_or_die(NULL, sizeof *r);
    *r = (struct time_reader){.parser = {.format = t->format}, .rule = key_field_rule(k), .line_end = key_line_end(k)};
    const char *d = r->rule.delimiter;
    r->to_line_end = d == NULL || strcmp(d, " ") == 0;
    if (is_path(t->field)) r->json = json_reader_new(&t->field, 1, "time-field");
    else r->field = strtoull(t->field, NULL, 10);
    time_reader_tick(r);
    return r;
}

/* The text of a CSV field is its value. */
static struct slice csv_text(struct time_reader *r, struct slice field) {
    r->value.size = 0;
    r->value.size = csv_value(field, text_room(&r->value, field.size));
    return (struct slice){r->value.data, r->value.size};
}

struct slice time_text(struct time_reader *r, struct slice line) {
    struct slice field = {NULL, 0};
    if (r->json != NULL) {
        r->value.size = 0;
        if (!json_parse(r->json, line) || !json_append(r->json, 0, '\n', &r->value)) return field;
        return (struct slice){r->value.data, r->value.size};
    }
    if (r->rule.csv) line = csv_record(line, r->line_end);
    if (!field_find(r->rule, line, r->field, &field)) return (struct slice){NULL, 0};
    if (r->rule.csv) return csv_text(r, field);
    if (r->to_line_end) field.size = (size_t)(line.data + line.size - field.data);
    return field;
}

int64_t time_of_line(struct time_reader *r, struct slice line) {
    struct slice text = time_text(r, line);
    int64_t ms;
    return text.size > 0 && time_parse(&r->parser, text.data, text.size, &ms) ? ms : TIME_NONE;
}

enum time_fault time_judge(int64_t time, int64_t latest, int64_t now, uint64_t max_skew) {
    int64_t skew = max_skew > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)max_skew;
    if (time == TIME_NONE) return TIME_MISSING;
    if (time > now + skew) return TIME_AHEAD;
    return time < latest - skew ? TIME_BACK : TIME_GOOD;
}
