/* guira merge and shrink: filter files as a whole. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

/* --------------------------------------------------------------------------------------------------------------- merge */

static void merge_one(guira *into, const char *path) {
    guira *from = filter_map(path);
    guira_status s = guira_merge(into, from);
    guira_destroy(from);
    if (s == GUIRA_EINVAL)
        trouble("%s: has another seed or width than the first; files to be merged are made with 'guira build --like'",
                path);
    if (s == GUIRA_EUNSUPPORTED) trouble("%s: only tidal filters can be merged", path);
    if (s == GUIRA_EDUPLICATE || s == GUIRA_EFULL) trouble("%s: more copies of one line than a filter can count", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
}

static int merge_run(int argc, char **argv) {
    bool force = false, quiet = false;
    guira_stats s;
    char size[UNIT_TEXT];
    const struct opt table[] = {{'f', "force", OPT_FLAG, &force, NULL, "replace OUT if it exists", NULL},
                                {'q', "quiet", OPT_FLAG, &quiet, NULL, "no summary at the end", NULL},
                                OPT_END};
    options_read(&command_merge, table, &argc, argv, 2, 1 << 20);
    const char *out = argv[1];
    if (!force && file_exists(out)) trouble("%s exists; --force replaces it", out);
    must_be_writable(out);
    guira *f = filter_load(argv[2]);
    for (int i = 3; i < argc; i++) merge_one(f, argv[i]);
    filter_save(f, out);
    guira_stats_get(f, &s);
    if (!quiet)
        note("%s: %" PRIu64 " items from %d files; %s", out, s.items, argc - 2,
             write_size((double)guira_saved_size(f), size));
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_merge = {
    "merge", "[options] OUT IN...", "put several filter files into one",
    "OUT has every line of every IN, as if all had been added to one file. The files must have the same seed and "
    "width:\n"
    "make the second with 'guira build --like' the first. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "examples:\n"
    "  guira build mon.gf <mon.txt; guira build --like mon.gf tue.gf <tue.txt\n"
    "  guira merge week.gf mon.gf tue.gf\n"
    "  guira merge --force week.gf week.gf wed.gf\n",
    merge_run};

/* -------------------------------------------------------------------------------------------------------------- shrink */

static int shrink_run(int argc, char **argv) {
    bool quiet = false;
    char before[UNIT_TEXT], after[UNIT_TEXT];
    const struct opt table[] = {{'q', "quiet", OPT_FLAG, &quiet, NULL, "no summary at the end", NULL}, OPT_END};
    options_read(&command_shrink, table, &argc, argv, 1, 1);
    filter_lock(argv[1], true);
    guira *f = filter_load(argv[1]);
    write_size((double)guira_saved_size(f), before);
    guira_status s = guira_shrink_to_fit(f);
    if (s == GUIRA_EUNSUPPORTED) trouble("%s: a filter of this kind has a fixed size; build it anew", argv[1]);
    if (s != GUIRA_OK) filter_trouble(argv[1], s);
    filter_save(f, argv[1]);
    if (!quiet) note("%s: %s before, %s now", argv[1], before, write_size((double)guira_saved_size(f), after));
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_shrink = {
    "shrink", "[options] FILE", "give back room that a filter file does not need",
    "Also forgets the room that --items made when the file was built. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "examples:\n"
    "  guira remove users.gf <closed.txt && guira shrink users.gf\n",
    shrink_run};
