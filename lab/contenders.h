/* All filters behind one interface, so that they can be compared and tested alike: models of those that the documents
 * compare with, and the library's kinds.
 *
 * A filter is made for a plan: so many items at first, so many times as many later, and a false-positive rate that it is
 * to have at the end. Filters that cannot grow are made for the end at once. Each has the narrowest cells that its
 * formula allows for the plan. */
#ifndef GUIRA_LAB_CONTENDERS_H
#define GUIRA_LAB_CONTENDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "models/lines.h"

struct plan {
    uint64_t items; /* at first */
    double growth;  /* the most items, divided by those */
    double rate;    /* to keep */
    uint64_t seed;
};

struct contender {
    const char *name;
    const char *table1; /* its column in CCF's Table I, or "" */
    bool grows;         /* without the keys */
    bool model;         /* false: the library */
    void *(*make)(struct plan plan);
    void (*destroy)(void *f);
    bool (*insert)(void *f, uint64_t key);
    bool (*contains)(const void *f, uint64_t key, struct lines *lines); /* lines: NULL, or counted (models only) */
    bool (*remove)(void *f, uint64_t key);                              /* NULL: it cannot */
    bool (*merge)(void *into, const void *from);                        /* NULL: it cannot */
    double (*bits)(const void *f);                                      /* everything included */
    double (*slots)(const void *f);                                     /* 0: it has none */
    double (*rate)(const void *f);                                      /* what its formula predicts now */
    unsigned (*width)(const void *f);                                   /* bits of a slot, or of a cell */
};

enum { CONTENDERS = 14 };
extern const struct contender contenders[CONTENDERS];

const struct contender *contender_named(const char *name); /* exits if there is none */

/* Lines of 64 bytes that the lookup of an absent key reads in a library's filter, from its geometry. */
double contender_library_lines(const guira *f);

#endif
