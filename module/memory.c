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

enum { ALIGNMENT = 64 };

/* Rather no memory than memory the library cannot use. */
static void *take_aligned(size_t size) {
    void *p = memory_take(size);
    if ((uintptr_t)p % ALIGNMENT == 0) return p;
    memory_give(p);
    return NULL;
}

/* Whether multiples of 64 start on one, as they do with jemalloc. With another allocator each size is a chance to see
 * that they do not: glibc has one in four right, and none of the large ones. */
static bool server_aligns(void) {
    for (size_t size = ALIGNMENT; size <= (size_t)1 << 22; size += size < 4096 ? ALIGNMENT : size) {
        void *p = take_aligned(size);
        if (p == NULL) return false;
        memory_give(p);
    }
    return true;
}

void memory_hook(void) {
    bool aligns = server_aligns();
    const guira_allocator server = {aligns ? take_aligned : memory_take, memory_give, aligns};
    guira_set_allocator(&server);
}
