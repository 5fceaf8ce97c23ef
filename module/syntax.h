/* The arguments of a command for COMMAND DOCS, from one line of text:
 *
 *     key capacity [EXPANSION n] [NONSCALING] ITEMS item...
 *
 * Words in capitals are written as they are, others stand for a value. [] is optional, ... may repeat. */
#ifndef GUIRA_MODULE_SYNTAX_H
#define GUIRA_MODULE_SYNTAX_H

#include "redis.h"

enum { MAX_ARGUMENTS = 10 };

struct syntax {
    redis_command_arg argument[MAX_ARGUMENTS + 1]; /* the last one is all zero */
    char text[160];                                /* their names */
};

void syntax_parse(const char *line, struct syntax *out);

#endif
