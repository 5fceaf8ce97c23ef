/* A block of items becomes commands, and their answers the block's answers.
 *
 *     items     a b c a d ...
 *     shards    1 0 1 1 0          by hash; the second a is the first one's twin
 *     commands  CF.INSERTNX seen{0}:2 ... b d    CF.INSERTNX seen{3}:2 ... a c
 *     answers   [1 0]                            [1 1]
 *     so        a b c a d -> yes yes yes no no
 *
 * WHY ARE TWINS NOT SENT? Commands of a block may be carried out in another order than they are in it, when some are sent
 * again. Whether the first or the second of two equal lines is the new one must not depend on that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_filter.h"
#include "report.h"

enum { NONE = UINT16_MAX, TABLE = 4 * BLOCK, MOST_HEAD = 4 };
_Static_assert((int)BLOCK < (int)NONE, "an item's number fits");

static const size_t most_bytes = 1 << 20; /* in a command; the server does nothing else meanwhile */

static const struct {
    const char *name;
    const char *options[2]; /* between key and items */
    size_t most;            /* items in a command */
    bool once;              /* see call.once */
    bool twins;             /* of equal items only the first is sent */
} verbs[] = {
    [INSERT] = {"CF.INSERT", {"NOCREATE", "ITEMS"}, 1000, false, false},
    [INSERT_NEW] = {"CF.INSERTNX", {"NOCREATE", "ITEMS"}, 1000, false, true},
    [SEE] = {"CFW.SEEN", {NULL, NULL}, 1000, false, true},
    [REMOVE] = {"CF.DEL", {NULL, NULL}, 1, true, false},
    [FIND] = {"CF.MEXISTS", {NULL, NULL}, 1000, false, false},
};

/* Beside a call: which items it has, in asking.order. */
struct span {
    const struct shard *shard;
    size_t from, n;
    bool only_asked; /* there is no room for more: it was asked for instead of inserted */
};

struct asking {
    uint64_t hash[BLOCK];
    uint16_t twin[BLOCK];  /* the first item of the block that is equal; NONE: it is the first */
    uint16_t table[TABLE]; /* to find it */
    uint16_t order[BLOCK]; /* those without twin, by shard */
    size_t start[MOST_SHARDS + 1];
    size_t n; /* calls */
    struct call call[BLOCK];
    struct span span[BLOCK];
    size_t words;
    const char *word[(MOST_HEAD + 1) * BLOCK];
    size_t length[(MOST_HEAD + 1) * BLOCK];
};

/* -------------------------------------------------------------------------------------------------------- items to calls */

static uint16_t twin_of(struct asking *a, const struct block *b, size_t i) {
    size_t at = a->hash[i] % TABLE;
    for (; a->table[at] != NONE; at = (at + 1) % TABLE) {
        size_t j = a->table[at];
        if (a->hash[j] == a->hash[i] && b->item[j].n == b->item[i].n &&
            memcmp(b->item[j].at, b->item[i].at, b->item[i].n) == 0)
            return (uint16_t)j;
    }
    a->table[at] = (uint16_t)i;
    return NONE;
}

/* Into the order of shards, and within one in the order of lines. */
static void sort(struct redis_filter *f, const struct block *b) {
    struct asking *a = f->asking;
    size_t next[MOST_SHARDS + 1] = {0};
    memset(a->table, 0xff, sizeof a->table);
    for (size_t i = 0; i < b->n; i++) {
        a->hash[i] = shard_hash(b->item[i].at, b->item[i].n);
        a->twin[i] = verbs[f->verb].twins ? twin_of(a, b, i) : NONE;
        if (a->twin[i] == NONE) next[shard_of(a->hash[i], f->shards) + 1]++;
    }
    for (unsigned s = 0; s < f->shards; s++) next[s + 1] += next[s];
    memcpy(a->start, next, sizeof a->start);
    for (size_t i = 0; i < b->n; i++)
        if (a->twin[i] == NONE) a->order[next[shard_of(a->hash[i], f->shards)]++] = (uint16_t)i;
}

static void add_word(struct asking *a, const char *at, size_t n) {
    a->word[a->words] = at;
    a->length[a->words++] = n;
}

/* The next command for a shard, with items from order[from] on, but not those from order[end] on. Returns how many. */
static size_t add_call(struct redis_filter *f, const struct block *b, const struct shard *s, size_t from, size_t end) {
    struct asking *a = f->asking;
    size_t start = a->words, bytes = 0, n = 0;
    add_word(a, verbs[f->verb].name, strlen(verbs[f->verb].name));
    add_word(a, s->key, s->n);
    for (int i = 0; i < 2 && verbs[f->verb].options[i] != NULL; i++)
        add_word(a, verbs[f->verb].options[i], strlen(verbs[f->verb].options[i]));
    for (; from + n < end && n < verbs[f->verb].most && bytes < most_bytes; n++) {
        const struct piece *item = &b->item[a->order[from + n]];
        add_word(a, item->at, item->n);
        bytes += item->n;
    }
    a->call[a->n] = (struct call){.words = {(int)(a->words - start), a->word + start, a->length + start},
                                  .slot = s->slot,
                                  .once = verbs[f->verb].once};
    a->span[a->n++] = (struct span){.shard = s, .from = from, .n = n};
    return n;
}

static void make_calls(struct redis_filter *f, const struct block *b) {
    struct asking *a = f->asking;
    a->n = a->words = 0;
    sort(f, b);
    for (unsigned s = 0; s < f->shards; s++)
        for (size_t from = a->start[s]; from < a->start[s + 1];)
            from += add_call(f, b, &f->shard[s], from, a->start[s + 1]);
}

/* --------------------------------------------------------------------------------------------------- what can be mended */

