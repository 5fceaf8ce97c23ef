/* Lock-free lookups for x86-64 processors with AVX2. src/CMakeLists.txt has the compiler's options. */
#include "shared/lookup.h"
#include "shared/lookup.inc"

const struct lockfree_ops guira__lockfree_avx2[LOCKFREE_LAYOUTS] = LOCKFREE_OPS;
