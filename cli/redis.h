/* Filters that are keys of a Redis server or cluster: what the commands know of it.
 *
 *     uniq, add, remove, test --redis URL NAME     -> redis_uniq and so on, which read the lines themselves
 *     metrics --redis URL                          -> redis_metrics
 *
 * Without hiredis, redis_absent.c has all of them, and says so. */
#ifndef GUIRA_CLI_REDIS_H
#define GUIRA_CLI_REDIS_H

#include "filter_new.h"
#include "keys.h"
#include "options.h"

struct redis_options {
    const char *url;  /* NULL: not Redis */
    uint64_t shards;  /* 0: none, one key */
    uint64_t timeout; /* milliseconds; 0: the default */
};

#define REDIS_OPTION(r) \
    { 0, "redis", OPT_TEXT, &(r)->url, "URL", "on a server: redis://[user:password@]host[:port][/db]", NULL }
#define REDIS_TIMEOUT_OPTION(r) \
    { 0, "redis-timeout", OPT_DURATION, &(r)->timeout, "TIME", "how long to try when a server is away (30s)", NULL }
#define REDIS_OPTIONS(r)                                                                                       \
    REDIS_OPTION(r), {0, "shards", OPT_COUNT, &(r)->shards, "N", "one filter over N keys of a cluster", NULL}, \
        REDIS_TIMEOUT_OPTION(r)

/* What to do with lines, and with which key. */
struct redis_job {
    struct redis_options redis;
    const char *name; /* of the key, or of N of them */
    struct key_options keys;
    struct wish wish; /* for a filter that is not there yet */
    bool progress, quiet, count;
    bool unique;         /* add */
    uint64_t window;     /* uniq: milliseconds, or 0 */
    bool pass_when_full; /* uniq */
    bool invert;         /* test, and so the next */
    bool stop_at_no;
};

/* Each returns the exit status. */
int redis_uniq(const struct redis_job *job);
int redis_add(const struct redis_job *job);
int redis_remove(const struct redis_job *job);
int redis_test(const struct redis_job *job);
int redis_metrics(const struct redis_options *redis);

/* Options that only make sense together: ends the process for one that is `given` although it is for files only, or for
 * options of Redis without it. */
void redis_check_options(const struct redis_options *redis);
void redis_refuse(const struct redis_options *redis, bool given, const char *option);

#endif
