/* A key as a file of guira's, and back.
 *
 *     pull   filter: CF.SCANDUMP, chunk by chunk      window, or an empty filter: DUMP           -> bytes of a file
 *     push   LOADCHUNK into a temporary key of the same slot, chunk by chunk, then RENAME        -> the key
 *
 * WHAT IF THE FILTER CHANGES MEANWHILE? The chunks of one dump are of one moment. If the server cannot go on with a dump
 * (another client started one, or the slot has moved to another server), it starts again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "redis.h"
#include "redis_calls.h"
#include "redis_stream.h"
#include "report.h"

enum { ATTEMPTS = 5, MAX_WORDS = 4 };

static const char temporary_lifetime[] = "3600"; /* seconds, if this process is killed */

/* A key and the servers. */
struct target {
    struct cluster cluster;
    const char *key;
    unsigned slot;
    const char *load; /* push: the command that loads a chunk */
};

static void target_open(struct target *t, const struct redis_options *o, const char *key) {
    *t = (struct target){.key = key, .slot = slot_of(key, strlen(key))};
    cluster_open(&t->cluster, o);
}

/* ------------------------------------------------------------------------------------------------------------ commands */

/* Runs a command; the last word may have any bytes. With `once` it is not sent again if it may have been executed: the reply
 * may be NULL then. Exits if it cannot be completed. The caller frees the reply. */
static redisReply *run(struct target *t, bool once, const char *const *word, const char *blob, size_t blob_size) {
    const char *text[MAX_WORDS], *error;
    size_t length[MAX_WORDS];
    int n = 0;
    for (; word[n] != NULL; n++) {
        text[n] = word[n];
        length[n] = strlen(word[n]);
    }
    if (blob != NULL) {
        text[n] = blob;
        length[n++] = blob_size;
    }
    struct call call = {.args = {n, text, length}, .slot = t->slot, .at_most_once = once};
    if (!calls_run(&t->cluster, &call, 1, &error)) trouble("%s", error);
    return call.reply;
}

#define RUN(t, ...) run(t, false, (const char *const[]){__VA_ARGS__, NULL}, NULL, 0)

static bool is_error(const redisReply *r, const char *start) {
    return r->type == REDIS_REPLY_ERROR && strncmp(r->str, start, strlen(start)) == 0;
}

/* Exits with the error of the server. */
static _Noreturn void refused(const struct target *t, const redisReply *r) {
    if (is_error(r, "ERR unknown command") && t->load != NULL && strncmp(t->load, "BF.", 3) == 0)
        trouble("%s: the server has no BF.* commands (redis-server --loadmodule guira.so BF yes)", t->key);
    if (is_error(r, "ERR unknown command"))
        trouble("%s: the server does not have the guira module (redis-server --loadmodule guira.so)", t->key);
    trouble("%s: %s", t->key, r->type == REDIS_REPLY_ERROR ? r->str : "unexpected reply of the server");
}

static bool is_ok(const redisReply *r) { return r->type == REDIS_REPLY_STATUS && strcmp(r->str, "OK") == 0; }

static bool is_integer(const redisReply *r, long long n) { return r->type == REDIS_REPLY_INTEGER && r->integer == n; }

/* Before attempt i + 1. */
static void report_retry(const struct target *t, const char *reason, int i) {
    note("%s: %s; starting again (attempt %d of %d)", t->key, reason, i + 1, ATTEMPTS);
}

/* The name of the type of the key; "none" if there is no such key. */
static void type_of(struct target *t, char *to, size_t n) {
    redisReply *r = RUN(t, "TYPE", t->key);
    if (r->type != REDIS_REPLY_STATUS) refused(t, r);
    snprintf(to, n, "%s", r->str);
    freeReplyObject(r);
}

/* ---------------------------------------------------------------------------------------------------------------- pull */

enum dump_end { COMPLETE, EMPTY, RESTART };

/* Appends the chunk in [position, chunk]. False: it does not continue the stream. */
static bool append_chunk(const redisReply *r, struct text_buffer *stream, struct dump_chunk *last) {
    struct dump_chunk c;
    const redisReply *blob = r->element[1];
    if (blob->type != REDIS_REPLY_STRING || !dump_chunk_parse(blob->str, blob->len, &c)) return false;
    bool same = stream->size == 0 || (c.generation == last->generation && c.total == last->total);
    if (!same || c.offset != stream->size) return false;
    text_append(stream, c.bytes, c.n);
    *last = c;
    return true;
}

