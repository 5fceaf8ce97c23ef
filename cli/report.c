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

/* Names of files and keys, lines, and what servers say can contain anything: control characters, also those beyond ASCII
 * (U+0080 to U+009F, C2 80 to C2 9F in UTF-8), could change what a terminal shows. */
static void replace_control_characters(char *text) {
    unsigned char *p = (unsigned char *)text;
    for (; *p != '\0'; p++) {
        if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) *p = p[1] = '?';
        if (*p < ' ' || *p == 0x7f) *p = '?';
    }
}

/* One write per message, so that messages of two commands in a pipeline do not mix. */
static void print_message(const char *format, va_list arguments) {
    char text[4096];
    int n = vsnprintf(text, sizeof text, format, arguments);
    if (n >= 0) replace_control_characters(text);
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
