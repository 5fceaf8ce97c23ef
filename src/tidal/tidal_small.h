/* Between tidal_small.c and tidal_16_small.c: what is done for every key of a filter with 16-bit slots. */
#ifndef GUIRA_TIDAL_TIDAL_SMALL_H
#define GUIRA_TIDAL_TIDAL_SMALL_H

#include "tidal/tidal.h"

bool guira__small_contains_16(const guira *f, uint64_t hash);
bool guira__small_contains_flat_16(const guira *f, uint64_t hash);
size_t guira__small_contains_many_16(const guira *f, const uint64_t *hash, size_t n, bool *out);
void guira__small_prefetch_16(const guira *f, uint64_t hash);
guira_status guira__small_insert_16(guira *f, uint64_t hash);
guira_status guira__small_remove_16(guira *f, uint64_t hash);

#endif
