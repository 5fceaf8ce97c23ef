/* The tables of cuckoo.inc, one array for each instruction set. */
#ifndef GUIRA_CUCKOO_DISPATCH_H
#define GUIRA_CUCKOO_DISPATCH_H

#include "cuckoo/cuckoo.h"

enum { CUCKOO_12, CUCKOO_16, CUCKOO_32, CUCKOO_NARROW, CUCKOO_WIDE, CUCKOO_NARROW_4, CUCKOO_WIDE_4, CUCKOO_LAYOUTS };

extern const struct guira__ops guira__cuckoo_portable[CUCKOO_LAYOUTS];
extern const struct guira__ops guira__cuckoo_sse41[CUCKOO_LAYOUTS];
extern const struct guira__ops guira__cuckoo_avx2[CUCKOO_LAYOUTS];
extern const struct guira__ops guira__cuckoo_avx512[CUCKOO_LAYOUTS];
extern const struct guira__ops guira__cuckoo_neon[CUCKOO_LAYOUTS];

#endif
