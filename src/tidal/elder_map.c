/* The map of elders: where there may be one. See elders.h.
 *
 * HOW DOES IT GROW WITHOUT A PAUSE? A map twice as large is filled from the names, a few with every elder that comes, and
 * takes the place of the old one when all names are in it. To copy each bit into both halves would take no names, but then
 * the share of bits that are set would stay what it was while new elders add to it: 8 % at 4 million items with 16 bits, 54 %
 * with 12.
 *
 * WHICH NAMES ARE IN IT ALREADY? While it is filled, names come and go, and move between their two buckets. So the order is
 * that of the names themselves, not of their places:
 *
 *     names   0 ............ filled | next range ............. 2^63        each has a top bit of 0
 *                                     its bucket, and 64 others: where partners of these names are, one for each core
 *
 * A new name is added to both maps at once.
 *
 * HOW DOES IT SHRINK? In the same way, to half the size, with the steps in which the table shrinks. To join pairs of words
 * would take no names, but all of it at once: up to 1.6 ms for 8 MiB. Bits of elders that are gone stay behind on the way. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/region.h"
#include "tidal/elders.h"
#include "tidal/table.h"

static size_t word_bytes(uint64_t bits) { return sizeof(uint64_t) << bits; }

/* To clear a large block would take milliseconds; the pages of a region are cleared one by one as they are touched. */
static uint8_t *open_region(uint64_t bits) {
    uint8_t *region = word_bytes(bits) < REGION_WORTH ? NULL : guira__region_open(word_bytes(bits));
    if (region != NULL) guira__region_expect(region, 0, word_bytes(bits));
    return region;
}

static void words_free(const struct elder_map *map) {
    if (map->lies == MAP_IN_REGION) guira__region_close((uint8_t *)map->word, word_bytes(map->bits));
    if (map->lies == MAP_IN_BLOCK) guira__segment_free(map->word);
}

static struct elder_map *map_of_words(struct elder_map of) {
    struct elder_map *map = of.word == NULL ? NULL : (struct elder_map *)guira__alloc(sizeof *map);
    if (map != NULL) *map = of;
    else if (of.word != NULL) words_free(&of);
    return map;
}

/* Their number is a power of two, so that they are a segment, with nothing before them. */
struct elder_map *guira__map_make(uint64_t bits) {
    uint8_t *region = open_region(bits);
    if (region != NULL) return map_of_words((struct elder_map){bits, (uint64_t *)(void *)region, MAP_IN_REGION});
    uint64_t *block = (uint64_t *)guira__segment_alloc(word_bytes(bits), true);
    return map_of_words((struct elder_map){bits, block, MAP_IN_BLOCK});
}

struct elder_map *guira__map_view(const uint8_t *words, uint64_t bits) {
    return map_of_words((struct elder_map){bits, (uint64_t *)(uintptr_t)words, MAP_IN_FILE});
}

void guira__map_free(struct elder_map *map) {
    if (map != NULL) words_free(map);
    guira__free(map);
}

static uint64_t map_cost(const struct elder_map *map) {
    if (map == NULL) return 0;
    uint64_t words = map->lies == MAP_IN_BLOCK ? guira__segment_cost(word_bytes(map->bits)) : 0;
    if (map->lies == MAP_IN_REGION) words = word_bytes(map->bits);
    return guira__alloc_cost(sizeof(struct elder_map)) + words;
}

/* --------------------------------------------------------------------------------------------------------- what it shows */

/* How many bits of an address a map asks for. An elder that knows less may be in several places of it. */
static unsigned map_asks(const struct tidal *f, const struct elder_map *map) {
    return 1 + (unsigned)map->bits + (6 - core_bits(tidal_layout(f)));
}
static uint64_t map_step(const struct tidal *f, const struct elder_map *map) {
    return UINT64_C(1) << (64 - map_asks(f, map));
}
static uint64_t map_places(const struct tidal *f, const struct elder_map *map, unsigned level) {
    unsigned asks = map_asks(f, map);
    return level < asks ? UINT64_C(1) << (asks - level) : 1;
}

