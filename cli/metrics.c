/* guira metrics: filter files as Prometheus sees them. Those of servers are in redis_metrics.c. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_file.h"
#include "redis.h"
#include "report.h"

static bool print_bytes(void *to, const void *bytes, size_t n) { return fwrite(bytes, 1, n, to) == n; }

static guira_observed open_for(char **names, size_t i) {
    guira *f;
    guira_window *w;
    for (size_t j = 0; j < i; j++)
        if (strcmp(names[j], names[i]) == 0) trouble("%s: name each file only once", names[i]);
    filter_or_window(names[i], &f, &w);
    if (f == NULL && w == NULL) filter_trouble(names[i], GUIRA_ECORRUPT);
    return (guira_observed){.name = names[i], .filter = f, .window = w};
}

/* What was opened stays so until the process ends, in a moment. */
static int metrics_run(int argc, char **argv) {
    enum { MOST = 1000 };
    static guira_observed what[MOST];
    struct redis_options redis = {0};
    const struct opt table[] = {REDIS_OPTION(&redis), REDIS_TIMEOUT_OPTION(&redis), OPT_END};
    options_read(&command_metrics, table, &argc, argv, 0, MOST);
    redis_check_options(&redis);
    if (redis.url == NULL && argc == 1) trouble("something is missing; usage: guira metrics FILE...");
    if (redis.url != NULL && argc > 1) trouble("'%s' is too much; --redis tells of all keys", argv[1]);
    if (redis.url != NULL) return redis_metrics(&redis);
    size_t n = (size_t)argc - 1;
    for (size_t i = 0; i < n; i++) what[i] = open_for(argv + 1, i);
    guira_status s = guira_metrics_write(what, n, print_bytes, stdout);
    if (s != GUIRA_OK) trouble("%s", guira_strerror(s));
    return EXIT_YES;
}

const struct command command_metrics = {
    "metrics", "FILE... | --redis URL", "print metrics of filter files for Prometheus",
    "In the text format, each file by its name as given; also for states of 'guira uniq'. Exit status: 0, or 2 for "
    "trouble.\n"
    "With --redis, all filters and windows of a server or of all masters of a cluster, each by the name of its key.\n"
    "\n"
    "examples:\n"
    "  guira metrics users.gf >/var/lib/node_exporter/guira.prom.new &&\n"
    "      mv /var/lib/node_exporter/guira.prom.new /var/lib/node_exporter/guira.prom\n"
    "  guira metrics --redis redis://localhost\n",
    metrics_run};
