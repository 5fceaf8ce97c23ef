/* A filter before Redis: the same read path as read_path.c, for a store that removes keys by itself.
 *
 *     get(key) --> [ filter ] -- absent --> no round trip
 *                      |
 *                      +-- present --> GET --> the value, or nothing: a false positive
 *
 * Redis deletes keys that expire, so the filter has to be told: the program subscribes to the keyspace events `expired`, `evicted`
 * and `del`, and removes the key that an event names. Each event says that the key was in the store, so removing it is
 * safe. Events that are sent without a subscriber are lost; after a lost connection the filter is rebuilt with SCAN.
 *
 * usage: read_path_redis PORT        on 127.0.0.1. It changes the settings and the keys of that server.
 * Exit status: 1 if a key of the store was not found, which must never happen, or if a call failed. */
#include <guira.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 4000, EXPIRING = 2000, READS = 20000, EXPIRE_MS = 1000 };

static redisContext *store, *events;
static guira *filter;

static _Noreturn void die(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void must(guira_status s, const char *what) {
    if (s != GUIRA_OK) die(what, guira_strerror(s));
}

static redisContext *connect_to(int port) {
    redisContext *c = redisConnect("127.0.0.1", port);
    if (c == NULL || c->err != 0) die("connect", c == NULL ? "out of memory" : c->errstr);
    redisSetTimeout(c, (struct timeval){.tv_sec = 20});
    return c;
}

__attribute__((format(printf, 2, 3))) static redisReply *command(redisContext *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    redisReply *reply = redisvCommand(c, format, arguments);
    va_end(arguments);
    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) die(format, reply == NULL ? c->errstr : reply->str);
    return reply;
}

static void make_filter(void) {
    guira_config c = {.fpr = 0.001};
    must(guira_create(&c, &filter), "guira_create");
}

/* -------------------------------------------------------------------------------------------------------------- the path */

/* The key must be new: a SET that overwrites a key would leave it in the filter twice, and one event removes it once. */
static void put(int number, bool expires) {
    char key[32];
    int n = snprintf(key, sizeof key, "item:%d", number);
    must(guira_insert(filter, key, (size_t)n), "guira_insert");
    freeReplyObject(expires ? command(store, "SET %s value PX %d", key, EXPIRE_MS)
                            : command(store, "SET %s value", key));
}

/* Reads keys of which one in ten was in the store at first. */
static void read_some(const char *when) {
    unsigned round_trips = 0, nothing = 0;
    for (int i = 0; i < READS; i++) {
        char key[32];
        int n = snprintf(key, sizeof key, "item:%d", i % 10 == 0 ? i / 10 : 1000000 + i);
        if (!guira_contains(filter, key, (size_t)n)) continue;
        redisReply *reply = command(store, "GET %s", key);
        round_trips++;
        nothing += reply->type == REDIS_REPLY_NIL;
        freeReplyObject(reply);
    }
    printf("%-32s %u of %d reads reach the store, %u find nothing there\n", when, round_trips, READS, nothing);
}

/* The next n events; the name of the key is the last element of a message. */
static void follow_events(int n) {
    for (int i = 0; i < n; i++) {
        redisReply *message = NULL;
        if (redisGetReply(events, (void **)&message) != REDIS_OK) die("events", events->errstr);
        const redisReply *key = message->element[message->elements - 1];
        must(guira_remove(filter, key->str, key->len), "guira_remove");
        freeReplyObject(message);
    }
}

/* Every key of the server is in the filter; if `insert`, because it is put there now. */
static unsigned scan(bool insert) {
    unsigned keys = 0;
    char cursor[32] = "0";
    do {
        redisReply *reply = command(store, "SCAN %s COUNT 1000", cursor);
        snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
        for (size_t i = 0; i < reply->element[1]->elements; i++, keys++) {
            const redisReply *key = reply->element[1]->element[i];
            guira_status s = insert ? guira_insert_unique(filter, key->str, key->len) : GUIRA_EEXIST;
            if (insert && s != GUIRA_OK && s != GUIRA_EEXIST) must(s, "guira_insert_unique");
            if (!guira_contains(filter, key->str, key->len)) die(key->str, "is in the store and not in the filter");
        }
        freeReplyObject(reply);
    } while (strcmp(cursor, "0") != 0);
    return keys;
}

static long long keys_in_store(void) {
    redisReply *reply = command(store, "DBSIZE");
    long long keys = reply->integer;
    freeReplyObject(reply);
    return keys;
}

/* SCAN touches every key, which expires those that are due. */
static void wait_until_expired(void) {
    do freeReplyObject(command(store, "SCAN 0 COUNT 100000"));
    while (keys_in_store() > KEYS - EXPIRING);
}

static void put_all(void) {
    freeReplyObject(command(store, "FLUSHALL"));
    for (int i = 0; i < KEYS; i++) put(i, i < EXPIRING);
}

int main(int argc, char **argv) {
    if (argc != 2) die("usage", "read_path_redis PORT");
    store = connect_to(atoi(argv[1]));
    events = connect_to(atoi(argv[1]));
    freeReplyObject(command(store, "CONFIG SET notify-keyspace-events Egxe"));
    make_filter();
    put_all();
    read_some("no events followed, fresh:");
    wait_until_expired();
    read_some("half expired, filter not told:");
    guira_destroy(filter);
    make_filter();
    printf("%-32s %u keys\n", "rebuilt with SCAN:", scan(true));
    read_some("rebuilt:");
    guira_destroy(filter);
    make_filter();
    freeReplyObject(command(events, "PSUBSCRIBE __keyevent@0__:expired __keyevent@0__:evicted __keyevent@0__:del"));
    for (int i = 0; i < 2; i++) { /* one answer for each pattern; the first one is that of the command */
        redisReply *reply = NULL;
        if (redisGetReply(events, (void **)&reply) != REDIS_OK) die("subscribe", events->errstr);
        freeReplyObject(reply);
    }
    put_all();
    wait_until_expired();
    follow_events(EXPIRING);
    read_some("half expired, events followed:");
    printf("%-32s %u keys of the store are in the filter\n", "checked:", scan(false));
    guira_destroy(filter);
    redisFree(events);
    redisFree(store);
    return 0;
}
