/* See redis_calls.h. */
#include "redis_calls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "report.h"
#include "stop.h"

/* What came of a round. */
struct round {
    size_t open;       /* calls that are not settled */
    size_t settled;    /* in this round */
    bool lost, later;  /* a server is away; or says that it cannot answer now */
    struct node *told; /* who has the slot of a call, by one who does not have it any more */
    char why[WHY];
};

/* ------------------------------------------------------------------------------------------------------------- answers */

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Errors that pass: the command was not carried out, and later it may be. */
static bool is_passing(const char *error) {
    static const char *const passing[] = {"TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "NOREPLICAS", "BUSY "};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (begins(error, passing[i])) return true;
    return false;
}

/* "MOVED 3999 127.0.0.1:6381" or "ASK ...": the place. */
static struct node *place_in(struct cluster *c, const char *error, const struct node *teller) {
    const char *slot = strchr(error, ' '), *place = slot != NULL ? strchr(slot + 1, ' ') : NULL;
    return place != NULL ? cluster_node(c, place + 1, teller) : NULL;
}

/* True: an answer for the caller. */
static bool judge(struct cluster *c, struct call *call, const redisReply *r, struct round *round) {
    struct node *place = NULL;
    if (r->type != REDIS_REPLY_ERROR) return true;
    bool moved = begins(r->str, "MOVED "), ask = begins(r->str, "ASK "), passing = is_passing(r->str);
    if (!moved && !ask && !passing) return true;
    if (moved || ask) place = place_in(c, r->str, call->by);
    if (moved && place != NULL) c->at[call->slot] = round->told = place;
    if (ask) call->ask = place;
    round->later = round->later || passing;
    snprintf(round->why, sizeof round->why, "%s: %.150s", call->by->name, r->str);
    return false;
}

/* -------------------------------------------------------------------------------------------------------------- rounds */

static void note_loss(struct call *call, struct round *round) {
    call->lost = call->by;
    round->lost = true;
    snprintf(round->why, sizeof round->why, "%s", call->by->why);
}

/* True: it is on its way. */
static bool send_call(struct cluster *c, struct call *call, struct round *round) {
    static const char *asking[] = {"ASKING"};
    static size_t length[] = {6};
    call->by = call->ask != NULL ? call->ask : c->at[call->slot];
    if (call->by == NULL) {
        snprintf(round->why, sizeof round->why, "no server of the cluster has slot %u", call->slot);
        round->later = true;
        return false;
    }
    if (!cluster_reach(c, call->by)) {
        note_loss(call, round);
        call->ask = NULL;
        return false;
    }
    if (call->ask != NULL) node_send(call->by, &(struct words){1, asking, length});
    call->sent = node_send(call->by, &call->words);
    return true;
}

/* The answer, unless the connection was lost, now or for a call before this one. */
static redisReply *receive(struct call *call) {
    if (call->ask != NULL && call->by->link != NULL) freeReplyObject(node_receive(call->by)); /* of ASKING */
    call->ask = NULL;
    return call->by->link != NULL ? node_receive(call->by) : NULL;
}

static void settle(struct cluster *c, struct call *call, struct round *round) {
    redisReply *r = receive(call);
    if (r == NULL) {
        note_loss(call, round);
        call->unsure = call->unsure || node_may_have_had(call->by, call->sent);
        call->settled = call->once && call->unsure;
    } else if (judge(c, call, r, round)) {
        call->reply = r;
        call->settled = true;
    } else freeReplyObject(r);
    round->settled += call->settled;
    round->open -= call->settled;
}

/* Answers come in the order of the commands on each connection, so also in the order of the calls. A connection that is
 * lost while it is being written to was not read from yet: answers that may be there are not waited for. */
static struct round run_round(struct cluster *c, struct call *calls, size_t n) {
    struct round round = {0};
    c->round++;
    for (size_t i = 0; i < n; i++) {
        calls[i].sent = 0;
        if (calls[i].settled) continue;
        round.open++;
        if (!send_call(c, &calls[i], &round)) calls[i].sent = 0;
    }
    for (struct node *node = c->nodes; node != NULL; node = node->next)
        if (node->link != NULL) node_flush(node);
    for (size_t i = 0; i < n; i++)
        if (calls[i].sent > 0) settle(c, &calls[i], &round);
    return round;
}

/* ------------------------------------------------------------------------------------------------------------ the whole */

static void pause_for(double seconds) {
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

bool calls_run(struct cluster *c, struct call *calls, size_t n, const char **why) {
    static char reason[WHY];
    double since = clock_seconds(), pause = 0.001;
    for (;;) {
        struct round round = run_round(c, calls, n);
        if (round.open == 0) return true;
        if (round.settled > 0) {
            since = clock_seconds();
            pause = 0.001;
        }
        if (clock_seconds() - since > c->timeout || (stop_asked() && (round.lost || round.later))) {
            memcpy(reason, round.why, sizeof reason);
            *why = reason;
            return false;
        }
        if (round.settled == 0) pause_for(pause);
        pause = pause < 0.25 ? 2 * pause : 0.5;
        if (round.lost || round.later || round.told != NULL) cluster_learn(c, round.told);
    }
}

void call_again(struct call *call) {
    freeReplyObject(call->reply);
    call->reply = NULL;
    call->settled = false;
}
