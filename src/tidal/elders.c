/* See elders.h. */
#include "tidal/elders.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tidal/table.h"
#include "base/bytes.h"

static uint64_t canonical(const struct tidal *f, uint64_t address) {
    return canonical_of(address, partner_of(address, tidal_layout(f)));
}

/* --------------------------------------------------------------------------------------------------------------- names
 *
 *     what is named   [0 | the known bits of the address .......... | copy .... | level: 6 | core: 6 ]
 *     its name        the same 63 bits, well mixed
 *
 * Mixing loses nothing, so that a name can be read again, for merging. The number of the copy is 0, except in files of
 * format 1: there it is between bit 63 - level and bit 12. */

#define LOW63 (UINT64_MAX >> 1)

/* Multiplication by an odd number and XOR with the upper bits have each an inverse. */
static const uint64_t mix[2] = {0x3f58476d1ce4e5b9, 0x14d049bb133111eb};
static const uint64_t unmix[2] = {0x16de1b173f119089, 0x319642b2d24d8ec3};

static uint64_t name_of(const struct tidal *f, uint64_t canon, unsigned level, uint64_t copy) {
    uint64_t x = (canon & leading(level)) | copy << 12 | (uint64_t)level << 6 | core_of(canon, tidal_layout(f));
    x = ((x ^ x >> 32) * mix[0]) & LOW63;
    x = ((x ^ x >> 32) * mix[1]) & LOW63;
    return x ^ x >> 32;
}

/* What the name in an entry of the names' table was made of. */
static uint64_t named_by(struct entry in_names) {
    uint64_t x = name_in(in_names);
    x = ((x ^ x >> 32) * unmix[1]) & LOW63;
    x = ((x ^ x >> 32) * unmix[0]) & LOW63;
    return x ^ x >> 32;
}

struct entry guira__elder_read(struct entry in_names) {
    uint64_t x = named_by(in_names);
    unsigned level = x >> 6 & 63;
    return (struct entry){level == 0 ? 0 : (x & leading(level)) | (x & 63), level};
}

struct entry guira__elder_named(uint64_t name) {
    return guira__elder_read((struct entry){name, ALL_KNOWN});
}

static bool has_name(const struct elders *e, uint64_t name) { return e->names->contains(e->names, name); }

/* How many names an elder has; contains: how to look one up. In a view the names may be anything, also such that every one
 * seems to be there: the count of the level, which was checked, is the limit. */
static uint64_t names_of(const struct tidal *f, const struct elders *e, uint64_t canon, unsigned level,
                         guira__contains_fn *contains) {
    uint64_t n = 0, limit = load_relaxed(e->count[level]);
    while (n < limit && contains(e->names, name_of(f, canon, level, n))) n++;
    return n;
}

/* How many copies there are: those with a name of their own, and those that are counted. */
static uint64_t copies(const struct tidal *f, const struct elders *e, uint64_t canon, unsigned level,
                       guira__contains_fn *contains) {
    uint64_t n = names_of(f, e, canon, level, contains);
    return n == 0 ? 0 : n + guira__counts_get(&e->counts, name_of(f, canon, level, 0));
}

/* -------------------------------------------------------------------------------------------------------- life and death */

static void elders_free(struct elders *e) {
    if (e->names != NULL) e->names->ops->destroy(e->names);
    guira__counts_free(&e->counts);
    guira__map_free(e->map);
    guira__map_free(e->next);
    guira__free(e);
}

static struct elders *elders_new(const struct tidal *f) {
    struct elders *e = (struct elders *)guira__zalloc(sizeof *e);
    if (e == NULL) return NULL;
    e->map = guira__map_make(MAP_FIRST_BITS);
    if (e->map == NULL || guira__tidal_create_names(f, &e->names) != GUIRA_OK) {
        elders_free(e);
        return NULL;
    }
    struct readers *readers = tidal_readers(f);
    if (readers != NULL) guira__tidal_set_readers(tidal_of(e->names), readers->of_names);
    return e;
}

static void elders_end(void *elders, size_t size) {
    struct elders *e = (struct elders *)elders;
    (void)size;
    if (e->names != NULL && tidal_readers(tidal_of(e->names)) != NULL)
        guira__tidal_set_readers(tidal_of(e->names), NULL); /* none is left */
    elders_free(e);
}

