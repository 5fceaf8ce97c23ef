/* See alloc.h. With an allocator hook, a block is the hook's memory moved up to the next multiple of 64, and the distance
 * is noted in the byte before it:
 *
 *     hook's pointer        block
 *     |...................d|################|        d = 1..64
 */
#define _GNU_SOURCE
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guira.h"

enum { ALIGNMENT = 64 };

static guira_allocator hook;
static void *(*zeroed_hook)(size_t size);

void guira_set_allocator(const guira_allocator *a) {
    zeroed_hook = NULL;
    if (a != NULL && a->alloc != NULL && a->release != NULL) hook = *a;
    else memset(&hook, 0, sizeof hook);
}

void guira_set_zeroed_allocator(void *(*zalloc)(size_t size)) { zeroed_hook = zalloc; }

bool guira__memory_has(double bytes) {
    enum { WORTH_ASKING = 1 << 20 }; /* it is a system call: most of the time to create a small filter */
    if (bytes < WORTH_ASKING) return true;
    if (bytes > (double)PTRDIFF_MAX) return false;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages <= 0 || size <= 0 || bytes <= (double)pages * (double)size;
}

bool guira__alloc_is_hooked(void) { return hook.alloc != NULL; }

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* ------------------------------------------------------------------------------------------------------------ blocks */

static void *hook_zalloc(size_t size) {
    if (zeroed_hook != NULL) return zeroed_hook(size);
    void *p = hook.alloc(size);
    if (p != NULL) memset(p, 0, size);
    return p;
}

static void *hook_block(size_t size, void *(*alloc)(size_t size)) {
    uint8_t *raw = (uint8_t *)alloc(size + ALIGNMENT);
    if (raw == NULL) return NULL;
    size_t distance = ALIGNMENT - (uintptr_t)raw % ALIGNMENT;
    raw[distance - 1] = (uint8_t)distance;
    return raw + distance;
}

void *guira__alloc(size_t size) {
    if (size > PTRDIFF_MAX - ALIGNMENT) return NULL;
    if (hook.alloc != NULL) return hook_block(size, hook.alloc);
    return aligned_alloc(ALIGNMENT, round_up(size, ALIGNMENT));
}

void *guira__zalloc(size_t size) {
    if (hook.alloc != NULL) return size > PTRDIFF_MAX - ALIGNMENT ? NULL : hook_block(size, hook_zalloc);
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
    if (hook.alloc != NULL) return cleared ? hook_zalloc(size) : hook.alloc(size);
    return cleared ? guira__zalloc(size) : guira__alloc(size);
}

void guira__segment_free(void *p) {
    if (hook.alloc != NULL) hook.release(p);
    else free(p);
}

size_t guira__segment_cost(size_t size) { return hook.alloc != NULL ? size : guira__alloc_cost(size); }

/* ------------------------------------------------------------------------------------------------------ small pieces */

void *guira__small_alloc(size_t size) { return hook.alloc != NULL ? hook.alloc(size) : malloc(size); }

void guira__small_free(void *p) {
    if (hook.alloc != NULL) hook.release(p);
    else free(p);
}

size_t guira__small_cost(size_t size) {
    if (hook.alloc != NULL) return size;
    return size <= 24 ? 32 : round_up(size + 8, 16);
}
