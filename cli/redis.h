/* Filters that are keys of a Redis server or cluster: what the commands need to know about them.
 *
 *     uniq, add, remove, test --redis URL NAME     -> redis_uniq, redis_add, ..., which read the input themselves
 *     metrics --redis URL                          -> redis_metrics
 *
 * If hiredis is not available at build time, redis_stub.c defines these functions and exits with an error. */
#ifndef GUIRA_CLI_REDIS_H
#define GUIRA_CLI_REDIS_H

#include "filter_new.h"
#include "keys.h"
#include "options.h"

struct redis_options {
    const char *url;  /* NULL: not on a server */
    uint64_t shards;  /* 0: a single key */
    uint64_t timeout; /* milliseconds; 0: REDIS_DEFAULT_TIMEOUT */
};

/* As text, because it is also part of --help. */
#define REDIS_DEFAULT_TIMEOUT "30s"

#define REDIS_OPTION(r) \
    { 0, "redis", OPT_TEXT, &(r)->url, "URL", "use a server: redis://[user:password@]host[:port][/db]", NULL }
#define REDIS_TIMEOUT_OPTION(r)                                                                \
    {                                                                                          \
        0, "redis-timeout", OPT_DURATION, &(r)->timeout, "TIME",                               \
            "how long to retry when a server fails (default: " REDIS_DEFAULT_TIMEOUT ")", NULL \
    }
#define REDIS_OPTIONS(r)                                                                                     \
    REDIS_OPTION(r),                                                                                         \
        {0, "shards", OPT_COUNT, &(r)->shards, "N", "distribute the filter over N keys of a cluster", NULL}, \
        REDIS_TIMEOUT_OPTION(r)

/* What to do with the lines of the input, and with which key. */
struct redis_job {
    struct redis_options redis;
    const char *name; /* of the key; with shards, a part of the names of all keys */
    struct key_options keys;
    struct operands files;
    struct filter_spec spec; /* for a key that has to be created */
    bool progress, quiet, count;
    bool unique;         /* add: skip lines that the filter contains */
    uint64_t window;     /* uniq: length in milliseconds, 0: no window */
    bool pass_when_full; /* uniq: print new lines although there is no memory for them */
    bool invert;         /* test: print absent lines */
    bool all;            /* test: status 0 only if all lines are present, or absent with `invert` */
    bool stop_early;     /* test: stop when the exit status is known */
};

/* Each returns the exit status. */
int redis_uniq(const struct redis_job *job);
int redis_add(const struct redis_job *job);
int redis_remove(const struct redis_job *job);
int redis_test(const struct redis_job *job);
int redis_metrics(const struct redis_options *redis);

/* Exits if --shards or --redis-timeout is given without --redis. */
void redis_require_url(const struct redis_options *redis);

/* Exits if `option`, which works only without --redis, is given together with --redis. */
void redis_reject_option(const struct redis_options *redis, bool given, const char *option);

#endif
