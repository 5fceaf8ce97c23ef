/* Any sequence of operations, against an exact multiset.
 *
 *     input   [ which filter ][ loads ][ operation, argument: 3 bytes ][ ... ] ...
 *
 * Keys are few, so that there are copies of them. An operation that fails must have changed nothing; memory fails when
 * the input says so. */
#include "fuzz.h"

enum { KEYS = 2048, MOST_OPERATIONS = 100 };

static struct {
    guira *f;
    unsigned count[KEYS]; /* copies of each key */
    uint64_t items;
} world;

/* -------------------------------------------------------------------------------------------------------------- memory */

static unsigned fail_in; /* the allocation that fails, counted from now; 0: none */

static void *failing_alloc(size_t size) {
    if (fail_in > 0 && --fail_in == 0) return NULL;
    return malloc(size);
}

/* ---------------------------------------------------------------------------------------------------------- operations */

static uint64_t hash_of(unsigned key) { return mix(key * UINT64_C(0x9e3779b97f4a7c15) + 1); }

static void check_all(void) {
    check_valid(world.f);
    CHECK(world.f->items == world.items);
    for (unsigned i = 0; i < KEYS; i++) {
        if (world.count[i] == 0) continue;
        CHECK(guira_contains_hash(world.f, hash_of(i)));
        CHECK(world.f->ops->count(world.f, hash_of(i)) >= world.count[i]);
    }
}

static guira_status insert(unsigned key) {
    guira_status s = guira_insert_hash(world.f, hash_of(key));
    if (s == GUIRA_OK) {
        world.count[key]++;
        world.items++;
    }
    return s;
}

/* Only members are removed, and what is surely none. */
static guira_status take(unsigned key) {
    bool there = guira_contains_hash(world.f, hash_of(key));
    CHECK(there || world.count[key] == 0);
    if (there && world.count[key] == 0) return GUIRA_OK;
    guira_status s = guira_remove_hash(world.f, hash_of(key));
    CHECK(s == (there ? GUIRA_OK : GUIRA_ENOTFOUND));
    world.count[key] -= there;
    world.items -= there;
    return s;
}

static void replace(guira *g) {
    CHECK(digest(g) == digest(world.f));
    guira_destroy(world.f);
    world.f = g;
}

static guira_status copy(void) {
    guira *g;
    guira_status s = guira_clone(world.f, &g);
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g != NULL) replace(g);
    return s;
}

static guira_status save_and_load(void) {
    guira *g;
    struct image i = image_of(world.f);
    guira_status s = guira_load_from(i.at, i.n, &g);
    CHECK((s == GUIRA_OK) == (g != NULL));
    free(i.at);
    if (g != NULL) replace(g);
    return s;
}

static guira_status clear(void) {
    guira_status s = guira_clear(world.f);
    if (s != GUIRA_OK) return s;
    memset(world.count, 0, sizeof world.count);
    world.items = 0;
    return s;
}

/* Many keys in a row, for an input of few bytes. */
static guira_status flood(unsigned from, bool in) {
    for (unsigned i = 0; i < 200; i++) {
        unsigned key = (from + i * 7) % KEYS;
        if (in) insert(key);
        else take(key);
    }
    return GUIRA_OK;
}

static void perform(uint8_t operation, unsigned argument) {
    uint64_t before = digest(world.f);
    unsigned key = argument % KEYS;
    guira_status s = GUIRA_OK;
    switch (operation % 16) {
    case 0:
    case 1:
    case 2:
    case 3: s = insert(key); break;
    case 4:
    case 5: s = take(key); break;
    case 6: flood(key, true); break;
    case 7: flood(key, false); break;
    case 8: s = guira_reserve(world.f, argument % 4096); break;
    case 9: s = guira_shrink_to_fit(world.f); break;
    case 10: s = copy(); break;
    case 11: s = save_and_load(); break;
    case 12: s = key % 8 == 0 ? clear() : GUIRA_OK; break;
    case 13: fail_in = argument % 64 + 1; return;
    case 14:
        for (unsigned i = 0; i < 20 && s == GUIRA_OK; i++) s = insert(key);
        if (s != GUIRA_OK) return; /* some of these went in */
        break;
    default: check_all(); break;
    }
    if (s != GUIRA_OK) CHECK(digest(world.f) == before);
    fail_in = 0;
}

/* ---------------------------------------------------------------------------------------------------------------- input */

static guira *make(uint8_t which, uint8_t loads) {
    const unsigned widths[] = {12, 16, 32};
    const double max_load[] = {0, 0.98, 0.5, 0.9}, min_load[] = {0, -1, 0.3, 0.45};
    guira_config c = {
        .slot_bits = widths[which / 2 % 3], .seed = {1}, .max_kicks = 16}; /* full filters: not for long */
    c.kind = which % 2 ? GUIRA_CUCKOO : GUIRA_TIDAL;
    c.capacity = which % 2 ? 20 + which : which / 16;
    c.max_load = max_load[loads % 4];
    c.min_load = min_load[loads / 4 % 4];
    guira *f;
    const char *const *isa = guira__isa_list();
    CHECK(guira__create_on(which / 8 % 2 ? "portable" : isa[0], &c, &f) == GUIRA_OK);
    return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const guira_allocator allocator = {failing_alloc, free};
    if (n < 2) return 0;
    guira_set_allocator(&allocator);
    memset(&world, 0, sizeof world);
    fail_in = 0;
    world.f = make(data[0], data[1]);
    if (n > 2 + 3 * MOST_OPERATIONS) n = 2 + 3 * MOST_OPERATIONS;
    for (size_t i = 2; n - i >= 3; i += 3) perform(data[i], data[i + 1] | (unsigned)data[i + 2] << 8);
    fail_in = 0;
    check_all();
    guira_destroy(world.f);
    guira_set_allocator(NULL);
    return 0;
}
