/* guira info: prints the statistics of a filter file without loading it. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "parameters.h"
#include "report.h"
#include "units.h"

/* Statistics and configuration, both from the header of the file. */
struct file_info {
    guira_stats s;
    guira_config c;
    uint64_t file_bytes;
};

static double bits_per_item(const struct file_info *info) {
    return info->s.items == 0 ? 0 : 8 * (double)info->file_bytes / (double)info->s.items;
}

static void print_text(const char *path, const struct file_info *info) {
    char file[UNIT_TEXT], now[UNIT_TEXT], requested[UNIT_TEXT];
    printf("%s\n", path);
    printf("  kind           %s, slots of %u bits\n", kind_names[info->c.kind], info->c.slot_bits);
    printf("  items          %" PRIu64 "\n", info->s.items);
    printf("  slots          %" PRIu64 " in %" PRIu64 " buckets, load %.3f\n", info->s.slots, info->s.buckets,
           info->s.load);
    printf("  file           %s, %.1f bits per item\n", write_size((double)info->file_bytes, file),
           bits_per_item(info));
    printf("  fpr            %s expected now", write_rate(info->s.fpr, now));
    if (info->c.fpr > 0) printf(", %s requested", write_rate(info->c.fpr, requested));
    printf("\n  parameters     ");
    parameters_print(&info->c);
    printf("\n  outside table  %" PRIu64 " in the stash, %" PRIu64 " elders\n", info->s.stash, info->s.elders);
    printf("  history        %" PRIu64 " buckets added, %" PRIu64 " removed, %" PRIu64 " entries moved, %" PRIu64
           " insertions failed\n",
           info->s.grows, info->s.shrinks, info->s.kicks, info->s.failures);
}

/* The names of the fields are part of the interface; scripts read them. */
static void print_json(const struct file_info *info) {
    printf("{\"kind\":\"%s\",\"slot_bits\":%u,\"items\":%" PRIu64 ",\"slots\":%" PRIu64 ",\"buckets\":%" PRIu64
           ",\"load\":%.6f,\"file_bytes\":%" PRIu64 ",\"fpr\":%.6g,\"fpr_wanted\":",
           kind_names[info->c.kind], info->c.slot_bits, info->s.items, info->s.slots, info->s.buckets, info->s.load,
           info->file_bytes, info->s.fpr);
    if (info->c.fpr > 0) printf("%.6g", info->c.fpr);
    else printf("null");
    printf(",\"stash\":%" PRIu64 ",\"elders\":%" PRIu64 ",\"grows\":%" PRIu64 ",\"shrinks\":%" PRIu64
           ",\"kicks\":%" PRIu64 ",\"failures\":%" PRIu64,
           info->s.stash, info->s.elders, info->s.grows, info->s.shrinks, info->s.kicks, info->s.failures);
    parameters_print_json(&info->c);
    printf("}\n");
}

static int info_run(int argc, char **argv) {
    bool json = false;
    struct file_info info = {.s = GUIRA_STATS_INIT, .c = {.size = sizeof info.c}};
    const struct opt table[] = {{'j', "json", OPT_FLAG, &json, NULL, "print one line of JSON", NULL}, OPT_END};
    options_read(&command_info, table, &argc, argv, 1, 1);
    guira *f = filter_map(argv[1]);
    guira_stats_get(f, &info.s);
    guira_config_get(f, &info.c);
    info.file_bytes = guira_saved_size(f);
    if (json) print_json(&info);
    else print_text(argv[1], &info);
    guira_destroy(f);
    return EXIT_YES;
}

const struct command command_info = {
    "info", "[options] FILE", "print the statistics of a filter file",
    "Reads only the header of the file. 'guira verify' checks all of it, 'guira doctor' explains the numbers.\n"
    "Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira info users.gf\n"
    "  guira info --json users.gf\n",
    info_run};