static void show(const struct tidal *f, struct elder_map *map, uint64_t canon, unsigned level) {
    uint64_t known = (canon & leading(level)) | core_of(canon, tidal_layout(f));
    for (uint64_t i = 0; i < map_places(f, map, level); i++) {
        uint64_t place = known + i * map_step(f, map);
        uint64_t *word = &map->word[map_word(map, place)];
        store_relaxed(*word, *word | le64(UINT64_C(1) << map_bit(map, place, tidal_layout(f))));
    }
}

/* Byte by byte: in a file that is loaded the map may lie on any address. */
static bool shows(const struct tidal *f, const struct elder_map *map, struct entry elder) {
    const uint8_t *bytes = (const uint8_t *)map->word;
    for (uint64_t i = 0; i < map_places(f, map, known_of(elder)); i++) {
        uint64_t place = elder.where + i * map_step(f, map);
        unsigned bit = map_bit(map, place, tidal_layout(f));
        if ((bytes[8 * map_word(map, place) + bit / 8] >> bit % 8 & 1) == 0) return false;
    }
    return true;
}

bool guira__map_has(const struct tidal *f, struct entry in_names, struct entry elder) {
    const struct elders *e = f->elders;
    bool filled = e->next != NULL && name_in(in_names) < e->filled;
    return shows(f, e->map, elder) && (!filled || shows(f, e->next, elder));
}

/* ------------------------------------------------------------------------------------------------------- filling another */

/* A part of the names: start..last. */
struct name_range {
    uint64_t start, last;
};

static void show_if_in(struct tidal *f, struct name_range r, struct entry in_names) {
    uint64_t name = name_in(in_names);
    if (name < r.start || name > r.last) return;
    struct entry elder = guira__elder_read(in_names);
    show(f, f->elders->next, elder.where, known_of(elder));
}

/* The names of a range that are in the bucket of an address; core: only those with this core, or any (-1). */
static void show_bucket(struct tidal *f, struct name_range r, uint64_t address, int core) {
    const struct tidal *names = const_tidal_of(f->elders->names);
    struct layout l = LAYOUT_64;
    unsigned side = side_of(names, address), level = level_of(names, side);
    uint64_t number = address >> (64 - level);
    const uint8_t *bucket = bucket_at(names, side, number, l);
    for (unsigned j = 0; j < l.slots; j++) {
        uint64_t s = slot_get(bucket, j, l);
        bool meant = s != 0 && (core < 0 || s >> (tail_bits(l) + 1) == (uint64_t)core);
        if (meant) show_if_in(f, r, slot_decode(s, number, level, l));
    }
}

/* The next names go into the larger map: so many that on either side of the split pointer they have one bucket for each
 * core. */
static void fill_range(struct tidal *f) {
    struct elders *e = f->elders;
    const struct tidal *names = const_tidal_of(e->names);
    uint64_t size = UINT64_C(1) << (64 - level_of(names, SPLIT));
    struct name_range r = {e->filled, e->filled | (size - 1)};
    show_bucket(f, r, r.start, -1);
    for (int core = 0; core < 64; core++) show_bucket(f, r, r.start ^ guira__displacement[core], core);
    for (unsigned i = 0; i < names->stash->n; i++) show_if_in(f, r, names->stash->entry[i]);
    e->filled = r.last + 1;
}

/* Without memory the map stays as it is. */
static void begin_map(struct elders *e, uint64_t bits) {
    e->next = guira__map_make(bits);
    e->filled = 0;
}

static void map_end(void *map, size_t size) {
    (void)size;
    guira__map_free((struct elder_map *)map);
}

static void take_next(struct tidal *f) {
    struct elders *e = f->elders;
    struct elder_map *old = e->map;
    store_release(e->map, e->next);
    e->next = NULL;
    e->filled = 0;
    guira__tidal_retire(f, old, (size_t)map_cost(old), map_end);
}

