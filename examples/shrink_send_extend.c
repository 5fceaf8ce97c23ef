/* A filter that is made small, sent, and made large again: the elastic filter between two nodes.
 *
 *     node A   [ large, mostly empty ] -- halve --> [ small ] --pipe--> [ small ] -- extend --> [ large ]   node B
 *
 * Node A has room for its peak, but holds few sessions now. It halves a copy of the filter as often as the sessions still
 * fit, so that few bytes go over the wire. Node B extends what it received and goes on inserting and removing; the copies
 * that an extension leaves behind are erased little by little. Halving costs false positives, which B prints.
 *
 * Exit status: 1 if a session was not found, which must never happen, or if a call failed. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUCKETS = 65536, SESSIONS = 20000, MORE = 180000, PROBES = 1000000 };

static void must(guira_status s, const char *what) {
    if (s == GUIRA_OK) return;
    fprintf(stderr, "%s: %s\n", what, guira_strerror(s));
    exit(1);
}

static guira_stats stats_of(const guira *f) {
    guira_stats s = GUIRA_STATS_INIT;
    must(guira_stats_get(f, &s), "guira_stats_get");
    return s;
}

static void print_filter(const char *when, const guira *f) {
    guira_stats s = stats_of(f);
    printf("%-24s %6" PRIu64 " items in %6" PRIu64 " buckets, load %.2f, %7" PRIu64 " bytes as a file, rate %.5f %%\n",
           when, s.items, s.buckets, s.load, guira_saved_size(f), 100 * s.fpr);
    fflush(stdout);
}

/* Sessions are numbered; a session that does not exist has a number from PROBES on. */
static bool has_session(const guira *f, uint32_t number) { return guira_contains(f, &number, sizeof number); }

static void insert_sessions(guira *f, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) must(guira_insert(f, &i, sizeof i), "guira_insert");
}

static void check_sessions(const guira *f, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        if (!has_session(f, i)) {
            fprintf(stderr, "session %" PRIu32 " is lost\n", i);
            exit(1);
        }
}

static void node_a(int fd) {
    guira_config c = {.kind = GUIRA_ELASTIC, .buckets = BUCKETS, .min_load = -1};
    guira *f, *copy;
    must(guira_create(&c, &f), "guira_create");
    insert_sessions(f, 0, SESSIONS);
    print_filter("A: before", f);
    must(guira_clone(f, &copy), "guira_clone");
    while (guira_elastic_halve(copy) == GUIRA_OK) {
    }
    print_filter("A: halved, sent", copy);
    must(guira_save_fd(copy, fd), "guira_save_fd");
    guira_destroy(copy);
    guira_destroy(f);
}

static void print_measured_rate(const guira *f) {
    uint32_t positives = 0;
    for (uint32_t i = 0; i < PROBES; i++) positives += has_session(f, PROBES + i);
    printf("%-24s %6" PRIu32 " of %d sessions that never were\n", "B: found", positives, PROBES);
}

static void node_b(int fd) {
    guira *f;
    must(guira_load_fd(fd, &f), "guira_load_fd");
    check_sessions(f, 0, SESSIONS);
    print_filter("B: received", f);
    must(guira_elastic_extend(f, 8), "guira_elastic_extend");
    check_sessions(f, 0, SESSIONS);
    print_filter("B: extended", f);
    insert_sessions(f, SESSIONS, SESSIONS + MORE);
    for (uint32_t i = 0; i < SESSIONS / 2; i++) must(guira_remove(f, &i, sizeof i), "guira_remove");
    check_sessions(f, SESSIONS / 2, SESSIONS + MORE);
    print_filter("B: went on", f);
    print_measured_rate(f);
    guira_destroy(f);
}

int main(void) {
    int end[2], status;
    if (pipe(end) != 0) return 1;
    pid_t a = fork();
    if (a < 0) return 1;
    if (a == 0) {
        close(end[0]);
        node_a(end[1]);
        return 0;
    }
    close(end[1]);
    node_b(end[0]);
    return waitpid(a, &status, 0) == a && status == 0 ? 0 : 1;
}
