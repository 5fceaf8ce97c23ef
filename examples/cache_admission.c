/* Cache admission by a window: a key enters the cache only if it was asked for before in the last T requests.
 *
 *     request --> [ cache ] -- miss --> fetch it --> [ window: seen lately? ] -- no --> not cached
 *                                                          |
 *                                                          +-- yes --> cached, the least recently used one goes
 *
 * Most keys of a long tail are asked for once. In a plain LRU cache each of them pushes out a key that would be asked for
 * again. The window remembers what was asked for, in a few bytes for each key, and forgets it by itself. The program compares
 * the share of hits of both caches on the same stream, which has a popular part and scans of keys that come only once.
 *
 * Exit status: 1 if admission does not help, or if a call failed. */
#include <guira_window.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 1000000, POPULAR = 50000, CACHE = 2000, WINDOW = 40000, NONE = -1 };

/* An LRU cache of keys: a doubly linked list, and for each popular key its place in it. Keys of a scan come once, so they
 * need not be found again. */
struct cache {
    int32_t place[POPULAR]; /* NONE: not cached */
    uint64_t key[CACHE];
    int32_t before[CACHE], after[CACHE], first, last;
    int used;
    uint64_t hits;
};

static void unlink_place(struct cache *c, int32_t p) {
    if (c->before[p] != NONE) c->after[c->before[p]] = c->after[p];
    else c->first = c->after[p];
    if (c->after[p] != NONE) c->before[c->after[p]] = c->before[p];
    else c->last = c->before[p];
}

static void link_first(struct cache *c, int32_t p) {
    c->before[p] = NONE;
    c->after[p] = c->first;
    if (c->first != NONE) c->before[c->first] = p;
    else c->last = p;
    c->first = p;
}

static void cache_init(struct cache *c) {
    memset(c, 0, sizeof *c);
    for (int i = 0; i < POPULAR; i++) c->place[i] = NONE;
    c->first = c->last = NONE;
}

static bool cache_get(struct cache *c, uint64_t key) {
    int32_t p = key < POPULAR ? c->place[key] : NONE;
    if (p == NONE) return false;
    unlink_place(c, p);
    link_first(c, p);
    c->hits++;
    return true;
}

static void cache_put(struct cache *c, uint64_t key) {
    int32_t p = c->used;
    if (c->used < CACHE) c->used++;
    else {
        p = c->last;
        unlink_place(c, p);
        if (c->key[p] < POPULAR) c->place[c->key[p]] = NONE;
    }
    c->key[p] = key;
    if (key < POPULAR) c->place[key] = p;
    link_first(c, p);
}

/* ----------------------------------------------------------------------------------------------------------- the stream */

static uint64_t random64(uint64_t *state) { /* splitmix64 */
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Popular keys: number k about as often as 1/k. Every second request is for a key that never comes again. */
static uint64_t next_key(uint64_t i, uint64_t *state) {
    if (i % 2 == 0) return POPULAR + i;
    double u = (double)(random64(state) >> 11) * 0x1p-53;
    return (uint64_t)exp(u * log(POPULAR)) % POPULAR;
}

int main(void) {
    static struct cache lru, admitted;
    guira_window_config config = {.length = WINDOW, .slides = true};
    guira_window *window;
    guira_stats s = GUIRA_STATS_INIT;
    uint64_t state = 1, largest = 0;
    cache_init(&lru);
    cache_init(&admitted);
    if (guira_window_create(&config, &window) != GUIRA_OK) return 1;
    for (uint64_t i = 1; i <= REQUESTS; i++) {
        uint64_t key = next_key(i, &state);
        bool seen;
        if (!cache_get(&lru, key)) cache_put(&lru, key);
        if (guira_window_seen(window, &key, sizeof key, i, &seen) != GUIRA_OK) return 1;
        if (!cache_get(&admitted, key) && seen) cache_put(&admitted, key);
        if (i % 10000 == 0 && guira_window_stats_get(window, &s) == GUIRA_OK && s.bytes > largest) largest = s.bytes;
    }
    printf("%d requests, half of them for keys that come once; a cache of %d keys\n", REQUESTS, CACHE);
    printf("  plain LRU        %5.2f %% hits\n", 100.0 * (double)lru.hits / REQUESTS);
    printf("  with admission   %5.2f %% hits; the window takes at most %" PRIu64 " bytes for %d requests\n",
           100.0 * (double)admitted.hits / REQUESTS, largest, WINDOW);
    guira_window_destroy(window);
    return admitted.hits > lru.hits ? 0 : 1;
}
