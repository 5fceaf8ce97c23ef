/* What concerns a tidal filter as a whole: making, copying, sizing, checking. Nothing here is hot, so the slot width is
 * a run-time number. */
#ifndef GUIRA_TIDAL_WHOLE_H
#define GUIRA_TIDAL_WHOLE_H

#include "tidal.h"

guira_status guira__tidal_create(const struct guira__ops *ops, const guira_config *c, guira **out);
guira_status guira__tidal_create_on(struct ground *ground, const struct guira__ops *ops, const guira_config *c,
                                    guira **out); /* its arrays on a ground, where there is nothing else */
void guira__tidal_destroy(guira *f);
guira_status guira__tidal_reserve(guira *f, uint64_t items);
guira_status guira__tidal_shrink_to_fit(guira *f);
void guira__tidal_ebb_to_fit(guira *f); /* the same bucket by bucket, which readers may look at */
guira_status guira__tidal_clear(guira *f);
guira_status guira__tidal_clone(const guira *f, guira **out);
guira_status guira__tidal_clone_on(struct ground *ground, const guira *f, guira **out);
guira_status guira__tidal_clone_empty(const guira *f, guira **out); /* of the size that clear would leave */
/* From now on readers look at it by the sight, and it leaves in limbo what they may be looking at. */
void guira__tidal_show(guira *f, struct sight *sight, struct limbo *limbo);
void guira__tidal_hide(guira *f);                           /* from now on nobody does */
void guira__tidal_become(struct tidal *f, struct tidal *g); /* f is g from now on, and g is gone */
void guira__tidal_stats(const guira *f, guira_stats *out);
const char *guira__tidal_check(const guira *f);
/* The part of it that needs no look at what is large. */
const char *guira__tidal_check_frame(const struct tidal *f);
void guira__tidal_dump(const guira *f, guira__sink *sink, void *to);

#endif
