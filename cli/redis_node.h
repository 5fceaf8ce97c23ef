/* One server and the connection to it.
 *
 *     node_ready ... node_send, node_send, node_flush ... node_receive, node_receive
 *
 * WHAT IF THE CONNECTION IS LOST? Then a command may have been carried out although its answer never came. It surely was
 * not if its last byte was not even handed to the system: node_may_have_had tells. */
#ifndef GUIRA_CLI_REDIS_NODE_H
#define GUIRA_CLI_REDIS_NODE_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis_url.h"

enum { NODE_NAME = 280, WHY = 512 };

struct node {
    struct node *next;
    char *host;
    int port;
    char name[NODE_NAME]; /* host:port */
    redisContext *link;   /* NULL: not connected */
    uint64_t sent;        /* bytes of commands on this connection */
    uint64_t handed;      /* those that the system had when it was lost */
    struct node *heir;    /* who was said to have taken over from it */
    bool doubted;         /* it was lost and has not answered since */
    unsigned long round;  /* see cluster_reach */
    char why[WHY];        /* what went wrong last */
};

/* A command. */
struct words {
    int n;
    const char **at;
    size_t *length;
};

struct node *node_new(const char *host, int port);

/* Connected and logged in as the URL says; each step may take that many seconds. False: it cannot be reached, see `why`.
 * Ends the process if the server refuses the login. */
bool node_ready(struct node *n, const struct redis_url *url, double patience);

/* Ends the process with what the server has said. */
_Noreturn void node_refuses(const struct node *n, const redisReply *error);

/* The command waits for node_flush. Returns what node_may_have_had wants to know. */
uint64_t node_send(struct node *n, const struct words *command);

/* All that waits is handed to the system. False: the connection is lost. */
bool node_flush(struct node *n);

/* The next answer, the caller's to free. NULL: the connection is lost. */
redisReply *node_receive(struct node *n);

/* One command and its answer. */
redisReply *node_ask(struct node *n, const char *format, ...);

/* The value behind that name in an answer of names and values. NULL: it is not in it. */
const redisReply *reply_field(const redisReply *r, const char *name);

/* After a loss: could the server have got all of this command? */
static inline bool node_may_have_had(const struct node *n, uint64_t sent) { return sent <= n->handed; }

#endif
