/* See redis_filter.h. */
#include "redis_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "units.h"

/* Where --items does not say. An elastic filter keeps its rate until it holds a thousand times as many. */
static const uint64_t default_capacity = 1024, least_capacity = 4;

/* Of a full filter that was made without saying so: its slots have 16 bits, see docs/redis.md. */
static const double default_rate = 0.0005;

/* ------------------------------------------------------------------------------------------------------- single commands */

enum { MOST_WORDS = 8 };

/* A command in words that end with NULL; `key` is one of them. */
struct command_call {
    struct call call;
    const char *word[MOST_WORDS];
    size_t length[MOST_WORDS];
};

static void prepare(struct command_call *to, const char *key, const char *const *word) {
    *to = (struct command_call){.call = {.slot = slot_of(key, strlen(key))}};
    int n = 0;
    for (; word[n] != NULL; n++) {
        to->word[n] = word[n];
        to->length[n] = strlen(word[n]);
    }
    to->call.words = (struct words){n, to->word, to->length};
}

static void must_run(struct redis_filter *f, struct call *calls, size_t n) {
    const char *why;
    if (!calls_run(&f->cluster, calls, n, &why)) trouble("%s", why);
}

/* One command for one key. The reply is the caller's to free. */
static redisReply *ask(struct redis_filter *f, const char *key, const char *const *word) {
    struct command_call c;
    prepare(&c, key, word);
    must_run(f, &c.call, 1);
    return c.call.reply;
}

static bool is_unknown(const redisReply *r) {
    return r->type == REDIS_REPLY_ERROR && strncmp(r->str, "ERR unknown command", 19) == 0;
}

const char *redis_filter_complaint(const struct redis_filter *f, const struct call *call) {
    static char text[512];
    const char *said = call->reply->type == REDIS_REPLY_ERROR ? call->reply->str : "an answer that makes no sense";
    bool unknown = is_unknown(call->reply);
    if (unknown) said = "the server does not have the guira module (redis-server --loadmodule guira.so)";
    snprintf(text, sizeof text, "%s: %s%s%.200s", call->by->name, unknown ? "" : f->job->name, unknown ? "" : ": ",
             said);
    return text;
}

/* Asked before anything is written. Any other error is not of interest here. */
static void must_have_module(struct redis_filter *f) {
    const char *const info[] = {"CF.INFO", f->job->name, NULL};
    struct command_call c;
    prepare(&c, f->job->name, info);
    must_run(f, &c.call, 1);
    if (is_unknown(c.call.reply)) trouble("%s", redis_filter_complaint(f, &c.call));
    freeReplyObject(c.call.reply);
}

/* -------------------------------------------------------------------------------------------------------------- making */

bool redis_filter_make(struct redis_filter *f, const struct shard *s, const char **why) {
    const struct redis_job *job = f->job;
    uint64_t capacity = job->wish.items > 0 ? (job->wish.items + f->shards - 1) / f->shards : default_capacity;
    char size[24], rate[32];
    const char *word[] = {"CF.RESERVE", s->key, size, job->wish.fpr > 0 ? "ERROR" : NULL, rate, NULL};
    if (capacity < least_capacity) capacity = least_capacity;
    if (f->verb == SEE) word[0] = "CFW.RESERVE";
    snprintf(size, sizeof size, "%llu", (unsigned long long)(f->verb == SEE ? job->window : capacity));
    snprintf(rate, sizeof rate, "%.17g", job->wish.fpr); /* exact: check_rate compares */
    struct command_call c;
    prepare(&c, s->key, word);
    if (!calls_run(&f->cluster, &c.call, 1, why)) return false;
    const redisReply *r = c.call.reply;
    bool there = r->type != REDIS_REPLY_ERROR || strcmp(r->str, "ERR item exists") == 0;
    if (!there) *why = redis_filter_complaint(f, &c.call);
    freeReplyObject(c.call.reply);
    return there;
}

/* ------------------------------------------------------------------------------------------------------ names of shards */

static struct shard shard_named(char *key) {
    size_t n = strlen(key);
    return (struct shard){.key = key, .n = n, .slot = slot_of(key, n)};
}

static void name_shards(struct redis_filter *f) {
    unsigned tag[MOST_SHARDS];
    shard_tags(f->shards, tag);
    f->shard = must_alloc(NULL, f->shards * sizeof *f->shard);
    for (unsigned i = 0; i < f->shards; i++) {
        char *key;
        int n = f->job->redis.shards == 0 ? asprintf(&key, "%s", f->job->name)
                                          : asprintf(&key, "%s{%u}:%u", f->job->name, tag[i], f->shards);
        if (n < 0) trouble("no memory for the names of keys");
        f->shard[i] = shard_named(key);
    }
}

static bool makes(const struct redis_filter *f) { return f->verb != FIND && f->verb != REMOVE; }

