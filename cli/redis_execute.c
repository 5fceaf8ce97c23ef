/* Turns a block of items into commands, and the replies into the answers of the block.
 *
 *     items     a b c a d ...
 *     shards    1 0 1 1 0          by hash; the second a is a duplicate of the first
 *     commands  CF.INSERTNX seen{0}:2 ... b d    CF.INSERTNX seen{3}:2 ... a c
 *     replies   [1 0]                            [1 1]
 *     answers   a b c a d -> yes yes yes no no
 *
 * WHY ARE DUPLICATES NOT SENT? If some commands of a block are sent again, they are executed in another order. Which of
 * two equal lines counts as the new one must not depend on that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_filter.h"
#include "report.h"

enum {
    NONE = UINT16_MAX, /* no item */
    TABLE = 4 * BLOCK, /* entries of the hash table of items */
    MAX_HEAD = 4       /* arguments of a command before the items */
};
_Static_assert((int)BLOCK < (int)NONE, "an index of an item fits into uint16_t");

static const size_t max_command_bytes = 1 << 20; /* a server executes nothing else during a command */

static const struct {
    const char *command;
    const char *options[2]; /* between key and items */
    size_t max_items;       /* in one command */
    bool at_most_once;      /* see struct call */
    bool skip_duplicates;   /* send only the first of equal items */
} operations[] = {
    [INSERT] = {"CF.INSERT", {"NOCREATE", "ITEMS"}, 1000, false, false},
    [INSERT_NEW] = {"CF.INSERTNX", {"NOCREATE", "ITEMS"}, 1000, false, true},
    [WINDOW_SEEN] = {"CFW.SEEN", {NULL, NULL}, 1000, false, true},
    [REMOVE] = {"CF.DEL", {NULL, NULL}, 1, true, false},
    [CONTAINS] = {"CF.MEXISTS", {NULL, NULL}, 1000, false, false},
};

/* The items of a call: n entries of execution.order. */
struct span {
    const struct shard *shard;
    size_t from, n;
    bool lookup_only; /* the server has no memory: the items were looked up instead of inserted */
};

struct execution {
    uint64_t hash[BLOCK];
    uint16_t original[BLOCK]; /* the first equal item of the block; NONE: this is the first */
    uint16_t table[TABLE];    /* open-addressing hash table to find it */
    uint16_t order[BLOCK];    /* the items to send, sorted by shard */
    size_t start[MAX_SHARDS + 1];
    size_t n; /* calls */
    struct call call[BLOCK];
    struct span span[BLOCK];
    size_t args; /* used entries of the next two */
    const char *arg[(MAX_HEAD + 1) * BLOCK];
    size_t length[(MAX_HEAD + 1) * BLOCK];
};

/* --------------------------------------------------------------------------------------------------- items to calls */

/* Returns the first equal item of the block. NONE: there is none, and item i is now in the table. */
static uint16_t find_original(struct execution *x, const struct block *b, size_t i) {
    size_t at = x->hash[i] % TABLE;
    for (; x->table[at] != NONE; at = (at + 1) % TABLE) {
        size_t j = x->table[at];
        if (x->hash[j] == x->hash[i] && b->item[j].size == b->item[i].size &&
            memcmp(b->item[j].data, b->item[i].data, b->item[i].size) == 0)
            return (uint16_t)j;
    }
    x->table[at] = (uint16_t)i;
    return NONE;
}

/* Sorts the items to send by shard (counting sort), and within a shard by line. */
static void sort(struct redis_filter *f, const struct block *b) {
    struct execution *x = f->execution;
    size_t next[MAX_SHARDS + 1] = {0};
    memset(x->table, 0xff, sizeof x->table); /* NONE */
    for (size_t i = 0; i < b->n; i++) {
        x->hash[i] = shard_hash(b->item[i].data, b->item[i].size);
        x->original[i] = operations[f->operation].skip_duplicates ? find_original(x, b, i) : NONE;
        if (x->original[i] == NONE) next[shard_of(x->hash[i], f->shards) + 1]++;
    }
    for (unsigned s = 0; s < f->shards; s++) next[s + 1] += next[s];
    memcpy(x->start, next, sizeof x->start);
    for (size_t i = 0; i < b->n; i++)
        if (x->original[i] == NONE) x->order[next[shard_of(x->hash[i], f->shards)]++] = (uint16_t)i;
}

