/* See keys.h. */
#include "keys.h"

#include "csv.h"
#include "key_json.h"
#include "key_regex.h"
#include "report.h"
#include "text_buffer.h"

struct key_reader {
    const struct key_options *options;
    struct field_rule rule;
    char end;
    struct json_reader *json; /* with --json-key */
    regex_t regex;            /* with --regex-key */
    struct text_buffer key;
    /* Appends the parts of the line to `key`. False: one is missing. NULL: the whole line is the key. */
    bool (*append)(struct key_reader *r, struct slice line);
    bool several; /* parts */
};

struct field_rule key_field_rule(const struct key_options *k) {
    return (struct field_rule){k->csv && k->delimiter == NULL ? "," : k->delimiter, k->csv};
}

/* Exits if no field could be found by it. */
static void check_delimiter(const struct key_options *k) {
    if (strchr(k->delimiter, '\n') != NULL) trouble("--delimiter: must not contain a line end");
    if (k->csv && *k->delimiter == '"')
        trouble("--delimiter: must not start with a quote, which encloses fields of CSV");
}

void key_options_check(struct key_options *k, bool time_field) {
    int ways = (k->fields.n > 0) + (k->json.n > 0) + (k->regex != NULL);
    if (ways > 1) trouble("only one of --key-field, --json-key and --regex-key can be given");
    if (k->delimiter != NULL && strcmp(k->delimiter, "\\t") == 0) k->delimiter = "\t";
    if (k->delimiter != NULL && k->fields.n == 0 && !k->csv && !time_field)
        trouble("--delimiter requires --key-field%s",
                k->json.n > 0 || k->regex != NULL ? "" : ": without it, whole lines are compared");
    if (k->delimiter != NULL) check_delimiter(k);
    if (k->csv && k->json.n > 0) trouble("--csv cannot be combined with --json-key");
    if (k->csv && k->regex != NULL) trouble("--csv cannot be combined with --regex-key");
}

/* ------------------------------------------------------------------------------------------------------------- parts */

static void end_part(struct key_reader *r) {
    if (r->several) text_append(&r->key, &r->end, 1);
}

/* A value that contains the line end or starts with a quote is written in quotes, so that it is not mistaken for
 * several parts or for a value in quotes. */
static void append_csv_value(struct key_reader *r, struct slice field) {
    char *start = text_room(&r->key, 2 * field.size + 2);
    size_t n = csv_value(field, start);
    bool quote = n > 0 && (*start == '"' || memchr(start, r->end, n) != NULL);
    r->key.size += quote ? csv_quote(start, n) : n;
}

static bool append_range(struct key_reader *r, struct field_range range, struct field_cursor *c, struct slice line) {
    struct slice field;
    if (range.from <= c->number) *c = field_first(r->rule, line);
    while (c->number < range.from)
        if (!field_next(c, &field)) return false;
    for (;;) {
        if (r->rule.csv) append_csv_value(r, field);
        else text_append(&r->key, field.data, field.size);
        end_part(r);
        if (c->number == range.to) return true;
        if (!field_next(c, &field)) return range.to == 0;
    }
}

static bool append_fields(struct key_reader *r, struct slice line) {
    const struct field_list *list = &r->options->fields;
    struct field_cursor c = field_first(r->rule, line);
    for (size_t i = 0; i < list->n; i++)
        if (!append_range(r, list->range[i], &c, line)) return false;
    return true;
}

static bool append_json(struct key_reader *r, struct slice line) {
    if (!json_parse(r->json, line)) return false;
    for (size_t i = 0; i < r->options->json.n; i++) {
        if (!json_append(r->json, i, r->end, &r->key)) return false;
        end_part(r);
    }
    return true;
}

/* The groups, or the whole match if there are none. A group that took no part in the match is empty. */
static bool append_groups(struct key_reader *r, struct slice line) {
    regmatch_t match[1 + REGEX_GROUPS] = {{.rm_so = 0, .rm_eo = (regoff_t)line.size}};
    if (line.size > INT32_MAX || regexec(&r->regex, line.data, 1 + REGEX_GROUPS, match, REG_STARTEND) != 0)
        return false;
    size_t first = r->regex.re_nsub > 0 ? 1 : 0;
    for (size_t i = first; i <= r->regex.re_nsub; i++) {
        if (match[i].rm_so >= 0)
            text_append(&r->key, line.data + match[i].rm_so, (size_t)(match[i].rm_eo - match[i].rm_so));
        end_part(r);
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- keys */

struct key_reader *key_reader_new(const struct key_options *k) {
    struct key_reader *r = alloc_or_die(NULL, sizeof *r);
    const struct field_range *range = k->fields.range;
    *r = (struct key_reader){.options = k, .rule = key_field_rule(k), .end = key_line_end(k)};
    if (k->fields.n > 0) {
        r->several = k->fields.n > 1 || range[0].from != range[0].to;
        r->append = append_fields;
    } else if (k->json.n > 0) {
        r->json = json_reader_new(k->json.text, k->json.n, "json-key");
        r->several = k->json.n > 1;
        r->append = append_json;
    } else if (k->regex != NULL) {
        key_regex_compile(&r->regex, k->regex, k->ignore_case);
        r->several = r->regex.re_nsub > 1;
        r->append = append_groups;
    }
    return r;
}

/* The key of a line that does not have the parts: see the top of keys.h. */
static void append_whole(struct key_reader *r, struct slice line) {
    r->key.size = 0;
    text_append(&r->key, &r->end, 1);
    text_append(&r->key, line.data, line.size);
    text_append(&r->key, "=", 1);
}

static void fold_case(struct text_buffer *t) {
    for (size_t i = 0; i < t->size; i++)
        if (t->data[i] >= 'A' && t->data[i] <= 'Z') t->data[i] = (char)(t->data[i] + ('a' - 'A'));
}

struct slice key_of(struct key_reader *r, struct slice line) {
    const struct key_options *k = r->options;
    struct slice field;
    if (k->csv) line = csv_record(line, r->end);
    if (r->append == NULL && !k->ignore_case) return line;
    /* One field is the usual case: it need not be copied. */
    if (k->fields.n == 1 && !r->several && !k->csv && !k->ignore_case &&
        field_find(r->rule, line, k->fields.range[0].from, &field))
        return field;
    r->key.size = 0;
    if (r->append == NULL) text_append(&r->key, line.data, line.size);
    else if (!r->append(r, line)) append_whole(r, line);
    if (k->ignore_case) fold_case(&r->key);
    return (struct slice){r->key.data, r->key.size};
}
