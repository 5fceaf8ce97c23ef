/* guira_inline_contains_hash as compiled for one instruction set; INLINE_KERNEL is its name. See test_inline.c. */
#include "guira_inline.h"

bool INLINE_KERNEL(const guira_inline_table *t, uint64_t hash);

bool INLINE_KERNEL(const guira_inline_table *t, uint64_t hash) { return guira_inline_contains_hash(t, hash); }
