/* guira merge: combines several filter files into one, without their lines. */
#include <stdio.h>

#include "commands.h"
#include "file_save.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

/* Exits if the filter in the file cannot be merged. */
static void merge_one(guira *into, const char *path) {
    guira *from = filter_map(path);
    guira_status s = guira_merge(into, from);
    guira_destroy(from);
    if (s == GUIRA_EINVAL)
        trouble("%s: its seed, slot width or number of buckets differs from the first file; create files to merge with "
                "'guira build --like'",
                path);
    if (s == GUIRA_EUNSUPPORTED) trouble("%s: only tidal, cuckoo and dynamic filters can be merged", path);
    if (s == GUIRA_EDUPLICATE || s == GUIRA_EFULL)
        trouble("%s: no room, or too many copies of one line for the filter", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
}

/* Creates OUT, or replaces it if `force`. */
static void save(const guira *f, const char *out, bool force) {
    struct saved_content what = {f, NULL};
    if (force) file_replace(out, what);
    else if (!file_create(out, what)) trouble("%s: was created by another program meanwhile; --force replaces it", out);
}

static int merge_run(int argc, char **argv) {
    bool force = false, quiet = false;
    guira_stats s = GUIRA_STATS_INIT;
    char items[UNIT_TEXT], files[UNIT_TEXT], size[UNIT_TEXT];
    const struct opt table[] = {{'f', "force", OPT_FLAG, &force, NULL, "replace OUT if it exists", NULL},
                                {'q', "quiet", OPT_FLAG, &quiet, NULL, "print no summary at the end", NULL},
                                OPT_END};
    options_read(&command_merge, table, &argc, argv, 2, MAX_OPERANDS);
    const char *out = argv[1];
    must_be_regular(out);
    if (!force && file_exists(out)) trouble("%s: already exists; --force replaces it", out);
    must_be_writable(out);
    if (force && file_exists(out)) file_lock(out, true);
    guira *f = filter_load(argv[2]);
    for (int i = 3; i < argc; i++) merge_one(f, argv[i]);
    save(f, out, force);
    guira_stats_get(f, &s);
    if (!quiet)
        note("%s: %s from %s; %s", out, write_number(s.items, "item", items),
             write_number((uint64_t)argc - 2, "file", files), write_size((double)guira_saved_size(f), size));
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_merge = {
    "merge", "[options] OUT IN...", "combine several filter files into one",
    "OUT contains the lines of all IN files. A line that several files contain has as many copies in OUT. The files\n"
    "must have the same seed and slot width: build the second with '--like' the first. Exit status: 0, or 2 for an\n"
    "error.\n"
    "\n"
    "examples:\n"
    "  guira build mon.gf mon.txt; guira build --like mon.gf tue.gf tue.txt\n"
    "  guira merge week.gf mon.gf tue.gf\n"
    "  guira merge --force week.gf week.gf wed.gf\n",
    merge_run};