/* The string under the plain name. Whoever is the first to write it decides. */
static void agree_on_shards(struct redis_filter *f) {
    const char *name = f->job->name;
    char text[40];
    const char *const set[] = {"SET", name, text, "NX", NULL}, *const get[] = {"GET", name, NULL};
    snprintf(text, sizeof text, "guira: %u shards", f->shards);
    redisReply *r = makes(f) ? ask(f, name, set) : NULL;
    if (r != NULL && r->type == REDIS_REPLY_ERROR) trouble("%s: %s", name, r->str);
    freeReplyObject(r);
    r = ask(f, name, get);
    if (r->type == REDIS_REPLY_NIL) trouble("%s: there is no such filter with --shards", name);
    if (r->type == REDIS_REPLY_ERROR && strncmp(r->str, "WRONGTYPE", 9) != 0) trouble("%s: %s", name, r->str);
    if (r->type == REDIS_REPLY_ERROR)
        trouble("%s: is something else than a filter with shards; if it is one of a single key, leave out --shards",
                name);
    if (strcmp(r->str, text) != 0)
        trouble("%s: says '%.60s' and not '%s', so this would not find what is in it", name, r->str, text);
    freeReplyObject(r);
}

/* ------------------------------------------------------------------------------------------------------------- opening */

/* A string there says how many shards, see above. */
static void must_be_right(struct redis_filter *f, const struct shard *s, const char *type) {
    const char *wanted = f->verb == SEE ? "guira-win" : "guira-flt";
    if (strcmp(type, wanted) == 0) return;
    if (strcmp(type, "guira-win") == 0) trouble("%s: is a window; uniq --window uses it", s->key);
    if (strcmp(type, "guira-flt") == 0) trouble("%s: is a filter, not a window; leave out --window", s->key);
    if (strcmp(type, "string") == 0)
        trouble("%s: is a string, no filter; if it says 'guira: N shards', say --shards N", s->key);
    trouble("%s: is a %s, no filter of guira", s->key, type);
}

static void find_or_make(struct redis_filter *f, const struct shard *s, const struct call *asked) {
    const redisReply *r = asked->reply;
    const char *why;
    if (r->type != REDIS_REPLY_STATUS) trouble("%s", redis_filter_complaint(f, asked));
    if (strcmp(r->str, "none") != 0) must_be_right(f, s, r->str);
    else if (!makes(f)) trouble("%s: there is no such key at %s", s->key, asked->by->name);
    else if (!redis_filter_make(f, s, &why)) trouble("%s", why);
}

static void find_keys(struct redis_filter *f) {
    struct command_call *c = must_alloc(NULL, f->shards * sizeof *c);
    struct call *calls = must_alloc(NULL, f->shards * sizeof *calls);
    for (unsigned i = 0; i < f->shards; i++) {
        const char *const type[] = {"TYPE", f->shard[i].key, NULL};
        prepare(&c[i], f->shard[i].key, type);
        calls[i] = c[i].call;
    }
    must_run(f, calls, f->shards);
    for (unsigned i = 0; i < f->shards; i++) {
        find_or_make(f, &f->shard[i], &calls[i]);
        freeReplyObject(calls[i].reply);
    }
    free(calls);
    free(c);
}

/* A window that is older than we are has a length of its own. */
static void check_length(struct redis_filter *f, const struct shard *s) {
    const char *const info[] = {"CFW.INFO", s->key, NULL};
    redisReply *r = ask(f, s->key, info);
    const redisReply *length = reply_field(r, "milliseconds");
    if (length != NULL && (uint64_t)length->integer != f->job->window)
        trouble("%s: was made with --window %lldms; use that one, or another name", s->key, length->integer);
    freeReplyObject(r);
}

/* What a filter was made with, or has now if that is more; one that is empty still tells what is to come. 0: not known. */
static double rate_in(const redisReply *stats) {
    const redisReply *now = reply_field(stats, "false_positive_rate");
    const redisReply *wanted = reply_field(stats, "wanted_false_positive_rate");
    if (now == NULL || now->str == NULL || wanted == NULL || wanted->str == NULL) return 0;
    double is = strtod(now->str, NULL), full = strtod(wanted->str, NULL);
    if (full == 0) full = default_rate;
    return is > full ? is : full;
}

/* And a filter a rate. Whoever may not ask for it is not told. True: it is all right. */
static bool check_rate(struct redis_filter *f, const struct shard *s) {
    const char *const stats[] = {"CF.STATS", s->key, NULL};
    char text[UNIT_TEXT];
    redisReply *r = ask(f, s->key, stats);
    double rate = rate_in(r);
    bool good = rate <= f->job->wish.fpr;
    if (!good)
        note("%s: takes %s of new lines for old ones once it is full; --fpr counts only when it is made", s->key,
             write_rate(rate, text));
    freeReplyObject(r);
    return good;
}

void redis_filter_open(struct redis_filter *f, const struct redis_job *job, enum verb verb) {
    *f = (struct redis_filter){.job = job, .verb = verb};
    if (job->redis.shards > MOST_SHARDS) trouble("--shards: %d at most", MOST_SHARDS);
    if (job->redis.shards > 0 && strchr(job->name, '{') != NULL)
        trouble("%s: with --shards a name has no {, because each shard gets its own {tag}", job->name);
    f->shards = job->redis.shards > 0 ? (unsigned)job->redis.shards : 1;
    cluster_open(&f->cluster, job->redis.url, job->redis.timeout);
    name_shards(f);
    must_have_module(f);
    if (job->redis.shards > 0) agree_on_shards(f);
    find_keys(f);
    bool good = verb == INSERT_NEW && job->wish.fpr > 0; /* what is not good is told once */
    for (unsigned i = 0; i < f->shards; i++) {
        if (verb == SEE) check_length(f, &f->shard[i]);
        if (good) good = check_rate(f, &f->shard[i]);
    }
}