static void add_arg(struct execution *x, const char *text, size_t n) {
    x->arg[x->args] = text;
    x->length[x->args++] = n;
}

/* Adds a call for a shard, with as many items of order[from ... end - 1] as one command takes. Returns their number. */
static size_t add_call(struct redis_filter *f, const struct block *b, const struct shard *s, size_t from, size_t end) {
    struct execution *x = f->execution;
    const char *const *options = operations[f->operation].options;
    size_t start = x->args, bytes = 0, n = 0;
    add_arg(x, operations[f->operation].command, strlen(operations[f->operation].command));
    add_arg(x, s->key, s->n);
    for (int i = 0; i < 2 && options[i] != NULL; i++) add_arg(x, options[i], strlen(options[i]));
    for (; from + n < end && n < operations[f->operation].max_items && bytes < max_command_bytes; n++) {
        const struct slice *item = &b->item[x->order[from + n]];
        add_arg(x, item->data, item->size);
        bytes += item->size;
    }
    x->call[x->n] = (struct call){.args = {(int)(x->args - start), x->arg + start, x->length + start},
                                  .slot = s->slot,
                                  .at_most_once = operations[f->operation].at_most_once};
    x->span[x->n++] = (struct span){.shard = s, .from = from, .n = n};
    return n;
}

/* Makes the calls for all items of the block. */
static void make_calls(struct redis_filter *f, const struct block *b) {
    struct execution *x = f->execution;
    x->n = x->args = 0;
    sort(f, b);
    for (unsigned s = 0; s < f->shards; s++)
        for (size_t from = x->start[s]; from < x->start[s + 1];)
            from += add_call(f, b, &f->shard[s], from, x->start[s + 1]);
}

/* -------------------------------------------------------------------------------------- errors that can be repaired */

static bool replied_error(const struct call *call, const char *error) {
    return call->reply != NULL && call->reply->type == REDIS_REPLY_ERROR &&
           strncmp(call->reply->str, error, strlen(error)) == 0;
}

/* The server has reached its memory limit and rejects commands that add items. Replaces the insertion by a lookup: its
 * two options fall away, so the command and the key move two places. */
static void replace_by_lookup(struct call *call, struct span *span) {
    static const char command[] = "CF.MEXISTS";
    struct args *args = &call->args;
    args->text += 2;
    args->length += 2;
    args->n -= 2;
    args->text[0] = command;
    args->length[0] = sizeof command - 1;
    args->text[1] = span->shard->key;
    args->length[1] = span->shard->n;
    span->lookup_only = true;
    call_reset(call);
}

/* Creates a key that disappeared: deleted, expired, or lost with a server. *last is the shard that was created last;
 * the calls of a shard are adjacent, so it is created once. */
static bool recreate(struct redis_filter *f, const struct shard *s, const struct shard **last, const char **error) {
    if (s == *last) return true;
    if (!redis_filter_create(f, s, error)) return false;
    *last = s;
    f->recreated++;
    return true;
}

/* True: the cause of an error was repaired, and some calls have to be sent again. */
static bool repair(struct redis_filter *f, const char **error) {
    struct execution *x = f->execution;
    const struct shard *last = NULL;
    bool again = false;
    for (size_t i = 0; i < x->n; i++) {
        struct call *call = &x->call[i];
        bool missing = replied_error(call, "ERR not found");
        bool full = replied_error(call, "OOM") && f->operation == INSERT_NEW;
        if (missing && !recreate(f, x->span[i].shard, &last, error)) return false;
        if (missing) call_reset(call);
        if (full) replace_by_lookup(call, &x->span[i]);
        again = again || missing || full;
    }
    return again;
}

