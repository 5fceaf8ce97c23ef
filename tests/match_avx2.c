/* match.inc compiled for avx2: see match_kernel.h. */
#include "match_kernel.h"
#include "match_kernel.inc"

const struct match_kernel match_avx2 = MATCH_KERNEL;
