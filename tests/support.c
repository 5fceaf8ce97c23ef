/* See support.h. */
#define XXH_INLINE_ALL
#include "support.h"

#include "window/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

/* ----------------------------------------------------------------------------------------------------------- random */

uint64_t rng_next(struct rng *r) { /* splitmix64 */
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rng_below(struct rng *r, uint64_t n) { return rng_next(r) % n; }

struct rng rng_for(const char *test) {
    const char *given = getenv("GUIRA_SEED");
    uint64_t seed;
    if (given != NULL) seed = strtoull(given, NULL, 0);
    else if (getentropy(&seed, sizeof seed) != 0) abort();
    print_message("%s: GUIRA_SEED=0x%llx\n", test, (unsigned long long)seed);
    fflush(stdout);
    return (struct rng){seed};
}

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && strcmp(value, "0") != 0 && value[0] != '\0';
}
bool long_run(void) { return is_set("GUIRA_LONG"); }
bool quick_run(void) { return is_set("GUIRA_QUICK"); }

/* ----------------------------------------------------------------------------------------------------------- memory */

struct memory memory;

enum { HEADER = 16 }; /* keeps the alignment of malloc */

static void *counting_alloc(size_t size) {
    memory.calls++;
    if (memory.calls == memory.fail_at || (memory.fail_on && memory.fail_at > 0 && memory.calls > memory.fail_at)) {
        memory.failed = true;
        return NULL;
    }
    uint8_t *p = malloc(size + HEADER);
    if (p == NULL) return NULL;
    memcpy(p, &size, sizeof size);
    memory.bytes += size;
    if (memory.bytes > memory.peak) memory.peak = memory.bytes;
    memory.blocks++;
    return p + HEADER;
}

static void counting_release(void *p) {
    size_t size;
    memcpy(&size, (uint8_t *)p - HEADER, sizeof size);
    memory.bytes -= size;
    memory.blocks--;
    free((uint8_t *)p - HEADER);
}

void memory_hook(void) {
    static const guira_allocator counting = {counting_alloc, counting_release};
    memset(&memory, 0, sizeof memory);
    guira_set_allocator(&counting);
}

void memory_unhook(void) {
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(memory.bytes, 0);
    guira_set_allocator(NULL);
}

/* ------------------------------------------------------------------------------------------------------------ kinds */

/* Large enough that with many members a lookup does not search a hundred filters, and that 12 bits suffice. */
static const struct variant of_papers[] = {
    {.name = "dynamic-12", .config = {.kind = GUIRA_DYNAMIC, .slot_bits = 12, .buckets = 256}},
    {.name = "dynamic-16", .config = {.kind = GUIRA_DYNAMIC, .slot_bits = 16, .buckets = 1000}},
    {.name = "dynamic-30", .config = {.kind = GUIRA_DYNAMIC, .slot_bits = 30, .bucket_slots = 3, .buckets = 333}},
    {.name = "elastic-14", .config = {.kind = GUIRA_ELASTIC, .slot_bits = 14, .buckets = 600}},
    {.name = "elastic-16", .config = {.kind = GUIRA_ELASTIC, .slot_bits = 16}},
    {.name = "elastic-32", .config = {.kind = GUIRA_ELASTIC, .slot_bits = 32, .bucket_slots = 8, .factor = 3}},
    {.name = "elastic-30", .config = {.kind = GUIRA_ELASTIC, .slot_bits = 30, .bucket_slots = 3, .buckets = 383}},
    {.name = "consistent/both", .config = {.kind = GUIRA_CONSISTENT, .slot_bits = 30, .bucket_slots = 3}},
    {.name = "consistent/bucket",
     .config = {.kind = GUIRA_CONSISTENT,
                .slot_bits = 30,
                .bucket_slots = 3,
                .policy = GUIRA_BUCKET_LEVEL,
                .max_load = 0.99}},
    {.name = "consistent/filter",
     .config = {.kind = GUIRA_CONSISTENT, .slot_bits = 30, .bucket_slots = 3, .policy = GUIRA_FILTER_LEVEL}},
    {.name = "consistent/wide",
     .config = {.kind = GUIRA_CONSISTENT,
                .slot_bits = 23,
                .bucket_slots = 5,
                .candidates = 3,
                .virtual_nodes = 3,
                .buckets = 7}},
};
enum { OF_PAPERS = sizeof of_papers / sizeof *of_papers, FAST = 13 };

