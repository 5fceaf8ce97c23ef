/* Operations on filters of the five kinds, against an exact multiset. */
#include "ops.h"

static struct {
    guira *f;
    guira_config config;
    const char *isa;
    struct tally tally;
} world;

static void check_all(void) {
    check_valid(world.f);
    CHECK(world.f->items == world.tally.items);
    for (unsigned i = 0; i < KEYS; i++) {
        if (world.tally.count[i] == 0) continue;
        CHECK(guira_contains_hash(world.f, hash_of(i)));
        CHECK(world.f->ops->count(world.f, hash_of(i)) >= world.tally.count[i]);
    }
}

/* ------------------------------------------------------------------------------------------------------- in and out */

static guira_status insert(unsigned key) {
    guira_status s = guira_insert_hash(world.f, hash_of(key));
    if (s == GUIRA_OK) tally_add(&world.tally, key);
    return s;
}

/* Only members are removed, and what is surely none. */
static guira_status take(unsigned key) {
    bool there = guira_contains_hash(world.f, hash_of(key));
    CHECK(there || world.tally.count[key] == 0);
    if (there && world.tally.count[key] == 0) return GUIRA_OK;
    guira_status s = guira_remove_hash(world.f, hash_of(key));
    CHECK(s == (there ? GUIRA_OK : GUIRA_ENOTFOUND));
    if (there) tally_take(&world.tally, key);
    return s;
}

/* Many keys in a row, for an input of few bytes; some may fail. */
static void flood(unsigned argument, bool in) {
    for (unsigned i = 0; i < run_of(argument); i++) {
        unsigned key = (argument + i * 7) % KEYS;
        if (in) insert(key);
        else take(key);
    }
}

static void pile_up(unsigned key) {
    for (unsigned i = 0; i < 20 && insert(key) == GUIRA_OK; i++) {
    }
}

/* ------------------------------------------------------------------------------------------------------- as a whole */

static guira_status replace_by(guira_status s, guira *g) {
    CHECK((s == GUIRA_OK) == (g != NULL));
    if (g == NULL) return s;
    CHECK(digest(g) == digest(world.f));
    guira_destroy(world.f);
    world.f = g;
    return s;
}

static guira_status copy(void) {
    guira *g;
    guira_status s = guira_clone(world.f, &g);
    return replace_by(s, g);
}

static guira_status save_and_load(void) {
    guira *g;
    struct image i = image_of(world.f);
    guira_status s = guira_load_from(i.at, i.n, &g);
    free(i.at);
    return replace_by(s, g);
}

/* Goes on with a clone of the mapped filter. */
static guira_status save_and_map(unsigned key) {
    guira *f, *g = NULL;
    struct image i = image_of(world.f);
    guira_status s = map_image(i, &f);
    free(i.at);
    if (s != GUIRA_OK) return s;
    CHECK(digest(f) == digest(world.f));
    for (unsigned k = key; k < key + 16; k++)
        CHECK(guira_contains_hash(f, hash_of(k % KEYS)) == guira_contains_hash(world.f, hash_of(k % KEYS)));
    CHECK(guira_insert_hash(f, hash_of(key)) == GUIRA_EUNSUPPORTED);
    s = guira_clone(f, &g);
    guira_destroy(f);
    return replace_by(s, g);
}

static guira_status clear(void) {
    guira_status s = guira_clear(world.f);
    if (s == GUIRA_OK) memset(&world.tally, 0, sizeof world.tally);
    return s;
}

/* A filter like ours with a run of keys, or one that is ours. */
static guira_status partner(unsigned argument, guira **out, struct tally *more) {
    if (argument % 2 && world.tally.items < KEYS) {
        *more = world.tally;
        return guira_clone(world.f, out);
    }
    guira_status s = guira__create_on(world.isa, &world.config, out);
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
    s = guira_merge(world.f, g);
    CHECK(digest(g) == before);
    guira_destroy(g);
    CHECK((s == GUIRA_EUNSUPPORTED) == (world.config.kind != GUIRA_TIDAL));
    for (unsigned i = 0; s == GUIRA_OK && i < KEYS; i++) world.tally.count[i] += more.count[i];
    if (s == GUIRA_OK) world.tally.items += more.items;
    return s;
}

/* One of the consistent filter's; the other kinds have none. */
static guira_status step(unsigned argument) {
    const guira_config other = {.slot_bits = 4 + argument / 4 % 29, .buckets = 1 + argument / 128 % 8, .candidates = 3};
    guira_status s;
    switch (argument % 5) {
    case 0: s = guira_consistent_scale_up(world.f); break;
    case 1: s = guira_consistent_scale_down(world.f); break;
    case 2: s = guira_consistent_scale_out(world.f, NULL); break;
    case 3: s = guira_consistent_scale_out(world.f, &other); break;
    default: s = guira_consistent_compact(world.f); break;
    }
    if (world.config.kind != GUIRA_CONSISTENT) CHECK(s == GUIRA_EUNSUPPORTED);
    return s;
}

/* ------------------------------------------------------------------------------------------------------------------ fuzz */

static void perform(uint8_t operation, unsigned argument) {
    uint64_t before = digest(world.f);
    unsigned key = argument % KEYS;
    guira_status s = GUIRA_OK;
    switch (operation) {
    case 0:
    case 1:
    case 2: s = insert(key); break;
    case 3:
    case 4: s = take(key); break;
    case 5: flood(argument, true); break;
    case 6: flood(argument, false); break;
    case 7: s = guira_reserve(world.f, argument % 2048); break;
    case 8: s = guira_shrink_to_fit(world.f); break;
    case 9: s = copy(); break;
    case 10: s = argument % 2 ? save_and_load() : save_and_map(key); break;
    case 11: s = argument % 8 == 0 ? clear() : GUIRA_OK; break;
    case 12: s = merge(argument); break;
    case 13: s = step(argument); break;
    default:
        pile_up(key);
        check_all();
        break;
    }
    if (s != GUIRA_OK) CHECK(digest(world.f) == before);
}

/* Small, so that little is needed to fill, grow and shrink it. */
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
    memset(&world, 0, sizeof world);
    world.isa = geometry / 3 % 2 ? "portable" : guira__isa_list()[0];
    world.config = kind <= GUIRA_CUCKOO ? tidal_config(geometry, loads) : paper_config(kind, geometry, loads);
    world.config.kind = (guira_kind)kind;
    if (kind == GUIRA_CUCKOO) world.config.capacity = 20 + geometry;
    CHECK(guira__create_on(world.isa, &world.config, &world.f) == GUIRA_OK);
}

static void end(void) {
    check_all();
    guira_destroy(world.f);
}

const struct sort sort_filter = {begin, perform, end};
