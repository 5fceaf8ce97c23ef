/* Which instruction set to use: the one place that asks the processor.
 *
 * tidal.c and cuckoo.c are compiled once per instruction set, with GUIRA__ISA as the name. Each gives a table of
 * functions per slot width; isa.c knows them all. */
#ifndef GUIRA_ISA_H
#define GUIRA_ISA_H

#include "kind.h"

/* The instruction sets this processor can run, best first, ending with NULL; "portable" is always the last. */
const char *const *guira__isa_list(void);

/* The functions of a kind for a slot width; NULL: there are none. isa NULL: the best. The kinds of the papers have one
 * table for all widths and instruction sets. */
const struct guira__ops *guira__isa_ops(const char *isa, guira_kind kind, unsigned slot_bits);

#endif
