/* guira-stress: starts the runs, each in a process of its own, and counts. See stress.h. */
#define _GNU_SOURCE
#include "stress.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct job job;
struct counts counts;

enum { MAX_JOBS = 256, MOST_FAILURES = 10, LONGEST_RUN = 600 /* seconds of processor time */, LONGEST_WAIT = 7200 };

struct sort {
    const char *name;
    void (*run)(struct rng *r);
    unsigned share; /* of SHARES */
};

static const struct sort sorts[] = {
    {"filter", run_filter, 8},   {"window", run_window, 2}, {"lives", run_lives, 3},
#ifdef GUIRA_TEST_SHARED
    {"threads", run_threads, 2}, {"storm", run_storm, 1},
#endif
};
enum { SORTS = sizeof sorts / sizeof *sorts };

static struct {
    const char *only;     /* NULL: all */
    uint64_t first, last; /* numbers of runs */
    double seconds;
    unsigned jobs;
    bool verbose;
    char directory[200];
} options = {.last = UINT64_MAX, .seconds = 10, .jobs = 1};

/* -------------------------------------------------------------------------------------------------------------- reports */

static void print_replay(const char *what) {
    fprintf(stderr, "guira-stress: run %llu (%s): %s; replay: %s --seed 0x%llx --run %llu\n",
            (unsigned long long)job.number, job.what, what, job.program, (unsigned long long)job.seed,
            (unsigned long long)job.number);
}

void broken(const char *format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_replay(text);
    _exit(EXIT_BROKEN);
}

void counts_add(void) {
    uint64_t *to = (uint64_t *)job.total, *from = (uint64_t *)&counts;
    for (size_t i = 0; i < sizeof counts / sizeof *from; i++) __atomic_fetch_add(&to[i], from[i], __ATOMIC_RELAXED);
    memset(&counts, 0, sizeof counts);
}

const char *file_in(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", job.directory, name);
    return path;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_counts(double seconds, unsigned failures) {
    const struct counts *c = job.total;
    printf("guira-stress: seed 0x%llx, %.0f s: %llu runs, %llu operations (%llu changes, %llu lookups), %llu refusals, "
           "%llu faults, %llu kills, %llu files, %llu threads: %u failures\n",
           (unsigned long long)job.seed, seconds, (unsigned long long)c->runs,
           (unsigned long long)(c->changes + c->lookups), (unsigned long long)c->changes,
           (unsigned long long)c->lookups, (unsigned long long)c->refusals, (unsigned long long)c->faults,
           (unsigned long long)c->kills, (unsigned long long)c->files, (unsigned long long)c->threads, failures);
    fflush(stdout);
}

/* ----------------------------------------------------------------------------------------------------------------- runs */

/* The sort of a run follows from its number, so that --only leaves the others as they are. */
static const struct sort *sort_of(uint64_t number) {
    unsigned all = 0, i = 0;
    for (size_t k = 0; k < SORTS; k++) all += sorts[k].share;
    for (unsigned at = (unsigned)(number * 7 % all); at >= sorts[i].share; i++) at -= sorts[i].share;
    return &sorts[i];
}

static bool wanted(uint64_t number) { return options.only == NULL || strcmp(sort_of(number)->name, options.only) == 0; }

_Noreturn static void run(uint64_t number) {
    struct rng r = {mix(job.seed) + mix(number)};
    const struct sort *s = sort_of(number);
    job.number = number;
    snprintf(job.what, sizeof job.what, "%s", s->name);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){LONGEST_RUN, LONGEST_RUN + 5});
    alarm(LONGEST_WAIT); /* for a deadlock */
    signal(SIGXFSZ, SIG_IGN);
    double start = now();
    mkdir(job.directory, 0700);
    s->run(&r);
    rmdir(job.directory);
    if (options.verbose)
        printf("run %llu: %s: %.2f s, %llu changes, %llu lookups, %llu kills: %s\n", (unsigned long long)number,
               s->name, now() - start, (unsigned long long)counts.changes, (unsigned long long)counts.lookups,
               (unsigned long long)counts.kills, job.what);
    counts.runs++;
    counts_add();
    fflush(stdout);
    exit(0); /* not _exit: the leak checker runs at exit */
}

static struct slot {
    pid_t process; /* 0: none */
    uint64_t number;
    char directory[256];
} slots[MAX_JOBS];

static void start(struct slot *s, uint64_t number) {
    s->number = number;
    job.directory = s->directory;
    fflush(stdout);
    s->process = fork();
    if (s->process == 0) run(number);
    if (s->process < 0) {
        perror("fork");
        exit(2);
    }
}