/* Takes the map when all names are in it. */
static void fill_ranges(struct tidal *f, unsigned n) {
    for (; n > 0 && f->elders->next != NULL; n--) {
        fill_range(f);
        if (f->elders->filled >> 63) take_next(f);
    }
}

/* ------------------------------------------------------------------------------------------------- growing and shrinking */

/* The map is doubled when there is 1 elder per word, unless it has more words than a 128th of the number of buckets: it takes at
 * most 1/128 of the table's bytes. With 12-bit slots, where there are many more elders, it is doubled at 4 per word, and takes up to
 * 1/16. It is halved when it has four times as many words as at most before it was doubled. */
static uint64_t map_crowd(const struct tidal *f) { return core_bits(tidal_layout(f)) == 6 ? 1 : 4; }
static uint64_t map_share(const struct tidal *f) { return core_bits(tidal_layout(f)) == 6 ? 128 : 16; }

/* There are fewer ranges than a seventh of the names. So a larger map is ready before there are a tenth more names. A smaller
 * one is ready before the table has lost a third of its buckets, even if all members are elders: of these there are at most 9.3 for a
 * bucket, so it takes a third as many steps as there are buckets. */
enum { RANGES_TO_GROW = 2, RANGES_TO_SHRINK = 4 };

static bool is_crowded(const struct tidal *f) {
    const struct elders *e = f->elders;
    bool crowded = e->names->items >> e->map->bits >= map_crowd(f);
    bool small = map_share(f) << e->map->bits <= bucket_count(f);
    return crowded && small && e->map->bits < MAP_MAX_BITS;
}

void guira__map_add(struct tidal *f, uint64_t canon, unsigned level) {
    if (f->elders->next == NULL && is_crowded(f)) begin_map(f->elders, f->elders->map->bits + 1);
    fill_ranges(f, RANGES_TO_GROW);
    show(f, f->elders->map, canon, level);
    if (f->elders->next != NULL) show(f, f->elders->next, canon, level);
}

static void give_up_larger(struct elders *e) {
    guira__map_free(e->next);
    e->next = NULL;
    e->filled = 0;
}

void guira__elders_shrink_map(struct tidal *f) {
    struct elders *e = f->elders;
    if (e == NULL) return;
    uint64_t buckets = bucket_count(f), bits = e->map->bits;
    if (e->next != NULL && e->next->bits > bits && map_share(f) / 2 << bits > buckets) give_up_larger(e);
    if (e->next == NULL && bits > MAP_FIRST_BITS && map_share(f) / 4 << bits > buckets) begin_map(e, bits - 1);
    if (e->next != NULL && e->next->bits < bits) fill_ranges(f, RANGES_TO_SHRINK);
}

/* ------------------------------------------------------------------------------------------------------------ the whole */

static bool map_clone(const struct elder_map *map, struct elder_map **to) {
    *to = map == NULL ? NULL : guira__map_make(map->bits);
    if (*to != NULL) memcpy((*to)->word, map->word, word_bytes(map->bits));
    return map == NULL || *to != NULL;
}

bool guira__maps_clone(const struct elders *e, struct elders *to) {
    bool map = map_clone(e->map, &to->map), next = map_clone(e->next, &to->next);
    return map && next;
}

uint64_t guira__maps_bytes(const struct elders *e) { return map_cost(e->map) + map_cost(e->next); }

void guira__maps_dump(const struct elders *e, guira__sink *sink, void *to) {
    const struct elder_map *map[] = {e->map, e->next};
    sink(to, &e->filled, sizeof e->filled);
    for (unsigned i = 0; i < 2 && map[i] != NULL; i++) {
        sink(to, &map[i]->bits, sizeof map[i]->bits);
        sink(to, map[i]->word, word_bytes(map[i]->bits));
    }
}
