/* See region.h. */
#define _GNU_SOURCE
#include "base/region.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/atomics.h"

#define HUGE_PAGE ((size_t)2 << 20)

#ifdef __linux__
#include <sys/mman.h>

static inline size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static uint8_t *map(size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *raw = (uint8_t *)mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return raw == MAP_FAILED ? NULL : raw;
}

/* A big region is mapped with one huge page more than needed and its ends are cut off, so that it starts on a huge page. */
uint8_t *guira__region_open(size_t size) {
    if (guira__alloc_is_hooked() || size > PTRDIFF_MAX - 2 * HUGE_PAGE) return NULL;
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

/* Parts of pages, and pages that are locked, cannot be returned to the system: then they are at least cleared. (Asked for
 * part of a page, the system would take all of it.) */
void guira__region_drop(uint8_t *region, size_t from, size_t to) {
    bool pages = (from | to) % (size_t)sysconf(_SC_PAGESIZE) == 0;
    if (pages && madvise(region + from, to - from, MADV_DONTNEED) == 0) return;
    for (; from < to && from % sizeof(uint64_t) != 0; from++) store_relaxed(region[from], 0);
    for (; to - from >= sizeof(uint64_t); from += sizeof(uint64_t))
        store_relaxed(*(uint64_t *)(void *)(region + from), 0);
    for (; from < to; from++) store_relaxed(region[from], 0);
}

/* The huge pages between from and to of which at least fifteen sixteenths will be in use. The system may refuse: without
 * them the region works as well, only slower. */
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

/* ------------------------------------------------------------------------------------------------------ stable regions */

uint8_t *guira__stable_region(struct stable_regions *r, unsigned level) {
    if (r->region[level] == NULL) r->region[level] = guira__region_open(r->bucket_bytes << level);
    return r->region[level];
}

void guira__stable_regions_close(struct stable_regions *r) {
    for (unsigned i = 0; i < STABLE_LEVELS; i++)
        if (r->region[i] != NULL) guira__region_close(r->region[i], r->bucket_bytes << i);
}
