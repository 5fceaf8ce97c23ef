/* Two tidal filters into one. */
#ifndef GUIRA_TIDAL_MERGE_H
#define GUIRA_TIDAL_MERGE_H

#include "tidal.h"

guira_status guira__tidal_merge(guira *into, const guira *from);

#endif
