/* Prints the metrics of a few filters, for promtool to check: in the locale of the environment, with names that need
 * escaping, and with timed lookups. */
#include <locale.h>
#include <stdio.h>

#include "guira.h"

static bool onto(void *to, const void *bytes, size_t n) { return fwrite(bytes, 1, n, to) == n; }

/* A filter after n insertions, of which the last may be refused, and n lookups. */
static guira *filled(const guira_config *c, uint64_t n) {
    guira *f = NULL;
    if (guira_create(c, &f) != GUIRA_OK || guira_latency_sample(f, 10) != GUIRA_OK) return f;
    for (uint64_t i = 0; i < n; i++) guira_insert(f, &i, sizeof i);
    for (uint64_t i = 0; i < n; i++) guira_contains(f, &i, sizeof i);
    return f;
}

int main(void) {
    if (setlocale(LC_ALL, "") == NULL) return 1;
    guira *tidal = filled(&(guira_config){.fpr = 0.001}, 20000);
    guira *cuckoo = filled(&(guira_config){.kind = GUIRA_CUCKOO, .capacity = 1000}, 2000);
    guira *empty = NULL;
    if (tidal == NULL || cuckoo == NULL || guira_create(NULL, &empty) != GUIRA_OK) return 1;
    const guira_observed all[] = {
        {.name = "sessions", .filter = tidal},
        {.name = "sessions", .filter = cuckoo},
        {.name = "", .filter = empty},
        {.name = "\"quoted\\\"\nand broken", .filter = empty},
        {.name = "not UTF-8: \xff", .filter = empty},
    };
    guira_status s = guira_metrics_write(all, sizeof all / sizeof *all, onto, stdout);
    guira_destroy(tidal);
    guira_destroy(cuckoo);
    guira_destroy(empty);
    return s == GUIRA_OK && fflush(stdout) == 0 ? 0 : 1;
}
