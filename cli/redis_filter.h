/* A filter or window on a server or cluster: finds or creates its keys, and executes operations on blocks of items.
 *
 *     seen                                  a single key
 *     seen{3}:4  seen{0}:4  ...             --shards 4: one key per shard, and
 *     seen = "guira: 4 shards"              a string with the number, to detect a different --shards */
#ifndef GUIRA_CLI_REDIS_FILTER_H
#define GUIRA_CLI_REDIS_FILTER_H

#include "redis_block.h"
#include "redis_calls.h"

/* The operation on each item. */
enum operation { INSERT, INSERT_NEW, WINDOW_SEEN, REMOVE, CONTAINS };

struct shard {
    char *key;
    size_t n; /* length of key */
    unsigned slot;
};

struct redis_filter {
    const struct redis_job *job;
    enum operation operation;
    struct cluster cluster;
    unsigned shards;
    struct shard *shard;
    struct execution *execution; /* see redis_execute.c */
    uint64_t uncertain;          /* lines in flight when a connection was lost */
    uint64_t recreated;          /* keys that disappeared and were created again */
};

/* Connects and finds the keys; operations that add items create missing keys. Exits if a key has another type. */
void redis_filter_open(struct redis_filter *f, const struct redis_job *job, enum operation operation);

/* Creates the key of a shard; it is not an error if it exists. False: failed, *error says why. */
bool redis_filter_create(struct redis_filter *f, const struct shard *s, const char **error);

/* Executes the operation on all items of the block and sets their answers. False: some answers are UNANSWERED or
 * UNSURE, and *error says why. It never exits, because the caller first has to print the lines that were answered. */
bool redis_filter_execute(struct redis_filter *f, struct block *b, const char **error);

/* A message for the error reply of a call; valid until the next call of this function. */
const char *redis_filter_error(const struct redis_filter *f, const struct call *call);

#endif
