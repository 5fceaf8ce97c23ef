/* Keeping the false-positive rate, whatever happens: docs/tidal.md has the derivation.
 *
 * The rate that is kept is a limit for the weight of all entries (slot.h). Growth to the most items that the configuration
 * allows will need a part of it, so the limit is lower while the filter is smaller. A filter whose weight comes near it
 *
 *     makes no move that takes a bit from an entry (place.inc);
 *     grows at a lower load, the lower the nearer: new entries weigh less, and fewer have to move (insert.inc);
 *     does not shrink above that load (steps.inc).
 *
 * Weight rises by nothing else at one size, and when less of it is left the filter works as before. */
#ifndef GUIRA_TIDAL_RATE_H
#define GUIRA_TIDAL_RATE_H

#include "tidal/tidal.h"

/* The limit at the present size, which follows from configuration and size alone. No limit: 0 items. */
struct rate_limit guira__rate_limit(const struct tidal *f);

/* How near the weight is to the limit: 0: not near, 1: at it, at most 3. */
double guira__rate_nearness(const struct tidal *f);

/* After an insertion that found both buckets full: grows if the weight is so near to the limit that it should. Without memory it stays as it is. */
void guira__rate_make_room(struct tidal *f);

/* Whether f should not shrink because of it. */
bool guira__rate_needs_size(const struct tidal *f);

#endif
