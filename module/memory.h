/* All memory is allocated with the server's allocator, so that maxmemory and MEMORY USAGE include it. */
#ifndef GUIRA_MODULE_MEMORY_H
#define GUIRA_MODULE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis.h"

/* Makes the library allocate with memory_alloc and memory_free from now on. */
void memory_use_server_allocator(void);

/* Like calloc: zeroed. Large blocks take no memory before they are used. */
void *memory_zalloc(size_t size);
/* Like malloc: NULL if there is no memory. A server without RedisModule_TryAlloc aborts instead. */
void *memory_alloc(size_t size);
/* Like free. */
void memory_free(void *p);

/* Bytes that the calling thread has allocated and not freed, as the server counts them. The difference between two calls is
 * what was allocated in between: values keep their size up to date with it, so that MEMORY USAGE is exact. */
long long memory_of_thread(void);
/* What the server allocates for a key and MEMORY USAGE leaves out. It depends on the server, which is asked once, when the
 * module is loaded. */
size_t memory_of_server_per_key(void);
void memory_ask_server(redis_ctx *ctx);
/* Whether the server has more memory in use than `maxmemory` allows, and would not evict keys to get below it. To be asked
 * after a value of `bytes` was allocated and before it is used: a large table takes no memory before. Always false for small
 * values, on replicas and while loading. */
bool memory_is_over(redis_ctx *ctx, uint64_t bytes);
/* The same, to be asked before the bytes are allocated. */
bool memory_would_be_over(redis_ctx *ctx, uint64_t bytes);
/* To be called when there is no memory for a change. If it is one that the master made, or that an AOF has, this server would
 * lack items from then on, and not know it. So it ends, as it does without memory for a value of its own. */
void memory_is_missing(redis_ctx *ctx);
#define OUT_OF_MEMORY "OOM command not allowed when used memory > 'maxmemory'."

/* Memory that the server allocated, and that memory_free will free. */
void memory_adopt(const void *p);

#endif