static const guira_config fast[FAST] = {
    {.slot_bits = 12},
    {.slot_bits = 16},
    {.slot_bits = 32},
    {.slot_bits = 13},
    {.slot_bits = 20},
    {.slot_bits = 28},
    {.kind = GUIRA_CUCKOO, .slot_bits = 12},
    {.kind = GUIRA_CUCKOO, .slot_bits = 16},
    {.kind = GUIRA_CUCKOO, .slot_bits = 32},
    {.kind = GUIRA_CUCKOO, .slot_bits = 14},
    {.kind = GUIRA_CUCKOO, .slot_bits = 26},
    {.kind = GUIRA_CUCKOO, .slot_bits = 15, .bucket_slots = 4},
    {.kind = GUIRA_CUCKOO, .slot_bits = 17, .bucket_slots = 4},
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

/* Each configuration with the best instruction set and with portable code. With sanitizers, a quick run takes these in turn:
 * what else differs between them is tested by test_match. */
const struct variant *variants(void) {
    static struct variant list[2 * FAST + OF_PAPERS + 1];
    static char name[2 * FAST][32];
    if (list[0].name != NULL) return list;
    const char *const isas[] = {isa_list()[0], "portable"};
    size_t n = 0, sets = strcmp(isas[0], isas[1]) == 0 ? 1 : 2;
    for (size_t i = 0; i < sets; i++)
        for (size_t j = 0; j < FAST; j++) {
            if (sanitized && quick_run() && j % sets != i) continue;
            snprintf(name[n], sizeof name[n], "%s-%u%s/%s", fast[j].kind == GUIRA_TIDAL ? "tidal" : "cuckoo",
                     fast[j].slot_bits, fast[j].bucket_slots == 4 ? "x4" : "", isas[i]);
            list[n] = (struct variant){.name = name[n], .config = fast[j], .isa = isas[i]};
            n++;
        }
    for (size_t i = 0; i < OF_PAPERS; i++, n++) {
        list[n] = of_papers[i];
        list[n].isa = isas[0];
    }
    return list;
}

bool is_tidal(const struct variant *v) { return v->config.kind == GUIRA_TIDAL; }
bool is_fixed(const struct variant *v) { return v->config.kind == GUIRA_CUCKOO; }
bool is_of_papers(const struct variant *v) { return !is_tidal(v) && !is_fixed(v); }

guira *variant_make(const struct variant *v, struct rng *r, uint64_t capacity) {
    guira_config c = v->config;
    if (c.kind == GUIRA_CUCKOO) c.capacity = capacity;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    guira *f = NULL;
    assert_int_equal(guira__create_isa(isa_named(v->isa), &c, &f), GUIRA_OK);
    return f;
}

unsigned insert_many_copies(guira *f, struct rng *r, uint64_t *hash) {
    enum { MOST = 40 };
    unsigned n = 0;
    *hash = rng_next(r);
    while (n < MOST && guira_insert_hash(f, *hash) == GUIRA_OK) n++;
    return n;
}

/* With one move per insertion many find no place in the table. Each has about one chance in two while the load is high, so
 * that the last of n is hardly ever reached without one in the stash; if so, others follow. */
guira *variant_make_with_stash(const struct variant *v, struct rng *r, size_t n, struct model *m) {
    struct variant hasty = *v;
    hasty.config.max_kicks = 1;
    guira *f = variant_make(&hasty, r, n);
    for (size_t i = 0; i < n || (i < 100000 && stats_of(f).stash == 0); i++) {
        uint64_t hash = rng_next(r);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        model_add(m, hash);
    }
    assert_true(stats_of(f).stash > 0);
    return f;
}

static void into_digest(void *to, const void *bytes, size_t n) {
    if (XXH3_64bits_update(to, bytes, n) != XXH_OK) abort();
}

static uint64_t digest_by(void (*dump)(const void *what, guira__sink *sink, void *to), const void *what) {
    XXH3_state_t state; /* not allocated: memory may be missing on purpose */
    XXH3_INITSTATE(&state);
    if (XXH3_64bits_reset(&state) != XXH_OK) abort();
    dump(what, into_digest, &state);
    return XXH3_64bits_digest(&state);
}

static void dump_filter(const void *what, guira__sink *sink, void *to) {
    const guira *f = what;
    f->ops->dump(f, sink, to);
}

static void dump_window(const void *what, guira__sink *sink, void *to) { guira__window_dump(what, sink, to); }

uint64_t digest(const guira *f) { return digest_by(dump_filter, f); }

uint64_t window_digest(const guira_window *w) { return digest_by(dump_window, w); }

guira_stats stats_of(const guira *f) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    return s;
}

