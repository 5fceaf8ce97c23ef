/* Commands on their way to the servers that have their keys, and back, whatever happens in between.
 *
 *     calls    a b c d e f
 *     round 1  a,c,f -> node 1    b,d -> node 2    e -> node 3        written to all, then read from all
 *              1 1 1              MOVED MOVED      lost
 *     round 2  b,d -> node 4      e -> node 5 (the map has changed)
 *
 * Answers that say "not here" or "not now" and connections that are lost lead to another round, until all calls are
 * settled or nothing has moved for the cluster's timeout. */
#ifndef GUIRA_CLI_REDIS_CALLS_H
#define GUIRA_CLI_REDIS_CALLS_H

#include "redis_cluster.h"

struct call {
    struct words words;
    unsigned slot;
    bool once; /* if it may have been carried out, do not send it again */

    bool settled;
    redisReply *reply; /* NULL: none, see `unsure` */
    bool unsure;       /* it was sent once and no answer came: that time it was carried out or not */
    struct node *by;   /* who has answered, or was asked last */
    struct node *lost; /* who was lost before */

    struct node *ask; /* for the next time only: who has the key while its slot is on its way */
    uint64_t sent;
};

/* Until all are settled. False: some are not, `why` tells what stands in the way. Replies are the caller's to free. */
bool calls_run(struct cluster *c, struct call *calls, size_t n, const char **why);

/* For one more run. */
void call_again(struct call *call);

#endif
