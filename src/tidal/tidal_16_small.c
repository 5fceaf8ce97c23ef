/* Slots of 16 bits, the default, in builds that must be small: what is done for every key is inlined with a constant
 * layout, as in other builds. Everything else is in tidal_small.c. */
#undef GUIRA_SMALL
#include "tidal/tidal.inc"
#include "tidal/tidal_small.h"

bool guira__small_contains_16(const guira *f, uint64_t hash) { return contains_16(f, hash); }
bool guira__small_contains_flat_16(const guira *f, uint64_t hash) { return contains_flat_16(f, hash); }
size_t guira__small_contains_many_16(const guira *f, const uint64_t *hash, size_t n, bool *out) {
    return contains_many_16(f, hash, n, out);
}
void guira__small_prefetch_16(const guira *f, uint64_t hash) { prefetch_16(f, hash); }
guira_status guira__small_insert_16(guira *f, uint64_t hash) { return insert_16(f, hash); }
guira_status guira__small_remove_16(guira *f, uint64_t hash) { return remove_16(f, hash); }