/* Waits for a run. Returns whether it failed. A run that has found something wrong has said so itself. */
static bool wait_for_one(void) {
    int status;
    pid_t process = wait(&status);
    struct slot *s = slots;
    while (s->process != process) s++;
    s->process = 0;
    if (status == 0) return false;
    job.number = s->number;
    char text[80];
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text,
                 WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ? "has not ended in time, signal %d"
                                                                            : "died of signal %d",
                 WTERMSIG(status));
    else snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(status));
    snprintf(job.what, sizeof job.what, "%s", sort_of(s->number)->name);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_BROKEN) print_replay(text);
    return true;
}

static struct slot *free_slot(void) {
    for (unsigned i = 0; i < options.jobs; i++)
        if (slots[i].process == 0) return &slots[i];
    return NULL;
}

/* Returns the number of failures. */
static unsigned run_all(void) {
    double start_time = now(), next_line = 300;
    unsigned failures = 0;
    for (uint64_t number = options.first; number <= options.last && failures < MOST_FAILURES; number++) {
        if (now() - start_time >= options.seconds && options.last == UINT64_MAX) break;
        if (!wanted(number)) continue;
        if (free_slot() == NULL) failures += wait_for_one();
        start(free_slot(), number);
        if (now() - start_time < next_line) continue;
        print_counts(now() - start_time, failures);
        next_line += 300;
    }
    for (unsigned i = 0; i < options.jobs; i++)
        while (slots[i].process != 0) failures += wait_for_one();
    print_counts(now() - start_time, failures);
    return failures;
}

/* -------------------------------------------------------------------------------------------------------------- options */

_Noreturn static void usage(int code) {
    fprintf(code == 0 ? stdout : stderr,
            "usage: guira-stress [--seed S] [--seconds T] [--jobs J] [--only filter|window|lives|threads|storm]\n"
            "                    [--run N | --runs N] [--verbose]\n"
            "Random runs against an exact model for T seconds (default 10), J at a time (default 1).\n"
            "--run N: run N alone; --runs N: runs 0 to N-1.\n");
    exit(code);
}

static void options_get(int argc, char **argv) {
    static const struct option all[] = {
        {"seed", required_argument, NULL, 's'},
        {"seconds", required_argument, NULL, 't'},
        {"jobs", required_argument, NULL, 'j'},
        {"only", required_argument, NULL, 'o'},
        {"run", required_argument, NULL, 'r'},
        {"runs", required_argument, NULL, 'n'},
        {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    for (int o; (o = getopt_long(argc, argv, "", all, NULL)) != -1;) switch (o) {
        case 's': job.seed = strtoull(optarg, NULL, 0); break;
        case 't': options.seconds = strtod(optarg, NULL); break;
        case 'j': options.jobs = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'o': options.only = optarg; break;
        case 'r': options.first = options.last = strtoull(optarg, NULL, 0); break;
        case 'n': options.last = strtoull(optarg, NULL, 0) - 1; break;
        case 'v': options.verbose = true; break;
        case 'h': usage(0);
        default: usage(2);
        }
    if (optind < argc || options.jobs < 1 || options.jobs > MAX_JOBS) usage(2);
}

/* In memory if there is such a file system: a disk would make saving slow, and after kill -9 there is no difference. */
static void directories_make(void) {
    const char *given = getenv("TMPDIR");
    snprintf(options.directory, sizeof options.directory, "%s/guira-stress-XXXXXX",
             given != NULL                   ? given
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    if (mkdtemp(options.directory) == NULL) {
        perror(options.directory);
        exit(2);
    }
    for (unsigned i = 0; i < options.jobs; i++)
        snprintf(slots[i].directory, sizeof slots[i].directory, "%s/%u", options.directory, i);
}

int main(int argc, char **argv) {
    const char *seed = getenv("GUIRA_SEED");
    if (seed != NULL) job.seed = strtoull(seed, NULL, 0);
    else if (getentropy(&job.seed, sizeof job.seed) != 0) return 2;
    job.program = argv[0];
    options_get(argc, argv);
    job.total = mmap(NULL, sizeof *job.total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job.total == MAP_FAILED) return 2;
    printf("guira-stress: GUIRA_SEED=0x%llx\n", (unsigned long long)job.seed);
    directories_make();
    unsigned failures = run_all();
    rmdir(options.directory); /* stays if a run that failed has left files in it */
    return failures == 0 ? 0 : 1;
}
