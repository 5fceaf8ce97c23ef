/* Metadata of a run: when, where and how the results were measured. */
#ifndef GUIRA_BENCH_META_H
#define GUIRA_BENCH_META_H

#include "options.h"

enum { META_MAX = 16 };

struct meta {
    struct {
        const char *key;
        char value[200];
    } entry[META_MAX];
    size_t count;
};

void meta_collect(const struct options *o, struct meta *m);

#endif
