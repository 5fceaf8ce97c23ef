/* See redis_node.h. Commands are queued in the output buffer of hiredis, which counts how much of it was written. */
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
    struct node *n = alloc_or_die(NULL, sizeof *n);
    size_t size = strlen(host) + 1;
    *n = (struct node){.host = memcpy(alloc_or_die(NULL, size), host, size), .port = port};
    snprintf(n->name, sizeof n->name, strchr(host, ':') != NULL ? "[%.250s]:%d" : "%.250s:%d", host, port);
    return n;
}

/* Closes the connection after an error and records what is known about it. */
static void disconnect(struct node *n) {
    bool timed_out = n->link->err == REDIS_ERR_IO && errno == EAGAIN;
    const char *error = n->link->err == 0 ? "the connection was closed" : n->link->errstr;
    snprintf(n->error, sizeof n->error, "%s: %s", n->name, timed_out ? "no answer" : error);
    n->written = n->queued - sdslen(n->link->obuf);
    n->suspect = true;
    if (n->tls != NULL) tls_close(n->tls);
    redisFree(n->link);
    n->tls = NULL;
    n->link = NULL;
}

/* Records an error as hiredis does, so that `disconnect` finds it. */
static void set_error(redisContext *link, const char *text) {
    link->err = REDIS_ERR_IO;
    snprintf(link->errstr, sizeof link->errstr, "%s", text);
}

/* ------------------------------------------------------------------------------------------------------- connecting */

/* No reply is pending, so a readable socket means that the server closed the connection or that the stream is out of
 * sync. Detecting this before a command is sent avoids lines whose result is uncertain. */
static bool is_stale(const struct node *n) {
    struct pollfd fd = {.fd = n->link->fd, .events = POLLIN | POLLRDHUP};
    return poll(&fd, 1, 0) != 0;
}

void node_fail(const struct node *n, const redisReply *error) {
    bool no_password = strncmp(error->str, "NOAUTH", 6) == 0;
    trouble("%s: %s%s", n->name, error->str, no_password ? " Use redis://:password@host or set REDISCLI_AUTH" : "");
}

/* Checks the reply of a login command; exits if it is an error. False: the connection was lost. */
static bool check_login(struct node *n, redisReply *reply) {
    if (reply == NULL) return false;
    if (reply->type == REDIS_REPLY_ERROR) node_fail(n, reply);
    freeReplyObject(reply);
    return true;
}

/* AUTH and SELECT, as far as the URL has them. False: the connection was lost. */
static bool log_in(struct node *n, const struct redis_url *url) {
    if (url->user != NULL && !check_login(n, node_command(n, "AUTH %s %s", url->user, url->password))) return false;
    if (url->user == NULL && url->password != NULL && !check_login(n, node_command(n, "AUTH %s", url->password)))
        return false;
    return url->db == 0 || check_login(n, node_command(n, "SELECT %u", url->db));
}

static bool start_tls(struct node *n) {
    char error[sizeof n->link->errstr];
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    n->tls = tls_open(n->link->fd, n->host, error, sizeof error);
    signal(SIGPIPE, before);
    if (n->tls != NULL) return true;
    set_error(n->link, error);
    errno = 0; /* not a timeout */
    disconnect(n);
    return false;
}

bool node_connect(struct node *n, const struct redis_url *url, double timeout) {
    struct timeval limit = {.tv_sec = (time_t)timeout,
                            .tv_usec = (suseconds_t)(1e6 * (timeout - (double)(time_t)timeout))};
    if (n->link != NULL && is_stale(n)) disconnect(n);
    if (n->link != NULL) return true;
    n->link = redisConnectWithTimeout(n->host, n->port, limit);
    n->queued = 0;
    if (n->link == NULL) trouble("not enough memory for a connection to %s", n->name);
    if (n->link->err != 0 || redisSetTimeout(n->link, limit) != REDIS_OK || redisEnableKeepAlive(n->link) != REDIS_OK) {
        disconnect(n);
        return false;
    }
    return (!url->tls || start_tls(n)) && log_in(n, url);
}

/* --------------------------------------------------------------------------------------------- commands and replies */

uint64_t node_send(struct node *n, const struct args *command) {
    size_t before = sdslen(n->link->obuf);
    if (redisAppendCommandArgv(n->link, command->n, command->text, command->length) != REDIS_OK)
        trouble("not enough memory for a command to %s", n->name);
    return n->queued += sdslen(n->link->obuf) - before;
}

/* Writes the output buffer of hiredis through TLS. */
static bool write_tls(struct node *n) {
    redisContext *link = n->link;
    size_t done = 0, size = sdslen(link->obuf);
    for (ssize_t written; done < size; done += (size_t)written)
        if ((written = tls_write(n->tls, link->obuf + done, size - done)) <= 0) break;
    if (done < size) set_error(link, errno != 0 ? system_error() : "the connection was closed");
    if (done > 0) sdsrange(link->obuf, (int)done, -1);
    return done == size;
}

/* SIGPIPE is ignored here because a lost connection must not end the process. It stays enabled elsewhere, so that a
 * closed stdout does. */
static bool write_all(struct node *n) {
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int done = 0, status = REDIS_OK;
    if (n->tls != NULL) status = write_tls(n) ? REDIS_OK : REDIS_ERR;
    else
        while (done == 0 && status == REDIS_OK) status = redisBufferWrite(n->link, &done);
    signal(SIGPIPE, before);
    return status == REDIS_OK;
}

bool node_flush(struct node *n) {
    if (sdslen(n->link->obuf) == 0 || write_all(n)) return true;
    disconnect(n);
    return false;
}

/* What redisGetReply does, through TLS. */
static int receive_tls(struct node *n, void **reply) {
    char bytes[16384];
    for (;;) {
        if (redisGetReplyFromReader(n->link, reply) != REDIS_OK) return REDIS_ERR;
        if (*reply != NULL) return REDIS_OK;
        ssize_t got = tls_read(n->tls, bytes, sizeof bytes);
        if (got <= 0) {
            set_error(n->link, got < 0 ? system_error() : "the connection was closed");
            return REDIS_ERR;
        }
        if (redisReaderFeed(n->link->reader, bytes, (size_t)got) != REDIS_OK) return REDIS_ERR;
    }
}

redisReply *node_receive(struct node *n) {
    void *reply = NULL;
    if (!node_flush(n)) return NULL;
    int status = n->tls != NULL ? receive_tls(n, &reply) : redisGetReply(n->link, &reply);
    if (status != REDIS_OK || reply == NULL) {
        disconnect(n);
        return NULL;
    }
    n->suspect = false;
    return reply;
}

redisReply *node_command(struct node *n, const char *format, ...) {
    va_list arguments;
    size_t before = sdslen(n->link->obuf);
    va_start(arguments, format);
    int status = redisvAppendCommand(n->link, format, arguments);
    va_end(arguments);
    if (status != REDIS_OK) trouble("not enough memory for a command to %s", n->name);
    n->queued += sdslen(n->link->obuf) - before;
    return node_receive(n);
}

bool is_filter_type(const char *type) { return strcmp(type, "guira-flt") == 0 || strcmp(type, MOVED_TYPE) == 0; }

const redisReply *reply_field(const redisReply *r, const char *name) {
    for (size_t i = 0; r->type == REDIS_REPLY_ARRAY && i + 1 < r->elements; i += 2) {
        const char *field = r->element[i]->str;
        if (field != NULL && strcmp(field, name) == 0) return r->element[i + 1];
    }
    return NULL;
}
