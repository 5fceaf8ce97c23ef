/* Executes commands on the servers that have their keys, with retries.
 *
 *     calls    a b c d e f
 *     round 1  a,c,f -> node 1    b,d -> node 2    e -> node 3        written to all, then read from all
 *              1 1 1              MOVED MOVED      connection lost
 *     round 2  b,d -> node 4      e -> node 5 (the map has changed)
 *
 * Calls whose reply is a redirection or a temporary error, or whose connection is lost, are sent again in the next
 * round, until all calls are done or none was completed for the timeout of the cluster. */
#ifndef GUIRA_CLI_REDIS_CALLS_H
#define GUIRA_CLI_REDIS_CALLS_H

#include "redis_cluster.h"

struct call {
    struct args args;
    unsigned slot;
    bool at_most_once; /* do not send it again if it may have been executed */

    bool done;
    redisReply *reply; /* NULL: none, because of at_most_once or an error */
    bool uncertain;    /* it was sent and the connection was lost: it may or may not have been executed */
    struct node *node; /* the node that it was sent to last */
    struct node *lost; /* the node whose connection was lost, if any */

    struct node *ask_node; /* for the next round only: the target of an ASK redirection */
    uint64_t position;     /* in the connection, see node_may_have_received; 0: not sent in this round */
};

/* Runs rounds until all calls are done. False: some are not, and *error says why. The caller frees the replies. */
bool calls_run(struct cluster *c, struct call *calls, size_t n, const char **error);

/* Frees the reply and marks the call as not done, so that the next calls_run sends it again. */
void call_reset(struct call *call);

#endif
