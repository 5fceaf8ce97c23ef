/* See key_json.h. A path is parsed once into steps. */
#include "key_json.h"

#include <json-c/json.h>
#include <stdlib.h>

enum { MAX_STEPS = 16, MAX_PATHS = 16 };

struct step {
    char *name;   /* of a member; NULL: an element of an array */
    size_t index; /* of the element */
};

struct path {
    struct step step[MAX_STEPS];
    size_t n;
};

struct json_reader {
    struct json_tokener *tokener;
    struct json_object *root;
    struct path path[MAX_PATHS];
};

/* --------------------------------------------------------------------------------------------------------------- paths */

/* .name or ."any name" */
static bool read_member(const char **text, struct step *s) {
    const char *p = *text + 1;
    bool quoted = *p == '"';
    if (quoted) p++;
    size_t n = strcspn(p, quoted ? "\"" : ".[");
    if (n == 0 || (quoted && p[n] != '"')) return false;
    s->name = strndup(p, n);
    if (s->name == NULL) trouble("out of memory");
    *text = p + n + quoted;
    return true;
}

/* [12] */
static bool read_index(const char **text, struct step *s) {
    char *end;
    const char *p = *text + 1;
    if (*p < '0' || *p > '9') return false;
    s->index = strtoull(p, &end, 10);
    *text = end + 1;
    return *end == ']';
}

static bool read_path(const char *text, struct path *p) {
    if (*text != '.' && *text != '[') return false;
    if (text[0] == '.' && text[1] == '[') text++; /* .[0], as in jq */
    while (*text != '\0') {
        if (p->n == MAX_STEPS) return false;
        struct step *s = &p->step[p->n++];
        if (*text == '.' ? !read_member(&text, s) : *text == '[' ? !read_index(&text, s) : true) return false;
    }
    return p->n > 0;
}

struct json_reader *json_reader_new(const char *const *path, size_t n, const char *option) {
    struct json_reader *r = alloc_or_die(NULL, sizeof *r);
    memset(r, 0, sizeof *r);
    if (n > MAX_PATHS) trouble("--%s: given more than %d times", option, MAX_PATHS);
    for (size_t i = 0; i < n; i++)
        if (!read_path(path[i], &r->path[i]))
            trouble("--%s: '%s' is not a path (try .id, .user.id, .tags[0], .\"a b\")", option, path[i]);
    r->tokener = json_tokener_new();
    if (r->tokener == NULL) trouble("out of memory");
    return r;
}

/* -------------------------------------------------------------------------------------------------------------- values */

static bool is_space(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    return p == end;
}

bool json_parse(struct json_reader *r, struct slice line) {
    if (r->root != NULL) json_object_put(r->root);
    r->root = NULL;
    if (line.size > INT32_MAX) return false;
    json_tokener_reset(r->tokener);
    r->root = json_tokener_parse_ex(r->tokener, line.data, (int)line.size);
    if (json_tokener_get_error(r->tokener) == json_tokener_continue) /* a number needs an end */
        r->root = json_tokener_parse_ex(r->tokener, "", 1);
    size_t used = json_tokener_get_parse_end(r->tokener);
    return r->root != NULL && json_tokener_get_error(r->tokener) == json_tokener_success &&
           (used >= line.size || is_space(line.data + used, line.data + line.size));
}

static struct json_object *find(const struct json_reader *r, const struct path *p) {
    struct json_object *o = r->root;
    for (size_t i = 0; i < p->n && o != NULL; i++) {
        const struct step *s = &p->step[i];
        if (s->name == NULL)
            o = json_object_is_type(o, json_type_array) ? json_object_array_get_idx(o, s->index) : NULL;
        else if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, s->name, &o)) o = NULL;
    }
    return o;
}

/* json-c reads integers beyond 64 bits as the largest or smallest one: different numbers would be equal. */
static bool is_saturated(struct json_object *o) {
    return json_object_is_type(o, json_type_int) &&
           (json_object_get_int64(o) == INT64_MIN || json_object_get_uint64(o) == UINT64_MAX);
}

bool json_append(struct json_reader *r, size_t i, char end, struct text_buffer *to) {
    struct json_object *o = find(r, &r->path[i]);
    if (o == NULL || is_saturated(o)) return false;
    size_t n = 0;
    const char *text = NULL;
    if (json_object_is_type(o, json_type_string)) {
        text = json_object_get_string(o);
        n = (size_t)json_object_get_string_len(o);
        if (n > 0 && (*text == '"' || memchr(text, end, n) != NULL)) text = NULL;
    }
    if (text == NULL)
        text = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);
    if (text == NULL) trouble("out of memory");
    text_append(to, text, n);
    return true;
}
