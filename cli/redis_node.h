/* A server and the connection to it.
 *
 *     node_connect ... node_send, node_send, node_flush ... node_receive, node_receive
 *
 * WHAT IF THE CONNECTION IS LOST? Then a command may have been executed although its reply was not received. It was
 * certainly not executed if its last byte was not written to the socket: see node_may_have_received. */
#ifndef GUIRA_CLI_REDIS_NODE_H
#define GUIRA_CLI_REDIS_NODE_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis_tls.h"
#include "redis_url.h"

enum { NODE_NAME = 280, ERROR_TEXT = 512 };

struct node {
    struct node *next;
    char *host;
    int port;
    char name[NODE_NAME];   /* host:port */
    redisContext *link;     /* NULL: not connected */
    struct tls *tls;        /* NULL: not encrypted */
    uint64_t queued;        /* bytes of commands queued on this connection */
    uint64_t written;       /* after a loss: bytes of them that were written to the socket */
    struct node *successor; /* the node that was last reported to have replaced it */
    bool suspect;           /* its connection was lost and it has not replied since */
    unsigned long round;    /* the last round with a connection attempt, see cluster_connect */
    char error[ERROR_TEXT]; /* the last error */
};

/* A command: n strings with their lengths. */
struct args {
    int n;
    const char **text;
    size_t *length;
};

struct node *node_new(const char *host, int port);

/* Connects and logs in if there is no connection; `timeout` (seconds) is for each step. False: failed, see n->error.
 * Exits if the server rejects the login. */
bool node_connect(struct node *n, const struct redis_url *url, double timeout);

/* Exits with the error that the server replied. */
_Noreturn void node_fail(const struct node *n, const redisReply *error);

/* Queues a command; node_flush writes it. Returns its end position, for node_may_have_received. */
uint64_t node_send(struct node *n, const struct args *command);

/* Writes all queued commands. False: the connection is lost. */
bool node_flush(struct node *n);

/* Receives the next reply, which the caller frees. NULL: the connection is lost. */
redisReply *node_receive(struct node *n);

/* Sends one command and receives its reply. */
redisReply *node_command(struct node *n, const char *format, ...);

/* The value of a field in a reply of alternating names and values; NULL if there is no such field. */
const redisReply *reply_field(const redisReply *r, const char *name);

/* Filters that moved over from RedisBloom keep the name of its type, for which RedisBloom alone has other commands. */
#define MOVED_TYPE "MBbloomCF"

/* Is this a type of keys for CF.* commands? */
bool is_filter_type(const char *type);

/* After the connection was lost: can the server have received the complete command that ends at `position`? */
static inline bool node_may_have_received(const struct node *n, uint64_t position) { return position <= n->written; }

#endif
