/* Replaces key_json.c if json-c was not found at build time. */
#include "key_json.h"

struct json_reader *json_reader_new(const char *const *path, size_t n, const char *option) {
    (void)path;
    (void)n;
    trouble("--%s: JSON is not supported, guira was built without json-c", option);
}

/* Never called: there is no reader. */
bool json_parse(struct json_reader *r, struct slice line) {
    (void)r;
    (void)line;
    return false;
}

bool json_append(struct json_reader *r, size_t i, char end, struct text_buffer *to) {
    (void)r;
    (void)i;
    (void)end;
    (void)to;
    return false;
}