static bool says(const struct call *call, const char *error) {
    return call->reply != NULL && call->reply->type == REDIS_REPLY_ERROR &&
           strncmp(call->reply->str, error, strlen(error)) == 0;
}

/* The server's memory is used up, so it takes no commands that may need more. What is there can still be asked for. */
static void only_ask(struct call *call, struct span *span) {
    static const char name[] = "CF.MEXISTS";
    struct words *w = &call->words;
    w->at += 2;
    w->length += 2;
    w->n -= 2;
    w->at[0] = name;
    w->length[0] = sizeof name - 1;
    w->at[1] = span->shard->key;
    w->length[1] = span->shard->n;
    span->only_asked = true;
    call_again(call);
}

/* A key that was there is gone: deleted, expired, or lost with a server. Calls of a shard follow each other. */
static bool make_again(struct redis_filter *f, const struct shard *s, const struct shard **made, const char **why) {
    if (s == *made) return true;
    if (!redis_filter_make(f, s, why)) return false;
    *made = s;
    f->made_again++;
    return true;
}

/* True: there is something to be done again. */
static bool mend(struct redis_filter *f, const char **why) {
    struct asking *a = f->asking;
    const struct shard *made = NULL;
    bool again = false;
    for (size_t i = 0; i < a->n; i++) {
        struct call *call = &a->call[i];
        bool gone = says(call, "ERR not found"), full = says(call, "OOM") && f->verb == INSERT_NEW;
        if (gone && !make_again(f, a->span[i].shard, &made, why)) return false;
        if (gone) call_again(call);
        if (full) only_ask(call, &a->span[i]);
        again = again || gone || full;
    }
    return again;
}

/* Until there is nothing to mend. A server that throws keys away as fast as they are made ends that. */
static bool run(struct redis_filter *f, const char **why) {
    struct asking *a = f->asking;
    bool all = calls_run(&f->cluster, a->call, a->n, why);
    for (int times = 0; all && times < 10 && mend(f, why); times++) all = calls_run(&f->cluster, a->call, a->n, why);
    return all;
}

/* -------------------------------------------------------------------------------------------------------------- answers */

static enum answer meaning(const struct redis_filter *f, const struct span *span, const redisReply *r) {
    bool one = r->integer == 1;
    if (span->only_asked) return one ? NO : REFUSED;
    if (r->integer < 0) return REFUSED;
    if (f->verb == SEE) return one ? NO : YES;
    return one ? YES : NO;
}

/* A new line that was in flight when a connection was lost: this time it may be known because of the first time. */
static enum answer in_doubt(const struct redis_filter *f, const struct call *call, enum answer answer) {
    bool uniq = verbs[f->verb].twins;
    return call->unsure && uniq && answer != YES ? UNSURE : answer;
}

/* False: there are none, but something that stands in the way. */
static bool take_answers(const struct redis_filter *f, const struct call *call, const struct span *span,
                         struct block *b) {
    const uint16_t *item = f->asking->order + span->from;
    const redisReply *r = call->reply;
    bool many = r != NULL && r->type == REDIS_REPLY_ARRAY && r->elements == span->n;
    bool one = r != NULL && r->type == REDIS_REPLY_INTEGER && f->verb == REMOVE;
    bool full = says(call, "OOM") && f->verb == SEE;
    for (size_t i = 0; i < span->n; i++) {
        enum answer answer = call->unsure ? UNSURE : UNASKED;
        if (full) answer = in_doubt(f, call, REFUSED);
        else if (many || one) answer = in_doubt(f, call, meaning(f, span, many ? r->element[i] : r));
        b->answer[item[i]] = answer;
    }
    return r == NULL || many || one || full;
}

/* The second of two equal lines: known by the first, unless nobody has been told of that. */
static enum answer answer_of_twin(enum answer first) { return first == REFUSED || first == UNASKED ? first : NO; }

/* ------------------------------------------------------------------------------------------------------------- together */

/* Each server that was lost while we waited for it and has a successor, once. */
static void tell_failovers(const struct asking *a, const struct block *b) {
    for (size_t i = 0; i < a->n; i++) {
        struct node *lost = a->call[i].lost, *by = a->call[i].by;
        if (a->call[i].reply == NULL || lost == NULL || by == lost || lost->heir == by) continue;
        lost->heir = by;
        by->heir = NULL;
        note(
            "failover: %s was lost and %s has taken over, at lines %llu to %llu; what was written to it shortly before "
            "may not have been replicated and be forgotten",
            lost->name, by->name, (unsigned long long)b->first, (unsigned long long)(b->first + b->n - 1));
    }
}

/* False: there was an error, which `why` tells unless it tells another one already. */
static bool sum_up(struct redis_filter *f, struct block *b, const char **why) {
    struct asking *a = f->asking;
    bool all = true;
    for (size_t i = 0; i < a->n; i++) {
        bool good = take_answers(f, &a->call[i], &a->span[i], b);
        if (!good && *why == NULL) *why = redis_filter_complaint(f, &a->call[i]);
        all = all && good;
        if (a->call[i].unsure) f->unsure += a->span[i].n;
    }
    for (size_t i = 0; i < b->n; i++)
        if (a->twin[i] != NONE) b->answer[i] = answer_of_twin(b->answer[a->twin[i]]);
    return all;
}

bool redis_filter_ask(struct redis_filter *f, struct block *b, const char **why) {
    if (f->asking == NULL) f->asking = must_alloc(NULL, sizeof *f->asking);
    *why = NULL;
    make_calls(f, b);
    bool all = run(f, why);
    all = sum_up(f, b, why) && all;
    tell_failovers(f->asking, b);
    for (size_t i = 0; i < f->asking->n; i++) freeReplyObject(f->asking->call[i].reply);
    return all;
}
