/* Metrics of filters with any names: every line has the form that Prometheus reads, and is UTF-8.
 *
 *     input   names, each followed by a zero byte */
#include "fuzz.h"

enum { MOST = 4 };

/* The length of the UTF-8 character at p, which ends before `end`; 0: it is none. */
static size_t utf8_length(const uint8_t *p, const uint8_t *end) {
    size_t n = *p < 0x80                 ? 1
               : *p >= 0xc2 && *p < 0xe0 ? 2
               : *p >= 0xe0 && *p < 0xf0 ? 3
               : *p >= 0xf0 && *p < 0xf5 ? 4
                                         : 0;
    if (n > (size_t)(end - p)) return 0;
    for (size_t i = 1; i < n; i++)
        if (p[i] >> 6 != 2) return 0;
    if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))) return 0;
    if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))) return 0;
    return n;
}

static void check_utf8(const uint8_t *p, size_t n) {
    for (const uint8_t *end = p + n; p < end;) {
        size_t length = utf8_length(p, end);
        CHECK(length > 0);
        p += length;
    }
}

/* Behind the quote that ends the label value at p: in it, a backslash is followed by a backslash, a quote or an n. */
static const char *skip_value(const char *p) {
    for (; *p != '"'; p++) {
        CHECK(*p != '\0' && *p != '\n');
        if (*p == '\\') CHECK(*++p == '\\' || *p == '"' || *p == 'n');
    }
    return p + 1;
}

/* name{label="value",label="value"} number */
static void check_sample(const char *line) {
    const char *p = line + strcspn(line, "{ \n");
    CHECK(p > line);
    while (*p == '{' || *p == ',') {
        p += 1 + strcspn(p + 1, "=");
        CHECK(p[0] == '=' && p[1] == '"');
        p = skip_value(p + 2);
    }
    if (*p == '}') p++;
    CHECK(*p == ' ');
    char *end;
    strtod(p + 1, &end);
    CHECK(end > p + 1 && *end == '\n');
}

/* Every filter has a sample of each metric. */
static void check_text(const char *text, size_t n) {
    unsigned items = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        CHECK(strchr(line, '\n') != NULL);
        if (strncmp(line, "# HELP ", 7) == 0 || strncmp(line, "# TYPE ", 7) == 0) continue;
        CHECK(strncmp(line, "guira_", 6) == 0);
        check_sample(line);
        items += strncmp(line, "guira_items{", 12) == 0;
    }
    CHECK(items == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct cursor in = {data, n};
    guira_observed what[MOST];
    char *name[MOST];
    guira *f;
    size_t count = 0;
    guira_config c = {.seed = {1}};
    CHECK(guira_create(&c, &f) == GUIRA_OK && guira_insert_hash(f, mix(n)) == GUIRA_OK);
    for (; count < MOST && in.n > 0; count++) {
        name[count] = take_until(&in, 0);
        what[count] = (guira_observed){.size = sizeof *what, .name = name[count], .filter = f};
    }
    struct image i = {0};
    CHECK(guira_metrics_write(what, count, into_image, &i) == GUIRA_OK);
    CHECK(into_image(&i, "", 1));
    check_utf8(i.at, i.n);
    check_text((const char *)i.at, count);
    free(i.at);
    while (count > 0) free(name[--count]);
    guira_destroy(f);
    return 0;
}
