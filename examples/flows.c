/* An elastic filter at work: network flows come and go, and the filter follows them like a tide.
 *
 * A monitor wants to know which flows are open. It inserts a flow when it starts and removes it when it ends; nobody
 * tells the filter how many there will be. The stream is made up here, always the same: three tides between 2,000 and
 * 200,000 open flows, and in every step a tenth of the flows is replaced by new ones.
 *
 *     flow   [10.a.b.c : port -> d.e.f.g : port, protocol]      13 bytes; a, b, c are its serial number
 *     stranger   the same, but from 172.a.b.c: it never was in the filter, so a yes is a false positive
 *
 * Exit status: 1 if an open flow was not found, which must never happen, or if anything failed. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    STEPS = 61,
    PERIOD = 20, /* steps from ebb to ebb */
    EBB = 2000,
    FLOOD = 200000,
    STRANGERS = 250000, /* asked in every step */
    ROWS = 14,          /* of the chart */
};

typedef struct {
    uint8_t byte[13];
} flow;

struct sample {
    guira_stats stats;
    double measured; /* false-positive rate */
};

struct world {
    guira *filter;
    flow *open; /* what a filter spares you from keeping: here it is only kept to check the answers */
    size_t n;
    uint64_t came, went, lost, strangers;
    uint64_t luck; /* state of the generator */
};

/* ---------------------------------------------------------------------------------------------------- the stream */

