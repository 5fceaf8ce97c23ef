/* Chooses the lock-free lookups by instruction set and layout, once, when a guira_shared is made. */
#include "shared/lookup.h"

static const struct lockfree_ops *const tables[ISA_COUNT] = {
    [ISA_PORTABLE] = guira__lockfree_portable,
#ifdef GUIRA__HAVE_SSE41
    [ISA_SSE41] = guira__lockfree_sse41,
#endif
#ifdef GUIRA__HAVE_AVX2
    [ISA_AVX2] = guira__lockfree_avx2,
#endif
#ifdef GUIRA__HAVE_AVX512
    [ISA_AVX512] = guira__lockfree_avx512,
#endif
#ifdef GUIRA__HAVE_NEON
    [ISA_NEON] = guira__lockfree_neon,
#endif
};

const struct lockfree_ops *guira__lockfree_ops(unsigned slot_bits) {
    const struct lockfree_ops *table = tables[guira__isa_resolve(ISA_BEST)];
    for (unsigned i = 0; i < LOCKFREE_LAYOUTS; i++)
        if (table[i].slot_bits == slot_bits) return &table[i];
    return NULL;
}
