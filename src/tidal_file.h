/* The tidal filter as a file: see format.h. */
#ifndef GUIRA_TIDAL_FILE_H
#define GUIRA_TIDAL_FILE_H

#include "tidal.h"

void guira__tidal_save(const guira *f, struct guira__writer *to);
guira_status guira__tidal_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                               guira **out);

#endif
