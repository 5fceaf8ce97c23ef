/* Chooses the functions of a tidal filter by instruction set and layout, once, when it is made. */
#include "tidal/dispatch.h"

static const struct tidal_ops *table_of(enum isa isa) {
    switch (isa) {
    case ISA_PORTABLE: return guira__tidal_portable;
#ifdef GUIRA__HAVE_SSE41
    case ISA_SSE41: return guira__tidal_sse41;
#endif
#ifdef GUIRA__HAVE_AVX2
    case ISA_AVX2: return guira__tidal_avx2;
#endif
#ifdef GUIRA__HAVE_AVX512
    case ISA_AVX512: return guira__tidal_avx512;
#endif
#ifdef GUIRA__HAVE_NEON
    case ISA_NEON: return guira__tidal_neon;
#endif
    default: return NULL;
    }
}

const struct tidal_ops *guira__tidal_ops(enum isa isa, struct layout l) {
    const struct tidal_ops *table = table_of(guira__isa_resolve(isa));
    for (unsigned i = 0; table != NULL && i < TIDAL_LAYOUTS; i++)
        if (table[i].layout.bits == l.bits && table[i].layout.stamp_bits == l.stamp_bits) return &table[i];
    return NULL;
}