void guira__elders_destroy(struct tidal *f) {
    struct elders *e = f->elders;
    store_relaxed(f->elders, NULL);
    guira__tidal_retire(f, e, sizeof *e, elders_end);
}

guira_status guira__elders_clone(const struct tidal *f, bool stays, struct tidal *to) {
    to->elders = NULL;
    if (f->elders == NULL) return GUIRA_OK;
    struct elders *e = (struct elders *)guira__alloc(sizeof *e);
    if (e == NULL) return GUIRA_ENOMEM;
    *e = *f->elders;
    e->names = NULL;
    bool counted = guira__counts_clone(&f->elders->counts, &e->counts), mapped = guira__maps_clone(f->elders, e);
    if (!counted || !mapped || guira__tidal_clone_names(f->elders->names, stays, &e->names) != GUIRA_OK) {
        elders_free(e);
        return GUIRA_ENOMEM;
    }
    to->elders = e;
    return GUIRA_OK;
}

/* ----------------------------------------------------------------------------------------------------- asking and telling */

static bool may_have(const struct tidal *f, const struct elders *e, uint64_t canon) {
    return map_says_maybe(load_acquire(e->map), canon, tidal_layout(f));
}

/* A name that finds no slot goes to the stash, so as many as are free there can come, whatever memory there is. */
static bool has_places(guira *names, unsigned n) { return STASH_SIZE - tidal_of(names)->stash->n >= n; }

static bool elders_exist(struct tidal *f) {
    if (f->elders != NULL) return true;
    struct elders *e = elders_new(f);
    if (e != NULL) store_release(f->elders, e);
    return e != NULL;
}

bool guira__elders_reserve(struct tidal *f, uint64_t n) {
    if (!elders_exist(f)) return false;
    guira *names = f->elders->names;
    uint64_t buckets = guira__table_needs(tidal_of(names), names->items + n);
    while (bucket_count(tidal_of(names)) < buckets)
        if (tidal_ops(tidal_of(names))->grow(tidal_of(names)) != GUIRA_OK) return false;
    return true;
}

void guira__elders_fit(struct tidal *f) {
    guira *names = f->elders == NULL ? NULL : f->elders->names; /* none: there was no memory for the first one */
    if (names == NULL) return;
    if (names->items > 0) names->ops->shrink_to_fit(names);
    else guira__elders_destroy(f);
    update_has_outside(f);
}

/* The names' table grows as often as it takes. Its stash, not its load, may ask for more than one step. Names are spread
 * evenly, so that this ends soon; those of forged files may be alike in many bits, and must not take all memory. */
static bool names_ready(guira *head, unsigned n) {
    struct tidal *names = tidal_of(head);
    uint64_t most = MOST_SPARE * guira__table_needs(names, head->items + n);
    while (!has_places(head, n))
        if (bucket_count(names) >= most || tidal_ops(names)->grow(names) != GUIRA_OK) return false;
    return true;
}

bool guira__elders_ready(struct tidal *f, unsigned n) {
    if (tidal_counted(f) >= MAX_COUNTED - n || !elders_exist(f)) return false;
    if (guira__counts_ready(&f->elders->counts, n) && names_ready(f->elders->names, n)) return true;
    if (f->elders->names->items == 0) guira__elders_destroy(f);
    return false;
}

static void add_name(struct tidal *f, uint64_t canon, unsigned level) {
    struct elders *e = f->elders;
    e->names->ops->insert(e->names, name_of(f, canon, level, 0));
    store_relaxed(e->count[level], e->count[level] + 1);
    guira__map_add(f, canon, level);
    store_release(e->levels, e->levels | UINT64_C(1) << level);
}

void guira__elders_add(struct tidal *f, struct entry entry, uint64_t n) {
    struct elders *e = f->elders;
    uint64_t canon = canonical(f, entry.where), name = name_of(f, canon, known_of(entry), 0);
    if (!has_name(e, name)) {
        add_name(f, canon, known_of(entry));
        n--;
    }
    if (n == 0) return;
    guira__counts_add(&e->counts, f, name, n);
    guira__table_set_counted(f, e->counted + n);
}

unsigned guira__elders_level_concurrent(const struct tidal *f, uint64_t address, guira__contains_fn *contains) {
    const struct elders *e = load_acquire(f->elders);
    if (e == NULL) return 0;
    uint64_t canon = canonical(f, address);
    if (!may_have(f, e, canon)) return 0;
    for (uint64_t left = load_acquire(e->levels); left != 0;) {
        unsigned level = 63U - (unsigned)__builtin_clzll(left);
        if (contains(e->names, name_of(f, canon, level, 0))) return level;
        left ^= UINT64_C(1) << level;
    }
    return 0;
}

