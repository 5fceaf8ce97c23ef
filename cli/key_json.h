/* Values in lines of JSON, by a path such as .user.id or .tags[0]. Uses json-c; without it every path is an error. */
#ifndef GUIRA_CLI_KEY_JSON_H
#define GUIRA_CLI_KEY_JSON_H

#include "lines.h"
#include "text_buffer.h"

struct json_reader;

/* For one thread. `path` has n paths. Exits if a path is not valid, naming `option`. */
struct json_reader *json_reader_new(const char *const *path, size_t n, const char *option);

/* Parses a line. False: it is not JSON. What was parsed stays until the next call. */
bool json_parse(struct json_reader *r, struct slice line);

/* Appends the value at path number i. A string is appended as its characters, unless it starts with a quote or contains
 * the byte `end`; then, and for all other values, as JSON. So different strings give different bytes, none of them
 * contains `end`, and the string "1" is the same as the number 1.
 * False: there is no such value, or it is null, or an integer that does not fit into 64 bits. */
bool json_append(struct json_reader *r, size_t i, char end, struct text_buffer *to);

#endif
