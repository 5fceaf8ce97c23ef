/* Which server has which slot: the map of a cluster, or one server that has them all.
 *
 *     CLUSTER SLOTS -> at[0 ... 16383] -> node
 *
 * The map is a guess until a server agrees with it. One that does not says who to ask instead (MOVED), and then, or when
 * a server is away, whoever can be reached is asked for the map again. */
#ifndef GUIRA_CLI_REDIS_CLUSTER_H
#define GUIRA_CLI_REDIS_CLUSTER_H

#include "redis_node.h"
#include "redis_slot.h"

struct cluster {
    struct redis_url url;
    double timeout;         /* seconds to try when a server is away */
    double patience;        /* seconds to wait for one answer */
    bool is_cluster;        /* false: one server */
    struct node *nodes;     /* all that were ever heard of */
    struct node *at[SLOTS]; /* NULL: nobody serves it */
    unsigned long round;
};

/* The server of the URL is asked for the map; a timeout of 0 is the default. Ends the process if it cannot be reached. */
void cluster_open(struct cluster *c, const char *url, uint64_t timeout_ms);

/* The map anew, by `first` if it is not NULL, then by whoever answers. False: nobody does. */
bool cluster_learn(struct cluster *c, struct node *first);

/* The node at host:port, known or not; an empty host is that of `teller`. NULL: the text makes no sense. */
struct node *cluster_node(struct cluster *c, const char *place, const struct node *teller);

/* Connected? Tried once in a round. */
bool cluster_reach(struct cluster *c, struct node *n);

#endif
