/* See key_regex.h.
 *
 * WHAT IS TOO LARGE? regcomp() copies what is repeated: a{1,1000} becomes 1,000 parts, and a+ two of them. Its memory can grow
 * with the square of the parts (100 MB for 5,000), and it calls itself for each open group. So both are counted first, without
 * knowing whether the expression is valid.
 *
 * A repetition of a repetition, as in a??????, takes it exponential time, and POSIX leaves open what it means. In other
 * languages .*? is as short as possible, here it would not be. So it is refused. */
#include "key_regex.h"

#include <string.h>

#include "report.h"

enum { MOST_PARTS = 5000 };

/* The end of a list in brackets, which begins behind the first one. */
static const char *bracket_end(const char *p) {
    if (*p == '^') p++;
    if (*p == ']') p++; /* as the first one it is a character of the list */
    while (*p != '\0' && *p != ']') {
        bool named = *p == '[' && p[1] != '\0' && strchr(".=:", p[1]) != NULL; /* [:alpha:] */
        const char *end = NULL;
        if (named)
            for (end = p + 2; *end != '\0' && (*end != p[1] || end[1] != ']');) end++;
        p = !named ? p + 1 : *end == '\0' ? end : end + 2;
    }
    return *p == '\0' ? p : p + 1;
}

static double number_at(const char **p) {
    double n = 0;
    for (; **p >= '0' && **p <= '9'; ++*p) n = 10 * n + (**p - '0');
    return n;
}

/* How many copies {n}, {n,} or {n,m} makes. *p, at the first brace, is moved to the last one. What is not valid stays where it is:
 * regcomp() refuses it. */
static double copies_of(const char **p) {
    const char *end = *p + 1;
    double least = number_at(&end), most = least;
    if (*end == ',') {
        end++;
        most = *end == '}' ? least + 1 : number_at(&end);
    }
    if (*end == '}') *p = end;
    double copies = most > least ? most : least;
    return copies > 1 ? copies : 1;
}

static bool repeats(char c) { return c != '\0' && strchr("*?+{", c) != NULL; }

/* *p, at a repetition, is moved to its end. */
static double repeated(const char **p, double parts) {
    double all = **p == '{' ? copies_of(p) * (parts + 1) : **p == '+' ? 2 * parts + 1 : parts + 1;
    if (repeats((*p)[1]))
        trouble("--regex-key: '%.20s' repeats a repetition (POSIX expressions have no lazy ones)", *p);
    return all;
}

/* At least as many parts as regcomp() makes. groups: how many there are. */
static double count_parts(const char *p, unsigned *groups) {
    double sum[REGEX_GROUPS + 1] = {0}; /* of each open group, without the last part */
    double last = 0;
    unsigned depth = 0;
    *groups = 0;
    for (; *p != '\0' && *groups <= REGEX_GROUPS; p++) {
        if (repeats(*p)) {
            last = repeated(&p, last);
            continue;
        }
        if (*p == ')' && depth > 0) { /* elsewhere it is a character */
            last += sum[depth--] + 1;
            continue;
        }
        sum[depth] += last;
        last = 1;
        if (*p == '(') {
            if (++*groups > REGEX_GROUPS) break;
            sum[++depth] = 0;
        } else if (*p == '\\' && p[1] != '\0') {
            p++;
        } else if (*p == '[') {
            p = bracket_end(p + 1) - 1;
        }
    }
    for (; depth > 0; depth--) last += sum[depth];
    return last + sum[0];
}

void key_regex_compile(regex_t *regex, const char *text, bool ignore_case) {
    char reason[200];
    unsigned groups;
    double parts = count_parts(text, &groups);
    if (groups > REGEX_GROUPS) trouble("--regex-key: more than %d groups", REGEX_GROUPS);
    if (parts > MOST_PARTS)
        trouble("--regex-key: with its repetitions the expression has %.0f parts (at most %d)", parts, MOST_PARTS);
    int error = regcomp(regex, text, REG_EXTENDED | (ignore_case ? REG_ICASE : 0));
    if (error == 0) return;
    regerror(error, regex, reason, sizeof reason);
    trouble("--regex-key: '%s': %s", text, reason);
}
