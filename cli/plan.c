/* guira plan: what a number of items at a rate of wrong answers costs, with each kind of filter. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "units.h"

#include <guira.h>

enum { TIDAL = 0, CUCKOO = 1 }; /* rows of the plan */

struct plan {
    uint64_t items;
    double fpr, growth;
    guira_plan_row row[GUIRA_PLAN_ROWS];
    size_t smallest;
};

static const char *yes_no(bool x) { return x ? "yes" : "no"; }

/* Which row for whom, in one sentence. */
static void advise(const struct plan *p, char *to, size_t n) {
    const guira_plan_row *tidal = &p->row[TIDAL], *fixed = &p->row[CUCKOO], *best = &p->row[p->smallest];
    char t[UNIT_TEXT], f[UNIT_TEXT], b[UNIT_TEXT], items[UNIT_TEXT];
    write_size((double)tidal->bytes, t);
    write_size((double)fixed->bytes, f);
    write_size((double)best->bytes, b);
    write_count((double)p->items, items);
    if (!tidal->meets) snprintf(to, n, "No tidal filter reaches this rate; %s does, in %s.", best->name, b);
    else if (p->smallest == TIDAL) snprintf(to, n, "Take tidal: nothing is smaller (%s), and it grows and removes.", t);
    else if (best->removes)
        snprintf(
            to, n,
            "Take tidal (%s) if you do not know how many there will be; if never more than %s, %s is smallest (%s).", t,
            items, best->name, b);
    else
        snprintf(
            to, n,
            "Take tidal (%s) if items come and go in unknown numbers, cuckoo (%s) if there are never more than %s, "
            "and a Bloom filter (%s) if nothing is ever removed.",
            t, f, items, b);
}

static void print_table(const struct plan *p) {
    char items[UNIT_TEXT], rate[UNIT_TEXT], size[UNIT_TEXT], advice[400];
    printf("%s items, at most %s wrong answers", write_count((double)p->items, items), write_rate(p->fpr, rate));
    if (p->growth > 1) printf(", grown %gx", p->growth);
    printf("\n\n%-22s %-9s %10s %10s %14s  %-5s  %s\n", "", "width", "size", "bits/item", "wrong answers", "grows",
           "removes");
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        const guira_plan_row *r = &p->row[i];
        char width[UNIT_TEXT];
        snprintf(width, sizeof width, "%u %s", r->bits, strcmp(r->name, "bloom") == 0 ? "hashes" : "bits");
        printf("%-22s %-9s %10s %10.1f %14s  %-5s  %s%s\n", r->name, width, write_size((double)r->bytes, size),
               r->bits_per_item, write_rate(r->fpr, rate), yes_no(r->grows), yes_no(r->removes),
               r->meets ? "" : "  (too many)");
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
    struct plan p = {.fpr = 0.001, .growth = 1};
    bool json = false;
    const struct opt table[] = {
        {'n', "items", OPT_COUNT, &p.items, "N", "how many there will be at most", NULL},
        {'p', "fpr", OPT_RATE, &p.fpr, "RATE", "most wrong answers to accept (default: 0.1%)", NULL},
        {'g', "growth", OPT_FACTOR, &p.growth, "FACTOR", "N divided by how many it starts with (default: 1x)", NULL},
        {'j', "json", OPT_FLAG, &json, NULL, "as one line of JSON", NULL},
        OPT_END,
    };
    options_read(&command_plan, table, &argc, argv, 0, 0);
    if (p.items == 0) trouble("how many items? for example: guira plan --items 100M --fpr 0.1%%");
    if (guira_plan(p.items, p.fpr, p.growth, p.row, &p.smallest) != GUIRA_OK)
        trouble("--items: %" PRIu64 " is more than can be planned for (281474976710656)", p.items);
    if (json) print_json(&p);
    else print_table(&p);
    return EXIT_YES;
}

const struct command command_plan = {
    "plan", "--items N [options]", "tell what a filter will cost, kind by kind, with Bloom beside it",
    "Sizes are those of the buckets; a filter adds a few percent. A tidal filter that grows from little to much has "
    "more\n"
    "wrong answers than one made at full size, and --growth counts that in. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "examples:\n"
    "  guira plan --items 100M --fpr 0.1%\n"
    "  guira plan --items 100M --fpr 0.1% --growth 1000x\n"
    "  guira plan -n 1M -p 1/10000 --json\n",
    plan_run};
