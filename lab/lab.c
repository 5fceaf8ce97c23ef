/* Arguments, output files, random numbers and keys of the experiments; the contracts are in lab.h. */
#include "lab.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* --------------------------------------------------------------------------------------------------------- messages */

void lab_fatal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void lab_progress(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

const char *text(const char *format, ...) {
    static char buffers[16][300];
    static unsigned next;
    char *buffer = buffers[next++ % 16];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffers[0], format, args);
    va_end(args);
    return buffer;
}

/* ---------------------------------------------------------------------------------------------- arguments and files */

static const char *cpu_model(void) {
    static char line[256];
    FILE *in = fopen("/proc/cpuinfo", "r");
    const char *name = "unknown";
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        line[strcspn(line, "\n")] = '\0';
        name = colon + 2;
        break;
    }
    if (in != NULL) fclose(in);
    return name;
}

FILE *lab_file(const struct lab *lab, const char *file) {
    const char *path = text("%s/%s", lab->out, file), *commit = getenv("LAB_COMMIT");
    FILE *f = fopen(path, "w");
    if (f == NULL) lab_fatal("%s: %s: %s", lab->name, path, strerror(errno));
    fprintf(f, "# experiment: %s%s\n# commit: %s\n", lab->name, lab->quick ? " (quick)" : "",
            commit ? commit : "unknown");
    fprintf(f, "# cpu: %s\n# compiler: %s\n# seed: %" PRIu64 "\n", cpu_model(), COMPILER, lab->seed);
    return f;
}

/* The name of the program without its path and without "lab-". */
static const char *name_of(const char *program) {
    const char *slash = strrchr(program, '/');
    const char *name = slash != NULL ? slash + 1 : program;
    return strncmp(name, "lab-", 4) == 0 ? name + 4 : name;
}

struct lab lab_open(int argc, char **argv) {
    struct lab lab = {.name = name_of(argv[0]), .seed = 2018};
    const char *usage = "usage: lab-%s --out DIR [--quick] [--seed N] [--trace FILE]";
    for (int i = 1; i < argc; i++) {
        bool value = i + 1 < argc;
        if (strcmp(argv[i], "--quick") == 0) lab.quick = true;
        else if (strcmp(argv[i], "--out") == 0 && value) lab.out = argv[++i];
        else if (strcmp(argv[i], "--trace") == 0 && value) lab.trace = argv[++i];
        else if (strcmp(argv[i], "--seed") == 0 && value) lab.seed = strtoull(argv[++i], NULL, 0);
        else lab_fatal(usage, lab.name);
    }
    if (lab.out == NULL) lab_fatal(usage, lab.name);
    lab.data = lab_file(&lab, "data.csv");
    lab.checks = lab_file(&lab, "checks.csv");
    fputs(lab_check_columns, lab.checks);
    return lab;
}

unsigned lab_seeds(const struct lab *lab) { return lab->quick ? 2 : 5; }

struct lab lab_with_seed(const struct lab *lab, unsigned round) {
    struct lab other = *lab;
    other.seed = lab->seed + 1000 * round;
    return other;
}

int lab_close(struct lab *lab) {
    bool bad = ferror(lab->data) || ferror(lab->checks);
    bad |= fclose(lab->data) != 0;
    bad |= fclose(lab->checks) != 0;
    if (bad) lab_fatal("%s: cannot write to %s", lab->name, lab->out);
    return lab->broken > 0;
}

/* ------------------------------------------------------------------------------------------ random numbers and keys */

uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t lab_rng_next(struct lab_rng *r) { return mix(r->state += UINT64_C(0x9e3779b97f4a7c15)); }
uint64_t lab_rng_below(struct lab_rng *r, uint64_t n) { return lab_rng_next(r) % n; }
double lab_rng_unit(struct lab_rng *r) { return ldexp((double)(lab_rng_next(r) >> 11), -53); }

struct key key_of(enum stream stream, uint64_t i) {
    struct key key;
    uint64_t first = mix((uint64_t)stream << 56 | i), rest = mix(first + 1);
    memcpy(key.bytes, &first, sizeof first);
    memcpy(key.bytes + sizeof first, &rest, KEY_BYTES - sizeof first);
    return key;
}

/* ---------------------------------------------------------------------------------------------------------- filters */

guira *lab_filter(const struct lab *lab, guira_config c) {
    guira *f;
    uint64_t seed[2] = {mix(lab->seed + 1), mix(lab->seed + 2)};
    memcpy(c.seed, seed, sizeof c.seed);
    guira_status s = guira_create(&c, &f);
    if (s != GUIRA_OK) lab_fatal("%s: cannot create a filter: %s", lab->name, guira_strerror(s));
    return f;
}

guira_status lab_insert(guira *f, enum stream stream, uint64_t i) {
    struct key key = key_of(stream, i);
    return guira_insert(f, key.bytes, KEY_BYTES);
}

guira_status lab_remove(guira *f, enum stream stream, uint64_t i) {
    struct key key = key_of(stream, i);
    return guira_remove(f, key.bytes, KEY_BYTES);
}

bool lab_contains(const guira *f, enum stream stream, uint64_t i) {
    struct key key = key_of(stream, i);
    return guira_contains(f, key.bytes, KEY_BYTES);
}

guira_stats lab_stats(const guira *f) {
    guira_stats stats = GUIRA_STATS_INIT;
    if (guira_stats_get(f, &stats) != GUIRA_OK) lab_fatal("cannot read the statistics of a filter");
    return stats;
}

struct rate lab_fpr(const guira *f, uint64_t probes) {
    uint64_t hits = 0;
    for (uint64_t i = 0; i < probes; i++) hits += lab_contains(f, NON_MEMBERS, i);
    return rate_of(hits, probes);
}

uint64_t lab_false_negatives(const guira *f, uint64_t from, uint64_t to) {
    uint64_t count = 0;
    for (uint64_t i = from; i < to; i++) count += !lab_contains(f, MEMBERS, i);
    return count;
}

uint64_t lab_fill(guira *f, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        if (lab_insert(f, MEMBERS, i) != GUIRA_OK) return i;
    return to;
}

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
