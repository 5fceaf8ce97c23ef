/* The module's settings: what a filter gets that is made without saying how. */
#ifndef GUIRA_MODULE_SETTINGS_H
#define GUIRA_MODULE_SETTINGS_H

#include <stdbool.h>

#include "filter.h"

/* From the arguments of loadmodule (name value ...), and where the server has settings for modules from its own file and
 * CONFIG SET guira.NAME. False: one of them makes no sense, which has been logged. */
bool settings_load(redis_ctx *ctx, redis_string **argv, int argc);

/* The options of a filter that is made on the fly, the server's seed included. */
void settings_get(struct filter_options *out);

#endif
