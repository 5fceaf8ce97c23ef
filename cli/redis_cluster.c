/* See redis_cluster.h. */
#include "redis_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

/* --------------------------------------------------------------------------------------------------------------- nodes */

static struct node *find(struct cluster *c, const char *host, int port) {
    for (struct node *n = c->nodes; n != NULL; n = n->next)
        if (n->port == port && strcmp(n->host, host) == 0) return n;
    struct node *n = node_new(host, port);
    n->next = c->nodes;
    return c->nodes = n;
}

struct node *cluster_node(struct cluster *c, const char *place, const struct node *teller) {
    const char *colon = strrchr(place, ':');
    char host[256];
    size_t n = colon != NULL ? (size_t)(colon - place) : sizeof host;
    int port = colon != NULL ? atoi(colon + 1) : 0;
    if (n >= sizeof host || port <= 0 || port > 65535) return NULL;
    memcpy(host, place, n);
    host[n] = '\0';
    return find(c, n == 0 ? teller->host : host, port);
}

/* Once in a round: a connection that is lost later in it must not come back before all that was sent on it is settled. */
bool cluster_reach(struct cluster *c, struct node *n) {
    if (n->round == c->round) return n->link != NULL;
    n->round = c->round;
    return node_ready(n, &c->url, c->patience);
}

/* ----------------------------------------------------------------------------------------------------------------- map */

/* [host, port, ...]; a server that does not know its own name leaves it empty. */
static struct node *node_in(struct cluster *c, const redisReply *r, const struct node *teller) {
    if (r->type != REDIS_REPLY_ARRAY || r->elements < 2 || r->element[1]->type != REDIS_REPLY_INTEGER) return NULL;
    const redisReply *host = r->element[0];
    bool named = host->type == REDIS_REPLY_STRING && host->len > 0 && strcmp(host->str, "?") != 0;
    return find(c, named ? host->str : teller->host, (int)r->element[1]->integer);
}

/* [first, last, master, replica...]: the replicas are known from now on, too, and can be asked for the next map. */
static void take_range(struct cluster *c, const redisReply *r, const struct node *teller) {
    if (r->type != REDIS_REPLY_ARRAY || r->elements < 3) return;
    long long first = r->element[0]->integer, last = r->element[1]->integer;
    struct node *master = node_in(c, r->element[2], teller);
    for (long long s = first; s >= 0 && s <= last && s < SLOTS; s++) c->at[s] = master;
    for (size_t i = 3; i < r->elements; i++) node_in(c, r->element[i], teller);
}

/* No cluster, or one that we may not ask: one server for everything, until it says otherwise. */
static void take_single(struct cluster *c, struct node *n) {
    for (size_t s = 0; s < SLOTS; s++) c->at[s] = n;
}

static bool learn_from(struct cluster *c, struct node *n) {
    redisReply *r = cluster_reach(c, n) ? node_ask(n, "CLUSTER SLOTS") : NULL;
    if (r == NULL) return false;
    bool map = r->type == REDIS_REPLY_ARRAY;
    if (r->type == REDIS_REPLY_ERROR && strncmp(r->str, "NOAUTH", 6) == 0) node_refuses(n, r);
    if (map) memset(c->at, 0, sizeof c->at);
    for (size_t i = 0; map && i < r->elements; i++) take_range(c, r->element[i], n);
    if (!map && !c->is_cluster && c->at[0] == NULL) take_single(c, n);
    c->is_cluster = c->is_cluster || map;
    freeReplyObject(r);
    return map || !c->is_cluster;
}

/* First those that are not known to be away: one that hangs takes all our patience. */
bool cluster_learn(struct cluster *c, struct node *first) {
    c->round++;
    if (first != NULL && learn_from(c, first)) return true;
    for (int doubted = 0; doubted <= 1; doubted++)
        for (struct node *n = c->nodes; n != NULL; n = n->next)
            if (n->doubted == (doubted == 1) && learn_from(c, n)) return true;
    return false;
}

void cluster_open(struct cluster *c, const char *url, uint64_t timeout_ms) {
    *c = (struct cluster){.timeout = timeout_ms > 0 ? (double)timeout_ms / 1000 : 30};
    c->patience = c->timeout / 3;
    redis_url_read(url, &c->url);
    struct node *n = find(c, c->url.host, c->url.port);
    if (!cluster_learn(c, n)) trouble("%s", n->why);
    if (c->is_cluster && c->url.db != 0) trouble("--redis: a cluster has only database 0");
}
