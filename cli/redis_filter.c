/* See redis_filter.h. This file opens a filter: it checks the server, the number of shards, and the type and parameters
 * of every key. redis_execute.c does the operations. */
#include "redis_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "seen_set.h"
#include "units.h"

/* Of a new key without --items. A tidal filter keeps its rate until it has grown by a factor of 1000. */
static const uint64_t default_capacity = 1024, min_capacity = 4;

/* The rate of a full filter that was created without a rate: its slots have 16 bits, see docs/redis.md. */
static const double default_fpr = 0.0005;

/* -------------------------------------------------------------------------------------------------- single commands */

enum { MAX_ARGS = 8 };

/* A call with the memory for its arguments. */
struct single_call {
    struct call call;
    const char *arg[MAX_ARGS];
    size_t length[MAX_ARGS];
};

/* `arg` ends with NULL. `key` decides which server gets the command. */
static void prepare(struct single_call *to, const char *key, const char *const *arg) {
    *to = (struct single_call){.call = {.slot = slot_of(key, strlen(key))}};
    int n = 0;
    for (; arg[n] != NULL; n++) {
        to->arg[n] = arg[n];
        to->length[n] = strlen(arg[n]);
    }
    to->call.args = (struct args){n, to->arg, to->length};
}

/* Exits if a call cannot be completed. */
static void run_or_exit(struct redis_filter *f, struct call *calls, size_t n) {
    const char *error;
    if (!calls_run(&f->cluster, calls, n, &error)) trouble("%s", error);
}

/* Runs one command for one key. The caller frees the reply. */
static redisReply *run_command(struct redis_filter *f, const char *key, const char *const *arg) {
    struct single_call c;
    prepare(&c, key, arg);
    run_or_exit(f, &c.call, 1);
    return c.call.reply;
}

/* The reply of a server that has not loaded the module. */
static bool is_unknown_command(const redisReply *r) {
    return r->type == REDIS_REPLY_ERROR && strncmp(r->str, "ERR unknown command", 19) == 0;
}

const char *redis_filter_error(const struct redis_filter *f, const struct call *call) {
    static char text[512];
    const char *message = call->reply->type == REDIS_REPLY_ERROR ? call->reply->str : "unexpected reply";
    bool unknown = is_unknown_command(call->reply);
    if (unknown) message = "the server does not have the guira module (redis-server --loadmodule guira.so)";
    snprintf(text, sizeof text, "%s: %s%s%.200s", call->node->name, unknown ? "" : f->job->name, unknown ? "" : ": ",
             message);
    return text;
}

/* Exits if the server does not know CF.STATS, which only our module has. Other errors, such as a missing key, are ignored. */
static void require_module(struct redis_filter *f) {
    const char *const stats[] = {"CF.STATS", f->job->name, NULL};
    struct single_call c;
    prepare(&c, f->job->name, stats);
    run_or_exit(f, &c.call, 1);
    if (is_unknown_command(c.call.reply)) trouble("%s", redis_filter_error(f, &c.call));
    freeReplyObject(c.call.reply);
}

/* --------------------------------------------------------------------------------------------------------- creating */

bool redis_filter_create(struct redis_filter *f, const struct shard *s, const char **error) {
    const struct redis_job *job = f->job;
    uint64_t capacity = job->spec.items > 0 ? (job->spec.items + f->shards - 1) / f->shards : default_capacity;
    char size[24], rate[32];
    const char *arg[] = {"CF.RESERVE", s->key, size, job->spec.fpr > 0 ? "ERROR" : NULL, rate, NULL};
    if (capacity < min_capacity) capacity = min_capacity;
    if (f->operation == WINDOW_SEEN) arg[0] = "CFW.RESERVE";
    snprintf(size, sizeof size, "%llu", (unsigned long long)(f->operation == WINDOW_SEEN ? job->window : capacity));
    snprintf(rate, sizeof rate, "%.17g", job->spec.fpr); /* all digits, because check_rate compares it */
    struct single_call c;
    prepare(&c, s->key, arg);
    if (!calls_run(&f->cluster, &c.call, 1, error)) return false;
    const redisReply *r = c.call.reply;
    bool exists = r->type != REDIS_REPLY_ERROR || strcmp(r->str, "ERR item exists") == 0;
    if (!exists) *error = redis_filter_error(f, &c.call);
    freeReplyObject(c.call.reply);
    return exists;
}

