/* Operations on filters of the five kinds, against an exact multiset. */
#include "ops.h"

static struct {
    guira *f;
    guira_config config;
    const char *isa;
    struct tally tally;
} state;

static void check_all(void) {
    check_valid(state.f);
    CHECK(state.f->items == state.tally.items);
    for (unsigned i = 0; i < KEYS; i++) {
        if (state.tally.count[i] == 0) continue;
        CHECK(guira_contains_hash(state.f, hash_of(i)));
        CHECK(state.f->ops->count(state.f, hash_of(i)) >= state.tally.count[i]);
    }
}

/* ------------------------------------------------------------------------------------------------------- in and out */

static guira_status insert(unsigned key) {
    guira_status s = guira_insert_hash(state.f, hash_of(key));
    if (s == GUIRA_OK) tally_add(&state.tally, key);
    return s;
}

/* Removes members only, and keys that the filter does not contain. */
static guira_status remove_key(unsigned key) {
    bool present = guira_contains_hash(state.f, hash_of(key));
    CHECK(present || state.tally.count[key] == 0);
    if (present && state.tally.count[key] == 0) return GUIRA_OK;
    guira_status s = guira_remove_hash(state.f, hash_of(key));
    CHECK(s == (present ? GUIRA_OK : GUIRA_ENOTFOUND));
    if (present) tally_take(&state.tally, key);
    return s;
}

/* Many keys by few bytes of input; some may fail. */
static void change_many(unsigned argument, bool in) {
    for (unsigned i = 0; i < run_of(argument); i++) {
        unsigned key = (argument + i * 7) % KEYS;
        if (in) insert(key);
        else remove_key(key);
    }
}

static void insert_copies(unsigned key) {
    for (unsigned i = 0; i < 20 && insert(key) == GUIRA_OK; i++) {
    }
}

/* ------------------------------------------------------------------------------------------------------- as a whole */

static guira_status replace_by(guira_status s, guira *g) {
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return s;
    CHECK(digest(g) == digest(state.f));
    guira_destroy(state.f);
    state.f = g;
    return s;
}

static guira_status copy(void) {
    guira *g;
    guira_status s = guira_clone(state.f, &g);
    return replace_by(s, g);
}

static guira_status save_and_load(void) {
    guira *g;
    struct image i = image_of(state.f);
    guira_status s = guira_load_from(i.at, i.n, &g);
    free(i.at);
    return replace_by(s, g);
}

/* Continues with a clone of the mapped filter. */
static guira_status save_and_map(unsigned key) {
    guira *f, *g = NULL;
    struct image i = image_of(state.f);
    guira_status s = map_image(i, &f);
    free(i.at);
    if (s != GUIRA_OK) return s;
    CHECK(digest(f) == digest(state.f));
    for (unsigned k = key; k < key + 16; k++)
        CHECK(guira_contains_hash(f, hash_of(k % KEYS)) == guira_contains_hash(state.f, hash_of(k % KEYS)));
    CHECK(guira_insert_hash(f, hash_of(key)) == GUIRA_EUNSUPPORTED);
    s = guira_clone(f, &g);
    guira_destroy(f);
    return replace_by(s, g);
}

static guira_status clear(void) {
    guira_status s = guira_clear(state.f);
    if (s == GUIRA_OK) memset(&state.tally, 0, sizeof state.tally);
    return s;
}

/* A filter to merge from: a clone, or a new one with some keys. */
static guira_status partner(unsigned argument, guira **out, struct tally *more) {
    if (argument % 2 && state.tally.items < KEYS) {
        *more = state.tally;
        return guira_clone(state.f, out);
    }
    guira_status s = guira__create_isa(isa_named(state.isa), &state.config, out);
    for (unsigned i = 0; s == GUIRA_OK && i < run_of(argument); i++)
        if (guira_insert_hash(*out, hash_of((argument + i) % KEYS)) == GUIRA_OK) tally_add(more, (argument + i) % KEYS);
    return s;
}

static guira_status merge(unsigned argument) {
    static struct tally more;
    guira *g;
    memset(&more, 0, sizeof more);
    guira_status s = partner(argument, &g, &more);
    if (s != GUIRA_OK) return s;
    uint64_t before = digest(g);
    s = guira_merge(state.f, g);
    CHECK(digest(g) == before);
    guira_destroy(g);
    bool mergeable = state.config.kind != GUIRA_ELASTIC && state.config.kind != GUIRA_CONSISTENT;
    CHECK((s == GUIRA_EUNSUPPORTED) == !mergeable);
    for (unsigned i = 0; s == GUIRA_OK && i < KEYS; i++) state.tally.count[i] += more.count[i];
    if (s == GUIRA_OK) state.tally.items += more.items;
    return s;
}

