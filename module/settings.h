/* The module's settings: default options for new filters. */
#ifndef GUIRA_MODULE_SETTINGS_H
#define GUIRA_MODULE_SETTINGS_H

#include <stdbool.h>

#include "filter.h"

/* Reads the settings from the arguments of loadmodule (name value ...) and, where the server supports settings of modules,
 * registers them for redis.conf and CONFIG SET guira.NAME. False: a setting is invalid, which has been logged. */
bool settings_load(redis_ctx *ctx, redis_string **argv, int argc);

/* The default options of a new filter, including the server's seed. */
void settings_get(struct filter_options *out);

#endif
