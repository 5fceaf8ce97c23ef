/* Expires the items of windows that receive no commands: see window_timer.c. */
#ifndef GUIRA_MODULE_WINDOW_TIMER_H
#define GUIRA_MODULE_WINDOW_TIMER_H

#include "window.h"

/* To be called when the window at this key has been used: starts a timer for it unless one is running. */
void window_timer_start(redis_ctx *ctx, redis_string *name, struct window *w);

#endif
