/* Which instruction sets the library was compiled for, and which of them this processor can run. */
#ifndef GUIRA_BASE_CPU_H
#define GUIRA_BASE_CPU_H

#include <stdbool.h>

/* Slowest first. ISA_BEST: the best that this processor runs. */
enum isa { ISA_PORTABLE, ISA_NEON, ISA_SSE41, ISA_AVX2, ISA_AVX512, ISA_COUNT, ISA_BEST };

/* "avx2" and so on. */
const char *guira__isa_name(enum isa isa);

/* Whether there is code for it here, and this processor can run it. */
bool guira__isa_runs(enum isa isa);

/* isa itself, or what ISA_BEST stands for. */
enum isa guira__isa_resolve(enum isa isa);

#endif