/* At most 10 repairs: a server can evict keys as fast as they are created. */
static bool run(struct redis_filter *f, const char **error) {
    struct execution *x = f->execution;
    bool done = calls_run(&f->cluster, x->call, x->n, error);
    for (int repairs = 0; done && repairs < 10 && repair(f, error); repairs++)
        done = calls_run(&f->cluster, x->call, x->n, error);
    return done;
}

/* ---------------------------------------------------------------------------------------------------------- answers */

/* The answer for the integer that the server replied for an item: 1 or 0, or -1 if there is no room. */
static enum answer answer_of(const struct redis_filter *f, const struct span *span, const redisReply *r) {
    bool one = r->integer == 1;
    if (span->lookup_only) return one ? NO : REFUSED;
    if (r->integer < 0) return REFUSED;
    if (f->operation == WINDOW_SEEN) return one ? NO : YES;
    return one ? YES : NO;
}

/* If a command was sent twice, a line that was new the first time is reported as known the second time. */
static enum answer consider_retry(const struct redis_filter *f, const struct call *call, enum answer answer) {
    bool reports_new = operations[f->operation].skip_duplicates;
    return call->uncertain && reports_new && answer != YES ? UNSURE : answer;
}

/* Sets the answers for the items of a call. False: the reply is an error. */
static bool set_answers(const struct redis_filter *f, const struct call *call, const struct span *span,
                        struct block *b) {
    const uint16_t *item = f->execution->order + span->from;
    const redisReply *r = call->reply;
    bool array = r != NULL && r->type == REDIS_REPLY_ARRAY && r->elements == span->n;
    bool integer = r != NULL && r->type == REDIS_REPLY_INTEGER && f->operation == REMOVE;
    bool full = replied_error(call, "OOM") && f->operation == WINDOW_SEEN;
    for (size_t i = 0; i < span->n; i++) {
        enum answer answer = call->uncertain ? UNSURE : UNANSWERED;
        if (full) answer = consider_retry(f, call, REFUSED);
        else if (array || integer) answer = consider_retry(f, call, answer_of(f, span, array ? r->element[i] : r));
        b->answer[item[i]] = answer;
    }
    return r == NULL || array || integer || full;
}

/* The second of two equal lines is known because of the first, unless the first was not added. */
static enum answer answer_of_duplicate(enum answer first) {
    return first == REFUSED || first == UNANSWERED ? first : NO;
}

/* False: there was an error reply; *error describes the first error. */
static bool collect_answers(struct redis_filter *f, struct block *b, const char **error) {
    struct execution *x = f->execution;
    bool all = true;
    for (size_t i = 0; i < x->n; i++) {
        bool good = set_answers(f, &x->call[i], &x->span[i], b);
        if (!good && *error == NULL) *error = redis_filter_error(f, &x->call[i]);
        all = all && good;
        if (x->call[i].uncertain) f->uncertain += x->span[i].n;
    }
    for (size_t i = 0; i < b->n; i++)
        if (x->original[i] != NONE) b->answer[i] = answer_of_duplicate(b->answer[x->original[i]]);
    return all;
}

/* ------------------------------------------------------------------------------------------------------ whole block */

/* Reports each lost server that was replaced by another one, once. */
static void report_failovers(const struct execution *x, const struct block *b) {
    for (size_t i = 0; i < x->n; i++) {
        struct node *lost = x->call[i].lost, *node = x->call[i].node;
        if (x->call[i].reply == NULL || lost == NULL || node == lost || lost->successor == node) continue;
        lost->successor = node;
        node->successor = NULL;
        note("failover: %s was lost and replaced by %s, at lines %llu to %llu; recent writes may not have been "
             "replicated and may be lost",
             lost->name, node->name, (unsigned long long)b->first, (unsigned long long)(b->first + b->n - 1));
    }
}

bool redis_filter_execute(struct redis_filter *f, struct block *b, const char **error) {
    if (f->execution == NULL) f->execution = alloc_or_die(NULL, sizeof *f->execution);
    *error = NULL;
    make_calls(f, b);
    bool all = run(f, error);
    all = collect_answers(f, b, error) && all;
    report_failovers(f->execution, b);
    for (size_t i = 0; i < f->execution->n; i++) freeReplyObject(f->execution->call[i].reply);
    return all;
}
