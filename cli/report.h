/* How the tool talks and how it ends: sentences on stderr that begin with "guira uniq: ", and three exit statuses. */
#ifndef GUIRA_CLI_REPORT_H
#define GUIRA_CLI_REPORT_H

enum {
    EXIT_YES = 0,     /* done; all present */
    EXIT_NO = 1,      /* done, and the answer is no: a line is absent, a file is broken, the doctor found something */
    EXIT_TROUBLE = 2, /* could not be done; stderr says why */
};

/* The command that speaks from now on. */
void report_begin(const char *command);

/* A sentence on stderr. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* The same, and the end, with EXIT_TROUBLE. */
__attribute__((format(printf, 1, 2), noreturn)) void trouble(const char *format, ...);

/* What the last failed system call had to say. */
const char *system_error(void);

/* Memory, or the end. The result is the caller's to free. */
void *must_alloc(void *old, unsigned long size);

#endif
