/* guira demo: the tide in the terminal, for newcomers; and a stream of events to try uniq on.
 *
 * Keys are numbers. New ones come at the head, old ones go at the tail, so the members are always tail..head-1 and every
 * one of them can be asked for, in every frame.
 *
 *     ... gone | tail ........ members ........ head | not yet there: a yes is a wrong answer ... */
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "events.h"
#include "report.h"
#include "units.h"

enum {
    FRAMES = 60,
    ROWS = 9,
    EBB = 1000,
    FLOOD = 100000,
    PERIOD = 20,        /* frames from ebb to ebb */
    STRANGERS = 50000,  /* asked in every frame */
    SHOWN_AS_TEXT = 20, /* every so many frames, where there is no terminal */
};

struct tide {
    guira *filter;
    uint64_t head, tail;
    uint64_t items[FRAMES], slots[FRAMES];
    uint64_t missing, wrong, asked;
};

static void must(guira_status s) {
    if (s != GUIRA_OK) trouble("%s", guira_strerror(s));
}

static uint64_t height(unsigned frame) {
    unsigned phase = frame % PERIOD;
    double x = (phase < PERIOD / 2 ? phase : PERIOD - phase) / (PERIOD / 2.0);
    return EBB + (uint64_t)((FLOOD - EBB) * x * x * (3 - 2 * x) / (1 + 0.5 * (frame / PERIOD == 1)));
}

/* A tenth is replaced in any case; then as many come or go as the tide wants. */
static void advance(struct tide *t, unsigned frame) {
    uint64_t stay = t->tail + (t->head - t->tail) / 10, target = height(frame);
    for (; t->tail < stay || t->head - t->tail > target; t->tail++)
        must(guira_remove(t->filter, &t->tail, sizeof t->tail));
    for (; t->head - t->tail < target; t->head++) must(guira_insert(t->filter, &t->head, sizeof t->head));
}

static void question(struct tide *t) {
    for (uint64_t key = t->tail; key < t->head; key++) t->missing += !guira_contains(t->filter, &key, sizeof key);
    for (unsigned i = 0; i < STRANGERS; i++) {
        uint64_t key = UINT64_MAX - t->asked++;
        t->wrong += guira_contains(t->filter, &key, sizeof key);
    }
}

/* ------------------------------------------------------------------------------------------------------------- drawing */

static const char *cell(const struct tide *t, unsigned frame, double floor, double step) {
    static const char *const eighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double items = ((double)t->items[frame] - floor) / step;
    if (items > 0) return eighths[items >= 1 ? 7 : (unsigned)(items * 8)];
    return (double)t->slots[frame] > floor ? "░" : " ";
}

static void draw(const struct tide *t, unsigned frames) {
    const double step = 1.1 * FLOOD / ROWS;
    char count[UNIT_TEXT], size[UNIT_TEXT], rate[UNIT_TEXT];
    guira_stats s;
    guira_stats_get(t->filter, &s);
    for (unsigned row = ROWS; row-- > 0;) {
        printf("%6s ", write_count((row + 1) * step, count));
        for (unsigned i = 0; i < frames; i++) printf("%s", cell(t, i, row * step, step));
        printf("\n");
    }
    printf("       %s items (█), %s, load %.2f, wrong answers %s   \n", write_count((double)s.items, count),
           write_size((double)s.bytes, size), s.load, write_rate(s.fpr, rate)); /* blanks: the one before was longer */
}

static void run_tide(struct tide *t) {
    bool terminal = isatty(STDOUT_FILENO) == 1;
    const struct timespec pause = {.tv_nsec = 50000000};
    for (unsigned i = 0; i < FRAMES; i++) {
        guira_stats s;
        advance(t, i);
        question(t);
        guira_stats_get(t->filter, &s);
        t->items[i] = s.items;
        t->slots[i] = s.slots;
        if (!terminal && (i + 1) % SHOWN_AS_TEXT != 0) continue;
        if (terminal && i > 0) printf("\033[%dA", ROWS + 1); /* over the frame before */
        draw(t, i + 1);
        fflush(stdout);
        if (terminal) nanosleep(&pause, NULL);
        else printf("\n");
    }
}

static int tide_run(void) {
    static struct tide t;
    char measured[UNIT_TEXT];
    must(guira_create(NULL, &t.filter));
    printf(
        "A filter that nobody told how much will come. Items come and go like a tide, and its room (░) follows.\n\n");
    run_tide(&t);
    printf("\n%" PRIu64 " items came and %" PRIu64 " went. In every frame all that were there were asked for: %" PRIu64
           " were missing.\n%s of the questions for others were answered with a wrong yes.\n",
           t.head, t.tail, t.missing, write_rate((double)t.wrong / (double)t.asked, measured));
    guira_destroy(t.filter);
    return t.missing == 0 ? EXIT_YES : EXIT_TROUBLE;
}

static int demo_run(int argc, char **argv) {
    uint64_t events = 0;
    const struct opt table[] = {
        {'e', "events", OPT_COUNT, &events, "N", "instead, print N events, about half of them sent again", NULL},
        OPT_END};
    options_read(&command_demo, table, &argc, argv, 0, 0);
    if (events == 0) return tide_run();
    events_print(events);
    return EXIT_YES;
}

const struct command command_demo = {
    "demo", "[options]", "show a filter at work, or make up a stream of events",
    "An event is a time, an identity and what happened: \"2026-01-01T00:00:00.000Z order-1 paid\". As from any system "
    "that\n"
    "delivers at least once, about half of them come again later, with another time. The stream is always the same.\n"
    "\n"
    "examples:\n"
    "  guira demo\n"
    "  guira demo --events 1M | guira uniq -k 2 -c >/dev/null\n",
    demo_run};
