/* Filters that are keys of a Redis server or cluster: what the commands need to know about them.
 *
 *     uniq, add, remove, test --redis URL NAME     -> redis_uniq, redis_add, ..., which read the input themselves
 *     metrics --redis URL                          -> redis_metrics
 *     pull, push --redis URL                       -> redis_pull, redis_push
 *
 * If hiredis is not available at build time, redis_stub.c defines these functions and exits with an error. */
#ifndef GUIRA_CLI_REDIS_H
#define GUIRA_CLI_REDIS_H

#include "filter_new.h"
#include "keys.h"
#include "options.h"
#include "redis_tls.h"

struct redis_options {
    const char *url;  /* NULL: not on a server */
    uint64_t shards;  /* 0: a single key */
    uint64_t timeout; /* milliseconds; 0: REDIS_DEFAULT_TIMEOUT */
    struct tls_options tls;
};

/* As text, because it is also part of --help. */
#define REDIS_DEFAULT_TIMEOUT "30s"

/* Every command with --redis has these. */
#define REDIS_SERVER_OPTIONS(r)                                                                                        \
    {0, "redis", OPT_TEXT, &(r)->url, "URL", "use a server: redis[s]://[user:password@]host[:port][/db]", NULL},       \
        {0,                                                                                                            \
         "redis-timeout",                                                                                              \
         OPT_DURATION,                                                                                                 \
         &(r)->timeout,                                                                                                \
         "TIME",                                                                                                       \
         "how long to retry when a server fails (default: " REDIS_DEFAULT_TIMEOUT ")",                                 \
         NULL},                                                                                                        \
        {0, "tls-ca", OPT_TEXT, &(r)->tls.ca, "FILE", "rediss: trusted certificates (default: the system's)", NULL},   \
        {0, "tls-cert", OPT_TEXT, &(r)->tls.cert, "FILE", "rediss: certificate of this client", NULL},                 \
        {0, "tls-key", OPT_TEXT, &(r)->tls.key, "FILE", "rediss: its private key, if not in the same file", NULL}, {   \
        0, "tls-name", OPT_TEXT, &(r)->tls.name, "NAME", "rediss: name in the servers' certificates, if not the host", \
            NULL                                                                                                       \
    }
#define REDIS_OPTIONS(r)                                                                                  \
    REDIS_SERVER_OPTIONS(r), {                                                                            \
        0, "shards", OPT_COUNT, &(r)->shards, "N", "distribute the filter over N keys of a cluster", NULL \
    }

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

/* The file of guira's that a key contains, as the server has it at one moment. The bytes are not checked. Exits on errors. */
struct slice redis_pull(const struct redis_options *o, const char *key);

/* The commands that a key of a filter is for. */
enum push_as {
    PUSH_AS_BEFORE, /* those of the key that is replaced; CF.* if there is none */
    PUSH_AS_CF,
    PUSH_AS_BF /* tidal filters only */
};

/* Makes a key of a file, in one step. Exits on errors, and if the key exists and `force` is not set. */
void redis_push(const struct redis_options *o, const char *key, struct slice file, const guira_file *info,
                const guira_config *config, enum push_as as, bool force);

/* Exits if an option that needs --redis, or rediss://, is given without it. */
void redis_require_url(const struct redis_options *redis);

/* Exits if `option`, which works only without --redis, is given together with --redis. */
void redis_reject_option(const struct redis_options *redis, bool given, const char *option);

#endif
