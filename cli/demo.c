/* guira demo: an animation of a filter that grows and shrinks; or a stream of events to try other commands with.
 *
 * Keys are numbers. New keys are inserted at the head and old keys are removed at the tail. So the members are always
 * tail ... head-1, and every one of them is looked up in every frame.
 *
 *     ... removed | tail ........ members ........ head | not inserted: a positive lookup is a false positive ... */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "demo_events.h"
#include "report.h"
#include "units.h"

enum {
    FRAMES = 60,
    ROWS = 9,
    MIN_ITEMS = 1000,
    MAX_ITEMS = 100000,
    PERIOD = 20,         /* frames between two minima */
    NON_MEMBERS = 50000, /* looked up in every frame */
    TEXT_INTERVAL = 20,  /* without a terminal, only every 20th frame is printed */
};

struct demo {
    guira *filter;
    uint64_t head, tail;
    uint64_t items[FRAMES], slots[FRAMES];
    uint64_t false_negatives, false_positives, non_members;
};

static void check(guira_status s) {
    if (s != GUIRA_OK) trouble("%s", guira_strerror(s));
}

/* The number of items in a frame: three smooth waves, the second one lower. */
static uint64_t items_in(unsigned frame) {
    unsigned phase = frame % PERIOD;
    double x = (phase < PERIOD / 2 ? phase : PERIOD - phase) / (PERIOD / 2.0);
    return MIN_ITEMS + (uint64_t)((MAX_ITEMS - MIN_ITEMS) * x * x * (3 - 2 * x) / (1 + 0.5 * (frame / PERIOD == 1)));
}

/* Removes at least a tenth of the members, then removes or inserts until there are as many as the frame needs. */
static void advance(struct demo *t, unsigned frame) {
    uint64_t stay = t->tail + (t->head - t->tail) / 10, target = items_in(frame);
    for (; t->tail < stay || t->head - t->tail > target; t->tail++)
        check(guira_remove(t->filter, &t->tail, sizeof t->tail));
    for (; t->head - t->tail < target; t->head++) check(guira_insert(t->filter, &t->head, sizeof t->head));
}

/* Looks up all members and some keys that were never inserted. */
static void look_up(struct demo *t) {
    for (uint64_t key = t->tail; key < t->head; key++)
        t->false_negatives += !guira_contains(t->filter, &key, sizeof key);
    for (unsigned i = 0; i < NON_MEMBERS; i++) {
        uint64_t key = UINT64_MAX - t->non_members++;
        t->false_positives += guira_contains(t->filter, &key, sizeof key);
    }
}

/* ---------------------------------------------------------------------------------------------------------- drawing */

/* One character of the chart: a block for items, shaded for free slots. */
static const char *cell(const struct demo *t, unsigned frame, double floor, double step) {
    static const char *const eighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double items = ((double)t->items[frame] - floor) / step;
    if (items > 0) return eighths[items >= 1 ? 7 : (unsigned)(items * 8)];
    return (double)t->slots[frame] > floor ? "░" : " ";
}

/* Draws the chart of all frames so far, and a line with the current statistics. */
static void draw(const struct demo *t, unsigned frames) {
    const double step = 1.1 * MAX_ITEMS / ROWS;
    char count[UNIT_TEXT], size[UNIT_TEXT], rate[UNIT_TEXT];
    guira_stats s = GUIRA_STATS_INIT;
    guira_stats_get(t->filter, &s);
    for (unsigned row = ROWS; row-- > 0;) {
        printf("%6s ", write_count((row + 1) * step, count));
        for (unsigned i = 0; i < frames; i++) printf("%s", cell(t, i, row * step, step));
        printf("\n");
    }
    printf("       %s items (█), %s, load %.2f, false-positive rate %s   \n", write_count((double)s.items, count),
           write_size((double)s.bytes, size), s.load,
           write_rate(s.fpr, rate)); /* blanks: the previous text may have been longer */
}

static void run_frames(struct demo *t) {
    bool terminal = isatty(STDOUT_FILENO) == 1;
    const struct timespec pause = {.tv_nsec = 50000000};
    for (unsigned i = 0; i < FRAMES; i++) {
        guira_stats s = GUIRA_STATS_INIT;
        advance(t, i);
        look_up(t);
        guira_stats_get(t->filter, &s);
        t->items[i] = s.items;
        t->slots[i] = s.slots;
        if (!terminal && (i + 1) % TEXT_INTERVAL != 0) continue;
        if (terminal && i > 0) printf("\033[%dA", ROWS + 1); /* draw over the previous frame */
        draw(t, i + 1);
        fflush(stdout);
        if (terminal) nanosleep(&pause, NULL);
        else printf("\n");
    }
}

/* Exit status 2 if there was a false negative, which would be a bug. */
static int animation_run(void) {
    static struct demo t;
    char measured[UNIT_TEXT];
    check(guira_create(NULL, &t.filter));
    printf("A filter that is not told how many items to expect. Items are inserted and removed, and its size (░) "
           "follows.\n\n");
    run_frames(&t);
    printf("\n%" PRIu64 " items were inserted and %" PRIu64
           " removed. In every frame all members were looked up: %" PRIu64
           " false negatives.\nOf the lookups of other keys, %s were false positives.\n",
           t.head, t.tail, t.false_negatives, write_rate((double)t.false_positives / (double)t.non_members, measured));
    guira_destroy(t.filter);
    return t.false_negatives == 0 ? EXIT_YES : EXIT_TROUBLE;
}

static int demo_run(int argc, char **argv) {
    uint64_t events = 0;
    const struct opt table[] = {
        {'e', "events", OPT_COUNT, &events, "N", "instead, print N events, about half of them duplicates", NULL},
        OPT_END};
    options_read(&command_demo, table, &argc, argv, 0, 0);
    if (events == 0) return animation_run();
    demo_events_print(events);
    return EXIT_YES;
}

const struct command command_demo = {
    "demo", "[options]", "show a filter that grows and shrinks, or print example events",
    "An event has a time, an identity and a state: \"2026-01-01T00:00:00.000Z order-1 paid\". About half of the\n"
    "events are duplicates with another time, as with at-least-once delivery. The events are the same in every run.\n"
    "\n"
    "examples:\n"
    "  guira demo\n"
    "  guira demo --events 1M | guira uniq -k 2 -c >/dev/null\n",
    demo_run};
