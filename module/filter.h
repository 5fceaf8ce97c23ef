/* The data type "filter": a filter of the library, and the options that CF.INFO has to report. With EXPANSION 0 the filter
 * has a fixed size (GUIRA_CUCKOO), otherwise it grows and shrinks with its items (GUIRA_TIDAL). BUCKETSIZE, MAXITERATIONS
 * and the value of EXPANSION are stored and reported, but have no other effect. */
#ifndef GUIRA_MODULE_FILTER_H
#define GUIRA_MODULE_FILTER_H

#include "guira.h"
#include "serialize.h"

enum { MAX_BUCKET_SIZE = 255, MAX_ITERATIONS_LIMIT = 65535, MAX_EXPANSION = 32768 };
#define MAX_CAPACITY (1LL << 30)
#define MIN_FPR 2e-7 /* the widest slots keep this rate up to 10^10 items */

/* Everything that determines a new filter: servers that create one from the same options get identical filters. */
struct filter_options {
    long long capacity, bucket_size, max_iterations, expansion;
    double fpr; /* requested false positive rate; 0: none requested */
    uint8_t seed[16];
};

struct filter {
    guira *guira;
    struct filter_options options;
    uint64_t deleted;    /* items, since the filter was created or last compacted */
    uint64_t generation; /* a new number after each change; unique among the filters of a process */
    struct dump {
        guira_saving *saving; /* NULL: no dump is in progress */
        uint64_t generation;  /* of the filter when the dump began */
        uint64_t offset;      /* in the serialized filter: what has been read so far */
    } dump;                   /* see scandump.c */
};

enum { FILTER_RECORD = 5 * 8 };

/* Writes the record that a serialized filter starts with, before the library's file. */
void filter_write_record(const struct filter *f, uint8_t record[FILTER_RECORD]);

extern const struct serializer filter_serializer;
extern redis_type *filter_type;

/* Registers the data type "guira-flt". False: the server refused it. */
bool filter_register(redis_ctx *ctx);

/* Returns the errors of guira_create; on failure *out is NULL. */
guira_status filter_create(const struct filter_options *o, struct filter **out);
void filter_free(void *value);
/* NULL: no memory. */
struct filter *filter_clone(const struct filter *f);

/* Must be called after each change: gives the filter a new generation. */
void filter_changed(struct filter *f);

/* Memory of the filter, including its struct. */
uint64_t filter_bytes(const struct filter *f);

#endif
