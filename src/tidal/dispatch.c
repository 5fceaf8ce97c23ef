/* Chooses the functions of a tidal filter by instruction set and layout, once, when it is made. */
#include "tidal/dispatch.h"

static const struct tidal_ops *const tables[ISA_COUNT] = {
    [ISA_PORTABLE] = guira__tidal_portable,
#ifdef GUIRA__HAVE_SSE41
    [ISA_SSE41] = guira__tidal_sse41,
#endif
#ifdef GUIRA__HAVE_AVX2
    [ISA_AVX2] = guira__tidal_avx2,
#endif
#ifdef GUIRA__HAVE_AVX512
    [ISA_AVX512] = guira__tidal_avx512,
#endif
#ifdef GUIRA__HAVE_NEON
    [ISA_NEON] = guira__tidal_neon,
#endif
};

const struct tidal_ops *guira__tidal_ops(enum isa isa, struct layout l) {
    const struct tidal_ops *table = tables[guira__isa_resolve(isa)];
    for (unsigned i = 0; table != NULL && i < TIDAL_LAYOUTS; i++)
        if (table[i].layout.bits == l.bits && table[i].layout.stamp_bits == l.stamp_bits) return &table[i];
    return NULL;
}
