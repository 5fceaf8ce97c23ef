/* Lock-free lookups for any processor, in plain C. src/CMakeLists.txt has the compiler's options. */
#include "shared/lookup.h"
#include "shared/lookup.inc"

const struct lockfree_ops guira__lockfree_portable[LOCKFREE_LAYOUTS] = LOCKFREE_OPS;
