/* The operations of the tidal filter for 64-bit ARM processors, with NEON. src/CMakeLists.txt has the compiler's options. */
#include "tidal/dispatch.h"
#include "tidal/tidal.inc"

const struct tidal_ops guira__tidal_neon[TIDAL_LAYOUTS] = TIDAL_OPS(guira__tidal_neon);
