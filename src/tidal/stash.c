/* The memory of the stash of a tidal filter.
 *
 * Small filters hardly ever have entries there, so they have memory for as many as there are and one more: then an
 * insertion that needs the place does not depend on memory. In the smallest table every key may be in every slot, so until
 * it has grown even that one is not needed. A filter that is big has room for all that a stash can have, because its
 * readers may be reading it. So have the names of elders, whose insertion must not fail (elders.h). */
#include "base/alloc.h"
#include "tidal/tidal.h"

struct stash guira__no_stash; /* never written to, since it has no room */

static size_t stash_size(unsigned room) { return offsetof(struct stash, entry) + room * sizeof(struct entry); }

/* The last step is larger, because the seventeenth place must be there when the sixteenth is taken (insert.inc). */
static unsigned room_for(unsigned n) { return n == 0 ? 0 : n <= 2 ? 2 : n <= 4 ? 4 : n <= 8 ? 8 : STASH_LAST; }

static bool set_room(struct tidal *f, unsigned room) {
    struct stash *old = f->stash, *s = &guira__no_stash;
    if (room > 0) s = (struct stash *)guira__small_alloc(stash_size(room));
    if (s == NULL) return false;
    if (room > 0) memcpy(s, old, stash_size(old->n));
    if (room > 0) s->room = room;
    f->stash = s;
    if (old != &guira__no_stash) guira__small_free(old);
    return true;
}

bool guira__stash_make_room(struct tidal *f, unsigned n) { return n <= f->stash->room || set_room(f, room_for(n)); }

static unsigned wanted(const struct tidal *f, uint64_t buckets) {
    if (big_of(f) != NULL || knows_all(tidal_layout(f))) return STASH_LAST;
    unsigned n = f->stash->n + (buckets > MIN_BUCKETS);
    return n < STASH_LAST ? n : (unsigned)STASH_LAST;
}

bool guira__stash_ready(struct tidal *f, uint64_t buckets) { return guira__stash_make_room(f, wanted(f, buckets)); }

/* Without memory for a smaller one it stays as it is. */
void guira__stash_trim(struct tidal *f) {
    unsigned room = room_for(wanted(f, bucket_count(f)));
    if (room < f->stash->room) (void)set_room(f, room);
}

guira_status guira__stash_add(struct tidal *f, struct entry e, unsigned limit) {
    if (f->stash->n >= limit) return GUIRA_EFULL;
    if (!guira__stash_make_room(f, f->stash->n + 1)) return GUIRA_ENOMEM;
    stash_push(f->stash, e, limit);
    (void)guira__stash_ready(f, bucket_count(f)); /* if not now, before the next one */
    return GUIRA_OK;
}

void guira__stash_free(struct tidal *f) {
    if (f->stash != &guira__no_stash) guira__small_free(f->stash);
    f->stash = &guira__no_stash;
}

size_t guira__stash_bytes(const struct tidal *f) {
    return f->stash == &guira__no_stash ? 0 : guira__small_cost(stash_size(f->stash->room));
}
