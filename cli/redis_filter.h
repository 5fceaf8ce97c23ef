/* One filter, or window, in a server or a cluster: its keys, made if they are not there, and questions to it.
 *
 *     seen                                  one key
 *     seen{3}:4  seen{0}:4  ...             --shards 4: one key for each part of the slots, and
 *     seen = "guira: 4 shards"              a string that says how many, for those who think otherwise */
#ifndef GUIRA_CLI_REDIS_FILTER_H
#define GUIRA_CLI_REDIS_FILTER_H

#include "redis_block.h"
#include "redis_calls.h"

/* What is done with items. */
enum verb { INSERT, INSERT_NEW, SEE, REMOVE, FIND };

struct shard {
    char *key;
    size_t n; /* bytes of it */
    unsigned slot;
};

struct redis_filter {
    const struct redis_job *job;
    enum verb verb;
    struct cluster cluster;
    unsigned shards;
    struct shard *shard;
    struct asking *asking; /* see redis_ask.c */
    uint64_t unsure;       /* lines in flight when a connection was lost */
    uint64_t made_again;   /* keys that were gone */
};

/* Connects, finds the keys and makes them if the verb is one that adds. Ends the process if they are something else. */
void redis_filter_open(struct redis_filter *f, const struct redis_job *job, enum verb verb);

/* Makes the key of a shard; that somebody else was faster is no mistake. False: it could not be made. */
bool redis_filter_make(struct redis_filter *f, const struct shard *s, const char **why);

/* The answers for all items of the block. False: some could not be had and are UNASKED or UNSURE, and `why` tells what
 * stands in the way. It never ends the process: what was answered has to be passed on first. */
bool redis_filter_ask(struct redis_filter *f, struct block *b, const char **why);

/* What the error that came for a call means, until the next one. */
const char *redis_filter_complaint(const struct redis_filter *f, const struct call *call);

#endif
