/* Lock-free lookups for 64-bit ARM processors, with NEON. src/CMakeLists.txt has the compiler's options. */
#include "shared/lookup.h"
#include "shared/lookup.inc"

const struct lockfree_ops guira__lockfree_neon[LOCKFREE_LAYOUTS] = LOCKFREE_OPS;
