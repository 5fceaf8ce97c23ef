/* Memory that somebody may read while it changes: the readers of guira_shared never lock (see shared.c).
 *
 * Such memory is written by one thread, with the stores below, and read by the others in tidal_read.c. What they may
 * never see is a member that is nowhere. So whatever moves is first put down in its new place, then the count of moves
 * goes up, and only then is the old place used for something else:
 *
 *     writer     new place = x      moves++      old place = y
 *     reader     before = moves     looks here, looks there     not found, and moves == before?  It is not there.
 *
 * Who looked into the new place too early and into the old place too late has seen the count change, and looks again.
 * No reader ever waits for a writer to finish.
 *
 * For filters of one thread these stores are what plain ones would be, relaxed, and nobody counts. */
#ifndef GUIRA_VISIBLE_H
#define GUIRA_VISIBLE_H

#include <stdint.h>

/* Whatever was stored before is seen by whoever sees anything that is stored after. */
#if defined(__SANITIZE_THREAD__)
#define VISIBLE_FENCE(order) ((void)0) /* it knows no fences, and needs none: it looks for races, not for order */
#else
#define VISIBLE_FENCE(order) __atomic_thread_fence(order)
#endif

/* Where somebody else could take over: see tests/test_turns.c. */
#if defined(GUIRA_TURNS)
void guira__pause(void);
#define VISIBLE_PAUSE() guira__pause()
#else
#define VISIBLE_PAUSE() ((void)0)
#endif

#define SHOW(place, value) (VISIBLE_PAUSE(), __atomic_store_n(&(place), (value), __ATOMIC_RELAXED))
#define SEE(place) (VISIBLE_PAUSE(), __atomic_load_n(&(place), __ATOMIC_RELAXED))

/* For a pointer to something new, and for what says how much of it is ready. */
#define PUBLISH(place, value) (VISIBLE_PAUSE(), __atomic_store_n(&(place), (value), __ATOMIC_RELEASE))
#define FOLLOW(place) (VISIBLE_PAUSE(), __atomic_load_n(&(place), __ATOMIC_ACQUIRE))

/* The count goes up in fours. Below is whether who has found nothing may believe it. 0: yes. DOUBT: only if it is not
 * beside the table either. BLIND: no, for the table may be elsewhere. */
enum { DOUBT = 1, BLIND = 2, MOVE = 4 };

/* Between putting something down in its new place and taking it away from the old one. NULL: nobody looks on. */
static inline void visible_move(uint64_t *moves) {
    if (moves == NULL) return;
    VISIBLE_FENCE(__ATOMIC_RELEASE);
    SHOW(*moves, *moves + MOVE);
    VISIBLE_FENCE(__ATOMIC_RELEASE);
}

/* More doubt is seen by all who look at the count after they have looked around. To take some back counts as a move, lest
 * one who looked before and one who looks after see the same. */
static inline void visible_doubt(uint64_t *moves, uint64_t doubt) {
    uint64_t was = *moves % MOVE;
    if (was == doubt) return;
    VISIBLE_FENCE(__ATOMIC_RELEASE);
    SHOW(*moves, *moves - was + doubt + (doubt < was ? MOVE : 0));
    VISIBLE_FENCE(__ATOMIC_RELEASE);
}

/* A reader's look at the count before, and whether it is the same after. */
static inline uint64_t visible_before(const uint64_t *moves) { return FOLLOW(*moves); }
static inline uint64_t visible_since(const uint64_t *moves, uint64_t before) { /* 0: nothing has moved since */
    VISIBLE_FENCE(__ATOMIC_ACQUIRE);
    return SEE(*moves) ^ before;
}
static inline int visible_same(const uint64_t *moves, uint64_t before) { return visible_since(moves, before) == 0; }

/* The same for those who look at the table alone: with doubt, nothing is the same as before. */
static inline uint64_t visible_before_sure(const uint64_t *moves) { return FOLLOW(*moves) & ~(uint64_t)(MOVE - 1); }

#endif
