/* The operations of the tidal filter for x86-64 processors with SSE4.1. src/CMakeLists.txt has the compiler's options. */
#include "tidal/dispatch.h"
#include "tidal/tidal.inc"

const struct tidal_ops guira__tidal_sse41[TIDAL_LAYOUTS] = TIDAL_OPS(guira__tidal_sse41);
