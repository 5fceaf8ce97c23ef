/* Distributed de-duplication: several nodes share the work, and no event is processed twice.
 *
 *     events, some of them twice --> router --> node 0 [ filter ]     the router sends an event to the node that its
 *                                           --> node 1 [ filter ]     hash names, so one node alone decides about it
 *                                           --> node 2 [ filter ]
 *                                           --> ...
 *     at the end: the nodes send their filters, and the router merges them into one for all events
 *
 * Each node is a process. All filters have the same seed, which the router draws and the nodes get from it: so a filter can
 * be merged with the others, and each event is hashed once, by the router. "Already seen" may be a false positive, so the
 * program also counts how many events were dropped wrongly.
 *
 * Exit status: 1 if an event was processed twice, which must never happen, or if a call failed. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 4, EVENTS = 200000, BATCH = 256 };

struct node {
    pid_t pid;
    int to, from; /* the router's ends of two pipes */
    uint64_t batch[BATCH];
    size_t n;
};

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

/* -------------------------------------------------------------------------------------------------------------- a node */

/* Reads hashes to the end, then writes how many were new, and its filter. */
static void node_run(const guira_config *c, int in, int out) {
    uint64_t hash[BATCH], processed = 0;
    guira *f;
    must(guira_create(c, &f) == GUIRA_OK, "guira_create");
    FILE *events = fdopen(in, "r");
    must(events != NULL, "fdopen");
    for (size_t n; (n = fread(hash, sizeof *hash, BATCH, events)) > 0;)
        for (size_t i = 0; i < n; i++) {
            guira_status s = guira_insert_unique_hash(f, hash[i]);
            must(s == GUIRA_OK || s == GUIRA_EEXIST, "guira_insert_unique_hash");
            processed += s == GUIRA_OK; /* here the event would be processed */
        }
    must(write(out, &processed, sizeof processed) == sizeof processed, "write");
    must(guira_save_fd(f, out) == GUIRA_OK, "guira_save_fd");
    guira_destroy(f);
    fclose(events);
}

/* Nodes that were started before must not keep the ends of this one's pipes, and the other way round. */
static void node_start(struct node *nodes, unsigned i, const guira_config *c) {
    int to[2], from[2];
    must(pipe(to) == 0 && pipe(from) == 0, "pipe");
    nodes[i].pid = fork();
    must(nodes[i].pid >= 0, "fork");
    if (nodes[i].pid == 0) {
        for (unsigned k = 0; k < i; k++) {
            close(nodes[k].to);
            close(nodes[k].from);
        }
        close(to[1]);
        close(from[0]);
        node_run(c, to[0], from[1]);
        exit(0);
    }
    close(to[0]);
    close(from[1]);
    nodes[i].to = to[1];
    nodes[i].from = from[0];
}

/* ----------------------------------------------------------------------------------------------------------- the router */

static void flush_batch(struct node *n) {
    size_t bytes = n->n * sizeof *n->batch;
    must(write(n->to, n->batch, bytes) == (ssize_t)bytes, "write"); /* less than PIPE_BUF: all or nothing */
    n->n = 0;
}

/* By bits that the filter of the node uses least: its buckets and fingerprints come from the others. */
static void route(struct node *nodes, const guira *f, uint64_t event) {
    uint64_t hash = guira_hash(f, &event, sizeof event);
    struct node *n = &nodes[hash * UINT64_C(0x9e3779b97f4a7c15) >> 62];
    n->batch[n->n++] = hash;
    if (n->n == BATCH) flush_batch(n);
}

/* What a node has to say: how many events it has processed; its filter is merged into f. */
static uint64_t node_end(struct node *n, guira *f) {
    uint64_t processed;
    guira *of_node;
    int status;
    flush_batch(n);
    close(n->to);
    must(read(n->from, &processed, sizeof processed) == sizeof processed, "read");
    must(guira_load_fd(n->from, &of_node) == GUIRA_OK, "guira_load_fd");
    must(guira_merge(f, of_node) == GUIRA_OK, "guira_merge");
    guira_destroy(of_node);
    close(n->from);
    must(waitpid(n->pid, &status, 0) == n->pid && status == 0, "a node");
    return processed;
}

int main(void) {
    static struct node nodes[NODES];
    guira_config c = {.size = sizeof c, .fpr = 0.0001};
    guira_stats s = GUIRA_STATS_INIT;
    guira *all;
    uint64_t processed = 0;
    must(guira_create(&c, &all) == GUIRA_OK && guira_config_get(all, &c) == GUIRA_OK, "guira_create");
    for (unsigned i = 0; i < NODES; i++) node_start(nodes, i, &c);
    for (uint64_t event = 0; event < EVENTS; event++) {
        route(nodes, all, event);
        if (event >= 1000 && event % 3 == 0) route(nodes, all, event - 1000); /* the sender repeats one of three */
    }
    for (unsigned i = 0; i < NODES; i++) {
        uint64_t of_node = node_end(&nodes[i], all);
        printf("node %u processed %" PRIu64 " events\n", i, of_node);
        processed += of_node;
    }
    for (uint64_t event = 0; event < EVENTS; event++) must(guira_contains(all, &event, sizeof event), "a lookup");
    guira_stats_get(all, &s);
    printf("%d events, a third of them sent twice: %" PRIu64 " processed, %" PRIu64 " dropped wrongly (rate %.4f %%)\n",
           EVENTS, processed, EVENTS - processed, 100 * s.fpr);
    printf("merged filter: %" PRIu64 " items, %" PRIu64 " bytes\n", s.items, s.bytes);
    must(processed <= EVENTS && s.items == processed, "the count");
    guira_destroy(all);
    return 0;
}
