/* The undo log: what a change overwrote, so that it can be undone byte for byte.
 *
 * While a change is under way, the old value of each slot is noted before the slot is written. If the change fails, the
 * lines are popped, newest first, and each old value is written back. The log lives on the stack and never allocates:
 * undoing must not be able to fail. */
#ifndef GUIRA_SLOTS_UNDO_H
#define GUIRA_SLOTS_UNDO_H

#include <stddef.h>

#include "base/compiler.h"

enum { MAX_KICKS = 2000, UNDO_LINES = 2048 };

struct undo_line {
    uint8_t *bucket; /* or whatever else tells the kind what was changed */
    uint64_t slot, old;
};

struct undo_log {
    uint32_t n;
    struct undo_line line[UNDO_LINES];
};

/* How many more lines fit. Without a log (NULL) a change is final, and there is no limit. */
ALWAYS_INLINE uint32_t undo_room(const struct undo_log *log) { return log == NULL ? UINT32_MAX : UNDO_LINES - log->n; }

/* The caller has made sure of undo_room(). */
ALWAYS_INLINE void undo_note(struct undo_log *log, uint8_t *bucket, uint64_t slot, uint64_t old) {
    if (log != NULL) log->line[log->n++] = (struct undo_line){bucket, slot, old};
}

/* The newest line above the first `down_to`, taken off the log. False: there is none. */
ALWAYS_INLINE bool undo_pop(struct undo_log *log, uint32_t down_to, struct undo_line *line) {
    if (log->n <= down_to) return false;
    *line = log->line[--log->n];
    return true;
}

#endif
