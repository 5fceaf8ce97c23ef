/* guira plan: prints the memory that each kind of filter needs for a number of items and a false-positive rate. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "plan_cluster.h"
#include "report.h"
#include "units.h"

/* As text, because it is also part of --help. */
#define DEFAULT_FPR "0.1%"

enum { TIDAL = 0, CUCKOO = 1 }; /* rows of guira_plan */

/* The input and the result of guira_plan. */
struct plan {
    uint64_t items;
    double fpr, growth;
    guira_plan_row row[GUIRA_PLAN_ROWS];
    size_t smallest;
};

static const double default_growth_to = 1e10; /* items: see guira_plan */

static const char *yes_no(bool x) { return x ? "yes" : "no"; }

/* The table has a filter of fixed size that is full at max_load, 0.95; a peak is rarely known so well. */
static const char headroom[] = " If that is an estimate, build cuckoo with --max-load 0.9.";

/* Writes which row to choose, in a sentence or two. */
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
    else if (!fixed->available)
        snprintf(to, n, "Use tidal (%s), or %s (%s) if items are never removed.", t, best->name, b);
    else if (best->removes)
        snprintf(to, n,
                 "Use tidal (%s) if the number of items is unknown; for at most %s items, %s is the smallest (%s).%s",
                 t, items, best->name, b, best == fixed ? headroom : "");
    else
        snprintf(to, n,
                 "Use tidal (%s) if the number of items is unknown, cuckoo (%s) for at most %s items, "
                 "or a Bloom filter (%s) if items are never removed.%s",
                 t, f, items, b, headroom);
}

/* What is planned for: "1.00M items, later up to 10.0G, ..." */
static void print_request(const struct plan *p) {
    char items[UNIT_TEXT], most[UNIT_TEXT], rate[UNIT_TEXT];
    double to = p->growth > 0 ? (double)p->items * p->growth : default_growth_to;
    printf("%s items", write_count((double)p->items, items));
    if (to > (double)p->items) printf(", later up to %s", write_count(to, most));
    printf(", false-positive rate at most %s\n\n", write_rate(p->fpr, rate));
}

static void print_row(const guira_plan_row *r) {
    char width[UNIT_TEXT], rate[UNIT_TEXT], size[UNIT_TEXT];
    if (r->bytes == 0) {
        printf("%-11s cannot hold so many items\n", r->name);
        return;
    }
    snprintf(width, sizeof width, "%u %s", r->bits, r->available ? "bits" : "hashes");
    printf("%-11s %-9s %10s %10.1f %10s  %-5s  %s%s\n", r->name, width, write_size((double)r->bytes, size),
           r->bits_per_item, write_rate(r->fpr, rate), yes_no(r->grows), yes_no(r->removes),
           r->meets ? "" : "  (fpr too high)");
}

/* One row per kind of filter, then the advice. */
static void print_table(const struct plan *p) {
    char advice[400];
    print_request(p);
    printf("%-11s %-9s %10s %10s %10s  %-5s  %s\n", "", "width", "size", "bits/item", "fpr", "grows", "removes");
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) print_row(&p->row[i]);
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
               ",\"fpr\":%.6g,\"bits_per_item\":%.4g,\"meets\":%s,\"grows\":%s,\"removes\":%s,\"available\":%s}",
               i == 0 ? "" : ",", r->name, r->bits, r->buckets, r->bytes, r->fpr, r->bits_per_item,
               r->meets ? "true" : "false", r->grows ? "true" : "false", r->removes ? "true" : "false",
               r->available ? "true" : "false");
    }
    printf("]}\n");
}

/* Exits if the options cannot be combined. 0 is a number of replicas, unlike other counts. */
static void read_cluster(struct cluster_options *c, const char *replicas, double growth) {
    if (replicas != NULL && !read_count(replicas, &c->replicas))
        trouble("--replicas: '%s' is not a whole number (try 0, 1, 2)", replicas);
    if (c->nodes == 0 && replicas != NULL) trouble("--replicas requires --nodes");
    if (c->nodes == 0 && c->item_bytes > 0) trouble("--item-bytes requires --nodes");
    if (c->nodes > 0 && growth > 0)
        trouble("--growth cannot be combined with --nodes: keys of a server keep their rate up to 10G items each");
    if (c->item_bytes == 0) read_count(DEFAULT_ITEM_BYTES, &c->item_bytes);
}

static int plan_run(int argc, char **argv) {
    struct plan p = {0};
    struct cluster_options cluster = {0};
    const char *replicas = NULL;
    bool json = false;
    const struct opt table[] = {
        {'n', "items", OPT_COUNT, &p.items, "N", "highest number of items", NULL},
        {'p', "fpr", OPT_RATE, &p.fpr, "RATE", "highest false-positive rate (default: " DEFAULT_FPR ")", NULL},
        {'g', "growth", OPT_FACTOR, &p.growth, "FACTOR", "most items ever, divided by N (default: up to 10G items)",
         NULL},
        {0, "nodes", OPT_COUNT, &cluster.nodes, "N", "plan for a Redis Cluster of N servers, replicas included", NULL},
        {0, "replicas", OPT_TEXT, &replicas, "N", "replicas of each master (default: 0)", NULL},
        {0, "item-bytes", OPT_COUNT, &cluster.item_bytes, "N",
         "length of an item on the network (default: " DEFAULT_ITEM_BYTES ")", NULL},
        {'j', "json", OPT_FLAG, &json, NULL, "print one line of JSON", NULL},
        OPT_END,
    };
    read_rate(DEFAULT_FPR, &p.fpr);
    options_read(&command_plan, table, &argc, argv, 0, 0);
    if (p.items == 0) trouble("missing option --items N, for example: guira plan --items 100M --fpr 0.1%%");
    read_cluster(&cluster, replicas, p.growth);
    if (p.items > UINT64_C(1) << 48) trouble("--items: %" PRIu64 " exceeds the maximum of 281474976710656", p.items);
    if (cluster.nodes > 0) {
        plan_cluster(&cluster, p.items, p.fpr, json);
        return EXIT_YES;
    }
    guira_status s = guira_plan(p.items, p.fpr, p.growth, p.row, &p.smallest);
    if (s != GUIRA_OK) trouble("--growth: %gx exceeds the maximum of 1e18x", p.growth);
    if (json) print_json(&p);
    else print_table(&p);
    return EXIT_YES;
}

const struct command command_plan = {
    "plan", "--items N [options]", "print the memory each kind of filter needs, compared to Bloom",
    "Sizes are for N items; allow a few percent more. A filter that is to keep its rate while it\n"
    "grows beyond N needs wider slots; --growth 1x is for filters that never do.\n"
    "\n"
    "With --nodes it plans one filter over a Redis Cluster: the number of keys (--shards), the memory of a server,\n"
    "network traffic, and what happens when a server is lost. Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira plan --items 100M --fpr 0.1%\n"
    "  guira plan --items 1T --nodes 64 --replicas 1\n"
    "  guira plan --items 100M --fpr 0.1% --growth 1x\n"
    "  guira plan -n 1M -p 1/10000 --json\n",
    plan_run};
