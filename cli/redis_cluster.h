/* The map from slots to servers: of a cluster, or of a single server that has all slots.
 *
 *     CLUSTER SLOTS -> owner[0 ... 16383] -> node
 *
 * The map can be out of date. A server that does not have a slot replies with the one that has it (MOVED). Then, and
 * when a server fails, the map is requested again from any node that can be reached. */
#ifndef GUIRA_CLI_REDIS_CLUSTER_H
#define GUIRA_CLI_REDIS_CLUSTER_H

#include "redis.h"
#include "redis_node.h"
#include "redis_slot.h"

struct cluster {
    struct redis_url url;
    double timeout;            /* seconds to retry when a server fails */
    double reply_timeout;      /* seconds to wait for one reply */
    bool is_cluster;           /* false: a single server */
    struct node *nodes;        /* all known nodes; never freed */
    struct node *owner[SLOTS]; /* NULL: no server has the slot */
    unsigned long round;       /* counts rounds, see cluster_connect */
};

/* Connects to the server of the URL and requests the map. Exits if that fails. */
void cluster_open(struct cluster *c, const struct redis_options *o);

/* Requests the map again, from `first` (may be NULL) or else from any node that replies. False: none does. */
bool cluster_refresh(struct cluster *c, struct node *first);

/* Finds or adds the node at "host:port". An empty host is that of `sender`, the node that sent the address. NULL: the
 * address is invalid. */
struct node *cluster_node(struct cluster *c, const char *address, const struct node *sender);

/* Connects to the node; tried at most once per round. False: not connected. */
bool cluster_connect(struct cluster *c, struct node *n);

#endif
