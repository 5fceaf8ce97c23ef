/* Instruction sets by name, best first. */
#ifndef GUIRA_TEST_ISA_SUPPORT_H
#define GUIRA_TEST_ISA_SUPPORT_H

#include <string.h>

#include "base/cpu.h"

/* Those that this processor runs, ending with NULL; "portable" is always the last. */
static inline const char *const *isa_list(void) {
    static const char *list[ISA_COUNT + 1];
    size_t n = 0;
    for (unsigned isa = ISA_COUNT; isa-- > 0;)
        if (guira__isa_runs((enum isa)isa)) list[n++] = guira__isa_name((enum isa)isa);
    list[n] = NULL;
    return list;
}

/* NULL: the best one. */
static inline enum isa isa_named(const char *name) {
    for (unsigned isa = 0; name != NULL && isa < ISA_COUNT; isa++)
        if (strcmp(guira__isa_name((enum isa)isa), name) == 0) return (enum isa)isa;
    return ISA_BEST;
}

#endif