static uint64_t random64(uint64_t *state) { /* splitmix64 */
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Two serial numbers below 2^24 never give the same flow. */
static flow make_flow(struct world *w, uint8_t network, uint64_t serial) {
    uint64_t r = random64(&w->luck);
    flow f = {{network, (uint8_t)(serial >> 16), (uint8_t)(serial >> 8), (uint8_t)serial}};
    for (unsigned i = 0; i < 8; i++) f.byte[4 + i] = (uint8_t)(r >> (8 * i));
    f.byte[12] = r % 5 == 0 ? 17 : 6; /* UDP or TCP */
    return f;
}

static void must(guira_status s, const char *what) {
    if (s == GUIRA_OK) return;
    fprintf(stderr, "flows: %s: %s\n", what, guira_strerror(s));
    exit(1);
}

static void arrive(struct world *w) {
    flow f = make_flow(w, 10, w->came++);
    must(guira_insert(w->filter, f.byte, sizeof f.byte), "insert");
    w->open[w->n++] = f;
}

static void depart(struct world *w) {
    size_t who = random64(&w->luck) % w->n;
    must(guira_remove(w->filter, w->open[who].byte, sizeof(flow)), "remove");
    w->open[who] = w->open[--w->n];
    w->went++;
}

/* Rises and falls smoothly, each tide to a height of its own. */
static size_t flows_at(unsigned step) {
    static const double height[] = {1, 0.55, 0.8, 0};
    unsigned phase = step % PERIOD, rise = phase < PERIOD / 2 ? phase : PERIOD - phase;
    double x = rise / (PERIOD / 2.0);
    return EBB + (size_t)((FLOOD - EBB) * x * x * (3 - 2 * x) * height[step / PERIOD]);
}

/* --------------------------------------------------------------------------------------------------- watching it */

static double false_positives(struct world *w) {
    unsigned yes = 0;
    for (unsigned i = 0; i < STRANGERS; i++) {
        flow f = make_flow(w, 172, w->strangers++);
        yes += guira_contains(w->filter, f.byte, sizeof f.byte);
    }
    return (double)yes / STRANGERS;
}

static uint64_t false_negatives(const struct world *w) {
    uint64_t lost = 0;
    for (size_t i = 0; i < w->n; i++) lost += !guira_contains(w->filter, w->open[i].byte, sizeof(flow));
    return lost;
}

static void run(struct world *w, struct sample *samples) {
    for (unsigned step = 0; step < STEPS; step++) {
        size_t leave = w->n / 10, stay = w->n - leave, target = flows_at(step);
        while (w->n > stay || w->n > target) depart(w);
        while (w->n < target) arrive(w);
        must(guira_stats_get(w->filter, &samples[step].stats), "stats");
        samples[step].measured = false_positives(w);
        w->lost += false_negatives(w);
    }
}

/* --------------------------------------------------------------------------------------------------- the chart */

#define BLUE "\033[34m"
#define GREY "\033[90m"
#define PLAIN "\033[0m"

static const char *const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* Colours only where somebody looks. */
static const char *colour(const char *escape) { return isatty(STDOUT_FILENO) ? escape : ""; }

/* The fraction x of a cell, from the bottom up. */
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

/* Items are solid; the free slots above them are dots. */
static void draw_tide(const struct sample *s) {
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
    printf("   slots  (█ taken, ░ free)%*s\n", STEPS - 18, "time ->");
    draw_tide(s);
    printf("\n");
    draw_line("load", load, 0.8, 1, "0.8 to 1");
    printf("\n         wrong answers, to the question for flows that never were\n");
    draw_line("expected", predicted, 0, 0.004, "to 0.4 %");
    draw_line("measured", measured, 0, 0.004, "to 0.4 %");
}

/* --------------------------------------------------------------------------------------------------- in figures */

static void print_table(const struct sample *s) {
    printf("\n%6s %9s %9s %6s   %-18s %9s %9s\n", "", "", "", "", "wrong answers", "", "bits per");
    printf("%6s %9s %9s %6s %9s %9s %10s %8s\n", "step", "flows", "slots", "load", "expected", "measured", "bytes",
           "flow");
    for (unsigned i = 0; i < STEPS; i += PERIOD / 4) {
        const guira_stats *t = &s[i].stats;
        printf("%6u %9" PRIu64 " %9" PRIu64 " %6.3f %8.3f%% %8.3f%% %10" PRIu64 " %8.1f\n", i, t->items, t->slots,
               t->load, 100 * t->fpr, 100 * s[i].measured, t->bytes, 8 * (double)t->bytes / (double)t->items);
    }
}

/* What a filter that cannot grow would take, all the time, to have room for the flood. */
static uint64_t fixed_bytes(uint64_t items) {
    guira_config c = {.kind = GUIRA_CUCKOO, .capacity = items};
    guira *fixed;
    guira_stats stats;
    must(guira_create(&c, &fixed), "create");
    must(guira_stats_get(fixed, &stats), "stats");
    guira_destroy(fixed);
    return stats.bytes;
}

/* What is worth remembering of all the steps. */
struct summary {
    const guira_stats *flood, *ebb;
    double load, bytes; /* on average */
    double wrong;       /* at most, measured */
};

static struct summary summarise(const struct sample *s) {
    struct summary sum = {.flood = &s[0].stats, .ebb = &s[0].stats};
    for (unsigned i = 0; i < STEPS; i++) {
        const guira_stats *t = &s[i].stats;
        if (t->items > sum.flood->items) sum.flood = t;
        if (t->bytes < sum.ebb->bytes) sum.ebb = t;
        if (s[i].measured > sum.wrong) sum.wrong = s[i].measured;
        sum.load += t->load / STEPS;
        sum.bytes += (double)t->bytes / STEPS;
    }
    return sum;
}

static void print_summary(const struct world *w, const struct sample *s) {
    struct summary sum = summarise(s);
    printf("\n%" PRIu64 " flows came and %" PRIu64 " went. All open flows were asked for in every step:\n", w->came,
           w->went);
    printf("%" PRIu64 " were missing. Of flows that never were, at most %.2f%% were found.\n", w->lost,
           100 * sum.wrong);
    printf("The mean load was %.3f. The filter held %" PRIu64 " bytes at the flood, %" PRIu64 " at\n", sum.load,
           sum.flood->bytes, sum.ebb->bytes);
    printf("the ebb and %.0f on average; a fixed one with room for the flood would have\n", sum.bytes);
    printf("held %" PRIu64 " all the time.\n", fixed_bytes(sum.flood->items));
}

int main(void) {
    static struct sample samples[STEPS];
    struct world w = {.open = malloc(FLOOD * sizeof(flow)), .luck = 1};
    guira_config c;
    guira_config_init(&c);
    c.seed[0] = 1; /* so that everybody sees the same; leave it alone for a random one */
    if (w.open == NULL) must(GUIRA_ENOMEM, "start");
    must(guira_create(&c, &w.filter), "create");

    run(&w, samples);
    draw(samples);
    print_table(samples);
    print_summary(&w, samples);

    guira_destroy(w.filter);
    free(w.open);
    return w.lost == 0 ? 0 : 1;
}
