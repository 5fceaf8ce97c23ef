/* The hash seed of this server's filters. All filters that the server creates share one seed, because CF.MERGE needs equal
 * seeds. It is drawn at random when the first filter is created, unless a filter was loaded before (from the RDB or AOF
 * file, or from the master): then its seed is used. So the seed survives restarts and failovers while there is a filter. */
#ifndef GUIRA_MODULE_SEED_H
#define GUIRA_MODULE_SEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A seed has 16 bytes that are not all zero: for zero the library would draw a random seed. */
bool seed_is_valid(const char *bytes, size_t n);

/* The server's seed; draws it if there is none yet. */
void seed_get(uint8_t seed[16]);

/* To be called when a filter with this seed has been loaded or created; flags are those of the context it happened in.
 * A filter from the server's own files, or created by the master, sets the server's seed. One from RESTORE or CF.LOADCHUNK
 * never does: a client that knows the seed of the server's filters can construct items that collide. */
void seed_adopt(const uint8_t seed[16], int flags);

#endif
