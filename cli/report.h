/* Messages on stderr, which begin with "guira COMMAND: ", and the exit statuses. */
#ifndef GUIRA_CLI_REPORT_H
#define GUIRA_CLI_REPORT_H

enum {
    EXIT_YES = 0, /* success; all lines are present */
    EXIT_NO = 1,  /* success, but the result is negative: a line is absent, a file is damaged, doctor found a problem */
    EXIT_TROUBLE = 2, /* error; the message on stderr says what failed */
};

/* Sets the command name that messages begin with. */
void report_begin(const char *command);

/* Prints a message on stderr. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Prints a message on stderr and exits with EXIT_TROUBLE. */
__attribute__((format(printf, 1, 2), noreturn)) void trouble(const char *format, ...);

/* The text of errno. */
const char *system_error(void);

/* realloc that exits if there is no memory. The caller frees the result. */
void *alloc_or_die(void *old, unsigned long size);

#endif
