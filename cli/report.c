/* See report.h. */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

static const char *speaker = "";

void report_begin(const char *command) { speaker = command; }

/* One write per sentence, so that those of two commands in a pipe do not mix. */
static void say(const char *format, va_list arguments) {
    char text[4096];
    int n = vsnprintf(text, sizeof text, format, arguments);
    progress_hide();
    if (n >= 0) fprintf(stderr, "guira%s%s: %s\n", *speaker == '\0' ? "" : " ", speaker, text);
}

void note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void trouble(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    exit(EXIT_TROUBLE);
}

const char *system_error(void) { return strerror(errno); }

void *must_alloc(void *old, unsigned long size) {
    void *p = realloc(old, size);
    if (p == NULL) trouble("no memory: %lu bytes could not be had", size);
    return p;
}
