/* The operations of the tidal filter for any processor, in plain C. src/CMakeLists.txt has the compiler's options. */
#include "tidal/dispatch.h"
#include "tidal/tidal.inc"

const struct tidal_ops guira__tidal_portable[TIDAL_LAYOUTS] = TIDAL_OPS(guira__tidal_portable);
