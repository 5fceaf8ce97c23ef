/* See redis_calls.h. */
#include "redis_calls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "report.h"
#include "signals.h"
#include "units.h"

/* The result of a round. */
struct round {
    size_t open;           /* calls that are not done */
    size_t completed;      /* calls that were done in this round */
    bool lost;             /* a server could not be reached, or its connection was lost */
    bool temporary;        /* a server replied with a temporary error */
    struct node *moved_to; /* the target of a MOVED redirection */
    char error[ERROR_TEXT];
};

/* ---------------------------------------------------------------------------------------------------------- replies */

static bool begins_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* Errors that mean: the command was not executed, and can be sent again later. */
static bool is_temporary(const char *error) {
    static const char *const temporary[] = {"TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "NOREPLICAS", "BUSY "};
    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++)
        if (begins_with(error, temporary[i])) return true;
    return false;
}

/* The target of "MOVED 3999 127.0.0.1:6381" or "ASK ...". */
static struct node *redirection_target(struct cluster *c, const char *error, const struct node *sender) {
    const char *slot = strchr(error, ' '), *address = slot != NULL ? strchr(slot + 1, ' ') : NULL;
    return address != NULL ? cluster_node(c, address + 1, sender) : NULL;
}

/* True: the reply is final. False: it is a redirection or a temporary error, and the call has to be sent again. */
static bool is_final(struct cluster *c, struct call *call, const redisReply *r, struct round *round) {
    struct node *target = NULL;
    if (r->type != REDIS_REPLY_ERROR) return true;
    bool moved = begins_with(r->str, "MOVED "), ask = begins_with(r->str, "ASK "), temporary = is_temporary(r->str);
    if (!moved && !ask && !temporary) return true;
    if (moved || ask) target = redirection_target(c, r->str, call->node);
    if (moved && target != NULL) c->owner[call->slot] = round->moved_to = target;
    if (ask) call->ask_node = target;
    round->temporary = round->temporary || temporary;
    snprintf(round->error, sizeof round->error, "%s: %.150s", call->node->name, r->str);
    return false;
}

/* ----------------------------------------------------------------------------------------------------------- rounds */

static void record_loss(struct call *call, struct round *round) {
    call->lost = call->node;
    round->lost = true;
    snprintf(round->error, sizeof round->error, "%s", call->node->error);
}

/* Queues the call on the connection to its server. False: there is no server or no connection. */
static bool send_call(struct cluster *c, struct call *call, struct round *round) {
    static const char *asking[] = {"ASKING"};
    static size_t length[] = {6};
    call->node = call->ask_node != NULL ? call->ask_node : c->owner[call->slot];
    if (call->node == NULL) {
        snprintf(round->error, sizeof round->error, "no server of the cluster has slot %u", call->slot);
        round->temporary = true;
        return false;
    }
    if (!cluster_connect(c, call->node)) {
        record_loss(call, round);
        call->ask_node = NULL;
        return false;
    }
    if (call->ask_node != NULL) node_send(call->node, &(struct args){1, asking, length});
    call->position = node_send(call->node, &call->args);
    return true;
}

/* Receives the reply. NULL: the connection was lost, now or while an earlier call was received. */
static redisReply *receive(struct call *call) {
    if (call->ask_node != NULL && call->node->link != NULL) freeReplyObject(node_receive(call->node)); /* of ASKING */
    call->ask_node = NULL;
    return call->node->link != NULL ? node_receive(call->node) : NULL;
}

static void receive_call(struct cluster *c, struct call *call, struct round *round) {
    redisReply *r = receive(call);
    if (r == NULL) {
        record_loss(call, round);
        call->uncertain = call->uncertain || node_may_have_received(call->node, call->position);
        call->done = call->at_most_once && call->uncertain;
    } else if (is_final(c, call, r, round)) {
        call->reply = r;
        call->done = true;
    } else freeReplyObject(r);
    round->completed += call->done;
    round->open -= call->done;
}

/* Replies arrive in the order of the commands on each connection, which is the order of the calls. If a connection is
 * lost while it is written to, replies that may already have arrived on it are not read. */
static struct round run_round(struct cluster *c, struct call *calls, size_t n) {
    struct round round = {0};
    c->round++;
    for (size_t i = 0; i < n; i++) {
        calls[i].position = 0;
        if (calls[i].done) continue;
        round.open++;
        if (!send_call(c, &calls[i], &round)) calls[i].position = 0;
    }
    for (struct node *node = c->nodes; node != NULL; node = node->next)
        if (node->link != NULL) node_flush(node);
    for (size_t i = 0; i < n; i++)
        if (calls[i].position > 0) receive_call(c, &calls[i], &round);
    return round;
}

/* ------------------------------------------------------------------------------------------------------- all rounds */

static void sleep_for(double seconds) {
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

/* After some seconds without progress, once: why, and how long it will be tried. */
static bool report_wait(const struct cluster *c, const struct round *round, double waited) {
    char text[UNIT_TEXT];
    if (waited < 10) return false;
    note("%s; trying again for up to %s", round->error, write_duration((uint64_t)(1000 * c->timeout), text));
    return true;
}

/* The pause between rounds without progress doubles from 1 ms to half a second. */
bool calls_run(struct cluster *c, struct call *calls, size_t n, const char **error) {
    static char text[ERROR_TEXT];
    const double first_pause = 0.001;
    double last_progress = clock_seconds(), pause = first_pause;
    bool reported = false;
    for (;;) {
        struct round round = run_round(c, calls, n);
        if (round.open == 0) return true;
        if (round.completed > 0) {
            last_progress = clock_seconds();
            pause = first_pause;
        }
        bool failed = round.lost || round.temporary;
        if (clock_seconds() - last_progress > c->timeout || (signal_received() && failed)) {
            memcpy(text, round.error, sizeof text);
            *error = text;
            return false;
        }
        reported = reported || report_wait(c, &round, clock_seconds() - last_progress);
        if (round.completed == 0) sleep_for(pause);
        pause = pause < 0.25 ? 2 * pause : 0.5;
        if (failed || round.moved_to != NULL) cluster_refresh(c, round.moved_to);
    }
}

void call_reset(struct call *call) {
    freeReplyObject(call->reply);
    call->reply = NULL;
    call->done = false;
}
