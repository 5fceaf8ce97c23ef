/* match.inc compiled for sse41: see match_kernel.h. */
#include "match_kernel.h"
#include "match_kernel.inc"

const struct match_kernel match_sse41 = MATCH_KERNEL;
