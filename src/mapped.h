/* Filters that are read from a mapped file, as the other files see them. */
#ifndef GUIRA_MAPPED_H
#define GUIRA_MAPPED_H

#include "kind.h"

/* The file of a mapped filter, n bytes of it; NULL: it is not mapped. */
const uint8_t *guira__mapped_file(const guira *f, size_t *n);

#endif
