/* Operations on shared filters, by one thread, against an exact multiset. */
#include "ops.h"
#include "shared.h"

static struct {
    guira_shared *g;
    guira_config config;
    unsigned shards;
    struct tally tally;
} world;

/* Of all shards. */
static uint64_t shared_digest(void) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < world.shards; i++) sum = mix(sum + digest(world.g->sight[i].filter));
    return sum;
}

static void check_all(void) {
    const char *reason = NULL;
    guira_stats s;
    if (guira_shared_validate(world.g, &reason) != GUIRA_OK) fprintf(stderr, "invalid: %s\n", reason);
    CHECK(reason == NULL && guira_shared_stats_get(world.g, &s) == GUIRA_OK && s.items == world.tally.items);
    for (unsigned i = 0; i < KEYS; i++)
        if (world.tally.count[i] > 0) CHECK(guira_shared_contains_hash(world.g, hash_of(i)));
}

/* ------------------------------------------------------------------------------------------------------- in and out */

static guira_status insert(unsigned key) {
    guira_status s = guira_shared_insert_hash(world.g, hash_of(key));
    if (s == GUIRA_OK) tally_add(&world.tally, key);
    return s;
}

static guira_status insert_unique(unsigned key) {
    bool there = guira_shared_contains_hash(world.g, hash_of(key));
    guira_status s = guira_shared_insert_unique_hash(world.g, hash_of(key));
    CHECK(there == (s == GUIRA_EEXIST) && (there || world.tally.count[key] == 0));
    if (s == GUIRA_OK) tally_add(&world.tally, key);
    return s;
}

static guira_status take(unsigned key) {
    bool there = guira_shared_contains_hash(world.g, hash_of(key));
    CHECK(there || world.tally.count[key] == 0);
    if (there && world.tally.count[key] == 0) return GUIRA_OK;
    guira_status s = guira_shared_remove_hash(world.g, hash_of(key));
    CHECK(s == (there ? GUIRA_OK : GUIRA_ENOTFOUND));
    if (there) tally_take(&world.tally, key);
    return s;
}

/* A run of keys, all at once. Only members are taken out. */
static void flood(unsigned argument, bool in) {
    uint64_t hash[128] = {0};
    unsigned key[128] = {0}, n = 0;
    guira_status out[128];
    bool there[128];
    size_t done = 0;
    for (unsigned i = 0; i < run_of(argument); i++) {
        key[n] = (argument + i * 7) % KEYS;
        hash[n] = hash_of(key[n]);
        n += in || world.tally.count[key[n]] > 0;
    }
    size_t told = in ? guira_shared_insert_hash_many(world.g, hash, n, out)
                     : guira_shared_remove_hash_many(world.g, hash, n, out);
    for (unsigned i = 0; i < n; i++) {
        CHECK(in || out[i] == GUIRA_OK);
        if (out[i] != GUIRA_OK) continue;
        if (in) tally_add(&world.tally, key[i]);
        else tally_take(&world.tally, key[i]);
        done++;
    }
    CHECK(told == done);
    guira_shared_contains_hash_many(world.g, hash, n, there);
    for (unsigned i = 0; i < n; i++) CHECK(there[i] || world.tally.count[key[i]] == 0);
}

/* ------------------------------------------------------------------------------------------------------- as a whole */

static guira_status save_and_load(void) {
    guira_shared *g = NULL;
    struct image i = {0};
    guira_status s = guira_shared_save_to(world.g, into_image, &i);
    CHECK(s == GUIRA_OK || s == GUIRA_ENOMEM);
    if (s == GUIRA_OK) s = guira_shared_load_from(i.at, i.n, &g);
    free(i.at);
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return s;
    uint64_t before = shared_digest();
    guira_shared_destroy(world.g);
    world.g = g;
    CHECK(shared_digest() == before);
    return s;
}

static guira_status clear(void) {
    guira_status s = guira_shared_clear(world.g);
    if (s == GUIRA_OK) memset(&world.tally, 0, sizeof world.tally);
    return s;
}

static guira_status merge(unsigned argument) {
    guira_shared *other;
    unsigned went[128], n = 0;
    guira_status s = guira_shared_create(&world.config, world.shards, &other);
    if (s != GUIRA_OK) return s;
    for (unsigned i = 0; i < run_of(argument); i++) {
        unsigned key = (argument + i) % KEYS;
        if (guira_shared_insert_hash(other, hash_of(key)) == GUIRA_OK) went[n++] = key;
    }
    s = guira_shared_merge(world.g, other);
    guira_shared_destroy(other);
    for (unsigned i = 0; s == GUIRA_OK && i < n; i++) tally_add(&world.tally, went[i]);
    return s;
}

/* ------------------------------------------------------------------------------------------------------------------ fuzz */

static void perform(uint8_t operation, unsigned argument) {
    uint64_t before = shared_digest();
    unsigned key = argument % KEYS;
    guira_status s = GUIRA_OK;
    switch (operation) {
    case 0:
    case 1: s = insert(key); break;
    case 2: s = insert_unique(key); break;
    case 3:
    case 4: s = take(key); break;
    case 5:
    case 6: flood(argument, true); break;
    case 7:
    case 8: flood(argument, false); break;
    case 9: s = guira_shared_reserve(world.g, argument % 2048); break;
    case 10: s = guira_shared_shrink_to_fit(world.g); break;
    case 11: s = save_and_load(); break;
    case 12: s = argument % 8 == 0 ? clear() : GUIRA_OK; break;
    case 13: s = merge(argument); break;
    default: check_all(); break;
    }
    if (s != GUIRA_OK && operation != 10) CHECK(shared_digest() == before); /* shrinking goes as far as it gets */
}

static void begin(unsigned sort, uint8_t geometry, uint8_t loads) {
    (void)sort;
    memset(&world, 0, sizeof world);
    world.config = tidal_config(geometry, loads);
    world.shards = 1U << (geometry / 3 % 3);
    CHECK(guira_shared_create(&world.config, world.shards, &world.g) == GUIRA_OK);
}

static void end(void) {
    check_all();
    guira_shared_destroy(world.g);
}

const struct sort sort_shared = {begin, perform, end};
