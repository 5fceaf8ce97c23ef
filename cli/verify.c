/* guira verify: checks every byte of a filter file, or of a state of uniq --window. */
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

/* Returns a description of the first error in the file; NULL if it is intact, then *s is set. */
static const char *find_damage(const char *path, guira_stats *s) {
    guira *f;
    guira_window *w;
    const char *reason = NULL;
    filter_or_window(path, &f, &w);
    if (f == NULL && w == NULL) return "it is truncated or a checksum is wrong";
    if (w != NULL) guira_window_stats_get(w, s); /* loading a window has verified all of it */
    else if (guira_validate(f, &reason) == GUIRA_OK) guira_stats_get(f, s);
    guira_destroy(f);
    guira_window_destroy(w);
    return reason;
}

static int verify_run(int argc, char **argv) {
    bool quiet = false;
    guira_stats s = {0};
    char items[UNIT_TEXT];
    const struct opt table[] = {{'q', "quiet", OPT_FLAG, &quiet, NULL, "print nothing if the file is intact", NULL},
                                OPT_END};
    options_read(&command_verify, table, &argc, argv, 1, 1);
    const char *reason = find_damage(argv[1], &s);
    if (reason != NULL) {
        note("%s: damaged: %s; restore it from a backup or rebuild it with 'guira build'", argv[1], reason);
        return EXIT_NO;
    }
    if (!quiet) printf("%s: intact, %s\n", argv[1], write_number(s.items, "item", items));
    return EXIT_YES;
}

const struct command command_verify = {
    "verify", "[options] FILE", "check every byte of a filter file",
    "Checks all checksums and every bucket. Exit status: 0 the file is intact, 1 it is damaged, 2 error (no such\n"
    "file, not a filter file).\n"
    "\n"
    "examples:\n"
    "  guira verify users.gf\n"
    "  guira verify -q users.gf && cp users.gf backup/\n",
    verify_run};