uint64_t guira__elders_count_concurrent(const struct tidal *f, uint64_t address, guira__contains_fn *contains) {
    const struct elders *e = load_acquire(f->elders);
    if (e == NULL) return 0;
    uint64_t canon = canonical(f, address), n = 0;
    if (!may_have(f, e, canon)) return 0;
    for (uint64_t left = load_acquire(e->levels); left != 0; left &= left - 1) {
        unsigned level = (unsigned)__builtin_ctzll(left);
        n += copies(f, e, canon, level, contains);
    }
    return n;
}

unsigned guira__elders_level(const struct tidal *f, uint64_t address) {
    return f->elders == NULL ? 0 : guira__elders_level_concurrent(f, address, f->elders->names->contains);
}

uint64_t guira__elders_count(const struct tidal *f, uint64_t address) {
    return f->elders == NULL ? 0 : guira__elders_count_concurrent(f, address, f->elders->names->contains);
}

bool guira__elders_cover(const struct tidal *f, struct entry entry) {
    const struct elders *e = f->elders;
    if (e == NULL) return false;
    uint64_t canon = canonical(f, entry.where);
    for (uint64_t left = e->levels & (UINT64_MAX >> (63 - known_of(entry))); left != 0; left &= left - 1)
        if (has_name(e, name_of(f, canon, (unsigned)__builtin_ctzll(left), 0))) return true;
    return false;
}

static void remove_name(struct tidal *f, uint64_t canon, unsigned level) {
    struct elders *e = f->elders;
    uint64_t copy = names_of(f, e, canon, level, e->names->contains) - 1;
    e->names->ops->remove(e->names, name_of(f, canon, level, copy));
    store_relaxed(e->count[level], e->count[level] - 1);
    if (e->count[level] == 0) store_relaxed(e->levels, e->levels ^ UINT64_C(1) << level);
    if (e->levels == 0) guira__elders_destroy(f);
}

void guira__elders_remove(struct tidal *f, uint64_t address, unsigned level) {
    uint64_t canon = canonical(f, address), name = name_of(f, canon, level, 0);
    if (guira__counts_get(&f->elders->counts, name) == 0) {
        remove_name(f, canon, level);
        return;
    }
    guira__counts_subtract(&f->elders->counts, f, name);
    guira__table_set_counted(f, f->elders->counted - 1);
}

/* ------------------------------------------------------------------------------------------------------------ the whole */

uint64_t guira__elders_total(const struct tidal *f) {
    return f->elders == NULL ? 0 : f->elders->names->items + f->elders->counted;
}

uint64_t guira__elders_bytes(const struct tidal *f) {
    if (f->elders == NULL) return 0;
    const struct elders *e = f->elders;
    return guira__alloc_cost(sizeof *e) + guira__maps_bytes(e) + guira__tidal_bytes(const_tidal_of(e->names)) +
           guira__rare_bytes(e->names) + guira__counts_bytes(&e->counts);
}

/* The copies of an elder match the same addresses, so that only names count. */
double guira__elders_weight(const struct tidal *f) {
    double sum = 0;
    if (f->elders == NULL) return 0;
    for (unsigned k = 1; k < 64; k++)
        if (f->elders->count[k] > 0) sum += (double)f->elders->count[k] * (double)weight_of(k);
    return sum;
}

/* The highest level of an elder: of an entry without a tail, or of a surplus copy. */
static unsigned highest_level(struct layout l) {
    return max_level(l) > MOST_KNOWN ? max_level(l) : (unsigned)MOST_KNOWN;
}

static bool map_bits_ok(uint64_t bits) { return MAP_FIRST_BITS <= bits && bits <= MAP_MAX_BITS; }

