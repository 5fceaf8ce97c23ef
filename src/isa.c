/* See isa.h. */
#include "isa.h"

#include <string.h>

#define DECLARE(isa)                                      \
    extern const struct guira__ops guira__tidal_##isa[5]; \
    extern const struct guira__ops guira__cuckoo_##isa[3];

DECLARE(portable)
extern const struct guira__ops guira__consistent_ops; /* compiled once */
#ifdef GUIRA__HAVE_SSE41
DECLARE(sse41)
#endif
#ifdef GUIRA__HAVE_AVX2
DECLARE(avx2)
#endif
#ifdef GUIRA__HAVE_AVX512
DECLARE(avx512)
#endif
#ifdef GUIRA__HAVE_NEON
DECLARE(neon)
#endif

/* Compiled once: their geometry is known at run time only. */
extern const struct guira__ops guira__dynamic_ops, guira__elastic_ops;

/* Best first. */
static const struct {
    const char *name;
    const struct guira__ops *tidal, *cuckoo;
} known[] = {
#ifdef GUIRA__HAVE_AVX512
    {"avx512", guira__tidal_avx512, guira__cuckoo_avx512},
#endif
#ifdef GUIRA__HAVE_AVX2
    {"avx2", guira__tidal_avx2, guira__cuckoo_avx2},
#endif
#ifdef GUIRA__HAVE_SSE41
    {"sse41", guira__tidal_sse41, guira__cuckoo_sse41},
#endif
#ifdef GUIRA__HAVE_NEON
    {"neon", guira__tidal_neon, guira__cuckoo_neon},
#endif
    {"portable", guira__tidal_portable, guira__cuckoo_portable},
};

enum { KNOWN = sizeof known / sizeof known[0] };

/* The processor must have everything the compiler was allowed to use, not only what gave the set its name. */
static bool runs_here(const char *isa) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
              __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx512") == 0)
        return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    if (strcmp(isa, "avx2") == 0) return v3;
    if (strcmp(isa, "sse41") == 0) return __builtin_cpu_supports("sse4.1");
#endif
    (void)isa;
    return true;
}

const char *const *guira__isa_list(void) {
    static const char *list[KNOWN + 1]; /* the same for every caller, so writing it twice at once is harmless */
    size_t n = 0;
    for (size_t i = 0; i < KNOWN; i++)
        if (runs_here(known[i].name)) list[n++] = known[i].name;
    list[n] = NULL;
    return list;
}

static bool is_known(const char *isa) {
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(isa, known[i].name) == 0) return true;
    return false;
}

const struct guira__ops *guira__isa_ops(const char *isa, guira_kind kind, unsigned slot_bits) {
    if (kind == GUIRA_CONSISTENT) return isa == NULL || is_known(isa) ? &guira__consistent_ops : NULL;
    if (kind == GUIRA_DYNAMIC) return isa == NULL || is_known(isa) ? &guira__dynamic_ops : NULL;
    if (kind == GUIRA_ELASTIC) return isa == NULL || is_known(isa) ? &guira__elastic_ops : NULL;
    for (size_t i = 0; i < KNOWN; i++) {
        if (isa != NULL ? strcmp(isa, known[i].name) != 0 : !runs_here(known[i].name)) continue;
        const struct guira__ops *ops = kind == GUIRA_TIDAL ? known[i].tidal : known[i].cuckoo;
        for (size_t w = 0; w < (kind == GUIRA_TIDAL ? 4 : 3); w++)
            if (ops[w].slot_bits == slot_bits) return &ops[w];
    }
    return NULL;
}
