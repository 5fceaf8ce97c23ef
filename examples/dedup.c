/* De-duplication: events come in from several relays, most of them more than once. Which ones are new?
 *
 * An event is new unless it was seen in the last ten minutes. The stream is made up here, always the same: two hours in
 * milliseconds, quiet at first, a flood of ten times as many events in the middle, quiet again. Every event is sent one
 * to four times, the copies up to five minutes after it:
 *
 *     time ->   a  b  a  c     c  a  b
 *     new?      y  y  n  y     n  n  n
 *
 * Beside the window runs an exact table of when each event was let through, which is what a window spares you. Exit
 * status: 1 if the window has let a copy through that it should have stopped, or if anything failed. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MINUTE UINT64_C(60000)
enum { MINUTES = 120, LATEST = 5, MOST_COPIES = 4, QUIET = 600, FLOOD = 6000 /* events per minute */ };

/* An event on its way: its number, and when it arrives. */
struct arrival {
    uint64_t when, event;
};

struct stream {
    struct arrival *at;
    size_t n;
    uint64_t events;
};

/* ------------------------------------------------------------------------------------------------------- the stream */

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

static uint64_t events_in(uint64_t minute) { return minute >= 40 && minute < 60 ? FLOOD : QUIET; }

static void emit(struct stream *s, uint64_t when, uint64_t *luck) {
    uint64_t copies = 1 + random64(luck) % MOST_COPIES, event = s->events++;
    for (uint64_t i = 0; i < copies; i++) {
        uint64_t delay = i == 0 ? 0 : random64(luck) % (LATEST * MINUTE);
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
    uint64_t luck = 1, most = 0;
    for (uint64_t m = 0; m < MINUTES; m++) most += events_in(m) * MOST_COPIES;
    s.at = malloc(most * sizeof *s.at);
    if (s.at == NULL) must(GUIRA_ENOMEM, "start");
    for (uint64_t m = 0; m < MINUTES; m++)
        for (uint64_t i = 0; i < events_in(m); i++) emit(&s, m * MINUTE + random64(&luck) % MINUTE, &luck);
    qsort(s.at, s.n, sizeof *s.at, by_time);
    return s;
}

/* ------------------------------------------------------------------------------------------------------ the filtering */

struct result {
    uint64_t came, passed;
    uint64_t leaked;  /* copies that passed within ten minutes: must be none */
    uint64_t dropped; /* new events that were stopped: false positives */
};

static void handle(guira_window *w, struct arrival a, uint64_t *passed_at, struct result *r) {
    bool seen;
    uint64_t last = passed_at[a.event]; /* 0: never */
    must(guira_window_seen(w, &a.event, sizeof a.event, a.when, &seen), "seen");
    r->came++;
    if (seen) {
        r->dropped += last == 0;
        return;
    }
    r->leaked += last != 0 && a.when - (last - 1) <= 10 * MINUTE;
    passed_at[a.event] = a.when + 1;
    r->passed++;
}

static void print_line(guira_window *w, uint64_t minute, const struct result *r) {
    guira_stats s;
    must(guira_window_stats_get(w, &s), "stats");
    printf("%6" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "   ", minute, r->came, r->passed, s.items,
           s.bytes);
    for (uint64_t i = 0; i < s.bytes; i += 8192) printf("#");
    printf("\n");
}

static struct result run(guira_window *w, const struct stream *s) {
    struct result r = {0};
    uint64_t *passed_at = calloc(s->events, sizeof *passed_at), next = 0;
    if (passed_at == NULL) must(GUIRA_ENOMEM, "start");
    printf("%6s %9s %9s %9s %9s\n", "minute", "came", "passed", "entries", "bytes");
    for (size_t i = 0; i < s->n; i++) {
        for (; s->at[i].when >= next * 5 * MINUTE; next++) print_line(w, next * 5, &r);
        handle(w, s->at[i], passed_at, &r);
    }
    free(passed_at);
    return r;
}

int main(void) {
    guira_window_config c = {.length = 10 * MINUTE, .seed = {1}}; /* the seed so that everybody sees the same */
    struct stream s = make_stream();
    guira_window *w;
    must(guira_window_create(&c, &w), "create");
    struct result r = run(w, &s);
    printf("\n%" PRIu64 " arrivals of %" PRIu64 " events, %" PRIu64 " passed. Copies that passed: %" PRIu64
           ". New events that did not: %" PRIu64 ".\n",
           r.came, s.events, r.passed, r.leaked, r.dropped);
    guira_window_destroy(w);
    free(s.at);
    return r.leaked == 0 ? 0 : 1;
}
