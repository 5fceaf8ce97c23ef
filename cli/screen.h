/* What stdout can show: its width, and whether it is a terminal with colours. */
#ifndef GUIRA_CLI_SCREEN_H
#define GUIRA_CLI_SCREEN_H

#include <stdbool.h>

struct screen {
    unsigned columns;
    bool terminal;
    bool colour; /* a terminal, and NO_COLOR is not set (https://no-color.org) */
};

/* The width is that of the terminal; else that of the variable COLUMNS; else 80. */
struct screen screen_of_stdout(void);

/* Prints a text, broken at blanks into lines that fit. */
void screen_print(const struct screen *s, const char *text);

#endif
