/* See memory.h. */
#include "memory.h"

#include "counters.h"
#include "guira.h"

void *memory_alloc(size_t size) {
    void *p = redis.TryAlloc != NULL ? redis.TryAlloc(size) : redis.Alloc(size);
    if (p != NULL) counter_add(&counters.memory_bytes, redis.MallocSize(p));
    return p;
}

void memory_free(void *p) {
    if (p == NULL) return;
    counter_sub(&counters.memory_bytes, redis.MallocSize(p));
    redis.Free(p);
}

void memory_use_server_allocator(void) {
    const guira_allocator server = {memory_alloc, memory_free};
    guira_set_allocator(&server);
}
