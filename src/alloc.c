/* See alloc.h. With a hook, a block is the hook's memory moved up to the next multiple of 64, the distance noted in the
 * byte before it:
 *
 *     hook's pointer        block
 *     |...................d|################|        d = 1..64
 */
#define _GNU_SOURCE
#include "alloc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guira.h"

enum { ALIGNMENT = 64 };
#define HUGE_PAGE ((size_t)2 << 20)

static guira_allocator hook;

void guira_set_allocator(const guira_allocator *a) {
    if (a != NULL && a->alloc != NULL && a->release != NULL) hook = *a;
    else memset(&hook, 0, sizeof hook);
}

bool guira__memory_has(double bytes) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages <= 0 || size <= 0 || bytes <= (double)pages * (double)size;
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* ----------------------------------------------------------------------------------------------------------- regions */

#ifdef __linux__
#include <sys/mman.h>

/* Maps one huge page more than needed and cuts the ends off, so that the region starts on a huge page. */
uint8_t *guira__region_open(size_t size) {
    if (hook.alloc != NULL || size < HUGE_PAGE || size > PTRDIFF_MAX - 2 * HUGE_PAGE) return NULL;
    size = round_up(size, HUGE_PAGE);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *raw = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (raw == MAP_FAILED) return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    if (head > 0) munmap(raw, head);
    munmap(raw + head + size, HUGE_PAGE - head);
    return raw + head;
}

void guira__region_close(uint8_t *region, size_t size) { munmap(region, round_up(size, HUGE_PAGE)); }

void guira__region_drop(uint8_t *region, size_t from, size_t to) { madvise(region + from, to - from, MADV_DONTNEED); }

/* Whole huge pages between from and to. It is a wish: without them the region works as well, only slower. */
void guira__region_expect(uint8_t *region, size_t from, size_t to) {
    from = round_up(from, HUGE_PAGE);
    to = to / HUGE_PAGE * HUGE_PAGE;
    if (from < to) madvise(region + from, to - from, MADV_HUGEPAGE);
}
#else
uint8_t *guira__region_open(size_t size) {
    (void)size;
    return NULL;
}
void guira__region_close(uint8_t *region, size_t size) {
    (void)region;
    (void)size;
}
void guira__region_drop(uint8_t *region, size_t from, size_t to) {
    (void)region;
    (void)from;
    (void)to;
}
void guira__region_expect(uint8_t *region, size_t from, size_t to) { guira__region_drop(region, from, to); }
#endif

/* ------------------------------------------------------------------------------------------------------------ blocks */

static void *hook_alloc(size_t size) {
    uint8_t *raw = hook.alloc(size + ALIGNMENT);
    if (raw == NULL) return NULL;
    size_t distance = ALIGNMENT - (uintptr_t)raw % ALIGNMENT;
    raw[distance - 1] = (uint8_t)distance;
    return raw + distance;
}

void *guira__alloc(size_t size) {
    if (size > PTRDIFF_MAX - ALIGNMENT) return NULL;
    if (hook.alloc != NULL) return hook_alloc(size);
    return aligned_alloc(ALIGNMENT, round_up(size, ALIGNMENT));
}

void *guira__zalloc(size_t size) {
    void *p = guira__alloc(size);
    if (p != NULL) memset(p, 0, size);
    return p;
}

void guira__free(void *p) {
    if (p == NULL) return;
    if (hook.alloc != NULL) hook.release((uint8_t *)p - ((uint8_t *)p)[-1]);
    else free(p);
}

size_t guira__alloc_cost(size_t size) { return hook.alloc != NULL ? size + ALIGNMENT : round_up(size, ALIGNMENT); }

/* ---------------------------------------------------------------------------------------------------------- segments */

void *guira__segment_alloc(size_t size, bool cleared) {
    void *p = hook.alloc != NULL ? hook.alloc(size) : guira__alloc(size);
    if (p != NULL && cleared) memset(p, 0, size);
    return p;
}

void guira__segment_free(void *p) {
    if (hook.alloc != NULL) hook.release(p);
    else free(p);
}

size_t guira__segment_cost(size_t size) { return hook.alloc != NULL ? size : guira__alloc_cost(size); }
