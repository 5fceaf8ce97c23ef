/* A filter behind a key: the library's, and what clients of CF.* want to be told of it. With EXPANSION 0 it is of fixed
 * size (GUIRA_CUCKOO), else it follows its items (GUIRA_TIDAL); BUCKETSIZE, MAXITERATIONS and the value of EXPANSION are
 * kept and reported and change nothing. */
#ifndef GUIRA_MODULE_FILTER_H
#define GUIRA_MODULE_FILTER_H

#include "codec.h"
#include "guira.h"

enum { MOST_BUCKET_SIZE = 255, MOST_ITERATIONS = 65535, MOST_EXPANSION = 32768 };
#define MOST_CAPACITY (1LL << 30)
#define LEAST_ERROR 1e-7 /* what the widest slots keep until there are a thousand times as many items, with a margin */

/* All that decides what a filter will be: a replica that makes one from the same options makes the same one. */
struct filter_options {
    long long capacity, bucket_size, max_iterations, expansion;
    double error; /* wanted rate of false positives; 0: none was asked for */
    uint8_t seed[16];
};

struct filter {
    guira *guira;
    struct filter_options options;
    uint64_t deleted;    /* items, since it was made or last compacted */
    uint64_t generation; /* another one after each change; no two filters of a process have the same */
    struct dump {
        guira_saving *saving; /* NULL: none is under way */
        uint64_t generation;  /* of the filter that it is of */
        uint64_t at;          /* how much of the stream has been taken */
    } dump;                   /* see scandump.c */
};

enum { FILTER_RECORD = 5 * 8 };

/* What its stream starts with, before the library's file. */
void filter_put_record(const struct filter *f, uint8_t record[FILTER_RECORD]);

extern const struct codec filter_codec;
extern redis_type *filter_type;

/* The type "guira-flt". False: the server does not want it. */
bool filter_register(redis_ctx *ctx);

/* ENOMEM and so on, as guira_create; on failure *out is NULL. */
guira_status filter_create(const struct filter_options *o, struct filter **out);
void filter_free(void *value);
/* NULL: no memory. */
struct filter *filter_clone(const struct filter *f);

/* To be called after each change. */
void filter_changed(struct filter *f);

uint64_t filter_bytes(const struct filter *f);

#endif
