/* Asking a tidal filter that another thread may be changing: see visible.h for how that can go well. */
#ifndef GUIRA_TIDAL_READ_H
#define GUIRA_TIDAL_READ_H

#include "tidal.h"

/* The functions have the names of ops with instruction set and width at the end. */
#define TIDAL_READ_(what, isa, w) guira__##what##_shared_##isa##_##w
#define TIDAL_READ(what, isa, w) TIDAL_READ_(what, isa, w)

#define TIDAL_READ_DECLARE_WIDTH(isa, w)                                     \
    bool TIDAL_READ(contains, isa, w)(const guira *f, uint64_t hash);        \
    bool TIDAL_READ(beside, isa, w)(const guira *f, uint64_t hash);          \
    uint64_t TIDAL_READ(count, isa, w)(const guira *f, uint64_t hash);       \
    bool TIDAL_READ(glance, isa, w)(const struct sights *of, uint64_t hash); \
    size_t TIDAL_READ(glance_many, isa, w)(const struct sights *of, const uint64_t *hash, size_t n, bool *out);

#define TIDAL_READ_DECLARE(isa)       \
    TIDAL_READ_DECLARE_WIDTH(isa, 12) \
    TIDAL_READ_DECLARE_WIDTH(isa, 16) \
    TIDAL_READ_DECLARE_WIDTH(isa, 32) \
    TIDAL_READ_DECLARE_WIDTH(isa, 64)

#endif
