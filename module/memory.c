/* See memory.h. */
#include "memory.h"

#include "counters.h"
#include "guira.h"

static _Thread_local long long of_thread;

long long memory_of_thread(void) { return of_thread; }

void memory_adopt(const void *p) {
    size_t n = redis.MallocSize((void *)(uintptr_t)p);
    counter_add(&counters.memory_bytes, n);
    of_thread += (long long)n;
}

void *memory_alloc(size_t size) {
    void *p = redis.TryAlloc != NULL ? redis.TryAlloc(size) : redis.Alloc(size);
    if (p != NULL) memory_adopt(p);
    return p;
}

void memory_free(void *p) {
    if (p == NULL) return;
    size_t n = redis.MallocSize(p);
    counter_sub(&counters.memory_bytes, n);
    of_thread -= (long long)n;
    redis.Free(p);
}

void memory_use_server_allocator(void) {
    const guira_allocator server = {memory_alloc, memory_free};
    guira_set_allocator(&server);
}
