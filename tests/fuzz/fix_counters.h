/* Makes the counters of a file agree with its tables, whatever is in them, and slots that could not be empty: a fuzzer that
 * changes a table would hardly ever find the sums that go with it, and never get to where such a filter is used. */
#ifndef GUIRA_FUZZ_FIX_COUNTERS_H
#define GUIRA_FUZZ_FIX_COUNTERS_H

#include "format.h"
#include "tidal.h"
#include "tidal_elders.h"

struct part {
    uint8_t *head, *tide, *table, *elders;
    uint64_t head_bytes, table_bytes;
    unsigned w;
};

static inline void count_slot(uint8_t *bucket, unsigned j, unsigned level, unsigned w, uint64_t *items,
                              uint64_t *weight) {
    uint64_t s = slot_get(bucket, j, w);
    unsigned known = slot_body(s, w) == 0 || (unsigned)__builtin_ctzll(s) > tail_bits(w) ? 0 : slot_known(s, level, w);
    if (known == 0 || known > ALL_KNOWN || (w == 64 && known < ALL_KNOWN)) {
        slot_set(bucket, j, 0, w);
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
        if (p->w == 64) known = ALL_KNOWN;
        else if (known < 1 || known > ALL_KNOWN) known = 1 + known % ALL_KNOWN;
        put_u64(what, known | (p->w == AGED ? get_u64(what) % (1 << (8 + STAMP_BITS)) >> 8 << 8 : 0));
        *items += 1;
        *weight += weight_of(known);
    }
}

/* Counts one table, and returns how many items it has. */
static inline uint64_t fix_part(const struct part *p, uint64_t elders) {
    uint64_t items = elders, weight = 0, level = get_u64(p->tide), line = get_u64(p->tide + 8);
    if (level < 1 || level >= max_level(p->w) || line >> level != 0) return 0;
    for (uint64_t i = 0; (i + 1) << bucket_shift(p->w) <= p->table_bytes; i++) {
        uint8_t *bucket = p->table + (i << bucket_shift(p->w));
        unsigned l = (unsigned)level + (i < 2 * line);
        for (unsigned j = 0; j < bucket_slots(p->w); j++) count_slot(bucket, j, l, p->w, &items, &weight);
        if (p->w == 12) bucket[15] = 0;
    }
    count_stash(p, &items, &weight);
    put_u64(p->head, items);
    put_u64(p->head + 8, weight);
    return items;
}

/* Counts the names in a table by their levels, without those that no elder of slots of w bits can have. */
static inline void fix_levels(const struct part *names, uint8_t *elders, unsigned w) {
    uint64_t level = get_u64(names->tide), line = get_u64(names->tide + 8);
    memset(elders + 8, 0, (size_t)64 * 8);
    if (level < 1 || level >= max_level(64) || line >> level != 0) return;
    for (uint64_t i = 0; i * 8 < names->table_bytes; i++) {
        uint64_t s = get_u64(names->table + 8 * i), number = i / 8;
        bool left = number < 2 * line;
        if (s == 0) continue;
        struct entry e = slot_decode(s, left ? number : number - line, (unsigned)level + left, 64);
        struct entry elder = guira__elder_read(e);
        unsigned k = known_of(elder);
        if (k < 1 || k > max_level(w) || (elder.where & 63) != core_of(elder.where, w))
            put_u64(names->table + 8 * i, 0);
        else put_u64(elders + 8 + (size_t)8 * k, get_u64(elders + 8 + (size_t)8 * k) + 1);
    }
}

/* For tidal filters; the names come last and are counted first. */
static inline void fix_counters(uint8_t *bytes, size_t n) {
    struct part part[2] = {{.w = (unsigned)get_u64(bytes + 48)}, {.w = 64}};
    unsigned now = 0;
    if (get_u64(bytes + 16) != GUIRA_TIDAL ||
        (part[0].w != 12 && part[0].w != 16 && part[0].w != 32 && part[0].w != AGED))
        return;
    for (size_t at = HEADER_BYTES; n - at >= 2 * SECTION_ALIGNMENT;) {
        uint8_t *tag = bytes + at, *payload = tag + SECTION_ALIGNMENT;
        uint64_t length = get_u64(tag + 8), room = n - at - SECTION_ALIGNMENT;
        if (length > room || (length + 8 + 63) / 64 * 64 > room) break;
        struct part *p = &part[now];
        if (memcmp(tag, "head", 5) == 0 && length >= 64) p->head = payload, p->head_bytes = length;
        if (memcmp(tag, "tide", 5) == 0 && length >= 32) p->tide = payload;
        if (memcmp(tag, "table", 6) == 0) p->table = payload, p->table_bytes = length, now = 1;
        if (memcmp(tag, "elders", 7) == 0 && length >= 520) part[0].elders = payload;
        if (memcmp(tag, "map", 4) == 0) memset(payload, 0xff, (size_t)length); /* it may show too much */
        at += SECTION_ALIGNMENT + (size_t)((length + 8 + 63) / 64 * 64);
    }
    bool names = part[1].head != NULL && part[1].tide != NULL && part[1].table != NULL;
    if (names) fix_part(&part[1], 0); /* first, because it empties what is no name at all */
    if (names && part[0].elders != NULL) fix_levels(&part[1], part[0].elders, part[0].w);
    uint64_t elders = names ? fix_part(&part[1], 0) : 0;
    if (part[0].head != NULL && part[0].tide != NULL && part[0].table != NULL) fix_part(&part[0], elders);
}

#endif
