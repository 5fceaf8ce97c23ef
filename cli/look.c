/* guira info, verify and metrics: what a filter file has to tell, without loading it. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

/* ---------------------------------------------------------------------------------------------------------------- info */

struct facts {
    guira_stats s;
    guira_config c;
    uint64_t file;
};

static double bits_per_item(const struct facts *a) {
    return a->s.items == 0 ? 0 : 8 * (double)a->file / (double)a->s.items;
}

static void print_text(const char *path, const struct facts *a) {
    char file[UNIT_TEXT], now[UNIT_TEXT], wanted[UNIT_TEXT];
    printf("%s\n", path);
    printf("  kind           %s, slots of %u bits\n", kind_names[a->c.kind], a->c.slot_bits);
    printf("  items          %" PRIu64 "\n", a->s.items);
    printf("  slots          %" PRIu64 " in %" PRIu64 " buckets, load %.3f\n", a->s.slots, a->s.buckets, a->s.load);
    printf("  file           %s, %.1f bits per item\n", write_size((double)a->file, file), bits_per_item(a));
    printf("  wrong answers  %s expected now", write_rate(a->s.fpr, now));
    if (a->c.fpr > 0) printf(", %s wanted", write_rate(a->c.fpr, wanted));
    printf("\n  aside          %" PRIu64 " in the stash, %" PRIu64 " elders\n", a->s.stash, a->s.elders);
    printf("  so far         %" PRIu64 " buckets added, %" PRIu64 " given back, %" PRIu64 " moves, %" PRIu64
           " insertions refused\n",
           a->s.grows, a->s.shrinks, a->s.kicks, a->s.failures);
}

static void print_json(const struct facts *a) {
    printf("{\"kind\":\"%s\",\"slot_bits\":%u,\"items\":%" PRIu64 ",\"slots\":%" PRIu64 ",\"buckets\":%" PRIu64
           ",\"load\":%.6f,\"file_bytes\":%" PRIu64 ",\"fpr\":%.6g,\"fpr_wanted\":",
           kind_names[a->c.kind], a->c.slot_bits, a->s.items, a->s.slots, a->s.buckets, a->s.load, a->file, a->s.fpr);
    if (a->c.fpr > 0) printf("%.6g", a->c.fpr);
    else printf("null");
    printf(",\"stash\":%" PRIu64 ",\"elders\":%" PRIu64 ",\"grows\":%" PRIu64 ",\"shrinks\":%" PRIu64
           ",\"kicks\":%" PRIu64 ",\"failures\":%" PRIu64 "}\n",
           a->s.stash, a->s.elders, a->s.grows, a->s.shrinks, a->s.kicks, a->s.failures);
}

static int info_run(int argc, char **argv) {
    bool json = false;
    struct facts a;
    const struct opt table[] = {{'j', "json", OPT_FLAG, &json, NULL, "as one line of JSON", NULL}, OPT_END};
    options_read(&command_info, table, &argc, argv, 1, 1);
    guira *f = filter_map(argv[1]);
    guira_stats_get(f, &a.s);
    guira_config_get(f, &a.c);
    a.file = guira_saved_size(f);
    if (json) print_json(&a);
    else print_text(argv[1], &a);
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_info = {
    "info", "[options] FILE", "tell what is in a filter file",
    "Reads the file's head only; 'guira verify' looks at all of it, 'guira doctor' says what the figures mean.\n"
    "Exit status: 0, or 2 for trouble.\n"
    "\n"
    "examples:\n"
    "  guira info users.gf\n"
    "  guira info --json users.gf\n",
    info_run};

/* -------------------------------------------------------------------------------------------------------------- verify */

/* The first thing that is wrong, or NULL; then s tells of what is in it. */
static const char *find_damage(const char *path, guira_stats *s) {
    guira *f;
    guira_window *w;
    const char *reason = NULL;
    filter_or_window(path, &f, &w);
    if (f == NULL && w == NULL) return "a part of it is missing or wrong";
    if (w != NULL) guira_window_stats_get(w, s); /* to load one is to look at all of it */
    else if (guira_validate(f, &reason) == GUIRA_OK) guira_stats_get(f, s);
    guira_destroy(f);
    guira_window_destroy(w);
    return reason;
}

static int verify_run(int argc, char **argv) {
    bool quiet = false;
    guira_stats s = {0};
    const struct opt table[] = {{'q', "quiet", OPT_FLAG, &quiet, NULL, "print nothing if all is well", NULL}, OPT_END};
    options_read(&command_verify, table, &argc, argv, 1, 1);
    const char *reason = find_damage(argv[1], &s);
    if (reason != NULL) {
        note("%s: damaged: %s; restore it from a copy, or build it anew from its lines", argv[1], reason);
        return EXIT_NO;
    }
    if (!quiet) printf("%s: whole, %" PRIu64 " items\n", argv[1], s.items);
    return EXIT_YES;
}

const struct command command_verify = {"verify", "[options] FILE", "check every byte of a filter file",
                                       "Compares all checksums and walks through every bucket. Exit status: 0 the file "
                                       "is whole, 1 it is damaged, 2 trouble\n"
                                       "(no such file, not a filter file, damaged so that it cannot be opened).\n"
                                       "\n"
                                       "examples:\n"
                                       "  guira verify users.gf\n"
                                       "  guira verify -q users.gf && cp users.gf backup/\n",
                                       verify_run};