void assert_valid(const guira *f) {
    const char *reason = NULL;
    guira_status s = guira_validate(f, &reason);
    if (s != GUIRA_OK) print_error("invalid: %s\n", reason);
    assert_int_equal(s, GUIRA_OK);
}

/* -------------------------------------------------------------------------------------------------------------- model */

void model_add(struct model *m, uint64_t hash) {
    if (m->n == m->room) {
        m->room = m->room == 0 ? 1024 : 2 * m->room;
        m->hash = realloc(m->hash, m->room * sizeof *m->hash);
        if (m->hash == NULL) abort();
    }
    m->hash[m->n++] = hash;
}

uint64_t model_take(struct model *m, size_t i) {
    uint64_t hash = m->hash[i];
    m->hash[i] = m->hash[--m->n];
    return hash;
}

void model_free(struct model *m) {
    free(m->hash);
    *m = (struct model){0};
}

void members_in(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        model_add(m, hash);
    }
}

void members_out(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_remove_hash(f, model_take(m, rng_below(r, m->n))), GUIRA_OK);
}

void ordered_add(struct ordered_set *c, uint64_t hash) {
    if (c->end == c->room) {
        c->room = c->room == 0 ? 1024 : 2 * c->room;
        c->hash = realloc(c->hash, c->room * sizeof *c->hash);
        if (c->hash == NULL) abort();
    }
    c->hash[c->end++] = hash;
    c->live++;
}

static size_t ordered_find(const struct ordered_set *c, enum choice how, struct rng *r) {
    size_t i = how == OLDEST ? c->first : c->end - 1;
    if (how == ANY) i = c->first + rng_below(r, c->end - c->first);
    while (c->hash[i] == GONE) i = c->first + rng_below(r, c->end - c->first);
    return i;
}

uint64_t ordered_pick(const struct ordered_set *c, enum choice how, struct rng *r) {
    return c->hash[ordered_find(c, how, r)];
}

uint64_t ordered_take(struct ordered_set *c, enum choice how, struct rng *r) {
    size_t i = ordered_find(c, how, r), n = 0;
    uint64_t hash = c->hash[i];
    c->hash[i] = GONE;
    c->live--;
    while (c->first < c->end && c->hash[c->end - 1] == GONE) c->end--;
    while (c->first < c->end && c->hash[c->first] == GONE) c->first++;
    if (c->end <= 2 * c->live + 64) return hash;
    for (i = c->first; i < c->end; i++)
        if (c->hash[i] != GONE) c->hash[n++] = c->hash[i];
    c->first = 0;
    c->end = n;
    return hash;
}

void assert_same(const guira *f, const struct model *m) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    assert_int_equal(s.items, m->n);
    for (size_t i = 0; i < m->n; i++)
        if (!guira_contains_hash(f, m->hash[i]))
            fail_msg("member %zu of %zu is missing: %016llx", i, m->n, (unsigned long long)m->hash[i]);
    bool found[100];
    for (size_t i = 0, n; i < m->n; i += n) {
        n = m->n - i < 100 ? m->n - i : 100;
        if (guira_contains_hash_many(f, m->hash + i, n, found) != n) fail_msg("a member is missing in a batch");
    }
}
