/* A blocklist of flows: every packet is checked, almost none is on the list, and the list changes all the time.
 *
 *     packet --> [ filter ] -- absent --> forwarded                      one or two cache lines
 *                    |
 *                    +-- present --> [ exact list ] --> dropped, or forwarded: a false positive
 *
 * The exact list is large and slow, here a sorted array. The filter answers for it in a few bytes per flow. Flows leave
 * the list as well as they come, so it must be possible to remove them: only flows that were on the list are.
 *
 * Exit status: 1 if a blocked flow was forwarded, which must never happen, or if a call failed. */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LISTED = 100000, PACKETS = 2000000, UPDATES = 20, CHANGED = 5000 };

static uint64_t list[LISTED]; /* flows as numbers, sorted; the list always has as many */
static uint64_t random_state = 1;

static uint64_t random64(void) { /* splitmix64 */
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void must(guira_status s, const char *what) {
    if (s == GUIRA_OK) return;
    fprintf(stderr, "%s: %s\n", what, guira_strerror(s));
    exit(1);
}

static bool is_listed(uint64_t flow) { return bsearch(&flow, list, LISTED, sizeof flow, by_value) != NULL; }

/* Some flows leave the list and others come. */
static void update(guira *f) {
    for (unsigned i = 0; i < CHANGED; i++) {
        uint64_t *flow = &list[random64() % LISTED];
        must(guira_remove(f, flow, sizeof *flow), "guira_remove");
        *flow = random64();
        must(guira_insert(f, flow, sizeof *flow), "guira_insert");
    }
    qsort(list, LISTED, sizeof *list, by_value);
}

struct counts {
    uint64_t packets, dropped, exact, false_positives;
};

/* One packet in a hundred is of a listed flow. */
static void packets(const guira *f, struct counts *c) {
    for (unsigned i = 0; i < PACKETS / UPDATES; i++, c->packets++) {
        uint64_t flow = i % 100 == 0 ? list[random64() % LISTED] : random64();
        if (!guira_contains(f, &flow, sizeof flow)) {
            if (i % 100 != 0) continue;
            fprintf(stderr, "a blocked flow was forwarded\n");
            exit(1);
        }
        c->exact++;
        if (is_listed(flow)) c->dropped++;
        else c->false_positives++;
    }
}

int main(void) {
    guira_config config = {.capacity = LISTED, .fpr = 0.001, .growth = 1};
    struct counts c = {0};
    guira_stats s = GUIRA_STATS_INIT;
    guira *f;
    must(guira_create(&config, &f), "guira_create");
    for (unsigned i = 0; i < LISTED; i++) list[i] = random64();
    for (unsigned i = 0; i < LISTED; i++) must(guira_insert(f, &list[i], sizeof list[i]), "guira_insert");
    qsort(list, LISTED, sizeof *list, by_value);
    for (unsigned i = 0; i < UPDATES; i++) {
        packets(f, &c);
        update(f);
    }
    must(guira_stats_get(f, &s), "guira_stats_get");
    printf("%" PRIu64 " packets, %d flows on the list, of which %d changed\n", c.packets, LISTED, UPDATES * CHANGED);
    printf("  dropped                      %" PRIu64 "\n", c.dropped);
    printf("  looked up in the exact list  %" PRIu64 ", of which %" PRIu64 " were false positives\n", c.exact,
           c.false_positives);
    printf("  memory                       %" PRIu64 " bytes; the exact list has %zu\n", s.bytes, sizeof list);
    guira_destroy(f);
    return 0;
}
