/* See redis_node.h. */
#include "redis_node.h"

#include <errno.h>
#include <hiredis/sds.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct node *node_new(const char *host, int port) {
    struct node *n = must_alloc(NULL, sizeof *n);
    size_t size = strlen(host) + 1;
    *n = (struct node){.host = memcpy(must_alloc(NULL, size), host, size), .port = port};
    snprintf(n->name, sizeof n->name, strchr(host, ':') != NULL ? "[%.250s]:%d" : "%.250s:%d", host, port);
    return n;
}

static void lose(struct node *n) {
    bool late = n->link->err == REDIS_ERR_IO && errno == EAGAIN;
    const char *error = n->link->err == 0 ? "the connection was closed" : n->link->errstr;
    snprintf(n->why, sizeof n->why, "%s: %s", n->name, late ? "no answer" : error);
    n->handed = n->sent - sdslen(n->link->obuf);
    n->doubted = true;
    redisFree(n->link);
    n->link = NULL;
}

/* ---------------------------------------------------------------------------------------------------------- connecting */

/* Nothing is expected, so what can be read is the end, or talk of another age. A connection that the server has closed
 * in a pause is better noticed here than by an answer that does not come. */
static bool is_stale(const struct node *n) {
    struct pollfd fd = {.fd = n->link->fd, .events = POLLIN | POLLRDHUP};
    return poll(&fd, 1, 0) != 0;
}

void node_refuses(const struct node *n, const redisReply *error) {
    bool locked = strncmp(error->str, "NOAUTH", 6) == 0;
    trouble("%s: %s%s", n->name, error->str, locked ? " Say redis://:password@host, or set REDISCLI_AUTH" : "");
}

/* False: lost meanwhile. */
static bool must_agree(struct node *n, redisReply *answer) {
    if (answer == NULL) return false;
    if (answer->type == REDIS_REPLY_ERROR) node_refuses(n, answer);
    freeReplyObject(answer);
    return true;
}

static bool log_in(struct node *n, const struct redis_url *url) {
    if (url->user != NULL && !must_agree(n, node_ask(n, "AUTH %s %s", url->user, url->password))) return false;
    if (url->user == NULL && url->password != NULL && !must_agree(n, node_ask(n, "AUTH %s", url->password)))
        return false;
    return url->db == 0 || must_agree(n, node_ask(n, "SELECT %u", url->db));
}

bool node_ready(struct node *n, const struct redis_url *url, double patience) {
    struct timeval limit = {.tv_sec = (time_t)patience,
                            .tv_usec = (suseconds_t)(1e6 * (patience - (double)(time_t)patience))};
    if (n->link != NULL && is_stale(n)) lose(n);
    if (n->link != NULL) return true;
    n->link = redisConnectWithTimeout(n->host, n->port, limit);
    n->sent = 0;
    if (n->link == NULL) trouble("no memory for a connection to %s", n->name);
    if (n->link->err != 0 || redisSetTimeout(n->link, limit) != REDIS_OK || redisEnableKeepAlive(n->link) != REDIS_OK) {
        lose(n);
        return false;
    }
    return log_in(n, url);
}

/* -------------------------------------------------------------------------------------------------------------- talking */

uint64_t node_send(struct node *n, const struct words *command) {
    size_t before = sdslen(n->link->obuf);
    if (redisAppendCommandArgv(n->link, command->n, command->at, command->length) != REDIS_OK)
        trouble("no memory for a command to %s", n->name);
    return n->sent += sdslen(n->link->obuf) - before;
}

/* A connection that breaks must not end us; a reader of our output that goes away still has to, without a word. */
static bool write_all(redisContext *link) {
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int done = 0, status = REDIS_OK;
    while (done == 0 && status == REDIS_OK) status = redisBufferWrite(link, &done);
    signal(SIGPIPE, before);
    return status == REDIS_OK;
}

bool node_flush(struct node *n) {
    if (sdslen(n->link->obuf) == 0 || write_all(n->link)) return true;
    lose(n);
    return false;
}

redisReply *node_receive(struct node *n) {
    void *answer = NULL;
    if (!node_flush(n)) return NULL;
    if (redisGetReply(n->link, &answer) != REDIS_OK || answer == NULL) {
        lose(n);
        return NULL;
    }
    n->doubted = false;
    return answer;
}

redisReply *node_ask(struct node *n, const char *format, ...) {
    va_list arguments;
    size_t before = sdslen(n->link->obuf);
    va_start(arguments, format);
    int status = redisvAppendCommand(n->link, format, arguments);
    va_end(arguments);
    if (status != REDIS_OK) trouble("no memory for a command to %s", n->name);
    n->sent += sdslen(n->link->obuf) - before;
    return node_receive(n);
}

const redisReply *reply_field(const redisReply *r, const char *name) {
    for (size_t i = 0; r->type == REDIS_REPLY_ARRAY && i + 1 < r->elements; i += 2) {
        const char *here = r->element[i]->str;
        if (here != NULL && strcmp(here, name) == 0) return r->element[i + 1];
    }
    return NULL;
}
