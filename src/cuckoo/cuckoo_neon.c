/* The operations of the fixed cuckoo filter for 64-bit ARM processors, with NEON. src/CMakeLists.txt has the compiler's options. */
#include "cuckoo/dispatch.h"
#include "cuckoo/cuckoo.inc"

const struct guira__ops guira__cuckoo_neon[CUCKOO_LAYOUTS] = CUCKOO_OPS;
