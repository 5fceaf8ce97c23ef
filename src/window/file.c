/* The invariants of a window, and its file: a tidal filter's (tidal/file.c) with one section in front.
 *
 *     window   length, whether it slides, now; the address of the sweep, the steps of its round and of the one before
 *
 * Everything else in the clock follows from that. */
#include "base/alloc.h"
#include "format/contents.h"
#include "io/io.h"
#include "window/window.h"

/* ------------------------------------------------------------------------------------------------------------ checking */

static const char *check_clock(const struct clock *c) {
    struct clock again = *c;
    guira__clock_set(&again, c->now);
    if (c->step != again.step || c->target != again.target) return "clock: not what its time says";
    if (c->step - c->before > SWEEP_ALL_AFTER) return "sweep: too late";
    if (c->step + 1 - c->round > c->step + 1 - c->before) return "sweep: in an impossible round";
    if (c->round == c->step + 1 && c->sweep != 0) return "sweep: ahead of time";
    return NULL;
}

/* The entries of a bucket are at most as old as the sweep left them: in buckets that it has passed, in this round; in the
 * others, in the round before. */
static const char *check_ages(const guira_window *w) {
    const struct tidal *f = w->filter;
    const struct clock *c = &w->clock;
    struct layout l = tidal_layout(f);
    for (uint64_t i = 0; i < f->stash->n; i++)
        if (stamp_age(f, stamp_of(f->stash->entry[i])) > OLDEST_ALIVE) return "stash: an entry that has expired";
    uint64_t address = 0;
    do {
        struct swept_bucket b = guira__bucket_at_address(f, address);
        bool done = b.end != 0 && b.end <= c->sweep;
        uint64_t oldest = OLDEST_ALIVE + c->step - (done ? c->round : c->before);
        for (unsigned j = 0; j < l.slots; j++) {
            uint64_t slot = slot_get(b.bytes, j, l);
            if (slot != 0 && slot_age(f, slot, l) > oldest) return "table: an entry that the sweep has missed";
        }
        address = b.end;
    } while (address != 0);
    return NULL;
}

const char *guira__window_check(const guira_window *w) {
    const char *broken = check_clock(&w->clock);
    if (broken == NULL && w->filter->step != w->clock.step) broken = "clock: not the step of the table";
    if (broken == NULL) broken = guira__tidal_check(&w->filter->head);
    return broken == NULL ? check_ages(w) : broken;
}

/* -------------------------------------------------------------------------------------------------------------- saving */

static void numbers_of(const struct clock *c, uint64_t number[WINDOW_NUMBERS]) {
    number[WINDOW_LENGTH] = c->length;
    number[WINDOW_SLIDES] = c->slides;
    number[WINDOW_NOW] = c->now;
    number[WINDOW_SWEEP] = c->sweep;
    number[WINDOW_ROUND] = c->round;
    number[WINDOW_BEFORE] = c->before;
}

void guira__window_dump(const guira_window *w, guira__sink *sink, void *to) {
    uint64_t number[WINDOW_NUMBERS];
    numbers_of(&w->clock, number);
    sink(to, number, sizeof number);
    guira__tidal_dump(&w->filter->head, sink, to);
}

static void save_sections(const void *what, struct guira__writer *to) {
    const guira_window *w = (const guira_window *)what;
    uint64_t number[WINDOW_NUMBERS];
    numbers_of(&w->clock, number);
    guira__section_put_numbers(to, "window", number, WINDOW_NUMBERS);
    guira__tidal_save(&w->filter->head, to);
}

static struct saved saved_window(const guira_window *w) {
    return (struct saved){guira__config_of(&w->filter->head), 1, save_sections, w};
}

uint64_t guira_window_saved_size(const guira_window *w) { return w == NULL ? 0 : guira__saved_size(saved_window(w)); }

guira_status guira_window_save_to(const guira_window *w, guira_write_fn *write, void *to) {
    if (w == NULL || write == NULL) return GUIRA_EINVAL;
    return guira__save_to(saved_window(w), write, to);
}

guira_status guira_window_save_fd(const guira_window *w, int fd) {
    struct fd_writer to = {fd, 0};
    return guira__fd_status(guira_window_save_to(w, guira__write_fd, &to), &to);
}

static guira_status save_window(const void *w, int fd) { return guira_window_save_fd((const guira_window *)w, fd); }

guira_status guira_window_save(const guira_window *w, const char *path) {
    return guira__save_path(path, save_window, w);
}

/* ------------------------------------------------------------------------------------------------------------- loading */

static guira_status read_clock(struct guira__reader *r, struct clock *out) {
    const uint8_t *p = guira__section_expect(r, "window", 8 * WINDOW_NUMBERS);
    uint64_t number[WINDOW_NUMBERS];
    if (p == NULL) return GUIRA_ECORRUPT;
    for (unsigned i = 0; i < WINDOW_NUMBERS; i++) number[i] = get_u64(p + (size_t)8 * i);
    if (number[WINDOW_LENGTH] == 0 || number[WINDOW_SLIDES] > 1) return GUIRA_ECORRUPT;
    *out = (struct clock){.length = number[WINDOW_LENGTH], .slides = number[WINDOW_SLIDES] != 0};
    guira__clock_set(out, number[WINDOW_NOW]);
    out->sweep = number[WINDOW_SWEEP];
    out->round = number[WINDOW_ROUND];
    out->before = number[WINDOW_BEFORE];
    return GUIRA_OK;
}

/* Takes the filter in any case. */
static guira_status make_window(guira *f, const struct clock *clock, void **out) {
    guira_window *w = guira__window_new(tidal_of(f), clock->length, clock->slides);
    if (w == NULL) {
        guira_destroy(f);
        return GUIRA_ENOMEM;
    }
    w->clock = *clock;
    w->filter->step = clock->step;
    if (guira__window_check(w) != NULL) {
        guira_window_destroy(w);
        return GUIRA_ECORRUPT;
    }
    *out = w;
    return GUIRA_OK;
}

static guira_status load_window(const guira_config *c, struct guira__reader *r, void **out) {
    const struct guira__ops *ops = guira__window_ops(ISA_BEST, c);
    struct clock clock;
    guira *view, *f;
    guira_status s = read_clock(r, &clock);
    if (s == GUIRA_OK) s = ops->view(ops, c, r, &view);
    if (s != GUIRA_OK) return s;
    s = ops->clone(view, &f);
    ops->destroy(view);
    return s == GUIRA_OK ? make_window(f, &clock, out) : s;
}

static void destroy_window(void *w) { guira_window_destroy((guira_window *)w); }

static const struct content content_window = {guira__window_resolve, load_window, destroy_window};

guira_status guira_window_load(const char *path, guira_window **out) {
    void *w = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_path(&content_window, path, &w);
    *out = (guira_window *)w;
    return s;
}

guira_status guira_window_load_fd(int fd, guira_window **out) {
    void *w = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_fd(&content_window, fd, &w);
    *out = (guira_window *)w;
    return s;
}

guira_status guira_window_load_from(const void *bytes, size_t n, guira_window **out) {
    void *w = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_bytes(&content_window, bytes, n, &w);
    *out = (guira_window *)w;
    return s;
}
