/* See memory.h. */
#define _DEFAULT_SOURCE
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counters.h"
#include "guira.h"

static _Thread_local long long of_thread;

long long memory_of_thread(void) { return of_thread; }

void memory_adopt(const void *p) {
    size_t n = redis.MallocSize((void *)(uintptr_t)p);
    counter_add(&counters.memory_bytes, n);
    of_thread += (long long)n;
}

/* A server that finds no memory for itself ends. So where addresses are limited (ulimit -v), a large block is taken only if some
 * are left afterwards. They must not be the allocator's: jemalloc keeps the addresses of freed blocks, but not for its own
 * records. */
static void *alloc_and_leave_some(size_t size) {
    enum { LEFT = 16 << 20 };
    void *left = mmap(NULL, LEFT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *p;
    if (left == MAP_FAILED) return NULL;
    p = redis.TryAlloc(size);
    munmap(left, LEFT);
    return p;
}

/* With 256 segments, CF.RESERVE k 1073741824 takes 1.2 ms if nothing is left, else 1.8. */
static bool addresses_are_limited(void) {
    struct rlimit most;
    return getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur != RLIM_INFINITY;
}

static void *alloc(size_t size) {
    enum { LARGE = 1 << 20 };
    if (redis.TryAlloc == NULL) return redis.Alloc(size);
    return size >= LARGE && addresses_are_limited() ? alloc_and_leave_some(size) : redis.TryAlloc(size);
}

void *memory_alloc(size_t size) {
    void *p = alloc(size);
    if (p != NULL) memory_adopt(p);
    return p;
}

/* Of a large block, the whole pages are returned to the system, which provides zeroed ones when they are first used. Clearing
 * the 2.3 GB of CF.RESERVE k 1073741824 took 2.8 s. That this works with the allocators of the servers (jemalloc, libc) is
 * because they get large blocks from anonymous mappings. */
static void clear(uint8_t *p, size_t n) {
    enum { LARGE = 1 << 16 };
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), skip = (page - (uintptr_t)p % page) % page;
    size_t whole = n < LARGE ? 0 : (n - skip) / page * page;
    if (whole == 0 || madvise(p + skip, whole, MADV_DONTNEED) != 0) {
        memset(p, 0, n);
        return;
    }
    memset(p, 0, skip);
    memset(p + skip + whole, 0, n - skip - whole);
}

void *memory_zalloc(size_t size) {
    void *p = memory_alloc(size);
    if (p != NULL) clear(p, size);
    return p;
}

void memory_free(void *p) {
    if (p == NULL) return;
    size_t n = redis.MallocSize(p);
    counter_sub(&counters.memory_bytes, n);
    of_thread -= (long long)n;
    redis.Free(p);
}

/* The object, the struct for a module's value, and what the allocator adds to the entry of the keyspace. Valkey 8.1 and later
 * have the key in the object and no entry: there is only the struct, and what the allocator adds. */
static size_t per_key = 16 + 16 + 8;

size_t memory_of_server_per_key(void) { return per_key; }

void memory_ask_server(redis_ctx *ctx) {
    if (redis_valkey_version(ctx) >= 0x0801) per_key = 16 + 8;
}

void memory_use_server_allocator(void) {
    const guira_allocator server = {memory_alloc, memory_free};
    guira_set_allocator(&server);
    guira_set_zeroed_allocator(memory_zalloc);
}

/* ------------------------------------------------------------------------------------------------------------ maxmemory */

/* With `more` bytes. Replication buffers do not count: the server's own check leaves them out too. */
static bool is_over(redis_info_data *info, uint64_t more) {
    int error;
    uint64_t used = redis.ServerInfoGetFieldUnsigned(info, "used_memory", &error);
    uint64_t buffers = redis.ServerInfoGetFieldUnsigned(info, "mem_not_counted_for_evict", &error);
    uint64_t limit = redis.ServerInfoGetFieldUnsigned(info, "maxmemory", &error);
    return limit > 0 && (used > limit + buffers || more > limit + buffers - used);
}

static bool never_evicts(redis_info_data *info) {
    const char *policy = redis.ServerInfoGetFieldC(info, "maxmemory_policy");
    return policy != NULL && strcmp(policy, "noeviction") == 0;
}

/* Whether the command was executed before: by the master, or by the server that wrote the AOF. */
static bool obeys(redis_ctx *ctx) {
    return (redis.GetContextFlags(ctx) & (REDIS_CTX_REPLICATED | REDIS_CTX_LOADING | REDIS_CTX_ASYNC_LOADING)) != 0;
}

/* The value has `bytes`, of which `more` are not allocated yet. */
static bool ask(redis_ctx *ctx, uint64_t bytes, uint64_t more) {
    enum { WORTH_ASKING = 1 << 20 }; /* asking takes 0.1 ms */
    if (bytes < WORTH_ASKING || obeys(ctx)) return false;
    redis_info_data *info = redis.GetServerInfo(ctx, "memory");
    int error;
    bool fits = bytes <= redis.ServerInfoGetFieldUnsigned(info, "maxmemory", &error);
    bool over = is_over(info, more) && (!fits || never_evicts(info));
    redis.FreeServerInfo(ctx, info);
    return over;
}

bool memory_is_over(redis_ctx *ctx, uint64_t bytes) { return ask(ctx, bytes, 0); }
bool memory_would_be_over(redis_ctx *ctx, uint64_t bytes) { return ask(ctx, bytes, bytes); }

void memory_is_missing(redis_ctx *ctx) {
    if (!obeys(ctx)) return;
    redis.Log(ctx, "warning",
              "guira: no memory for a command of the master or the AOF. Items would be missing, so the server ends");
    exit(EXIT_FAILURE);
}
