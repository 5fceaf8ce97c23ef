/* guira-bench: measures speed, size and false-positive rate of guira's filters and others, on the same keys in one run.
 *
 * The workloads are explained at the top of their files: fixed and grown (fixed.c), grow and shrink (grow.c), churn
 * (churn.c), threads (threads.c), zipf (zipf.c), scale (scale.c), interleaved (interleaved.c). In all but the last, all filters run round 1, then all filters run round 2, and so on. The report
 * has medians over the rounds and ratios to a reference filter; README.md explains how to read them.
 *
 * Exit status: 0; 1 if a filter lost a member or a file could not be written; 2 for invalid arguments.
 */
#include "huge.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <errno.h>
#include <string.h>

/* Called before the run: a long run should not end with "permission denied". */
static bool open_output(const char *path, FILE **out) {
    *out = NULL;
    if (path == NULL) return true;
    *out = fopen(path, "w");
    if (*out == NULL) fprintf(stderr, "guira-bench: %s: %s\n", path, strerror(errno));
    return *out != NULL;
}

static void run_all(struct bench *b) {
    if ((b->o->workloads & W_FIXED) != 0) fixed_run(b);
    if ((b->o->workloads & W_GROWN) != 0) grown_run(b);
    if ((b->o->workloads & (W_GROW | W_SHRINK)) != 0) grow_run(b);
    if ((b->o->workloads & W_CHURN) != 0) churn_run(b);
    if ((b->o->workloads & W_THREADS) != 0) threads_run(b);
    if ((b->o->workloads & W_ZIPF) != 0) zipf_run(b);
    if ((b->o->workloads & W_SCALE) != 0) scale_run(b);
    if ((b->o->workloads & W_INTERLEAVED) != 0) interleaved_run(b);
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
    if (!ok) fprintf(stderr, "guira-bench: cannot write the results\n");
    return ok;
}

int main(int argc, char **argv) {
    static struct peers peers;
    static struct meta meta;
    static struct options o;
    FILE *csv = NULL;
    FILE *json = NULL;
    if (!options_parse(argc, argv, &o)) return 2;
    if (o.help) {
        options_help();
        return 0;
    }
    if (o.huge_pages && !huge_pages_request(argv)) return 2;
    if (!peers_load(&o, &peers) || !open_output(o.csv, &csv) || !open_output(o.json, &json)) return 2;

    if (!o.reference_given) o.reference[o.references] = peers.peer[0]->name; /* if no default reference takes part */
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
