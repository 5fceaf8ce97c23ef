/* See alloc.h. With a hook, a block is the hook's memory moved up to the next multiple of 64, the distance noted in the
 * byte before it:
 *
 *     hook's pointer        block
 *     |...................d|################|        d = 1..64
 *
 * Without one, blocks of 2 MiB and more are mapped on their own and ask for huge pages: a lookup in a big table is two
 * cache misses either way, but with 4 KiB pages it is up to two page walks as well. */
#define _GNU_SOURCE
#include "alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "guira.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGNMENT = 64 };
#define HUGE_PAGE ((size_t)2 << 20)

static guira_allocator hook;

void guira_set_allocator(const guira_allocator *a) {
    if (a != NULL && a->alloc != NULL && a->release != NULL) hook = *a;
    else memset(&hook, 0, sizeof hook);
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static void *hook_alloc(size_t size) {
    uint8_t *raw = hook.alloc(size + ALIGNMENT);
    if (raw == NULL) return NULL;
    size_t distance = ALIGNMENT - (uintptr_t)raw % ALIGNMENT;
    raw[distance - 1] = (uint8_t)distance;
    return raw + distance;
}

#ifdef __linux__
static bool is_mapped(size_t size) { return size >= HUGE_PAGE; }

/* Maps one huge page more than needed and cuts the ends off, so that the block starts on a huge page. */
static void *map_huge(size_t size) {
    size = round_up(size, HUGE_PAGE);
    uint8_t *raw = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    if (head > 0) munmap(raw, head);
    munmap(raw + head + size, HUGE_PAGE - head);
    madvise(raw + head, size, MADV_HUGEPAGE); /* a wish: without it the block works as well, only slower */
    return raw + head;
}

static void unmap_huge(void *p, size_t size) { munmap(p, round_up(size, HUGE_PAGE)); }
#else
static bool is_mapped(size_t size) {
    (void)size;
    return false;
}
static void *map_huge(size_t size) {
    (void)size;
    return NULL;
}
static void unmap_huge(void *p, size_t size) {
    (void)p;
    (void)size;
}
#endif

void *guira__alloc(size_t size) {
    if (size > PTRDIFF_MAX - 2 * HUGE_PAGE) return NULL;
    if (hook.alloc != NULL) return hook_alloc(size);
    if (is_mapped(size)) return map_huge(size);
    return aligned_alloc(ALIGNMENT, round_up(size, ALIGNMENT));
}

void *guira__zalloc(size_t size) {
    void *p = guira__alloc(size);
    bool already_zero = hook.alloc == NULL && is_mapped(size);
    if (p != NULL && !already_zero) memset(p, 0, size);
    return p;
}

void guira__free(void *p, size_t size) {
    if (p == NULL) return;
    if (hook.alloc != NULL) hook.release((uint8_t *)p - ((uint8_t *)p)[-1]);
    else if (is_mapped(size)) unmap_huge(p, size);
    else free(p);
}

size_t guira__alloc_cost(size_t size) {
    if (hook.alloc != NULL) return size + ALIGNMENT;
    return round_up(size, is_mapped(size) ? HUGE_PAGE : ALIGNMENT);
}
