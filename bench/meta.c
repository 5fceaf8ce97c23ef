/* The metadata of a run, collected once at the start. A value that cannot be determined is "unknown" rather than left
 * out, so that all runs have the same columns.
 *
 * The build may define GUIRA_COMMIT and GUIRA_BENCH_FLAGS (both strings).
 */
#include "meta.h"

#include "guira.h"
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED " sanitized"
#else
#define SANITIZED ""
#endif

#ifndef GUIRA_BENCH_FLAGS
#ifdef __OPTIMIZE__
#define GUIRA_BENCH_FLAGS "unknown, optimised" SANITIZED
#else
#define GUIRA_BENCH_FLAGS "unknown, NOT optimised" SANITIZED
#endif
#endif

static char *add(struct meta *m, const char *key) {
    m->entry[m->count].key = key;
    char *value = m->entry[m->count++].value;
    snprintf(value, sizeof m->entry[0].value, "unknown");
    return value;
}

enum { VALUE = sizeof(((struct meta *)0)->entry[0].value) };

/* Reads the first line of a stream, without the newline. False: there is none, or it is empty. */
static bool first_line(FILE *in, char *line, size_t room) {
    if (in == NULL || fgets(line, (int)room, in) == NULL) return false;
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

static void cpu_model(char *out) {
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        colon += 1 + strspn(colon + 1, " ");
        snprintf(out, VALUE, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (in != NULL) fclose(in);
}

static void huge_pages(char *out) {
    FILE *in = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    char line[100];
    if (first_line(in, line, sizeof line)) { /* always [madvise] never */
        const char *from = strchr(line, '[');
        if (from != NULL) snprintf(out, VALUE, "%.*s", (int)strcspn(from + 1, "]"), from + 1);
    }
    if (in != NULL) fclose(in);
}

static void commit(char *out) {
#ifdef GUIRA_COMMIT
    snprintf(out, VALUE, "%s", GUIRA_COMMIT);
#else
    char line[100];
    static const char *const command = "git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null";
    FILE *in = popen(command, "r"); /* NOLINT(cert-env33-c) */
    if (first_line(in, line, sizeof line)) snprintf(out, VALUE, "%s", line);
    if (in != NULL) pclose(in);
#endif
}

static void date(char *out) {
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) strftime(out, VALUE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void meta_collect(const struct options *o, struct meta *m) {
    double load = 0;
    m->count = 0;
    date(add(m, "date"));
    commit(add(m, "commit"));
    snprintf(add(m, "version"), VALUE, "%s", guira_version());
    cpu_model(add(m, "cpu"));
    snprintf(add(m, "compiler"), VALUE, "%s", COMPILER);
    snprintf(add(m, "flags"), VALUE, "%s", GUIRA_BENCH_FLAGS);
    snprintf(add(m, "seed"), VALUE, "%" PRIu64, o->seed);
    huge_pages(add(m, "thp"));
    snprintf(add(m, "pages"), VALUE, "%s", o->huge_pages ? "huge, also for malloc" : "as each filter asks");
    char *value = add(m, "load_before"); /* above about 0.2 other processes are running */
    if (getloadavg(&load, 1) == 1) snprintf(value, VALUE, "%.2f", load);
    snprintf(add(m, "timer_ns"), VALUE, "%.1f", timer_overhead_ns());
}
