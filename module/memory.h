/* All memory is allocated with the server's allocator, so that maxmemory and MEMORY USAGE include it. */
#ifndef GUIRA_MODULE_MEMORY_H
#define GUIRA_MODULE_MEMORY_H

#include <stddef.h>

/* Makes the library allocate with memory_alloc and memory_free from now on. */
void memory_use_server_allocator(void);

/* Like malloc: NULL if there is no memory. A server without RedisModule_TryAlloc aborts instead. */
void *memory_alloc(size_t size);
/* Like free. */
void memory_free(void *p);

#endif
