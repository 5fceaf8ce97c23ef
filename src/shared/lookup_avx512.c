/* Lock-free lookups for x86-64 processors with AVX-512. src/CMakeLists.txt has the compiler's options. */
#include "shared/lookup.h"
#include "shared/lookup.inc"

const struct lockfree_ops guira__lockfree_avx512[LOCKFREE_LAYOUTS] = LOCKFREE_OPS;