const char *guira__elders_check_levels(const struct tidal *f) {
    const struct elders *e = f->elders;
    uint64_t total = 0;
    if (e == NULL) return NULL;
    if (e->counted > MAX_COUNTED || (e->counted > 0) != (e->counts.now != NULL)) return "elders: an impossible count";
    if (((const struct tidal *)e->names)->elders != NULL) return "elders: the table of names has elders";
    if (!map_bits_ok(e->map->bits)) return "elders: an impossible map";
    if (e->next != NULL && (!map_bits_ok(e->next->bits) || e->filled >> 63 ||
                            (e->next->bits != e->map->bits + 1 && e->next->bits + 1 != e->map->bits)))
        return "elders: an impossible next map";
    for (unsigned k = 0; k < 64; k++) {
        if (e->count[k] > e->names->items - total) return "elders: levels and names do not add up";
        total += e->count[k];
        if ((e->count[k] > 0) != (e->levels >> k & 1)) return "elders: a level's bit contradicts its count";
        if (e->count[k] > 0 && (k == 0 || k > highest_level(tidal_layout(f)))) return "elders: an impossible level";
    }
    if (total == 0) return "elders: kept, but there are none";
    if (total != e->names->items) return "elders: levels and names do not add up";
    return NULL;
}

/* An elder is found if its name is one that a lookup asks for. Copies are asked for one after the other. */
static const char *check_name(const struct tidal *f, struct entry in_names, uint64_t count[64]) {
    const struct elders *e = f->elders;
    struct entry elder = guira__elder_read(in_names);
    unsigned level = known_of(elder);
    if (level < 1 || level > highest_level(tidal_layout(f))) return "elders: the name of an impossible level";
    count[level]++;
    uint64_t copy = named_by(in_names) << level >> level >> 12;
    if (elder.where != ((elder.where & leading(level)) | core_of(elder.where, tidal_layout(f))))
        return "elders: the name of an impossible core";
    if (e->names->ops->count(e->names, in_names.where) != 1) return "elders: the same name twice";
    if (copy > 0)
        return has_name(e, name_of(f, elder.where, level, copy - 1))
                   ? NULL
                   : "elders: a copy number without the one before it";
    return guira__map_has(f, in_names, elder) ? NULL : "elders: one that the map does not show";
}

/* There are as many of each level as the counts say. */
static const char *check_names(const struct tidal *f) {
    const struct tidal *names = (const struct tidal *)f->elders->names;
    const char *broken = NULL;
    uint64_t count[64] = {0};
    struct bucket_walk walk = walk_start(names);
    for (const uint8_t *bucket; broken == NULL && (bucket = walk_next(&walk)) != NULL;)
        for (unsigned j = 0; broken == NULL && j < LAYOUT_64.slots; j++) {
            uint64_t slot = slot_get(bucket, j, LAYOUT_64);
            if (slot == 0) continue;
            broken = check_name(f, walk_entry(&walk, slot), count);
        }
    for (unsigned i = 0; broken == NULL && i < names->stash->n; i++)
        broken = check_name(f, names->stash->entry[i], count);
    if (broken != NULL) return broken;
    return memcmp(count, f->elders->count, sizeof count) == 0 ? NULL : "elders: names of other levels than are counted";
}

/* Every name that is counted is the first name of an elder. */
static const char *check_counts(const struct tidal *f) {
    const struct elders *e = f->elders;
    uint64_t total, at = 0;
    const char *broken = guira__counts_check(&e->counts, &total);
    if (broken != NULL) return broken;
    if (total != f->elders->counted) return "elders: the counts do not add up";
    for (struct count_slot s; guira__counts_next(&e->counts, &at, &s);) {
        struct entry elder = guira__elder_named(s.name);
        unsigned level = known_of(elder);
        if (s.name >> 63 || level < 1 || level > highest_level(tidal_layout(f)) || !has_name(e, s.name) ||
            s.name != name_of(f, elder.where, level, 0))
            return "elders: a count of no elder";
    }
    return NULL;
}

const char *guira__elders_check(const struct tidal *f) {
    const char *broken = guira__elders_check_levels(f);
    if (f->elders == NULL || broken != NULL) return broken;
    guira *names = f->elders->names;
    broken = names->ops->check(names);
    if (broken == NULL) broken = check_names(f);
    return broken != NULL ? broken : check_counts(f);
}

void guira__elders_dump(const struct tidal *f, guira__sink *sink, void *to) {
    const struct elders *e = f->elders;
    uint8_t there = e != NULL;
    sink(to, &there, 1);
    if (e == NULL) return;
    sink(to, e->count, sizeof e->count);
    guira__maps_dump(e, sink, to);
    e->names->ops->dump(e->names, sink, to);
    guira__counts_dump(&e->counts, sink, to);
}
