/* A version counter: how a lookup without a lock finds out that entries were moved while it ran.
 *
 * Lookups of guira_shared never block (src/shared/). One thread at a time changes a filter. What a lookup must never do
 * is miss a member because the member was being moved. So an entry is first written to its new place, then the version
 * is incremented, and only then is the old place overwritten:
 *
 *     writer     new place = x      version++      old place = y
 *     reader     before = version   reads both places     not found, and version == before?  Then it is not a member.
 *
 * A reader that read the new place too early and the old place too late sees that the version has changed, and looks
 * again. It never waits for the writer.
 *
 * The version counts in steps of VERSION_STEP. The bits below are flags that tell a reader when finding nothing in the
 * table is not the whole answer. */
#ifndef GUIRA_BASE_VERSION_H
#define GUIRA_BASE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomics.h"

enum {
    VERSION_OUTSIDE = 1,  /* there are entries outside the table, in the stash or among the elders */
    VERSION_NOT_FLAT = 2, /* the table is not where readers look without a read lock: see src/shared/reader_root.h */
    VERSION_STEP = 4
};

/* Between writing an entry to its new place and overwriting the old one. NULL: there are no concurrent readers. */
static inline void version_bump(uint64_t *version) {
    if (version == NULL) return;
    fence_release();
    store_relaxed(*version, *version + VERSION_STEP);
    fence_release();
}

/* Sets the flags. Taking a flag back also counts as a step: else a reader from before it was set and one from after it
 * was taken back would see the same version. */
static inline void version_set_flags(uint64_t *version, uint64_t flags) {
    uint64_t old = *version % VERSION_STEP;
    if (old == flags) return;
    fence_release();
    store_relaxed(*version, *version - old + flags + (flags < old ? VERSION_STEP : 0));
    fence_release();
}

/* A reader's first look at the version. */
static inline uint64_t version_read(const uint64_t *version) { return load_acquire(*version); }

/* The same without the flags: compared with this, a version with flags has always changed. */
static inline uint64_t version_read_without_flags(const uint64_t *version) {
    return load_acquire(*version) & ~(uint64_t)(VERSION_STEP - 1);
}

/* After the reader has read everything: which bits differ from what it read at first. 0: nothing was moved. */
static inline uint64_t version_changes(const uint64_t *version, uint64_t before) {
    fence_acquire();
    return load_relaxed(*version) ^ before;
}

static inline bool version_is(const uint64_t *version, uint64_t before) {
    return version_changes(version, before) == 0;
}

#endif
