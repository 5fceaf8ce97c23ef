/* guira doctor: finds problems of a filter file, and prints their causes and remedies.
 *
 *     symptom                        likely cause                          remedy
 *     ---------------------------    ----------------------------------    --------------------------------------
 *     wrong checksum or bucket       disk error, or another writer         restore or rebuild
 *     load above its maximum         more items than it was built for      a larger filter, or a tidal one
 *     failed insertions              the same, or copies of one line       the same, or add each line once
 *     stash half full, fixed size    the filter is nearly full             a larger filter, or a tidal one
 *     more items than the store      deletions do not reach the filter     remove in the same step as in the store
 *     fewer items than the store     lost or wrong removals                rebuild: there are false negatives
 *     rate above the requested       slots too narrow for the growth       rebuild at full size
 *     many elders                    grew very far from a small size       rebuild at full size
 *     low load                       reserved room that is not used        shrink
 *
 * Each row is a function check_... below, in this order: the most urgent first. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "any_filter.h"
#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

struct checkup {
    const char *path, *kind;
    guira_stats s;
    guira_config c;
    double max_fpr; /* 0: not known */
    uint64_t live;  /* keys in the store; 0: not known */
    bool is_window;
    unsigned findings; /* number printed so far */
    char fpr_text[UNIT_TEXT], max_fpr_text[UNIT_TEXT];
};

/* A filter of fixed size is best built so that the most items it ever holds give this load. */
static const double advised_load = 0.90;

/* Of its 16 places. A small filter that holds what it was built for may have items there: of 160,000 with up to 400 items, 2.5 %
 * had one or more, and one had 8. */
static const uint64_t usual_stash = 8;

/* Failed insertions at a higher load are blamed on the load, at a lower one on copies of one line. */
static const double load_for_failures = 0.90;

/* ----------------------------------------------------------------------------------------------- printing a finding */