/* A single step of the consistent filter. */
static guira_status step_consistent(unsigned argument) {
    const guira_config other = {.slot_bits = 4 + argument / 4 % 29, .buckets = 1 + argument / 128 % 8, .candidates = 3};
    size_t index = argument / 16 % 8; /* may be one that does not exist */
    switch (argument % 8) {
    case 0: return guira_consistent_scale_up(state.f);
    case 1: return guira_consistent_scale_down(state.f);
    case 2: return guira_consistent_scale_out(state.f, NULL);
    case 3: return guira_consistent_scale_out(state.f, &other);
    case 4: return guira_consistent_scale_up_at(state.f, index);
    case 5: return guira_consistent_scale_down_at(state.f, index);
    case 6: return guira_consistent_compact_at(state.f, index);
    default: return guira_consistent_compact(state.f);
    }
}

/* Of the elastic filter, which is kept small. */
static guira_status step_elastic(unsigned argument) {
    guira_stats s = GUIRA_STATS_INIT;
    guira_stats_get(state.f, &s);
    bool extends = argument % 2 && s.buckets < 512;
    return extends ? guira_elastic_extend(state.f, 1 + argument / 2 % 17) : guira_elastic_halve(state.f);
}

/* Other kinds do not support the steps. */
static guira_status step(unsigned argument) {
    if (state.config.kind == GUIRA_CUCKOO && argument % 2) return guira_cuckoo_halve(state.f);
    bool elastic = state.config.kind == GUIRA_ELASTIC || argument / 1024 % 2;
    guira_status s = elastic ? step_elastic(argument) : step_consistent(argument);
    CHECK((s == GUIRA_EUNSUPPORTED) == (state.config.kind != (elastic ? GUIRA_ELASTIC : GUIRA_CONSISTENT)));
    return s;
}

/* ------------------------------------------------------------------------------------------------------------------ fuzz */

static void perform(uint8_t operation, unsigned argument) {
    uint64_t before = digest(state.f);
    unsigned key = argument % KEYS;
    guira_status s = GUIRA_OK;
    switch (operation) {
    case 0:
    case 1:
    case 2: s = insert(key); break;
    case 3:
    case 4: s = remove_key(key); break;
    case 5: change_many(argument, true); break;
    case 6: change_many(argument, false); break;
    case 7: s = guira_reserve(state.f, argument % 2048); break;
    case 8: s = guira_shrink_to_fit(state.f); break;
    case 9: s = copy(); break;
    case 10: s = argument % 2 ? save_and_load() : save_and_map(key); break;
    case 11: s = argument % 8 == 0 ? clear() : GUIRA_OK; break;
    case 12: s = merge(argument); break;
    case 13: s = step(argument); break;
    default:
        insert_copies(key);
        check_all();
        break;
    }
    if (s != GUIRA_OK) CHECK(digest(state.f) == before);
}

/* Small, so that few operations fill, grow and shrink it. */
static guira_config paper_config(unsigned kind, uint8_t geometry, uint8_t loads) {
    const unsigned bits[] = {32, 14, 8, 4}, rings[] = {0, 0, 500, 100000};
    guira_config c = tidal_config(geometry, loads);
    c.kind = (guira_kind)kind;
    c.capacity = 0;
    c.slot_bits = bits[geometry % 4];
    c.bucket_slots = 1 + geometry / 4 % 4;
    c.buckets = 2 + geometry / 16;
    c.factor = 2 + geometry / 16 % 3;
    c.max_filters = 2 + geometry / 8;
    c.candidates = 1 + geometry / 16 % 4;
    c.virtual_nodes = 1 + geometry / 8 % 4;
    c.ring = rings[geometry / 4 % 4];
    c.policy = (guira_policy)(geometry % 3);
    if ((kind == GUIRA_ELASTIC || c.max_load == 0) && c.min_load > 0) c.min_load = 0; /* it might be too high */
    return c;
}

static void begin(unsigned kind, uint8_t geometry, uint8_t loads) {
    memset(&state, 0, sizeof state);
    state.isa = geometry / 3 % 2 ? "portable" : isa_list()[0];
    state.config = kind <= GUIRA_CUCKOO ? tidal_config(geometry, loads) : paper_config(kind, geometry, loads);
    state.config.kind = (guira_kind)kind;
    if (kind == GUIRA_CUCKOO) state.config.capacity = 20 + geometry;
    CHECK(guira__create_isa(isa_named(state.isa), &state.config, &state.f) == GUIRA_OK);
}

static void end(void) {
    check_all();
    guira_destroy(state.f);
}

const struct sort sort_filter = {begin, perform, end};
