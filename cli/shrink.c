/* guira shrink: reduces a filter file to the size that its items need. */
#include <stdio.h>

#include "commands.h"
#include "file_save.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

static int shrink_run(int argc, char **argv) {
    bool quiet = false;
    char before[UNIT_TEXT], after[UNIT_TEXT];
    const struct opt table[] = {{'q', "quiet", OPT_FLAG, &quiet, NULL, "print no summary at the end", NULL}, OPT_END};
    options_read(&command_shrink, table, &argc, argv, 1, 1);
    file_lock(argv[1], true);
    must_be_writable(argv[1]);
    guira *f = filter_load(argv[1]);
    write_size((double)guira_saved_size(f), before);
    guira_status s = guira_shrink_to_fit(f);
    if (s == GUIRA_EUNSUPPORTED)
        trouble("%s: filters of this kind have a fixed size; rebuild it with 'guira build'", argv[1]);
    if (s != GUIRA_OK) filter_trouble(argv[1], s);
    file_replace(argv[1], (struct saved_content){.filter = f});
    if (!quiet) note("%s: %s before, %s now", argv[1], before, write_size((double)guira_saved_size(f), after));
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_shrink = {
    "shrink", "[options] FILE", "reduce a filter file to the size it needs",
    "This includes room that was reserved by --items of 'guira build'. Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira remove users.gf <closed.txt && guira shrink users.gf\n",
    shrink_run};
