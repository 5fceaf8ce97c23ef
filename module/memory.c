/* See memory.h. */
#include "memory.h"

#include "guira.h"
#include "totals.h"

void *memory_take(size_t size) {
    void *p = redis.TryAlloc != NULL ? redis.TryAlloc(size) : redis.Alloc(size);
    if (p != NULL) count_up(&totals.memory_bytes, redis.MallocSize(p));
    return p;
}

void memory_give(void *p) {
    if (p == NULL) return;
    count_down(&totals.memory_bytes, redis.MallocSize(p));
    redis.Free(p);
}

void memory_hook(void) {
    const guira_allocator server = {memory_take, memory_give};
    guira_set_allocator(&server);
}
