/* guira verify: checks every byte of filter files, of states of uniq, and of shared filters. */
#include <stdio.h>
#include <sys/stat.h>

#include "any_filter.h"
#include "commands.h"
#include "report.h"
#include "units.h"

/* Returns a description of the first error in the file; NULL if it is intact, then *s is set. */
static const char *find_damage(const char *path, guira_stats *s) {
    struct any_filter f;
    if (!any_open(&f, path)) return "it is truncated or a checksum is wrong";
    const char *reason = any_damage(&f);
    if (reason == NULL) *s = any_stats(&f);
    any_close(&f);
    return reason;
}

/* Why a file cannot be checked at all; NULL: it can. */
static const char *find_obstacle(const char *path) {
    uint8_t start[GUIRA_FILE_START];
    guira_file file = GUIRA_FILE_INIT;
    struct stat st;
    if (stat(path, &st) != 0) return system_error();
    if (!S_ISREG(st.st_mode)) return "not a regular file";
    FILE *f = fopen(path, "rb");
    if (f == NULL) return system_error();
    size_t n = fread(start, 1, sizeof start, f);
    fclose(f);
    bool ours = guira_file_info(start, n, &file, NULL) != GUIRA_EFORMAT;
    return ours ? NULL : "not a guira filter file, or written by a newer version";
}

/* Returns the exit status for this file. One that cannot be checked does not keep the others from being checked. */
static int verify_one(const char *path, bool quiet) {
    guira_stats s = {0};
    char items[UNIT_TEXT];
    const char *obstacle = find_obstacle(path), *reason = obstacle == NULL ? find_damage(path, &s) : NULL;
    fflush(stdout); /* the results are in the order of the files */
    if (obstacle != NULL) note("%s: %s", path, obstacle);
    else if (reason != NULL)
        note("%s: damaged: %s; restore it from a backup or rebuild it with 'guira build'", path, reason);
    else if (!quiet) printf("%s: intact, %s\n", path, write_number(s.items, "item", items));
    return obstacle != NULL ? EXIT_TROUBLE : reason != NULL ? EXIT_NO : EXIT_YES;
}

static int verify_run(int argc, char **argv) {
    bool quiet = false;
    int worst = EXIT_YES;
    const struct opt table[] = {{'q', "quiet", OPT_FLAG, &quiet, NULL, "print nothing if a file is intact", NULL},
                                OPT_END};
    options_read(&command_verify, table, &argc, argv, 1, MAX_OPERANDS);
    for (int i = 1; i < argc; i++) {
        int status = verify_one(argv[i], quiet);
        if (status > worst) worst = status;
    }
    return worst;
}

const struct command command_verify = {"verify", "[options] FILE...", "check every byte of filter files",
                                       "Checks all checksums and every bucket, also of a state of 'guira uniq'. Exit "
                                       "status: 0 all files are intact, 1 some\n"
                                       "are damaged, 2 error (no such file, not a filter file).\n"
                                       "\n"
                                       "examples:\n"
                                       "  guira verify *.gf\n"
                                       "  guira verify -q users.gf && cp users.gf backup/\n",
                                       verify_run};
