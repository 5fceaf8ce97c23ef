/* match.inc compiled for portable: see match_kernel.h. */
#include "match_kernel.h"
#include "match_kernel.inc"

const struct match_kernel match_portable = MATCH_KERNEL;
