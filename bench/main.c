/* bench: how fast, how small and how right guira's filters are, beside others, on the same keys in one run.
 *
 * Five workloads, each explained at the top of its file: fixed (fixed.c), grow and shrink (grow.c), churn (churn.c),
 * threads (threads.c).
 * In each, round 1 of every filter comes first, then round 2 of every filter, and so on; reported are medians over the
 * rounds, and ratios to a reference filter. See README.md for how to read them.
 *
 * Exit: 0; 1 when a filter lost a member or a file could not be written; 2 for arguments that make no sense.
 */
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <errno.h>
#include <string.h>

/* Opens before the run rather than after: a long run should not end with "permission denied". */
static bool open_output(const char *path, FILE **out) {
    *out = NULL;
    if (path == NULL) return true;
    *out = fopen(path, "w");
    if (*out == NULL) fprintf(stderr, "guira-bench: %s: %s\n", path, strerror(errno));
    return *out != NULL;
}

static void run_all(struct bench *b) {
    if ((b->o->workloads & W_FIXED) != 0) fixed_run(b);
    if ((b->o->workloads & (W_GROW | W_SHRINK)) != 0) grow_run(b);
    if ((b->o->workloads & W_CHURN) != 0) churn_run(b);
    if ((b->o->workloads & W_THREADS) != 0) threads_run(b);
}

static bool save(const struct results *r, const struct meta *m, FILE *csv, FILE *json) {
    bool ok = true;
    if (csv != NULL) {
        ok = export_csv(r, m, csv);
        if (fclose(csv) != 0) ok = false;
    }
    if (json != NULL) {
        ok = export_json(r, m, json) && ok;
        if (fclose(json) != 0) ok = false;
    }
    if (!ok) fprintf(stderr, "guira-bench: the results could not be written\n");
    return ok;
}

int main(int argc, char **argv) {
    static struct peers peers;
    static struct meta meta;
    struct options o;
    FILE *csv = NULL;
    FILE *json = NULL;
    if (!options_parse(argc, argv, &o)) return 2;
    if (o.help) {
        options_help();
        return 0;
    }
    if (!peers_load(&o, &peers) || !open_output(o.csv, &csv) || !open_output(o.json, &json)) return 2;

    if (!o.reference_given) o.reference[o.references] = peers.peer[0]->name; /* rather than no ratios at all */
    struct results r = {.rounds = o.rounds, .reference = o.reference};
    meta_collect(&o, &meta);
    report_head(&meta);
    fflush(stdout);
    run_all(&(struct bench){&o, &peers, &r});
    report_notes(&r);
    bool saved = save(&r, &meta, csv, json);
    int status = r.lost || !saved ? 1 : 0;
    results_free(&r);
    return status;
}
