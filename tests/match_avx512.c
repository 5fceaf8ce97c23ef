/* match.inc compiled for avx512: see match_kernel.h. */
#include "match_kernel.h"
#include "match_kernel.inc"

const struct match_kernel match_avx512 = MATCH_KERNEL;
