/* A tidal filter for open network flows: it grows and shrinks with the number of flows.
 *
 * A monitor inserts a flow when it starts and removes it when it ends. The filter is not told how many flows there will
 * be. The program generates the same stream every time: three waves between 2,000 and 200,000 open flows; in every step
 * a tenth of the flows is replaced by new ones.
 *
 *     flow         [10.a.b.c : port -> d.e.f.g : port, protocol]      13 bytes; a, b, c are its serial number
 *     non-member   the same from 172.a.b.c: it is never inserted, so a positive lookup is a false positive
 *
 * Exit status: 1 if an open flow was not found, which must never happen, or if a call failed. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    STEPS = 61,
    PERIOD = 20, /* steps per wave */
    MIN_FLOWS = 2000,
    MAX_FLOWS = 200000,
    NON_MEMBERS = 250000, /* looked up in every step */
    ROWS = 14,            /* of the chart */
};

typedef struct {
    uint8_t byte[13];
} flow;

struct sample {
    guira_stats stats;
    double measured; /* false-positive rate */
};

struct simulation {
    guira *filter;
    flow *open; /* only to check the filter; in real use the filter replaces this table */
    size_t n;
    uint64_t started, ended, false_negatives, non_members;
    uint64_t random_state;
};

/* ---------------------------------------------------------------------------------------------------- the stream */

