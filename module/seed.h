/* The hash seed of this server's filters. All filters that the server creates share one seed, because CF.MERGE needs equal
 * seeds. It is drawn at random when the first filter is created, unless the server knows it already: from its RDB or AOF
 * file, or from its master. Filters that a client brought (RESTORE, CF.LOADCHUNK) keep their own seeds, so a saved filter
 * says whether its seed was the server's. So the seed survives restarts and failovers while there is a filter that has it. */
#ifndef GUIRA_MODULE_SEED_H
#define GUIRA_MODULE_SEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A seed has 16 bytes that are not all zero: for zero the library would draw a random seed. */
bool seed_is_valid(const char *bytes, size_t n);

/* The server's seed; draws it if there is none yet. */
void seed_get(uint8_t seed[16]);

/* Whether this is the server's seed. */
bool seed_is_own(const uint8_t seed[16]);

/* The next two set the server's seed, or do nothing: flags are those of the context in which they are called. What a client
 * sends never sets it: one that knows the seed of the server's filters can construct items that collide. */

/* A command of the master or the AOF says that this is the server's seed. */
void seed_adopt(const uint8_t seed[16], int flags);

/* A filter that was loaded says that it had the seed of the server that saved it. It may come from a file or from RESTORE. An
 * AOF contains a client's RESTORE as it was sent, and here it looks like a part of the file: so it sets the seed only if there
 * is none yet, except on a replica, which follows its master. */
void seed_adopt_saved(const uint8_t seed[16], int flags);

#endif
