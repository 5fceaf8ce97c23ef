/* guira verify: checks every byte of filter files, of states of uniq, and of shared filters. */
#include <stdio.h>

#include "any_filter.h"
#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

static const char *find_damage(guira_status opened, const struct any_filter *f) {
    return opened == GUIRA_ECORRUPT ? "it is truncated or a checksum is wrong" : any_damage(f);
}

/* Returns the exit status for this file. One that cannot be checked does not keep the others from being checked. */
static int verify_one(const char *path, bool quiet) {
    struct any_filter f;
    char items[UNIT_TEXT];
    guira_status opened = any_open(&f, path);
    bool readable = opened == GUIRA_OK || opened == GUIRA_ECORRUPT;
    const char *damage = readable ? find_damage(opened, &f) : NULL;
    fflush(stdout); /* the results are in the order of the files */
    if (!readable) filter_note(path, opened);
    else if (damage != NULL)
        note("%s: damaged: %s; restore it from a backup or rebuild it with 'guira build'", path, damage);
    else if (!quiet) printf("%s: intact, %s\n", path, write_number(any_stats(&f).items, "item", items));
    any_close(&f);
    return !readable ? EXIT_TROUBLE : damage != NULL ? EXIT_NO : EXIT_YES;
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