static enum dump_end dump_once(struct target *t, const char *command, struct text_buffer *stream) {
    char position[24] = "0";
    struct dump_chunk last = {0};
    stream->size = 0;
    for (;;) {
        redisReply *r = RUN(t, command, t->key, position);
        if (is_error(r, "Invalid position")) {
            freeReplyObject(r);
            return RESTART;
        }
        if (r->type != REDIS_REPLY_ARRAY || r->elements != 2 || r->element[0]->type != REDIS_REPLY_INTEGER)
            refused(t, r);
        bool end = r->element[0]->integer == 0;
        snprintf(position, sizeof position, "%lld", r->element[0]->integer);
        if (!end && !append_chunk(r, stream, &last))
            trouble("%s: the server sent a chunk that does not continue its dump", t->key);
        freeReplyObject(r);
        if (end && stream->size < last.total) trouble("%s: the dump of the server ended too early", t->key);
        if (end) return last.total == 0 ? EMPTY : COMPLETE;
    }
}

static void dump_whole(struct target *t, struct text_buffer *stream) {
    redisReply *r = RUN(t, "DUMP", t->key);
    if (r->type == REDIS_REPLY_NIL) trouble("%s: was deleted meanwhile", t->key);
    if (r->type != REDIS_REPLY_STRING) refused(t, r);
    if (!dump_parse(r->str, r->len, stream)) trouble("%s: the server's DUMP has an unknown format", t->key);
    freeReplyObject(r);
}

static void dump_chunks(struct target *t, const char *command, struct text_buffer *stream) {
    enum dump_end end = RESTART;
    for (int i = 0; i < ATTEMPTS && end == RESTART; i++) {
        if (i > 0) report_retry(t, "another client dumps it, or it was moved or changed", i);
        end = dump_once(t, command, stream);
    }
    if (end == RESTART) trouble("%s: another client dumps it, or it changes too fast; try again", t->key);
    if (end == EMPTY) dump_whole(t, stream);
}

static _Noreturn void not_a_filter(const struct target *t, const char *type) {
    if (strcmp(type, "none") == 0) trouble("%s: there is no such key", t->key);
    if (strcmp(type, "guira-prt") == 0) trouble("%s: is being loaded (CF.LOADCHUNK) and not complete", t->key);
    if (strcmp(type, "string") == 0)
        trouble("%s: is a string, not a filter; if it contains 'guira: N shards', pull its keys one by one", t->key);
    trouble("%s: is a %s, not a guira filter or window", t->key, type);
}

/* Exits if the filter is RedisBloom's own: the chunks of that have another format. */
static void require_module(struct target *t) {
    redisReply *r = RUN(t, "CF.STATS", t->key);
    if (is_error(r, "ERR unknown command")) refused(t, r);
    freeReplyObject(r);
}

struct slice redis_pull(const struct redis_options *o, const char *key) {
    static struct target t;
    struct text_buffer stream = {0};
    char type[40];
    uint64_t old;
    target_open(&t, o, key);
    type_of(&t, type, sizeof type);
    bool window = strcmp(type, "guira-win") == 0;
    if (strcmp(type, MOVED_TYPE) == 0) require_module(&t);
    if (window) dump_whole(&t, &stream);
    else if (is_filter_type(type)) dump_chunks(&t, "CF.SCANDUMP", &stream);
    else if (strcmp(type, "guira-blm") == 0) dump_chunks(&t, "BF.SCANDUMP", &stream);
    else not_a_filter(&t, type);
    const char *file = stream_file(stream.data, stream.size, window, &old);
    if (file == NULL) trouble("%s: the server sent too few bytes", key);
    if (old > 0) trouble("%s: contains items of a RedisBloom filter, which a file cannot hold", key);
    return (struct slice){file, stream.size - (size_t)(file - stream.data)};
}

/* ---------------------------------------------------------------------------------------------------------------- push */

/* A name in the slot of the key, which no other key has. It begins with that of the key, because users may be restricted to
 * some names. */
static void name_temporary(const struct target *t, char *to, size_t n) {
    uint64_t random;
    unsigned slot;
    if (getrandom(&random, sizeof random, 0) != sizeof random) trouble("getrandom: %s", system_error());
    do {
        snprintf(to, n, "%s:guira-push-%016llx", t->key, (unsigned long long)random++);
        slot = slot_of(to, strlen(to));
    } while (t->cluster.is_cluster && slot != t->slot);
}

