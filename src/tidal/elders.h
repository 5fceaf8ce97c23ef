/* Elders: entries of a tidal filter that are kept outside its table, exactly.
 *
 * WHICH ENTRIES? Those of which so little is known that the table can split them no further, and the surplus copies of a key
 * that would crowd out others (copies.inc).
 *
 * An entry loses a bit of its tail each time its bucket is split. When there is none left, nothing tells into which of the
 * two halves it belongs. It becomes an elder and is kept by NAME, made of (its level k, the k address bits that are known,
 * core), in a filter of its own. The address is taken in canonical form, of the two partners the one
 * whose top bit is 0, so that an elder has one name from both sides. The first copy of an elder is its name. How many more
 * there are is a number (counts.h). Older files have a name with a number of its own for each copy instead; both add up.
 *
 * The names are in a tidal filter with 64-bit slots: these hold the whole name, so a name that was not inserted is not
 * found (except for one case in 2^64), and counting is exact. With 32-bit slots, a
 * false match among the names would remove another elder once in some ten million removals.
 *
 * A lookup has to ask once for each level that has elders. The MAP saves most absent keys from that: it has a bit for each
 * leading part of an address and each core, set where there may be an elder.
 *
 *     canonical address   [0 | bits: the word | ........................ | core: the bit ]
 *
 * A word has 64 bits. Where there are only 2^5 cores, the address bit after those of the word makes up for it. */
#ifndef GUIRA_TIDAL_ELDERS_H
#define GUIRA_TIDAL_ELDERS_H

#include "tidal/counts.h"
#include "tidal/tidal.h"

struct elders {
    guira *names;
    uint64_t levels; /* bit k: there are elders of level k */
    uint64_t count[64];
    struct elder_map *map;
    uint64_t counted;     /* copies that are a number in `counts`: items that are no load */
    struct counts counts; /* by the names of first copies; the numbers add up to `counted` */
    /* A map of twice or half the size, while it is being filled from the names: those below `filled` are in it. NULL: none. */
    struct elder_map *next;
    uint64_t filled;
};

/* Where the words of a map are. */
enum map_lies { MAP_IN_BLOCK, MAP_IN_REGION, MAP_IN_FILE };

/* Words and bits in one struct, so that both change at once for concurrent readers. */
struct elder_map {
    uint64_t bits;  /* of the address, after the top bit, that choose the word */
    uint64_t *word; /* one per prefix of the address, in it one bit per core; little-endian, as in a file */
    enum map_lies lies;
};

static inline uint64_t tidal_counted(const struct tidal *f) { return f->elders == NULL ? 0 : f->elders->counted; }

enum {
    MOST_KNOWN = 46, /* an elder that was no entry of the table without a tail keeps no more bits than this: their share
                           of the false-positive rate is 2^-51 each, and a name has room for them */
    MOST_AT_ONCE = 10,  /* elders that guira__elders_ready makes room for in one call */
    MOST_SPARE = 16,    /* the table of names is at most so many times larger than its load asks for */
    MAP_FIRST_BITS = 6, /* 512 bytes to start with */
    MAP_MAX_BITS = 20 /* 8 MiB, one elder per word at 10^9 items of 16 bits; to free more at once would take too long */
};

/* Of the two partners the one whose top bit is 0. */
ALWAYS_INLINE uint64_t canonical_of(uint64_t address, uint64_t partner) {
    return address < partner ? address : partner;
}

ALWAYS_INLINE struct entry entry_canonical(struct entry e, struct layout l) {
    if (e.where >> 63) entry_turn(&e, l);
    return e;
}

/* What an elder keeps of an entry: no more than a slot could, or copies that are inserted now and later would differ. */
ALWAYS_INLINE struct entry entry_for_elders(const struct tidal *f, struct entry e, struct layout l) {
    unsigned most = known_at(level_of(f, SPLIT), l), known = known_of(e);
    if (known > most) known = most;
    if (known > MOST_KNOWN) known = MOST_KNOWN;
    return entry_canonical((struct entry){e.where & (leading(known) | core_mask(l)), known}, l);
}

ALWAYS_INLINE uint64_t map_word(const struct elder_map *map, uint64_t canon) { return canon << 1 >> (64 - map->bits); }

