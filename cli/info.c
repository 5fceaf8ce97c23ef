/* guira info: prints the statistics of a filter file without loading it, or of a window. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "any_filter.h"
#include "commands.h"
#include "filter_file.h"
#include "json_text.h"
#include "parameters.h"
#include "report.h"
#include "units.h"

/* Statistics and configuration. */
struct file_info {
    const char *kind;
    guira_stats s;
    guira_config c;
    uint64_t file_bytes;
    uint64_t window_ms, window_now; /* of a window; else 0 */
    bool has_parameters;            /* windows have none */
};

static double bits_per_item(const struct file_info *info) {
    return info->s.items == 0 ? 0 : 8 * (double)info->file_bytes / (double)info->s.items;
}

/* "10m, time of the last line 2026-01-31T12:00:00.000Z (1769860800000)" */
static void print_window(const struct file_info *info) {
    char length[UNIT_TEXT], when[32] = "";
    time_t seconds = (time_t)(info->window_now / 1000);
    struct tm tm;
    if (gmtime_r(&seconds, &tm) != NULL) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
    printf("  window         %s, at %s\n", write_duration(info->window_ms, length), when);
}

static void print_text(const char *path, const struct file_info *info) {
    char file[UNIT_TEXT], now[UNIT_TEXT], requested[UNIT_TEXT];
    printf("%s\n", path);
    printf("  kind           %s, slots of %u bits\n", info->kind, info->c.slot_bits);
    if (info->window_ms > 0) print_window(info);
    printf("  items          %" PRIu64 "\n", info->s.items);
    printf("  slots          %" PRIu64 " in %" PRIu64 " buckets", info->s.slots, info->s.buckets);
    if (info->s.filters > 1) printf(" of %" PRIu64 " filters", info->s.filters);
    printf(", load %.3f\n", info->s.load);
    printf("  file           %s, %.1f bits per item\n", write_size((double)info->file_bytes, file),
           bits_per_item(info));
    printf("  fpr            %s expected now", write_rate(info->s.fpr, now));
    if (info->c.fpr > 0) printf(", %s requested", write_rate(info->c.fpr, requested));
    if (info->has_parameters) {
        printf("\n  parameters     ");
        parameters_print(&info->c);
    }
    printf("\n  outside table  %" PRIu64 " in the stash, %" PRIu64 " elders\n", info->s.stash, info->s.elders);
    printf("  history        %" PRIu64 " buckets added, %" PRIu64 " removed, %" PRIu64 " entries moved, %" PRIu64
           " insertions failed\n",
           info->s.grows, info->s.shrinks, info->s.kicks, info->s.failures);
}

/* The names of the fields are part of the interface; scripts read them. */
static void print_json(const char *path, const struct file_info *info) {
    printf("{\"file\":");
    json_print_string(path);
    printf(",\"kind\":\"%s\",\"slot_bits\":%u,\"items\":%" PRIu64 ",\"slots\":%" PRIu64 ",\"buckets\":%" PRIu64
           ",\"filters\":%" PRIu64 ",\"load\":%.6f,\"file_bytes\":%" PRIu64 ",\"fpr\":%.6g,\"fpr_wanted\":",
           info->kind, info->c.slot_bits, info->s.items, info->s.slots, info->s.buckets, info->s.filters, info->s.load,
           info->file_bytes, info->s.fpr);
    if (info->c.fpr > 0) printf("%.6g", info->c.fpr);
    else printf("null");
    printf(",\"stash\":%" PRIu64 ",\"elders\":%" PRIu64 ",\"grows\":%" PRIu64 ",\"shrinks\":%" PRIu64
           ",\"kicks\":%" PRIu64 ",\"failures\":%" PRIu64,
           info->s.stash, info->s.elders, info->s.grows, info->s.shrinks, info->s.kicks, info->s.failures);
    if (info->window_ms > 0)
        printf(",\"window_ms\":%" PRIu64 ",\"window_now\":%" PRIu64, info->window_ms, info->window_now);
    if (info->has_parameters) parameters_print_json(&info->c);
    printf("}\n");
}

static struct file_info read_info(const struct any_filter *f) {
    struct file_info info = {.kind = any_kind(f), .s = any_stats(f), .c = any_config(f), .file_bytes = any_size(f)};
    guira_window_config w = GUIRA_WINDOW_CONFIG_INIT;
    info.has_parameters = f->window == NULL;
    if (f->window == NULL) return info;
    guira_window_config_get(f->window, &w);
    info.window_ms = w.length;
    info.window_now = guira_window_now(f->window);
    return info;
}

static int info_run(int argc, char **argv) {
    bool json = false;
    int status = EXIT_YES;
    struct any_filter f;
    const struct opt table[] = {{'j', "json", OPT_FLAG, &json, NULL, "print one line of JSON for each file", NULL},
                                OPT_END};
    options_read(&command_info, table, &argc, argv, 1, MAX_OPERANDS);
    for (int i = 1; i < argc; i++) {
        guira_status s = any_open(&f, argv[i]);
        if (s != GUIRA_OK) {
            fflush(stdout); /* in the order of the files */
            filter_note(argv[i], s);
            status = EXIT_TROUBLE;
            continue;
        }
        struct file_info info = read_info(&f);
        if (json) print_json(argv[i], &info);
        else print_text(argv[i], &info);
        any_close(&f);
    }
    return status;
}

const struct command command_info = {
    "info", "[options] FILE...", "print the statistics of filter files",
    "Of a filter it reads only the header. 'guira verify' checks all of it, 'guira doctor' explains the numbers.\n"
    "FILE can also be a state of 'guira uniq'. Exit status: 0, or 2 if a file cannot be read; the others are printed.\n"
    "\n"
    "examples:\n"
    "  guira info users.gf\n"
    "  guira info --json users.gf\n",
    info_run};
