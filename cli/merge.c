/* guira merge: combines several files into one, without their lines.
 *
 *     union (default)   a line that OUT has already is not added again
 *     --sum             a line has as many copies in OUT as in all files together
 *
 * OUT starts as the first file. The files are filters, or filters of guira_shared; windows cannot be merged, because the
 * library cannot tell which of two times a line was last seen at. */
#include <stdio.h>
#include <string.h>

#include "any_shared.h"
#include "commands.h"
#include "file_save.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

static guira_status combine(struct any_filter *into, const struct any_filter *from, bool sum) {
    if (into->shared != NULL) return any_shared_merge(into, from, sum);
    return sum ? guira_merge(into->filter, from->filter) : guira_union(into->filter, from->filter);
}

/* Opens the file; exits if it is damaged or a window. The first one is changed, so it is loaded. */
static void open_to_merge(struct any_filter *a, const char *path, bool load) {
    any_open_intact(a, path);
    if (a->window != NULL)
        trouble("%s: is a window (a state of 'guira uniq --window'); windows cannot be merged", path);
    if (!load || a->filter == NULL) return;
    guira_destroy(a->filter);
    a->filter = filter_load(path);
}

/* Exits because the kind of filter cannot be combined in this way. */
static _Noreturn void unsupported(const struct any_filter *a, bool sum) {
    const char *kind = any_kind(a);
    if (!sum && (strcmp(kind, "cuckoo") == 0 || strcmp(kind, "dynamic") == 0))
        trouble(
            "%s: is a %s filter, which has no union; --sum merges it, with copies of lines that several files contain",
            a->path, kind);
    trouble("%s: only tidal, cuckoo and dynamic filters can be merged", a->path);
}

/* Exits if the file cannot be merged. */
static void merge_one(struct any_filter *into, const char *path, bool sum) {
    struct any_filter from;
    open_to_merge(&from, path, false);
    if ((into->shared == NULL) != (from.shared == NULL))
        trouble("%s and %s: a filter of guira_shared cannot be merged with a plain one", into->path, path);
    guira_status s = combine(into, &from, sum);
    if (s == GUIRA_EUNSUPPORTED) unsupported(&from, sum);
    any_close(&from);
    if (s == GUIRA_EINVAL)
        trouble("%s: its seed, slot width or number of buckets differs from the first file; create files to merge with "
                "'guira build --like'",
                path);
    if (s == GUIRA_EDUPLICATE || s == GUIRA_EFULL)
        trouble("%s: no room, or too many copies of one line for the filter", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
}

static void print_summary(const char *out, uint64_t files) {
    struct any_filter a;
    char items[UNIT_TEXT], count[UNIT_TEXT], size[UNIT_TEXT];
    any_open_intact(&a, out);
    note("%s: %s from %s; %s", out, write_number(any_stats(&a).items, "item", items),
         write_number(files, "file", count), write_size((double)any_size(&a), size));
    any_close(&a);
}

static int merge_run(int argc, char **argv) {
    bool force = false, quiet = false, sum = false;
    struct any_filter into;
    const struct opt table[] = {
        {'s', "sum", OPT_FLAG, &sum, NULL, "add up the copies of a line, instead of a union", NULL},
        {'f', "force", OPT_FLAG, &force, NULL, "replace OUT if it exists", NULL},
        {'q', "quiet", OPT_FLAG, &quiet, NULL, "print no summary at the end", NULL},
        OPT_END};
    options_read(&command_merge, table, &argc, argv, 2, MAX_OPERANDS);
    const char *out = argv[1];
    target_check(out, force);
    open_to_merge(&into, argv[2], true);
    for (int i = 3; i < argc; i++) merge_one(&into, argv[i], sum);
    target_save(out, (struct saved_content){.filter = into.filter, .shared = into.shared}, force);
    any_close(&into);
    if (!quiet) print_summary(out, (uint64_t)argc - 2);
    return EXIT_YES;
}

const struct command command_merge = {
    "merge", "[options] OUT IN...", "combine several filter files into one",
    "OUT contains the lines of all IN files. A line that several files contain is in OUT once, or twice where the\n"
    "files do not have enough bits of it to be sure that it is the same line. With --sum it has as many copies as in\n"
    "all files together, and has to be removed as often. The files must have the same seed: build the second with\n"
    "'--like' the first. Slot widths of tidal filters may differ, but those with 12 bits can be merged only with each\n"
    "other. Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira build mon.gf mon.txt; guira build --like mon.gf tue.gf tue.txt\n"
    "  guira merge week.gf mon.gf tue.gf\n"
    "  guira merge --force week.gf week.gf wed.gf\n",
    merge_run};
