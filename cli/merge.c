/* guira merge: combines several filter files into one, without their lines. */
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

/* Exits if the filter in the file cannot be merged. */
static void merge_one(guira *into, const char *path) {
    guira *from = filter_map(path);
    guira_status s = guira_merge(into, from);
    guira_destroy(from);
    if (s == GUIRA_EINVAL)
        trouble(
            "%s: its seed or slot width differs from the first file; create files to merge with 'guira build --like'",
            path);
    if (s == GUIRA_EUNSUPPORTED) trouble("%s: only tidal filters can be merged", path);
    if (s == GUIRA_EDUPLICATE || s == GUIRA_EFULL) trouble("%s: too many copies of one line for the filter", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
}

static int merge_run(int argc, char **argv) {
    bool force = false, quiet = false;
    guira_stats s = GUIRA_STATS_INIT;
    char items[UNIT_TEXT], files[UNIT_TEXT], size[UNIT_TEXT];
    const struct opt table[] = {{'f', "force", OPT_FLAG, &force, NULL, "replace OUT if it exists", NULL},
                                {'q', "quiet", OPT_FLAG, &quiet, NULL, "print no summary at the end", NULL},
                                OPT_END};
    options_read(&command_merge, table, &argc, argv, 2, 1 << 20);
    const char *out = argv[1];
    must_be_regular(out);
    if (!force && file_exists(out)) trouble("%s: already exists; --force replaces it", out);
    must_be_writable(out);
    guira *f = filter_load(argv[2]);
    for (int i = 3; i < argc; i++) merge_one(f, argv[i]);
    filter_save(f, out);
    guira_stats_get(f, &s);
    if (!quiet)
        note("%s: %s from %s; %s", out, write_number(s.items, "item", items),
             write_number((uint64_t)argc - 2, "file", files), write_size((double)guira_saved_size(f), size));
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_merge = {
    "merge", "[options] OUT IN...", "combine several filter files into one",
    "OUT contains the lines of all IN files. The files must have the same seed and slot width: build the second\n"
    "with '--like' the first. Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira build mon.gf <mon.txt; guira build --like mon.gf tue.gf <tue.txt\n"
    "  guira merge week.gf mon.gf tue.gf\n"
    "  guira merge --force week.gf week.gf wed.gf\n",
    merge_run};
