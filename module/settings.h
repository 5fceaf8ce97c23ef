/* The module's arguments and settings: default options for new filters, and which commands there are. */
#ifndef GUIRA_MODULE_SETTINGS_H
#define GUIRA_MODULE_SETTINGS_H

#include <stdbool.h>

#include "filter.h"

/* Reads the arguments of loadmodule: pairs of a name and a value. False: one is invalid, which has been logged. */
bool settings_read_arguments(redis_ctx *ctx, redis_string **argv, int argc);

/* Where the server supports settings of modules, registers them for redis.conf and CONFIG SET guira.NAME. False: a value in
 * redis.conf is invalid, which the server has logged. */
bool settings_register(redis_ctx *ctx);

/* Whether the BF.* commands were asked for. */
bool settings_want_bf(void);

/* The default options of a new filter, including the server's seed: for CF.* and for BF.*. */
void settings_get(struct filter_options *out);
void settings_get_bf(struct filter_options *out);

#endif
