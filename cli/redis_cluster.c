/* See redis_cluster.h. */
#include "redis_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "units.h"

/* ------------------------------------------------------------------------------------------------------------ nodes */

/* Finds the node, or adds it. */
static struct node *find_or_add(struct cluster *c, const char *host, int port) {
    for (struct node *n = c->nodes; n != NULL; n = n->next)
        if (n->port == port && strcmp(n->host, host) == 0) return n;
    struct node *n = node_new(host, port);
    n->next = c->nodes;
    return c->nodes = n;
}

struct node *cluster_node(struct cluster *c, const char *address, const struct node *sender) {
    const char *colon = strrchr(address, ':');
    char host[256];
    size_t n = colon != NULL ? (size_t)(colon - address) : sizeof host;
    int port = colon != NULL ? atoi(colon + 1) : 0;
    if (n >= sizeof host || port <= 0 || port > 65535) return NULL;
    memcpy(host, address, n);
    host[n] = '\0';
    return find_or_add(c, n == 0 ? sender->host : host, port);
}

/* A connection that is lost during a round must not be opened again before the replies of all calls that were sent on
 * it are handled. So there is one attempt per round. */
bool cluster_connect(struct cluster *c, struct node *n) {
    if (n->round == c->round) return n->link != NULL;
    n->round = c->round;
    return node_connect(n, &c->url, c->reply_timeout);
}

/* -------------------------------------------------------------------------------------------------------------- map */

/* The node in [host, port, ...]. A server that does not know its own name leaves the host empty. */
static struct node *parse_node(struct cluster *c, const redisReply *r, const struct node *sender) {
    if (r->type != REDIS_REPLY_ARRAY || r->elements < 2 || r->element[1]->type != REDIS_REPLY_INTEGER) return NULL;
    const redisReply *host = r->element[0];
    bool named = host->type == REDIS_REPLY_STRING && host->len > 0 && strcmp(host->str, "?") != 0;
    return find_or_add(c, named ? host->str : sender->host, (int)r->element[1]->integer);
}

/* A range of slots: [first, last, master, replica...]. The replicas are added too, so that the map can be requested
 * from them. */
static void parse_range(struct cluster *c, const redisReply *r, const struct node *sender) {
    if (r->type != REDIS_REPLY_ARRAY || r->elements < 3) return;
    long long first = r->element[0]->integer, last = r->element[1]->integer;
    struct node *master = parse_node(c, r->element[2], sender);
    for (long long s = first; s >= 0 && s <= last && s < SLOTS; s++) c->owner[s] = master;
    for (size_t i = 3; i < r->elements; i++) parse_node(c, r->element[i], sender);
}

/* Not a cluster, or CLUSTER SLOTS is not permitted: this server has all slots, until it replies MOVED. */
static void set_single(struct cluster *c, struct node *n) {
    for (size_t s = 0; s < SLOTS; s++) c->owner[s] = n;
}

/* Requests the map from one node. */
static bool refresh_from(struct cluster *c, struct node *n) {
    redisReply *r = cluster_connect(c, n) ? node_command(n, "CLUSTER SLOTS") : NULL;
    if (r == NULL) return false;
    bool map = r->type == REDIS_REPLY_ARRAY;
    if (r->type == REDIS_REPLY_ERROR && strncmp(r->str, "NOAUTH", 6) == 0) node_fail(n, r);
    if (map) memset(c->owner, 0, sizeof c->owner);
    for (size_t i = 0; map && i < r->elements; i++) parse_range(c, r->element[i], n);
    if (!map && !c->is_cluster && c->owner[0] == NULL) set_single(c, n);
    c->is_cluster = c->is_cluster || map;
    freeReplyObject(r);
    return map || !c->is_cluster;
}

/* Suspect nodes come last, because a node that hangs takes the whole reply timeout. */
bool cluster_refresh(struct cluster *c, struct node *first) {
    c->round++;
    if (first != NULL && refresh_from(c, first)) return true;
    for (int suspect = 0; suspect <= 1; suspect++)
        for (struct node *n = c->nodes; n != NULL; n = n->next)
            if (n->suspect == (suspect == 1) && refresh_from(c, n)) return true;
    return false;
}

void cluster_open(struct cluster *c, const struct redis_options *o) {
    uint64_t timeout_ms = o->timeout;
    if (timeout_ms == 0) read_duration(REDIS_DEFAULT_TIMEOUT, &timeout_ms);
    *c = (struct cluster){.timeout = (double)timeout_ms / 1000};
    c->reply_timeout = c->timeout / 3;
    redis_url_read(o->url, &c->url);
    if (c->url.tls) tls_setup(&o->tls);
    struct node *n = find_or_add(c, c->url.host, c->url.port);
    if (!cluster_refresh(c, n)) trouble("%s", n->error);
    if (c->is_cluster && c->url.db != 0) trouble("--redis: a cluster has only database 0");
}