ALWAYS_INLINE unsigned map_bit(const struct elder_map *map, uint64_t canon, struct layout l) {
    unsigned c = core_bits(l);
    uint64_t next = c == 6 ? 0 : canon << (1 + map->bits) >> 63;
    return (unsigned)(next << c | core_of(canon, l));
}

/* Whether there may be an elder. */
ALWAYS_INLINE bool map_says_maybe(const struct elder_map *map, uint64_t canon, struct layout l) {
    return le64(load_relaxed(map->word[map_word(map, canon)])) >> map_bit(map, canon, l) & 1;
}

/* Whether n more elders, at most MOST_AT_ONCE, are sure to find a place; makes room for them if need be. False: no memory. */
bool guira__elders_ready(struct tidal *f, unsigned n);

/* Makes room for n more names at once, for names that come in order. */
bool guira__elders_reserve(struct tidal *f, uint64_t n);
/* And gives back what was not needed. */
void guira__elders_fit(struct tidal *f);

/* Makes elders of n copies of e. guira__elders_ready has said yes. */
void guira__elders_add(struct tidal *f, struct entry e, uint64_t n);

/* The highest level at which address has an elder; 0: none. And how many elders match address. */
unsigned guira__elders_level(const struct tidal *f, uint64_t address);
uint64_t guira__elders_count(const struct tidal *f, uint64_t address);

/* The same while another thread may be changing the filter; `contains` looks up a name that way. */
typedef bool guira__contains_fn(const guira *names, uint64_t name);
unsigned guira__elders_level_concurrent(const struct tidal *f, uint64_t address, guira__contains_fn *contains);
uint64_t guira__elders_count_concurrent(const struct tidal *f, uint64_t address, guira__contains_fn *contains);

/* Whether there is an elder that matches every address that e matches. */
bool guira__elders_cover(const struct tidal *f, struct entry e);

/* The elder that an entry of the names' table, or a name, stands for. */
struct entry guira__elder_read(struct entry in_names);
struct entry guira__elder_named(uint64_t name);

/* Removes one elder of a level that guira__elders_level() returned. Needs no memory. */
void guira__elders_remove(struct tidal *f, uint64_t address, unsigned level);

/* The name that an entry of the names' table holds. Names have a top bit of 0. */
ALWAYS_INLINE uint64_t name_in(struct entry in_names) {
    return in_names.where >> 63 ? partner_of(in_names.where, LAYOUT_64) : in_names.where;
}

/* --------------------------------------------------------------------------------------------------------- elder_map.c */

struct elder_map *guira__map_make(uint64_t bits); /* empty; NULL: no memory */
/* A map of the words of a file, which stay where they are; NULL: no memory. */
struct elder_map *guira__map_view(const uint8_t *words, uint64_t bits);
void guira__map_free(struct elder_map *map);

/* After an elder got its name: shows it, and lets the map grow with the number of names. */
void guira__map_add(struct tidal *f, uint64_t canon, unsigned level);
/* After the table has shrunk by a bucket: keeps the map to a few hundredths of its size. */
void guira__elders_shrink_map(struct tidal *f);

/* Whether the maps show an elder wherever a lookup may look for it. in_names: its entry in the names' table. */
bool guira__map_has(const struct tidal *f, struct entry in_names, struct entry elder);

bool guira__maps_clone(const struct elders *e, struct elders *to); /* false: no memory; what there is, `to` has */
uint64_t guira__maps_bytes(const struct elders *e);
void guira__maps_dump(const struct elders *e, guira__sink *sink, void *to);

/* -------------------------------------------------------------------------------------------------------------- elders.c */

uint64_t guira__elders_total(const struct tidal *f);
uint64_t guira__elders_bytes(const struct tidal *f);
double guira__elders_weight(const struct tidal *f);                                    /* in units of guira.weight */
guira_status guira__elders_clone(const struct tidal *f, bool stays, struct tidal *to); /* stays: see struct big */
void guira__elders_destroy(struct tidal *f);
const char *guira__elders_check_levels(const struct tidal *f); /* the small part of the next */
const char *guira__elders_check(const struct tidal *f);
void guira__elders_dump(const struct tidal *f, guira__sink *sink, void *to);

#endif
