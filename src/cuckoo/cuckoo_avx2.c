/* The operations of the fixed cuckoo filter for x86-64 processors with AVX2. src/CMakeLists.txt has the compiler's options. */
#include "cuckoo/dispatch.h"
#include "cuckoo/cuckoo.inc"

const struct guira__ops guira__cuckoo_avx2[CUCKOO_LAYOUTS] = CUCKOO_OPS;
