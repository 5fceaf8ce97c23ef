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

#include "commands.h"
#include "demo_events.h"
#include "report.h"
#include "screen.h"
#include "units.h"

enum {
    FRAMES = 60,
    ROWS = 9,
    MIN_ITEMS = 1000,
    MAX_ITEMS = 100000,
    PERIOD = 20,         /* frames between two minima */
    NON_MEMBERS = 50000, /* looked up in every frame */
    TEXT_INTERVAL = 20,  /* without a terminal, only every 20th frame is printed */
    LABEL = 7,           /* columns before the chart */
    MIN_COLUMNS = 40,
};

struct demo {
    struct screen screen;
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

/* One row of the chart, with the last frames that fit into the width. */
static void draw_row(const struct demo *t, unsigned frames, double floor, double step) {
    char count[UNIT_TEXT];
    unsigned width = t->screen.columns - LABEL - 1, first = frames > width ? frames - width : 0;
    printf("%*s ", LABEL - 1, write_count(floor + step, count));
    if (t->screen.colour) printf("\033[36m");
    for (unsigned i = first; i < frames; i++) printf("%s", cell(t, i, floor, step));
    printf("%s\n", t->screen.colour ? "\033[0m" : "");
}

/* Draws the chart of the frames so far, and a line with the current statistics, which is shorter in a narrow terminal.
 * The text is padded because the previous one may have been longer. */
static void draw(const struct demo *t, unsigned frames) {
    const double step = 1.1 * MAX_ITEMS / ROWS;
    char count[UNIT_TEXT], size[UNIT_TEXT], rate[UNIT_TEXT], text[4 * UNIT_TEXT];
    guira_stats s = GUIRA_STATS_INIT;
    guira_stats_get(t->filter, &s);
    for (unsigned row = ROWS; row-- > 0;) draw_row(t, frames, row * step, step);
    write_count((double)s.items, count);
    write_size((double)s.bytes, size);
    write_rate(s.fpr, rate);
    if (t->screen.columns >= 75)
        snprintf(text, sizeof text, "%s items (█), %s, load %.2f, false-positive rate %s", count, size, s.load, rate);
    else snprintf(text, sizeof text, "%s items, %s, load %.2f", count, size, s.load);
    printf("%*s%-*s\n", t->screen.columns >= 75 ? LABEL : 0, "", 34, text);
}

static void run_frames(struct demo *t) {
    bool terminal = t->screen.terminal;
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
    char measured[UNIT_TEXT], result[400];
    check(guira_create(NULL, &t.filter));
    t.screen = screen_of_stdout();
    if (t.screen.columns < MIN_COLUMNS) trouble("the terminal has %u columns; 40 are needed", t.screen.columns);
    screen_print(&t.screen,
                 "A filter that is not told how many items to expect. Items are inserted and removed, and its "
                 "size (░) follows.");
    printf("\n");
    run_frames(&t);
    snprintf(
        result, sizeof result,
        "%" PRIu64 " items were inserted and %" PRIu64 " removed. In every frame all members were looked up: %" PRIu64
        " false negatives. Of the lookups of other keys, %s were false positives.",
        t.head, t.tail, t.false_negatives, write_rate((double)t.false_positives / (double)t.non_members, measured));
    printf("\n");
    screen_print(&t.screen, result);
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