static void delete (struct target *t, const char *key) { freeReplyObject(RUN(t, "DEL", key)); }

/* Exits with the reply, which is an error or makes no sense, after deleting the temporary key. */
static _Noreturn void push_refused(struct target *t, const char *temporary, const redisReply *r) {
    delete (t, temporary);
    if (is_error(r, "Couldn't create filter"))
        trouble("%s: the server refuses the file: it is too large for it, or has options that the module does not use",
                t->key);
    refused(t, r);
}

/* The key goes with the last chunk, which makes a new value without an end of its life. */
static void limit_lifetime(struct target *t, const char *temporary) {
    redisReply *r = RUN(t, "EXPIRE", temporary, temporary_lifetime);
    if (!is_integer(r, 1)) push_refused(t, temporary, r);
    freeReplyObject(r);
}

/* Sends all chunks. False: a connection was lost, and it is unknown which chunks the server has. */
static bool send_chunks(struct target *t, struct slice stream, const char *temporary) {
    char *blob = alloc_or_die(NULL, CHUNK_HEADER + CHUNK_SIZE), position[24];
    bool known = true;
    for (uint64_t offset = 0; known && offset < stream.size; offset += CHUNK_SIZE) {
        size_t n = dump_chunk_write(stream.data, stream.size, offset, blob);
        snprintf(position, sizeof position, "%llu", dump_chunk_position(offset));
        const char *const words[] = {t->load, temporary, position, NULL};
        redisReply *r = run(t, true, words, blob, n);
        known = r != NULL;
        if (known && !is_ok(r)) push_refused(t, temporary, r);
        freeReplyObject(r);
        if (known && offset == 0 && stream.size > CHUNK_SIZE) limit_lifetime(t, temporary);
    }
    free(blob);
    return known;
}

static _Noreturn void key_exists(const struct target *t) { trouble("%s: already exists; --force replaces it", t->key); }

/* Gives the temporary key its name. */
static void publish(struct target *t, const char *temporary, bool force) {
    const char *const words[] = {force ? "RENAME" : "RENAMENX", temporary, t->key, NULL};
    redisReply *r = run(t, true, words, NULL, 0);
    if (r == NULL) trouble("%s: the connection was lost at the last step; the key may or may not be there", t->key);
    bool renamed = force ? is_ok(r) : is_integer(r, 1), refused = force || !is_integer(r, 0);
    if (!renamed && refused) push_refused(t, temporary, r);
    freeReplyObject(r);
    if (renamed) return;
    delete (t, temporary);
    key_exists(t);
}

/* A key of BF.* that is replaced remains one, if the file can be that: its users would get WRONGTYPE otherwise. */
static bool is_for_bf(enum push_as as, const char *type, const guira_config *config) {
    bool was = strcmp(type, "guira-blm") == 0 && config->kind == GUIRA_TIDAL;
    return as == PUSH_AS_BF || (as == PUSH_AS_BEFORE && was);
}

void redis_push(const struct redis_options *o, const char *key, struct slice file, const guira_file *info,
                const guira_config *config, enum push_as as, bool force) {
    static struct target t;
    struct text_buffer stream = {0};
    char type[40], *temporary = alloc_or_die(NULL, strlen(key) + 40);
    bool window = info->content == GUIRA_FILE_WINDOW, sent = false;
    target_open(&t, o, key);
    type_of(&t, type, sizeof type);
    if (!force && strcmp(type, "none") != 0) key_exists(&t);
    bool bloom = !window && is_for_bf(as, type, config);
    t.load = window ? "CFW._LOADCHUNK" : bloom ? "BF.LOADCHUNK" : "CF.LOADCHUNK";
    stream_begin(&stream, info, config, bloom);
    text_append(&stream, file.data, file.size);
    for (int i = 0; i < ATTEMPTS && !sent; i++) {
        if (i > 0) report_retry(&t, "the connection was lost", i);
        name_temporary(&t, temporary, strlen(key) + 40);
        sent = send_chunks(&t, (struct slice){stream.data, stream.size}, temporary);
        if (!sent) delete (&t, temporary);
    }
    if (!sent) trouble("%s: the connection was lost %d times", key, ATTEMPTS);
    publish(&t, temporary, force);
    free(stream.data);
    free(temporary);
}
