/* Operations on shared filters, by one thread, against an exact multiset. */
#include "ops.h"
#include "shared/shared.h"

static struct {
    guira_shared *g;
    guira_config config;
    unsigned shards;
    struct tally tally;
} state;

/* Of all shards. */
static uint64_t shared_digest(void) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < state.shards; i++) sum = mix(sum + digest(state.g->root[i].filter));
    return sum;
}

static void check_all(void) {
    const char *reason = NULL;
    guira_stats s = GUIRA_STATS_INIT;
    if (guira_shared_validate(state.g, &reason) != GUIRA_OK) fprintf(stderr, "invalid: %s\n", reason);
    CHECK(reason == NULL && guira_shared_stats_get(state.g, &s) == GUIRA_OK && s.items == state.tally.items);
    for (unsigned i = 0; i < KEYS; i++)
        if (state.tally.count[i] > 0) CHECK(guira_shared_contains_hash(state.g, hash_of(i)));
}

/* ------------------------------------------------------------------------------------------------------- in and out */

static guira_status insert(unsigned key) {
    guira_status s = guira_shared_insert_hash(state.g, hash_of(key));
    if (s == GUIRA_OK) tally_add(&state.tally, key);
    return s;
}

static guira_status insert_unique(unsigned key) {
    bool present = guira_shared_contains_hash(state.g, hash_of(key));
    guira_status s = guira_shared_insert_unique_hash(state.g, hash_of(key));
    CHECK(present == (s == GUIRA_EEXIST) && (present || state.tally.count[key] == 0));
    if (s == GUIRA_OK) tally_add(&state.tally, key);
    return s;
}

static guira_status remove_key(unsigned key) {
    bool present = guira_shared_contains_hash(state.g, hash_of(key));
    CHECK(present || state.tally.count[key] == 0);
    if (present && state.tally.count[key] == 0) return GUIRA_OK;
    guira_status s = guira_shared_remove_hash(state.g, hash_of(key));
    CHECK(s == (present ? GUIRA_OK : GUIRA_ENOTFOUND));
    if (present) tally_take(&state.tally, key);
    return s;
}

/* Many keys in one batch. Only members are removed. */
static void change_many(unsigned argument, bool in) {
    uint64_t hash[128] = {0};
    unsigned key[128] = {0}, n = 0;
    guira_status out[128];
    bool present[128];
    size_t done = 0;
    for (unsigned i = 0; i < run_of(argument); i++) {
        key[n] = (argument + i * 7) % KEYS;
        hash[n] = hash_of(key[n]);
        n += in || state.tally.count[key[n]] > 0;
    }
    size_t returned = in ? guira_shared_insert_hash_many(state.g, hash, n, out)
                         : guira_shared_remove_hash_many(state.g, hash, n, out);
    for (unsigned i = 0; i < n; i++) {
        CHECK(in || out[i] == GUIRA_OK);
        if (out[i] != GUIRA_OK) continue;
        if (in) tally_add(&state.tally, key[i]);
        else tally_take(&state.tally, key[i]);
        done++;
    }
    CHECK(returned == done);
    guira_shared_contains_hash_many(state.g, hash, n, present);
    for (unsigned i = 0; i < n; i++) CHECK(present[i] || state.tally.count[key[i]] == 0);
}

/* ------------------------------------------------------------------------------------------------------- as a whole */

static guira_status save_and_load(void) {
    guira_shared *g = NULL;
    struct image i = {0};
    guira_status s = guira_shared_save_to(state.g, into_image, &i);
    CHECK(s == GUIRA_OK || s == GUIRA_ENOMEM);
    if (s == GUIRA_OK) s = guira_shared_load_from(i.at, i.n, &g);
    free(i.at);
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return s;
    uint64_t before = shared_digest();
    guira_shared_destroy(state.g);
    state.g = g;
    CHECK(shared_digest() == before);
    return s;
}

static guira_status clear(void) {
    guira_status s = guira_shared_clear(state.g);
    if (s == GUIRA_OK) memset(&state.tally, 0, sizeof state.tally);
    return s;
}

static guira_status merge(unsigned argument) {
    guira_shared *other;
    unsigned went[128], n = 0;
    guira_status s = guira_shared_create(&state.config, state.shards, &other);
    if (s != GUIRA_OK) return s;
    for (unsigned i = 0; i < run_of(argument); i++) {
        unsigned key = (argument + i) % KEYS;
        if (guira_shared_insert_hash(other, hash_of(key)) == GUIRA_OK) went[n++] = key;
    }
    s = guira_shared_merge(state.g, other);
    guira_shared_destroy(other);
    for (unsigned i = 0; s == GUIRA_OK && i < n; i++) tally_add(&state.tally, went[i]);
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
    case 4: s = remove_key(key); break;
    case 5:
    case 6: change_many(argument, true); break;
    case 7:
    case 8: change_many(argument, false); break;
    case 9: s = guira_shared_reserve(state.g, argument % 2048); break;
    case 10: s = guira_shared_shrink_to_fit(state.g); break;
    case 11: s = save_and_load(); break;
    case 12: s = argument % 8 == 0 ? clear() : GUIRA_OK; break;
    case 13: s = merge(argument); break;
    default: check_all(); break;
    }
    if (s != GUIRA_OK && operation != 10) CHECK(shared_digest() == before); /* shrinking may stop half way */
}

static void begin(unsigned sort, uint8_t geometry, uint8_t loads) {
    (void)sort;
    memset(&state, 0, sizeof state);
    state.config = tidal_config(geometry, loads);
    state.shards = 1U << (geometry / 3 % 3);
    CHECK(guira_shared_create(&state.config, state.shards, &state.g) == GUIRA_OK);
}

static void end(void) {
    check_all();
    guira_shared_destroy(state.g);
}

const struct sort sort_shared = {begin, perform, end};
