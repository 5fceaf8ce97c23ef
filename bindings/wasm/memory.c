/* malloc, free and aligned_alloc for guira.wasm: 1 KB of code, where the allocator of wasi-libc has 11.
 *
 * Blocks lie one after the other. Each has a multiple of 64 bytes, and its first 16 are its head, in front of a multiple of
 * 64: so everything that is handed out is aligned for vectors and cache lines.
 *
 *     |head| bytes ...        |head| bytes ...                 |head|        the last head has no bytes and is never free
 *          ^ multiple of 64        ^ multiple of 64
 *
 * A head has the sizes of its block and of the one before, so that free() finds both neighbours and joins those that are
 * free. Free blocks are in lists by the power of two of their size; links are in their bytes. Memory never returns to the
 * engine: WebAssembly cannot do it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { UNIT = 64, LISTS = 32, PAGE = 65536 };

struct head {
    uint32_t size; /* of the block with its head */
    uint32_t size_before;
    uint32_t free;
    uint32_t unused;
};

struct link {
    struct head head;
    struct link *next, **from; /* of a free block: the next of its list, and what points to this one */
};

extern unsigned char __heap_base;
static struct link *lists[LISTS];
static struct head *last; /* NULL: before the first call */

static struct head *after(struct head *b) { return (struct head *)(void *)((char *)b + b->size); }
static struct head *before(struct head *b) { return (struct head *)(void *)((char *)b - b->size_before); }
static struct link **list_of(uint32_t size) { return &lists[31 - __builtin_clz(size)]; }

static void list_add(struct head *b) {
    struct link *l = (struct link *)(void *)b, **list = list_of(b->size);
    b->free = 1;
    l->next = *list;
    l->from = list;
    if (l->next != NULL) l->next->from = &l->next;
    *list = l;
}

static void list_take(struct head *b) {
    struct link *l = (struct link *)(void *)b;
    b->free = 0;
    *l->from = l->next;
    if (l->next != NULL) l->next->from = l->from;
}

static void set_size(struct head *b, uint32_t size) {
    b->size = size;
    after(b)->size_before = size;
}

/* The first heads, at the start of the heap; there is no free memory yet. */
static void start(void) {
    uintptr_t first = ((uintptr_t)&__heap_base + sizeof(struct head) + UNIT - 1) / UNIT * UNIT - sizeof(struct head);
    last = (struct head *)first;
    *last = (struct head){0};
}

/* A free block of at least so many bytes, no longer in its list; NULL: there is none. */
static struct head *find(uint32_t size) {
    struct link **list = list_of(size), *l = *list;
    while (l != NULL && l->head.size < size) l = l->next;
    while (l == NULL && ++list < lists + LISTS) l = *list;
    if (l != NULL) list_take(&l->head);
    return (struct head *)l;
}

void free(void *p) {
    if (p == NULL) return;
    struct head *b = (struct head *)p - 1;
    if (after(b)->free) {
        list_take(after(b));
        set_size(b, b->size + after(b)->size);
    }
    if (b->size_before > 0 && before(b)->free) {
        uint32_t size = b->size;
        b = before(b);
        list_take(b);
        set_size(b, b->size + size);
    }
    list_add(b);
}

/* Adds a free block at the end, so that there is one of at least so many bytes. False: there is no more memory. */
static bool grow(uint32_t size) {
    if (last == NULL) start();
    int64_t room = (int64_t)__builtin_wasm_memory_size(0) * PAGE - (int64_t)(uintptr_t)last - (int64_t)sizeof *last;
    int64_t pages = size > room ? (size - room + PAGE - 1) / PAGE : 0;
    if (pages > 0 && __builtin_wasm_memory_grow(0, (size_t)pages) == SIZE_MAX) return false;
    struct head *b = last;
    b->size = (uint32_t)((room + pages * PAGE) / UNIT * UNIT);
    last = after(b);
    *last = (struct head){.size_before = b->size};
    free(b + 1);
    return true;
}

void *malloc(size_t n) {
    if (n > PTRDIFF_MAX) return NULL;
    uint32_t size = (uint32_t)(n + sizeof(struct head) + UNIT - 1) / UNIT * UNIT, rest;
    struct head *b = find(size);
    if (b == NULL && grow(size)) b = find(size);
    if (b == NULL) return NULL;
    rest = b->size - size;
    if (rest > 0) {
        set_size(b, size);
        after(b)->free = 0;
        set_size(after(b), rest);
        free(after(b) + 1);
    }
    return b + 1;
}

/* Every block is aligned to 64 bytes. */
void *aligned_alloc(size_t alignment, size_t n) { return alignment <= UNIT ? malloc(n) : NULL; }
