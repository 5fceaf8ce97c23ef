/* See screen.h. */
#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct screen screen_of_stdout(void) {
    struct screen s = {.columns = 80, .terminal = isatty(STDOUT_FILENO) == 1};
    struct winsize size;
    const char *columns = getenv("COLUMNS"), *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool dumb = term != NULL && strcmp(term, "dumb") == 0;
    if (s.terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) s.columns = size.ws_col;
    else if (columns != NULL && atoi(columns) > 0) s.columns = (unsigned)atoi(columns);
    s.colour = s.terminal && !dumb && (no_colour == NULL || *no_colour == '\0');
    return s;
}

/* How many columns n bytes of UTF-8 take, if all characters are one wide. */
static unsigned width_of(const char *text, size_t n) {
    unsigned width = 0;
    for (size_t i = 0; i < n; i++) width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void screen_print(const struct screen *s, const char *text) {
    unsigned column = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        unsigned width = width_of(text, n);
        bool fits = column + (column > 0) + width <= s->columns;
        if (column > 0) printf("%s", fits ? " " : "\n");
        column = fits ? column + (column > 0) + width : width;
        printf("%.*s", (int)n, text);
        text += n + strspn(text + n, " ");
    }
    printf("\n");
}
