/* The seed of the filters of this server. All that it makes by itself have the same, so that CF.MERGE can merge them: it is
 * drawn at random when the first is made, unless filters came from elsewhere before: from the RDB or AOF file, or from the
 * master. So it survives restarts and failovers as long as there is a filter. */
#ifndef GUIRA_MODULE_SEED_H
#define GUIRA_MODULE_SEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether these bytes are a seed: 16, and not all zero, for which the library would draw another. */
bool seed_is(const char *bytes, size_t n);

void seed_get(uint8_t seed[16]);

/* A filter with this seed has arrived in a context with these flags. RESTORE and CF.LOADCHUNK give a server its seed only if
 * it has none, also on a replica: the filter may come from anywhere. A file, and a master that makes one, know better. */
void seed_adopt(const uint8_t seed[16], int flags);

#endif
