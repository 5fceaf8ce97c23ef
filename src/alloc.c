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
#include "visible.h"

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

static uint8_t *map(size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *raw = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return raw == MAP_FAILED ? NULL : raw;
}

/* A big one is mapped with one huge page more than needed and has its ends cut off, so that it starts on a huge page. */
uint8_t *guira__region_open(size_t size) {
    if (hook.alloc != NULL || size > PTRDIFF_MAX - 2 * HUGE_PAGE) return NULL;
    if (size < HUGE_PAGE) return map(size);
    size = round_up(size, HUGE_PAGE);
    uint8_t *raw = map(size + HUGE_PAGE);
    if (raw == NULL) return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    if (head > 0) munmap(raw, head);
    munmap(raw + head + size, HUGE_PAGE - head);
    return raw + head;
}

void guira__region_close(uint8_t *region, size_t size) {
    munmap(region, size < HUGE_PAGE ? size : round_up(size, HUGE_PAGE));
}

/* Parts of pages, and pages that are locked, cannot be given back: then at least nothing is left in them. (Asked for part
 * of a page, the system would take all of it.) */
void guira__region_drop(uint8_t *region, size_t from, size_t to) {
    bool pages = (from | to) % (size_t)sysconf(_SC_PAGESIZE) == 0;
    if (pages && madvise(region + from, to - from, MADV_DONTNEED) == 0) return;
    uint64_t *word = (uint64_t *)(void *)(region + from);
    for (size_t i = 0; i < (to - from) / sizeof *word; i++) SHOW(word[i], 0);
}

/* The huge pages between from and to, all of which will be in use but for a sixteenth at most. It is a wish: without them
 * the region works as well, only slower. */
void guira__region_expect(uint8_t *region, size_t from, size_t to) {
    const size_t unused = HUGE_PAGE / 16;
    from = round_up(from < unused ? 0 : from - unused, HUGE_PAGE);
    to = (to + unused) / HUGE_PAGE * HUGE_PAGE;
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
