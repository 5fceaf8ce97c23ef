/* Deduplication with a sliding window: events arrive from several relays, most of them more than once. Which are new?
 *
 * An event is new unless it was seen in the last ten minutes. The program generates the same stream every time: two
 * hours, with ten times as many events from minute 40 to 60. Time is in milliseconds. Every event arrives one to four
 * times, the copies up to five minutes after the first:
 *
 *     time ->   a  b  a  c     c  a  b
 *     new?      y  y  n  y     n  n  n
 *
 * To check the window, the program also keeps an exact table of when each event was passed on; in real use the window
 * replaces this table. Exit status: 1 if a copy was passed on within ten minutes, or if a call failed. */
#include <guira.h>
#include <guira_window.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MINUTE UINT64_C(60000)
enum { MINUTES = 120, MAX_DELAY = 5, MAX_COPIES = 4 };
enum { NORMAL_RATE = 600, PEAK_RATE = 6000 }; /* events per minute */

/* One arrival of an event: its time and the number of the event. */
struct arrival {
    uint64_t when, event;
};

struct stream {
    struct arrival *at;
    size_t n;
    uint64_t events;
};

/* ------------------------------------------------------------------------------------------------------- the stream */

/* Exits with a message if a call failed. */
static void must(guira_status s, const char *what) {
    if (s == GUIRA_OK) return;
    fprintf(stderr, "dedup: %s: %s\n", what, guira_strerror(s));
    exit(1);
}

static uint64_t random64(uint64_t *state) { /* splitmix64 */
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t events_in(uint64_t minute) { return minute >= 40 && minute < 60 ? PEAK_RATE : NORMAL_RATE; }

/* Adds a new event and its copies to the stream. */
static void emit(struct stream *s, uint64_t when, uint64_t *random_state) {
    uint64_t copies = 1 + random64(random_state) % MAX_COPIES, event = s->events++;
    for (uint64_t i = 0; i < copies; i++) {
        uint64_t delay = i == 0 ? 0 : random64(random_state) % (MAX_DELAY * MINUTE);
        s->at[s->n++] = (struct arrival){when + delay, event};
    }
}

static int by_time(const void *a, const void *b) {
    const struct arrival *x = a, *y = b;
    if (x->when != y->when) return x->when < y->when ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static struct stream make_stream(void) {
    struct stream s = {0};
    uint64_t random_state = 1, max_arrivals = 0;
    for (uint64_t m = 0; m < MINUTES; m++) max_arrivals += events_in(m) * MAX_COPIES;
    s.at = malloc(max_arrivals * sizeof *s.at);
    if (s.at == NULL) must(GUIRA_ENOMEM, "start");
    for (uint64_t m = 0; m < MINUTES; m++)
        for (uint64_t i = 0; i < events_in(m); i++)
            emit(&s, m * MINUTE + random64(&random_state) % MINUTE, &random_state);
    qsort(s.at, s.n, sizeof *s.at, by_time);
    return s;
}

/* ------------------------------------------------------------------------------------------------------ the filtering */

struct result {
    uint64_t arrived, passed;
    uint64_t false_negatives; /* copies that were passed on within ten minutes: must be 0 */
    uint64_t false_positives; /* new events that were dropped */
};

static void handle(guira_window *w, struct arrival a, uint64_t *passed_at, struct result *r) {
    bool seen;
    uint64_t last = passed_at[a.event]; /* time + 1; 0: never */
    must(guira_window_seen(w, &a.event, sizeof a.event, a.when, &seen), "seen");
    r->arrived++;
    if (seen) {
        r->false_positives += last == 0;
        return;
    }
    r->false_negatives += last != 0 && a.when - (last - 1) <= 10 * MINUTE;
    passed_at[a.event] = a.when + 1;
    r->passed++;
}

static void print_line(guira_window *w, uint64_t minute, const struct result *r) {
    guira_stats s = GUIRA_STATS_INIT;
    must(guira_window_stats_get(w, &s), "stats");
    printf("%6" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "   ", minute, r->arrived, r->passed,
           s.items, s.bytes);
    for (uint64_t i = 0; i < s.bytes; i += 8192) printf("#");
    printf("\n");
}

static struct result run(guira_window *w, const struct stream *s) {
    struct result r = {0};
    uint64_t *passed_at = calloc(s->events, sizeof *passed_at), next = 0;
    if (passed_at == NULL) must(GUIRA_ENOMEM, "start");
    printf("%6s %9s %9s %9s %9s\n", "minute", "arrived", "passed", "entries", "bytes");
    for (size_t i = 0; i < s->n; i++) {
        for (; s->at[i].when >= next * 5 * MINUTE; next++) print_line(w, next * 5, &r);
        handle(w, s->at[i], passed_at, &r);
    }
    free(passed_at);
    return r;
}

int main(void) {
    guira_window_config c = {.length = 10 * MINUTE, .seed = {1}}; /* a fixed seed makes the output reproducible */
    struct stream s = make_stream();
    guira_window *w;
    must(guira_window_create(&c, &w), "create");
    struct result r = run(w, &s);
    printf("\n%" PRIu64 " arrivals of %" PRIu64 " events, %" PRIu64 " passed on. Copies passed on: %" PRIu64
           ". New events dropped (false positives): %" PRIu64 ".\n",
           r.arrived, s.events, r.passed, r.false_negatives, r.false_positives);
    guira_window_destroy(w);
    free(s.at);
    return r.false_negatives == 0 ? 0 : 1;
}
