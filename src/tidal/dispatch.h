/* The tables of tidal.inc, one array for each instruction set: see dispatch.c. */
#ifndef GUIRA_TIDAL_DISPATCH_H
#define GUIRA_TIDAL_DISPATCH_H

#include "tidal/tidal.h"

/* The others follow: 13 to 15 bits, 17 to 26, and 28; then those with stamps, 12 to 21 and 23. */
enum {
    TIDAL_12,
    TIDAL_16,
    TIDAL_32,
    TIDAL_64,
    TIDAL_STAMPED,
    TIDAL_FIRST_OTHER,
    TIDAL_LAYOUTS = TIDAL_FIRST_OTHER + 14 + 11
};

extern const struct tidal_ops guira__tidal_portable[TIDAL_LAYOUTS];
extern const struct tidal_ops guira__tidal_sse41[TIDAL_LAYOUTS];
extern const struct tidal_ops guira__tidal_avx2[TIDAL_LAYOUTS];
extern const struct tidal_ops guira__tidal_avx512[TIDAL_LAYOUTS];
extern const struct tidal_ops guira__tidal_neon[TIDAL_LAYOUTS];

#endif
