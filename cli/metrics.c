/* guira metrics: prints metrics of filter files for Prometheus. Metrics of servers are in redis_metrics.c. */
#include <stdio.h>
#include <string.h>

#include "any_filter.h"
#include "commands.h"
#include "filter_file.h"
#include "redis.h"
#include "report.h"

/* The writer that guira_metrics_write calls. */
static bool print_bytes(void *to, const void *bytes, size_t n) { return fwrite(bytes, 1, n, to) == n; }

/* Opens file number i. Two metrics with the same name would be invalid, so a repeated file is an error. False: the file
 * cannot be read, and a message was printed. */
static bool open_file(char **names, size_t i, guira_observed *to) {
    struct any_filter f;
    for (size_t j = 0; j < i; j++)
        if (strcmp(names[j], names[i]) == 0) trouble("%s: given more than once", names[i]);
    guira_status s = any_open(&f, names[i]);
    if (s != GUIRA_OK) filter_note(names[i], s);
    *to = (guira_observed){.name = names[i], .filter = f.filter, .window = f.window, .shared = f.shared};
    return s == GUIRA_OK;
}

/* The files stay open until the process exits. */
static int metrics_run(int argc, char **argv) {
    enum { MAX_FILES = 1000 };
    static guira_observed observed[MAX_FILES];
    struct redis_options redis = {0};
    const struct opt table[] = {REDIS_SERVER_OPTIONS(&redis), OPT_END};
    options_read(&command_metrics, table, &argc, argv, 0, MAX_FILES);
    redis_require_url(&redis);
    if (redis.url == NULL && argc == 1) missing_argument(&command_metrics, 0);
    if (redis.url != NULL && argc > 1) trouble("unexpected argument '%s'; --redis prints metrics of all keys", argv[1]);
    if (redis.url != NULL) return redis_metrics(&redis);
    size_t n = 0, files = (size_t)argc - 1;
    for (size_t i = 0; i < files; i++) n += open_file(argv + 1, i, &observed[n]);
    guira_status s = guira_metrics_write(observed, n, print_bytes, stdout);
    if (s != GUIRA_OK) trouble("%s", guira_strerror(s));
    return n == files ? EXIT_YES : EXIT_TROUBLE;
}

const struct command command_metrics = {
    "metrics", "FILE... | --redis URL", "print metrics of filter files for Prometheus",
    "In the Prometheus text format, labelled with the file name as given. FILE can also be a state of 'guira uniq'.\n"
    "With --redis: metrics of all filters and windows of a server or cluster, labelled with the key.\n"
    "Exit status: 0, or 2 for an error. A file that cannot be read does not keep the others from being printed.\n"
    "\n"
    "examples:\n"
    "  guira metrics users.gf >/var/lib/node_exporter/guira.prom.new &&\n"
    "      mv /var/lib/node_exporter/guira.prom.new /var/lib/node_exporter/guira.prom\n"
    "  guira metrics --redis redis://localhost\n",
    metrics_run};
