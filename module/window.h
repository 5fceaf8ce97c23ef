/* A window behind a key: which items were seen in the last so many milliseconds. */
#ifndef GUIRA_MODULE_WINDOW_H
#define GUIRA_MODULE_WINDOW_H

#include "codec.h"
#include "guira.h"

/* Less than a hundred units of time in a window would make each of them a walk through all of it (see guira.h). */
enum { SHORTEST_WINDOW = 100 };
#define LONGEST_WINDOW 1000000000000000LL

struct window_options {
    long long length; /* milliseconds */
    double error;     /* wanted rate of false positives; 0: none was asked for */
    uint8_t seed[16];
};

struct window {
    guira_window *guira;
    struct window_options options;
    uint64_t timer;      /* the last that was set for this window, see cfw_tick.c; 0: none */
    long long timer_due; /* and when it fires */
};

extern const struct codec window_codec;
extern redis_type *window_type;

/* The type "guira-win". */
bool window_register(redis_ctx *ctx);

guira_status window_create(const struct window_options *o, struct window **out);

uint64_t window_bytes(const struct window *w);

#endif
