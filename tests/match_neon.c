/* match.inc compiled for neon: see match_kernel.h. */
#include "match_kernel.h"
#include "match_kernel.inc"

const struct match_kernel match_neon = MATCH_KERNEL;
