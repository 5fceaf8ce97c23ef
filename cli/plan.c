/* guira plan: prints the memory that each kind of filter needs for a number of items and a false-positive rate. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "units.h"

/* As text, because they are also part of --help. */
#define DEFAULT_FPR "0.1%"
#define DEFAULT_GROWTH "1x"

enum { TIDAL = 0, CUCKOO = 1 }; /* rows of guira_plan */

/* The input and the result of guira_plan. */
struct plan {
    uint64_t items;
    double fpr, growth;
    guira_plan_row row[GUIRA_PLAN_ROWS];
    size_t smallest;
};

static const char *yes_no(bool x) { return x ? "yes" : "no"; }

/* Writes which row to choose, in one sentence. */
static void advise(const struct plan *p, char *to, size_t n) {
    const guira_plan_row *tidal = &p->row[TIDAL], *fixed = &p->row[CUCKOO], *best = &p->row[p->smallest];
    char t[UNIT_TEXT], f[UNIT_TEXT], b[UNIT_TEXT], items[UNIT_TEXT];
    write_size((double)tidal->bytes, t);
    write_size((double)fixed->bytes, f);
    write_size((double)best->bytes, b);
    write_count((double)p->items, items);
    if (!tidal->meets) snprintf(to, n, "No tidal filter reaches this rate; %s does, with %s.", best->name, b);
    else if (p->smallest == TIDAL)
        snprintf(to, n, "Use tidal: it is the smallest (%s), and it supports growth and removal.", t);
    else if (best->removes)
        snprintf(to, n,
                 "Use tidal (%s) if the number of items is unknown; for at most %s items, %s is the smallest (%s).", t,
                 items, best->name, b);
    else
        snprintf(to, n,
                 "Use tidal (%s) if the number of items is unknown, cuckoo (%s) for at most %s items, "
                 "or a Bloom filter (%s) if items are never removed.",
                 t, f, items, b);
}

/* One row per kind of filter, then the advice. */
static void print_table(const struct plan *p) {
    char items[UNIT_TEXT], rate[UNIT_TEXT], size[UNIT_TEXT], advice[400];
    printf("%s items, false-positive rate at most %s", write_count((double)p->items, items), write_rate(p->fpr, rate));
    if (p->growth > 1) printf(", growth %gx", p->growth);
    printf("\n\n%-22s %-9s %10s %10s %10s  %-5s  %s\n", "", "width", "size", "bits/item", "fpr", "grows", "removes");
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        const guira_plan_row *r = &p->row[i];
        char width[UNIT_TEXT];
        snprintf(width, sizeof width, "%u %s", r->bits, strcmp(r->name, "bloom") == 0 ? "hashes" : "bits");
        printf("%-22s %-9s %10s %10.1f %10s  %-5s  %s%s\n", r->name, width, write_size((double)r->bytes, size),
               r->bits_per_item, write_rate(r->fpr, rate), yes_no(r->grows), yes_no(r->removes),
               r->meets ? "" : "  (fpr too high)");
    }
    advise(p, advice, sizeof advice);
    printf("\n%s\n", advice);
}

static void print_json(const struct plan *p) {
    char advice[400];
    advise(p, advice, sizeof advice);
    printf("{\"items\":%" PRIu64 ",\"fpr\":%.6g,\"growth\":%.6g,\"smallest\":\"%s\",\"advice\":\"%s\",\"rows\":[",
           p->items, p->fpr, p->growth, p->row[p->smallest].name, advice);
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        const guira_plan_row *r = &p->row[i];
        printf("%s{\"name\":\"%s\",\"bits\":%u,\"buckets\":%" PRIu64 ",\"bytes\":%" PRIu64
               ",\"fpr\":%.6g,\"bits_per_item\":%.4g,\"meets\":%s,\"grows\":%s,\"removes\":%s}",
               i == 0 ? "" : ",", r->name, r->bits, r->buckets, r->bytes, r->fpr, r->bits_per_item,
               r->meets ? "true" : "false", r->grows ? "true" : "false", r->removes ? "true" : "false");
    }
    printf("]}\n");
}

static int plan_run(int argc, char **argv) {
    struct plan p = {0};
    bool json = false;
    const struct opt table[] = {
        {'n', "items", OPT_COUNT, &p.items, "N", "highest number of items", NULL},
        {'p', "fpr", OPT_RATE, &p.fpr, "RATE", "highest false-positive rate (default: " DEFAULT_FPR ")", NULL},
        {'g', "growth", OPT_FACTOR, &p.growth, "FACTOR",
         "N divided by the initial number (default: " DEFAULT_GROWTH ")", NULL},
        {'j', "json", OPT_FLAG, &json, NULL, "print one line of JSON", NULL},
        OPT_END,
    };
    read_rate(DEFAULT_FPR, &p.fpr);
    read_factor(DEFAULT_GROWTH, &p.growth);
    options_read(&command_plan, table, &argc, argv, 0, 0);
    if (p.items == 0) trouble("missing option --items N, for example: guira plan --items 100M --fpr 0.1%%");
    if (guira_plan(p.items, p.fpr, p.growth, p.row, &p.smallest) != GUIRA_OK)
        trouble("--items: %" PRIu64 " exceeds the maximum of 281474976710656", p.items);
    if (json) print_json(&p);
    else print_table(&p);
    return EXIT_YES;
}

const struct command command_plan = {
    "plan", "--items N [options]", "print the memory each kind of filter needs, compared to Bloom",
    "Sizes are those of the buckets; a filter needs a few percent more. A tidal filter that has grown has a higher\n"
    "false-positive rate than one created at full size; --growth takes that into account.\n"
    "Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira plan --items 100M --fpr 0.1%\n"
    "  guira plan --items 100M --fpr 0.1% --growth 1000x\n"
    "  guira plan -n 1M -p 1/10000 --json\n",
    plan_run};
