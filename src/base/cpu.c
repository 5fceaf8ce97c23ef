/* See cpu.h. CMake defines GUIRA__HAVE_AVX2 and so on for the instruction sets that it compiles for. */
#include "base/cpu.h"

#if defined(GUIRA__HAVE_SSE41)
enum { HAVE_SSE41 = 1 };
#else
enum { HAVE_SSE41 = 0 };
#endif
#if defined(GUIRA__HAVE_AVX2)
enum { HAVE_AVX2 = 1 };
#else
enum { HAVE_AVX2 = 0 };
#endif
#if defined(GUIRA__HAVE_AVX512)
enum { HAVE_AVX512 = 1 };
#else
enum { HAVE_AVX512 = 0 };
#endif
#if defined(GUIRA__HAVE_NEON)
enum { HAVE_NEON = 1 };
#else
enum { HAVE_NEON = 0 };
#endif

const char *guira__isa_name(enum isa isa) {
    static const char *const name[ISA_COUNT] = {"portable", "neon", "sse41", "avx2", "avx512"};
    return name[isa];
}

/* The processor must have everything the compiler was allowed to use, not only what gave the set its name. */
#if defined(__x86_64__)
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static bool processor_runs(enum isa isa) {
    __builtin_cpu_init();
    if (isa == ISA_AVX512) return has_avx512();
    if (isa == ISA_AVX2) return has_avx2();
    return isa != ISA_SSE41 || __builtin_cpu_supports("sse4.1");
}
#else
static bool processor_runs(enum isa isa) {
    (void)isa;
    return true;
}
#endif

bool guira__isa_runs(enum isa isa) {
    static const bool have[ISA_COUNT] = {true, HAVE_NEON, HAVE_SSE41, HAVE_AVX2, HAVE_AVX512};
    return isa < ISA_COUNT && have[isa] && processor_runs(isa);
}

enum isa guira__isa_resolve(enum isa isa) {
    if (isa != ISA_BEST) return isa;
    isa = ISA_COUNT;
    do isa = (enum isa)(isa - 1);
    while (!guira__isa_runs(isa)); /* ISA_PORTABLE always does */
    return isa;
}