static uint64_t random64(uint64_t *state) { /* splitmix64 */
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Different serial numbers below 2^24 give different flows. */
static flow make_flow(struct simulation *w, uint8_t network, uint64_t serial) {
    uint64_t r = random64(&w->random_state);
    flow f = {{network, (uint8_t)(serial >> 16), (uint8_t)(serial >> 8), (uint8_t)serial}};
    for (unsigned i = 0; i < 8; i++) f.byte[4 + i] = (uint8_t)(r >> (8 * i));
    f.byte[12] = r % 5 == 0 ? 17 : 6; /* UDP or TCP */
    return f;
}

/* Exits with a message if a call failed. */
static void must(guira_status s, const char *what) {
    if (s == GUIRA_OK) return;
    fprintf(stderr, "flows: %s: %s\n", what, guira_strerror(s));
    exit(1);
}

static void start_flow(struct simulation *w) {
    flow f = make_flow(w, 10, w->started++);
    must(guira_insert(w->filter, f.byte, sizeof f.byte), "insert");
    w->open[w->n++] = f;
}

static void end_random_flow(struct simulation *w) {
    size_t i = random64(&w->random_state) % w->n;
    must(guira_remove(w->filter, w->open[i].byte, sizeof(flow)), "remove");
    w->open[i] = w->open[--w->n];
    w->ended++;
}

/* Number of open flows in a step: smooth waves, each with its own height. */
static size_t flows_at(unsigned step) {
    static const double height[] = {1, 0.55, 0.8, 0};
    unsigned phase = step % PERIOD, rise = phase < PERIOD / 2 ? phase : PERIOD - phase;
    double x = rise / (PERIOD / 2.0);
    return MIN_FLOWS + (size_t)((MAX_FLOWS - MIN_FLOWS) * x * x * (3 - 2 * x) * height[step / PERIOD]);
}

/* --------------------------------------------------------------------------------------------------- measuring it */

static double false_positive_rate(struct simulation *w) {
    unsigned positives = 0;
    for (unsigned i = 0; i < NON_MEMBERS; i++) {
        flow f = make_flow(w, 172, w->non_members++);
        positives += guira_contains(w->filter, f.byte, sizeof f.byte);
    }
    return (double)positives / NON_MEMBERS;
}

static uint64_t count_false_negatives(const struct simulation *w) {
    uint64_t count = 0;
    for (size_t i = 0; i < w->n; i++) count += !guira_contains(w->filter, w->open[i].byte, sizeof(flow));
    return count;
}

static void run(struct simulation *w, struct sample *samples) {
    for (unsigned step = 0; step < STEPS; step++) {
        size_t leave = w->n / 10, stay = w->n - leave, target = flows_at(step);
        while (w->n > stay || w->n > target) end_random_flow(w);
        while (w->n < target) start_flow(w);
        samples[step].stats.size = sizeof samples[step].stats;
        must(guira_stats_get(w->filter, &samples[step].stats), "stats");
        samples[step].measured = false_positive_rate(w);
        w->false_negatives += count_false_negatives(w);
    }
}

/* --------------------------------------------------------------------------------------------------- the chart */

#define BLUE "\033[34m"
#define GREY "\033[90m"
#define PLAIN "\033[0m"

static const char *const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* Colours only if the output is a terminal. */
static const char *colour(const char *escape) { return isatty(STDOUT_FILENO) ? escape : ""; }

/* A character that fills the fraction x of its cell, from the bottom up. */
static const char *block(double x) {
    if (x <= 0) return eighths[0];
    return eighths[x >= 1 ? 8 : 1 + (unsigned)(x * 8)];
}

static double highest_capacity(const struct sample *s) {
    uint64_t most = 0;
    for (unsigned i = 0; i < STEPS; i++)
        if (s[i].stats.slots > most) most = s[i].stats.slots;
    return (double)most;
}

/* Used slots are solid, the free slots above them are shaded. */
static void draw_slots(const struct sample *s) {
    double per_row = highest_capacity(s) / ROWS;
    for (unsigned row = ROWS; row-- > 0;) {
        printf("%8.0f ", (row + 1) * per_row);
        for (unsigned i = 0; i < STEPS; i++) {
            double items = (double)s[i].stats.items / per_row - row, slots = (double)s[i].stats.slots / per_row - row;
            if (items > 0) printf("%s%s", colour(BLUE), block(items));
            else printf("%s%s", colour(GREY), slots > 0 ? "░" : " ");
        }
        printf("%s\n", colour(PLAIN));
    }
}

/* One line of blocks for values between low and high. */
static void draw_line(const char *name, const double *value, double low, double high, const char *range) {
    printf("%8s ", name);
    for (unsigned i = 0; i < STEPS; i++) printf("%s", block((value[i] - low) / (high - low)));
    printf("  %s\n", range);
}

static void draw(const struct sample *s) {
    double load[STEPS], predicted[STEPS], measured[STEPS];
    for (unsigned i = 0; i < STEPS; i++) {
        load[i] = s[i].stats.load;
        predicted[i] = s[i].stats.fpr;
        measured[i] = s[i].measured;
    }
    printf("   slots  (█ used, ░ free)%*s\n", STEPS - 17, "time ->");
    draw_slots(s);
    printf("\n");
    draw_line("load", load, 0.8, 1, "0.8 to 1");
    printf("\n         false-positive rate, measured with flows that were never inserted\n");
    draw_line("expected", predicted, 0, 0.004, "to 0.4 %");
    draw_line("measured", measured, 0, 0.004, "to 0.4 %");
}

/* --------------------------------------------------------------------------------------------------- the table */

static void print_table(const struct sample *s) {
    printf("\n%6s %9s %9s %6s   %-18s %9s %9s\n", "", "", "", "", "false positives", "", "bits per");
    printf("%6s %9s %9s %6s %9s %9s %10s %8s\n", "step", "flows", "slots", "load", "expected", "measured", "bytes",
           "flow");
    for (unsigned i = 0; i < STEPS; i += PERIOD / 4) {
        const guira_stats *t = &s[i].stats;
        printf("%6u %9" PRIu64 " %9" PRIu64 " %6.3f %8.3f%% %8.3f%% %10" PRIu64 " %8.1f\n", i, t->items, t->slots,
               t->load, 100 * t->fpr, 100 * s[i].measured, t->bytes, 8 * (double)t->bytes / (double)t->items);
    }
}

/* Size of a filter that cannot grow, with capacity for the peak. */
static uint64_t fixed_bytes(uint64_t items) {
    guira_config c = {.kind = GUIRA_CUCKOO, .capacity = items};
    guira *fixed;
    guira_stats stats = GUIRA_STATS_INIT;
    must(guira_create(&c, &fixed), "create");
    must(guira_stats_get(fixed, &stats), "stats");
    guira_destroy(fixed);
    return stats.bytes;
}

/* A summary of all steps. */
struct summary {
    const guira_stats *largest, *smallest;
    double load, bytes;  /* mean */
    double highest_rate; /* measured false-positive rate */
};

static struct summary summarise(const struct sample *s) {
    struct summary sum = {.largest = &s[0].stats, .smallest = &s[0].stats};
    for (unsigned i = 0; i < STEPS; i++) {
        const guira_stats *t = &s[i].stats;
        if (t->items > sum.largest->items) sum.largest = t;
        if (t->bytes < sum.smallest->bytes) sum.smallest = t;
        if (s[i].measured > sum.highest_rate) sum.highest_rate = s[i].measured;
        sum.load += t->load / STEPS;
        sum.bytes += (double)t->bytes / STEPS;
    }
    return sum;
}

static void print_summary(const struct simulation *w, const struct sample *s) {
    struct summary sum = summarise(s);
    printf("\n%" PRIu64 " flows started and %" PRIu64 " ended. In every step all open flows were looked up:\n",
           w->started, w->ended);
    printf("%" PRIu64 " false negatives. The false-positive rate was at most %.2f%%.\n", w->false_negatives,
           100 * sum.highest_rate);
    printf("The mean load was %.3f. The filter used %" PRIu64 " bytes at the peak, %" PRIu64 " at\n", sum.load,
           sum.largest->bytes, sum.smallest->bytes);
    printf("its smallest size, and %.0f on average; a filter of fixed size for the peak\n", sum.bytes);
    printf("would have used %" PRIu64 " all the time.\n", fixed_bytes(sum.largest->items));
}

int main(void) {
    static struct sample samples[STEPS];
    struct simulation w = {.open = malloc(MAX_FLOWS * sizeof(flow)), .random_state = 1};
    guira_config c = {.size = sizeof c};
    guira_config_init(&c);
    c.seed[0] = 1; /* makes the output reproducible; without it the seed is random */
    if (w.open == NULL) must(GUIRA_ENOMEM, "start");
    must(guira_create(&c, &w.filter), "create");

    run(&w, samples);
    draw(samples);
    print_table(samples);
    print_summary(&w, samples);

    guira_destroy(w.filter);
    free(w.open);
    return w.false_negatives == 0 ? 0 : 1;
}
