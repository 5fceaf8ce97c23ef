/* The journal: what a change overwrote, so that it can be undone byte for byte.
 *
 * Slots are written through journal_set() while a change is under way. If it comes to nothing, journal_undo() puts the
 * old values back, newest first. It lives on the stack and is never allocated: undoing must not be able to fail. */
#ifndef GUIRA_JOURNAL_H
#define GUIRA_JOURNAL_H

#include "geometry.h"

enum { JOURNAL_SIZE = 1024, MAX_KICKS = 1000 };

struct journal {
    uint32_t n;
    struct {
        uint8_t *bucket;
        uint64_t old;
        uint32_t slot;
    } line[JOURNAL_SIZE];
};

/* Callers see to it that there is room: see journal_room(). Without a journal the change is for good. */
ALWAYS_INLINE void journal_set(struct journal *j, uint8_t *bucket, unsigned slot, uint64_t v, unsigned w) {
    if (j != NULL) {
        j->line[j->n].bucket = bucket;
        j->line[j->n].slot = slot;
        j->line[j->n].old = slot_get(bucket, slot, w);
        j->n++;
    }
    slot_set(bucket, slot, v, w);
}

ALWAYS_INLINE uint32_t journal_room(const struct journal *j) { return j == NULL ? UINT32_MAX : JOURNAL_SIZE - j->n; }

/* What was put down first is taken away last: on the way back, too, everybody is somewhere at any time. */
ALWAYS_INLINE void journal_undo(struct journal *j, uint64_t *moves, unsigned w) {
    while (j->n > 0) {
        j->n--;
        slot_set(j->line[j->n].bucket, j->line[j->n].slot, j->line[j->n].old, w);
        visible_move(moves);
    }
}

#endif
