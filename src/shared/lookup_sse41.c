/* Lock-free lookups for x86-64 processors with SSE4.1. src/CMakeLists.txt has the compiler's options. */
#include "shared/lookup.h"
#include "shared/lookup.inc"

const struct lockfree_ops guira__lockfree_sse41[LOCKFREE_LAYOUTS] = LOCKFREE_OPS;