/* -------------------------------------------------------------------------------------------------- names of shards */

static struct shard shard_named(char *key) {
    size_t n = strlen(key);
    return (struct shard){.key = key, .n = n, .slot = slot_of(key, n)};
}

/* Sets the keys of all shards: "NAME" without --shards, else "NAME{TAG}:N". */
static void name_shards(struct redis_filter *f) {
    unsigned tag[MAX_SHARDS];
    shard_tags(f->shards, tag);
    f->shard = alloc_or_die(NULL, f->shards * sizeof *f->shard);
    for (unsigned i = 0; i < f->shards; i++) {
        char *key;
        int n = f->job->redis.shards == 0 ? asprintf(&key, "%s", f->job->name)
                                          : asprintf(&key, "%s{%u}:%u", f->job->name, tag[i], f->shards);
        if (n < 0) trouble("out of memory");
        f->shard[i] = shard_named(key);
    }
}

/* Does the operation create missing keys? */
static bool creates(const struct redis_filter *f) { return f->operation != CONTAINS && f->operation != REMOVE; }

/* The string at the plain name holds the number of shards. The first process that writes it decides; the others
 * compare. */
static void agree_on_shards(struct redis_filter *f) {
    const char *name = f->job->name;
    char text[40];
    const char *const set[] = {"SET", name, text, "NX", NULL}, *const get[] = {"GET", name, NULL};
    snprintf(text, sizeof text, "guira: %u shards", f->shards);
    redisReply *r = creates(f) ? run_command(f, name, set) : NULL;
    if (r != NULL && r->type == REDIS_REPLY_ERROR) trouble("%s: %s", name, r->str);
    freeReplyObject(r);
    r = run_command(f, name, get);
    if (r->type == REDIS_REPLY_NIL) trouble("%s: there is no such filter with --shards", name);
    if (r->type == REDIS_REPLY_ERROR && strncmp(r->str, "WRONGTYPE", 9) != 0) trouble("%s: %s", name, r->str);
    if (r->type == REDIS_REPLY_ERROR)
        trouble("%s: is not a filter with shards; if it is a filter with a single key, leave out --shards", name);
    if (strcmp(r->str, text) != 0)
        trouble("%s: contains '%.60s', not '%s'; use the --shards that the filter was created with", name, r->str,
                text);
    freeReplyObject(r);
}

/* ---------------------------------------------------------------------------------------------------------- opening */

/* Exits with a hint if the key is not of the type that the operation needs. */
static void check_type(struct redis_filter *f, const struct shard *s, const char *type) {
    bool window = strcmp(type, "guira-win") == 0, filter = is_filter_type(type);
    if (f->operation == WINDOW_SEEN ? window : filter) return;
    if (window) trouble("%s: is a window; only uniq --window can use it", s->key);
    if (filter) trouble("%s: is a filter, not a window; leave out --window", s->key);
    if (strcmp(type, "guira-blm") == 0)
        trouble("%s: is a filter for BF.* commands; of this tool only pull and push can use it", s->key);
    if (strcmp(type, "string") == 0)
        trouble("%s: is a string, not a filter; if it contains 'guira: N shards', use --shards N", s->key);
    trouble("%s: is a %s, not a guira filter", s->key, type);
}

/* Checks the key of a shard, given the reply to TYPE. */
static void find_or_create(struct redis_filter *f, const struct shard *s, const struct call *type_call) {
    const redisReply *r = type_call->reply;
    const char *error;
    if (r->type != REDIS_REPLY_STATUS) trouble("%s", redis_filter_error(f, type_call));
    if (strcmp(r->str, "none") != 0) check_type(f, s, r->str);
    else if (!creates(f)) trouble("%s: there is no such key at %s", s->key, type_call->node->name);
    else if (!redis_filter_create(f, s, &error)) trouble("%s", error);
}

