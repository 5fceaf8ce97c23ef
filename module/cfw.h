/* Windows forget while nobody asks: see cfw_tick.c. */
#ifndef GUIRA_MODULE_CFW_H
#define GUIRA_MODULE_CFW_H

#include "window.h"

/* The window under this name has been used: makes sure that a timer will look after it. */
void tick_later(redis_ctx *ctx, redis_string *name, struct window *w);

#endif
