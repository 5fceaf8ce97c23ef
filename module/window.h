/* The data type "window": a key that records which items were seen in the last N milliseconds. */
#ifndef GUIRA_MODULE_WINDOW_H
#define GUIRA_MODULE_WINDOW_H

#include "guira.h"
#include "guira_window.h"
#include "serialize.h"

/* In a shorter window each change of the time would cost a sweep through a large part of the window (see guira.h). */
enum { MIN_WINDOW_MS = 100 };
#define MAX_WINDOW_MS 1000000000000000LL

struct window_options {
    long long length; /* milliseconds */
    double fpr;       /* requested false positive rate; 0: none requested */
    uint8_t seed[16];
};

struct window {
    guira_window *guira;
    struct window_options options;
    uint64_t bytes;      /* of memory, everything included */
    uint64_t timer;      /* id of the last timer set for this window, see window_timer.c; 0: none */
    long long timer_due; /* when it fires, in milliseconds */
};

extern const struct serializer window_serializer;
extern redis_type *window_type;

/* Registers the data type "guira-win". */
bool window_register(redis_ctx *ctx);

/* Returns the errors of guira_window_create; on failure *out is NULL. */
guira_status window_create(const struct window_options *o, struct window **out);

/* Must be called after each change: adds the memory that was allocated since memory_of_thread() was `before`. */
void window_changed(struct window *w, long long before);

#endif