/* Asks for the types of all keys at once, then creates the missing ones. */
static void find_keys(struct redis_filter *f) {
    struct single_call *c = alloc_or_die(NULL, f->shards * sizeof *c);
    struct call *calls = alloc_or_die(NULL, f->shards * sizeof *calls);
    for (unsigned i = 0; i < f->shards; i++) {
        const char *const type[] = {"TYPE", f->shard[i].key, NULL};
        prepare(&c[i], f->shard[i].key, type);
        calls[i] = c[i].call;
    }
    run_or_exit(f, calls, f->shards);
    for (unsigned i = 0; i < f->shards; i++) {
        find_or_create(f, &f->shard[i], &calls[i]);
        freeReplyObject(calls[i].reply);
    }
    free(calls);
    free(c);
}

/* Exits if an existing window has another length. */
static void check_length(struct redis_filter *f, const struct shard *s) {
    const char *const info[] = {"CFW.INFO", s->key, NULL};
    redisReply *r = run_command(f, s->key, info);
    const redisReply *length = reply_field(r, "milliseconds");
    uint64_t ms = length != NULL ? (uint64_t)length->integer : f->job->window;
    /* the second one is a state of uniq that was pushed */
    if (ms != f->job->window && ms != f->job->window + window_step(f->job->window))
        trouble("%s: was created with --window %lldms; use the same value or another name", s->key, length->integer);
    freeReplyObject(r);
}

/* The rate of a filter when it is full: the one it was created with, or the current one if that is higher. 0 if
 * unknown. */
static double full_fpr(const redisReply *stats) {
    const redisReply *current = reply_field(stats, "false_positive_rate");
    const redisReply *requested = reply_field(stats, "requested_false_positive_rate");
    if (current == NULL || current->str == NULL || requested == NULL || requested->str == NULL) return 0;
    double now = strtod(current->str, NULL), full = strtod(requested->str, NULL);
    if (full == 0) full = default_fpr;
    return now > full ? now : full;
}

/* Warns if the rate of an existing filter is higher than --fpr. If the server does not permit CF.STATS, the rate is
 * unknown and there is no warning. True: no warning. */
static bool check_rate(struct redis_filter *f, const struct shard *s) {
    const char *const stats[] = {"CF.STATS", s->key, NULL};
    char text[UNIT_TEXT];
    redisReply *r = run_command(f, s->key, stats);
    double rate = full_fpr(r);
    bool good = rate <= f->job->spec.fpr;
    if (!good)
        note("%s: exists with a false-positive rate of %s when full; --fpr has no effect", s->key,
             write_rate(rate, text));
    freeReplyObject(r);
    return good;
}

void redis_filter_open(struct redis_filter *f, const struct redis_job *job, enum operation operation) {
    *f = (struct redis_filter){.job = job, .operation = operation};
    if (job->redis.shards > MAX_SHARDS) trouble("--shards: the maximum is %d", MAX_SHARDS);
    if (job->redis.shards > 0 && strchr(job->name, '{') != NULL)
        trouble("%s: with --shards the name must not contain {, because it is used for the {tag} of each shard",
                job->name);
    f->shards = job->redis.shards > 0 ? (unsigned)job->redis.shards : 1;
    cluster_open(&f->cluster, &job->redis);
    name_shards(f);
    require_module(f);
    if (job->redis.shards > 0) agree_on_shards(f);
    find_keys(f);
    bool good = operation == INSERT_NEW && job->spec.fpr > 0; /* warn only once */
    for (unsigned i = 0; i < f->shards; i++) {
        if (operation == WINDOW_SEEN) check_length(f, &f->shard[i]);
        if (good) good = check_rate(f, &f->shard[i]);
    }
}
