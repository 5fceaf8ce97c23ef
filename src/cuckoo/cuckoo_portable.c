/* The operations of the fixed cuckoo filter for any processor, in plain C. src/CMakeLists.txt has the compiler's options. */
#include "cuckoo/dispatch.h"
#include "cuckoo/cuckoo.inc"

const struct guira__ops guira__cuckoo_portable[CUCKOO_LAYOUTS] = CUCKOO_OPS;
