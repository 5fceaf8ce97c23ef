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

/* Bytes that the calling thread has allocated and not freed, as the server counts them. The difference between two calls is
 * what was allocated in between: values keep their size up to date with it, so that MEMORY USAGE is exact. */
long long memory_of_thread(void);
/* Memory that the server allocated, and that memory_free will free. */
void memory_adopt(const void *p);

#endif
