/* guira metrics: filter files as Prometheus sees them. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_file.h"
#include "report.h"

static bool print_bytes(void *to, const void *bytes, size_t n) { return fwrite(bytes, 1, n, to) == n; }

static int metrics_run(int argc, char **argv) {
    enum { MOST = 1000 };
    guira_observed what[MOST] = {{0}};
    const struct opt table[] = {OPT_END};
    options_read(&command_metrics, table, &argc, argv, 1, MOST);
    size_t n = (size_t)argc - 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            if (strcmp(what[j].name, argv[i + 1]) == 0) trouble("%s: name each file only once", argv[i + 1]);
        what[i].name = argv[i + 1];
        what[i].filter = filter_map(argv[i + 1]);
    }
    guira_status s = guira_metrics_write(what, n, print_bytes, stdout);
    if (s != GUIRA_OK) trouble("%s", guira_strerror(s));
    return EXIT_YES;
}

const struct command command_metrics = {
    "metrics", "FILE...", "print metrics of filter files for Prometheus",
    "In the text format, each file by its name as given. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "examples:\n"
    "  guira metrics users.gf >/var/lib/node_exporter/guira.prom.new &&\n"
    "      mv /var/lib/node_exporter/guira.prom.new /var/lib/node_exporter/guira.prom\n",
    metrics_run};
