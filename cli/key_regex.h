/* The regular expression of --regex-key, POSIX extended. */
#ifndef GUIRA_CLI_KEY_REGEX_H
#define GUIRA_CLI_KEY_REGEX_H

#include <regex.h>
#include <stdbool.h>

enum { REGEX_GROUPS = 9 }; /* at most */

/* Exits if it is not valid, or too large to be compiled in little memory and time. */
void key_regex_compile(regex_t *regex, const char *text, bool ignore_case);

#endif