__attribute__((format(printf, 2, 3))) static void finding(struct checkup *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("\n%u. ", ++p->findings);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

static void cause(const char *text) { printf("   why: %s\n", text); }

__attribute__((format(printf, 1, 2))) static void remedy(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("   do:  ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

static bool has_fixed_size(const struct checkup *p) { return p->c.kind == GUIRA_CUCKOO; }

static void remedy_larger_filter(const struct checkup *p) {
    remedy(
        "rebuild it for the most lines it will ever hold at once, and a tenth more (now: guira build --items %" PRIu64
        "), or with --kind tidal, which grows",
        (uint64_t)ceil((double)p->s.items / advised_load));
}

/* ----------------------------------------------------------------------------------------------------------- checks */

/* f is NULL if the file could not be opened. */
static void check_integrity(struct checkup *p, const struct any_filter *f) {
    const char *reason = f == NULL ? "it is truncated or a checksum is wrong" : any_damage(f);
    if (reason == NULL) return;
    finding(p, "the file is damaged: %s", reason);
    cause("a disk error, an incomplete copy, or another program that wrote to the file");
    remedy("restore it from a backup or rebuild it; do not use it, lookups may give false negatives");
}

static void check_load(struct checkup *p) {
    double one_step = has_fixed_size(p) ? 0 : 0.01; /* a filter that grows may be one step late */
    if (p->s.load <= p->c.max_load + one_step) return;
    finding(p, "high load: %.3f; it was built for at most %.3f", p->s.load, p->c.max_load);
    if (has_fixed_size(p)) {
        cause("it contains more items than it was built for; insertions become slow, then they fail");
        remedy_larger_filter(p);
    } else {
        cause("it could not grow because there was not enough memory");
        remedy("raise the memory limit of the process that adds lines; the next added line makes the filter grow");
    }
}

static void check_failures(struct checkup *p) {
    if (p->s.failures == 0) return;
    char insertions[UNIT_TEXT];
    finding(p, "%s failed", write_number(p->s.failures, "insertion", insertions));
    if (p->s.load > load_for_failures) {
        cause("the filter was full; these lines are not in it, so lookups of them give false negatives");
        if (has_fixed_size(p)) remedy_larger_filter(p);
        else remedy("provide more memory and add the failed lines again");
    } else {
        cause("there is room, so the cause is copies: a filter holds about 20 copies of one line");
        remedy("add each line only once (guira add without --count-copies), or find the source of the repeated line");
    }
}

static void check_stash(struct checkup *p) {
    bool usual = p->s.stash <= usual_stash && p->s.load <= p->c.max_load;
    if (p->s.stash == 0 || usual || !has_fixed_size(p)) return; /* a tidal filter empties its stash when it grows */
    char items[UNIT_TEXT];
    finding(p, "%s in the stash", write_number(p->s.stash, "item", items));
    cause("the stash holds items whose buckets are full: the filter is too small");
    remedy_larger_filter(p);
}

/* How many of the store's keys may not have been added because the filter seemed to contain them already: the mean by the
 * false-positive rate, and four standard deviations. */
static double taken_for_copies(const struct checkup *p) {
    double mean = (double)p->live * p->s.fpr;
    return mean + 4 * sqrt(mean);
}

static void check_store(struct checkup *p) {
    char items[UNIT_TEXT];
    if (p->live == 0) return;
    if ((double)p->s.items > 1.02 * (double)p->live) {
        finding(p, "it has %s more than the store", write_number(p->s.items - p->live, "item", items));
        cause("keys that are deleted from the store, evicted or expired are not removed from the filter");
        remedy("remove keys from the filter in the same step as from the store; then rebuild it from the store");
    } else if ((double)p->s.items < (double)p->live - taken_for_copies(p)) {
        finding(p, "it has %s fewer than the store", write_number(p->live - p->s.items, "item", items));
        cause("keys were not added, or keys that were never added were removed, which removes other keys");
        remedy("rebuild it from the store, because lookups may give false negatives; remove only keys that were added");
    }
}

static void check_fpr(struct checkup *p) {
    if (p->max_fpr == 0 || p->s.fpr <= p->max_fpr) return;
    finding(p, "false-positive rate: %s expected, %s requested (%.1f times as high)", p->fpr_text, p->max_fpr_text,
            p->s.fpr / p->max_fpr);
    cause(has_fixed_size(p) ? "its slots are too narrow for this rate"
                            : "it has grown: each doubling leaves older items one fingerprint bit less; or its slots "
                              "are too narrow");
    remedy("rebuild it at full size (guira build --items %" PRIu64 " --fpr %g), which chooses the slot width",
           p->s.items, p->max_fpr);
}

static void check_elders(struct checkup *p) {
    if (p->s.elders * 20 <= p->s.items) return;
    finding(p, "%" PRIu64 " of %" PRIu64 " items are elders", p->s.elders, p->s.items);
    cause("they were added when the filter was very small; each takes about 10 bytes and slows down lookups");
    remedy("rebuild it at full size (guira build --items %" PRIu64 ")", p->s.items);
}

static void check_unused_room(struct checkup *p) {
    if (p->s.load >= 0.5 || p->s.slots < 4096 || p->is_window) return; /* a window shrinks by itself */
    finding(p, "low load: %.3f", p->s.load);
    cause("more room was reserved than is used, or many lines were removed");
    if (has_fixed_size(p))
        remedy("rebuild it smaller (guira build --items %" PRIu64 "), or with --kind tidal, which shrinks", p->s.items);
    else remedy("guira shrink %s, unless more lines will be added", p->path);
}

/* ---------------------------------------------------------------------------------------------------------- command */

static void run_checks(struct checkup *p, const struct any_filter *f) {
    check_integrity(p, f);
    if (p->findings > 0) return; /* the statistics of a damaged file mean nothing */
    check_load(p);
    check_failures(p);
    check_stash(p);
    check_store(p);
    check_fpr(p);
    check_elders(p);
    check_unused_room(p);
}

static void print_header(struct checkup *p, const struct any_filter *f) {
    char items[UNIT_TEXT];
    p->s = any_stats(f);
    p->c = any_config(f);
    p->kind = any_kind(f);
    p->is_window = f->window != NULL;
    if (p->max_fpr == 0) p->max_fpr = p->c.fpr;
    write_rate(p->max_fpr, p->max_fpr_text);
    printf("%s: %s, %s item%s, load %.3f, false-positive rate %s\n", p->path, p->kind,
           write_count((double)p->s.items, items), p->s.items == 1 ? "" : "s", p->s.load,
           write_rate(p->s.fpr, p->fpr_text));
}

static void print_footer(const struct checkup *p) {
    if (p->findings == 0) printf("\nNo problems found.\n");
    if (p->live == 0)
        printf("\nNot checked: whether deletions reach the filter (requires --live N, the number of keys in the "
               "store).\n");
    if (p->max_fpr == 0) printf("Not checked: whether the false-positive rate is too high (requires --fpr RATE).\n");
    printf("Not visible in a file: slow lookups under load, which are usually caused by contention for a lock.\n");
}

static int doctor_run(int argc, char **argv) {
    struct checkup p = {0};
    const struct opt table[] = {
        {'l', "live", OPT_COUNT, &p.live, "N", "number of keys in the store that the filter represents", NULL},
        {'p', "fpr", OPT_RATE, &p.max_fpr, "RATE",
         "highest false-positive rate (default: the rate given to 'guira build', if any)", NULL},
        OPT_END,
    };
    struct any_filter f;
    options_read(&command_doctor, table, &argc, argv, 1, 1);
    p.path = argv[1];
    guira_status s = any_open(&f, p.path);
    bool opened = s == GUIRA_OK;
    if (!opened && s != GUIRA_ECORRUPT) filter_trouble(p.path, s);
    if (opened) print_header(&p, &f);
    run_checks(&p, opened ? &f : NULL);
    if (opened) print_footer(&p);
    any_close(&f);
    return p.findings == 0 ? EXIT_YES : EXIT_NO;
}

const struct command command_doctor = {"doctor", "[options] FILE",
                                       "find problems of a filter file, their causes and remedies",
                                       "Exit status: 0 no problem found, 1 problems found, 2 error.\n"
                                       "\n"
                                       "examples:\n"
                                       "  guira doctor users.gf\n"
                                       "  guira doctor --live 1200000 --fpr 0.1% users.gf\n",
                                       doctor_run};
