/* All memory comes from the server, so that maxmemory and MEMORY USAGE know of it. */
#ifndef GUIRA_MODULE_MEMORY_H
#define GUIRA_MODULE_MEMORY_H

#include <stddef.h>

/* From here on the library takes its memory from the server. */
void memory_hook(void);

/* As malloc: NULL if there is none. (A server without RedisModule_TryAlloc ends instead.) */
void *memory_take(size_t size);
/* As free. */
void memory_give(void *p);

#endif
