/* Makes the counters of a file agree with its tables and empties slots with impossible contents. A fuzzer that changes a
 * table would hardly ever guess the matching counters, and so never reach the code that uses such a filter. */
#ifndef GUIRA_FUZZ_REPAIR_COUNTERS_H
#define GUIRA_FUZZ_REPAIR_COUNTERS_H

#include "format/sections.h"
#include "format/contents.h"
#include "io/header.h"
#include "tidal/tidal.h"
#include "tidal/elders.h"

struct part {
    uint8_t *head, *tide, *table, *elders;
    uint64_t head_bytes, table_bytes;
    struct layout l;
};

static inline void count_slot(uint8_t *bucket, unsigned j, unsigned level, struct layout l, uint64_t *items,
                              uint64_t *weight) {
    uint64_t s = slot_get(bucket, j, l);
    unsigned known = slot_body(s, l) == 0 || (unsigned)__builtin_ctzll(s) > tail_bits(l) ? 0 : slot_known(s, level, l);
    if (known == 0 || known > ALL_KNOWN || (knows_all(l) && known < ALL_KNOWN)) {
        slot_set(bucket, j, 0, l);
        return;
    }
    *items += 1;
    *weight += weight_of(known);
}

static inline void count_stash(const struct part *p, uint64_t *items, uint64_t *weight) {
    uint64_t n = get_u64(p->head + 56);
    for (uint64_t i = 0; i < n && 80 + 16 * i <= p->head_bytes; i++) {
        uint8_t *what = p->head + 72 + 16 * i;
        unsigned known = *what;
        if (knows_all(p->l)) known = ALL_KNOWN;
        else if (known < 1 || known > ALL_KNOWN) known = 1 + known % ALL_KNOWN;
        put_u64(what, known | get_u64(what) % (UINT64_C(1) << (8 + p->l.stamp_bits)) >> 8 << 8);
        *items += 1;
        *weight += weight_of(known);
    }
}

/* Counts the entries of one table, corrects its head section, and returns how many items it has. */
static inline uint64_t fix_part(const struct part *p, uint64_t elders) {
    uint64_t items = elders, weight = 0, level = get_u64(p->tide), split = get_u64(p->tide + 8);
    if (level < 1 || level >= max_level(p->l) || split >> level != 0) return 0;
    for (uint64_t i = 0; (i + 1) * p->l.bucket_bytes <= p->table_bytes; i++) {
        uint8_t *bucket = p->table + i * p->l.bucket_bytes;
        unsigned own = (unsigned)level + (i < 2 * split);
        for (unsigned j = 0; j < p->l.slots; j++) count_slot(bucket, j, own, p->l, &items, &weight);
        if (p->l.form == FORM_PACKED) bucket[15] = 0;
    }
    count_stash(p, &items, &weight);
    put_u64(p->head, items);
    put_u64(p->head + 8, weight);
    return items;
}

/* Counts the names in a table by level, and removes those that no elder of this layout can have. */
static inline void fix_levels(const struct part *names, uint8_t *elders, struct layout l) {
    uint64_t level = get_u64(names->tide), split = get_u64(names->tide + 8);
    memset(elders + 8, 0, (size_t)64 * 8);
    if (level < 1 || level >= max_level(LAYOUT_64) || split >> level != 0) return;
    for (uint64_t i = 0; i * 8 < names->table_bytes; i++) {
        uint64_t s = get_u64(names->table + 8 * i), number = i / 8;
        bool upper = number < 2 * split;
        if (s == 0) continue;
        struct entry e = slot_decode(s, upper ? number : number - split, (unsigned)level + upper, LAYOUT_64);
        struct entry elder = guira__elder_read(e);
        unsigned k = known_of(elder);
        if (k < 1 || k > max_level(l) || (elder.where & 63) != core_of(elder.where, l))
            put_u64(names->table + 8 * i, 0);
        else put_u64(elders + 8 + (size_t)8 * k, get_u64(elders + 8 + (size_t)8 * k) + 1);
    }
}

/* For tidal filters. The names of elders come last in the file, but must be counted first. */
static inline void repair_counters(uint8_t *bytes, size_t n) {
    unsigned bits = (unsigned)get_u64(bytes + 48), now = 0;
    struct part part[2] = {
        {.l = window_key_bits(bits) != 0 ? layout_stamped(window_key_bits(bits)) : layout_of_width(bits)},
        {.l = LAYOUT_64}};
    if (get_u64(bytes + 16) != GUIRA_TIDAL || part[0].l.slots == 0) return;
    for (size_t at = HEADER_BYTES; n - at >= 2 * SECTION_ALIGNMENT;) {
        uint8_t *tag = bytes + at, *payload = tag + SECTION_ALIGNMENT;
        uint64_t length = get_u64(tag + 8), room = n - at - SECTION_ALIGNMENT;
        if (length > room || (length + 8 + 63) / 64 * 64 > room) break;
        struct part *p = &part[now];
        if (memcmp(tag, "head", 5) == 0 && length >= 64) p->head = payload, p->head_bytes = length;
        if (memcmp(tag, "tide", 5) == 0 && length >= 32) p->tide = payload;
        if (memcmp(tag, "table", 6) == 0) p->table = payload, p->table_bytes = length, now = 1;
        if (memcmp(tag, "elders", 7) == 0 && length >= 520) part[0].elders = payload;
        if (memcmp(tag, "map", 4) == 0)
            memset(payload, 0xff, (size_t)length); /* the map may have bits set that no elder needs */
        at += SECTION_ALIGNMENT + (size_t)((length + 8 + 63) / 64 * 64);
    }
    bool names = part[1].head != NULL && part[1].tide != NULL && part[1].table != NULL;
    if (names) fix_part(&part[1], 0); /* first, because it empties slots that are no names */
    if (names && part[0].elders != NULL) fix_levels(&part[1], part[0].elders, part[0].l);
    uint64_t elders = names ? fix_part(&part[1], 0) : 0;
    if (part[0].head != NULL && part[0].tide != NULL && part[0].table != NULL) fix_part(&part[0], elders);
}

#endif
