/* See syntax.h. */
#include "syntax.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The type of a value, by its name. */
static int type_of(const char *name) {
    static const char *const integers[] = {"capacity",     "n",    "position", "bucketsize", "maxiterations",
                                           "milliseconds", "time", "expansion"};
    if (strcmp(name, "key") == 0 || strcmp(name, "source") == 0) return REDIS_ARG_KEY;
    if (strcmp(name, "rate") == 0) return REDIS_ARG_DOUBLE;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(name, integers[i]) == 0) return REDIS_ARG_INTEGER;
    return REDIS_ARG_STRING;
}

static bool is_token(const char *word) { return isupper((unsigned char)word[0]) != 0; }

/* Adds a value, with the token in front of it, or a token alone (value NULL). */
static void add(struct syntax *s, int n, const char *token, const char *value, int flags) {
    redis_command_arg *a = &s->argument[n];
    *a = (redis_command_arg){.name = value != NULL ? value : token, .key_spec = -1, .token = token, .flags = flags};
    a->type = value != NULL ? type_of(value) : REDIS_ARG_PURE_TOKEN;
    if (a->type == REDIS_ARG_KEY) a->key_spec = n == 0 ? 0 : 1;
}

void syntax_parse(const char *line, struct syntax *out) {
    const char *token = NULL;
    int n = 0, flags = 0;
    char *rest;
    memset(out, 0, sizeof *out);
    snprintf(out->text, sizeof out->text, "%s", line);
    for (char *word = strtok_r(out->text, " ", &rest); word != NULL && n < MAX_ARGUMENTS;
         word = strtok_r(NULL, " ", &rest)) {
        bool opens = word[0] == '[';
        word += opens;
        char *end = word + strcspn(word, "].");
        bool closes = strchr(end, ']') != NULL, repeats = end[0] == '.';
        end[0] = '\0';
        if (opens) flags = REDIS_ARG_OPTIONAL;
        if (is_token(word) && !closes) token = word;
        else if (is_token(word)) add(out, n++, word, NULL, flags);
        else {
            add(out, n++, token, word, flags | (repeats ? REDIS_ARG_MULTIPLE : 0));
            token = NULL;
        }
        if (closes) flags = 0;
    }
}
