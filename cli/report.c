/* See report.h. */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

static const char *command_name = "";

void report_begin(const char *command) { command_name = command; }

/* One write per message, so that messages of two commands in a pipeline do not mix. */
static void print_message(const char *format, va_list arguments) {
    char text[4096];
    int n = vsnprintf(text, sizeof text, format, arguments);
    progress_hide();
    if (n >= 0) fprintf(stderr, "guira%s%s: %s\n", *command_name == '\0' ? "" : " ", command_name, text);
}

void note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

void trouble(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    exit(EXIT_TROUBLE);
}

const char *system_error(void) { return strerror(errno); }

void *alloc_or_die(void *old, unsigned long size) {
    void *p = realloc(old, size);
    if (p == NULL) trouble("out of memory: cannot allocate %lu bytes", size);
    return p;
}
