/* The head of a filter as a section of its file: counters and stash. */
#ifndef GUIRA_FILTER_HEAD_H
#define GUIRA_FILTER_HEAD_H

#include "filter/filter.h"
#include "format/sections.h"

/* The secret is not written: it follows from the seed, which is in the file's header. */
void guira__head_write(struct guira__writer *w, const guira *f);

/* Makes f, all of it, a head with these ops and configuration and the counters that follow; *stash, which has room for all
 * that a stash can have: the entries after them. False: they are not intact. What the entries are is for the kind to
 * check. */
bool guira__head_read(struct guira__reader *r, const struct guira__ops *ops, const guira_config *c, guira *f,
                      struct stash *stash);

#endif
