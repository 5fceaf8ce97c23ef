/* Threads that read ahead, see lines.h.
 *
 *     ring     [ being used | ready | ready | being split | being filled | free | free ]
 *                ^ taken                                    ^ filled
 *
 * `filled` is the number of chunks that were given to a thread, `taken` that of chunks the caller is done with; chunk i is
 * in slot i % RING. One lock guards the numbers and the states of slots; another one, `turn`, is held while a chunk is
 * filled, so that only one thread reads the input. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lines.h"
#include "report.h"
#include "signals.h"

enum { RING = 8 };

struct ahead {
    struct lines *in;
    pthread_t thread[MAX_JOBS];
    unsigned threads;
    pthread_mutex_t turn;
    bool input_ended; /* guarded by `turn` */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct chunk chunk[RING];
    bool ready[RING];
    uint64_t filled, taken;
    uint64_t looked_up[MAX_PARTS]; /* chunks whose lines of this part were looked up */
    uint64_t last;                 /* number of chunks in the whole input; UINT64_MAX: not known yet */
    bool stopped, using;
};

/* Waits for a free slot. False: the caller wants no more. */
static bool wait_for_slot(struct ahead *a) {
    pthread_mutex_lock(&a->lock);
    while (!a->stopped && a->filled - a->taken == RING) pthread_cond_wait(&a->changed, &a->lock);
    bool go_on = !a->stopped;
    pthread_mutex_unlock(&a->lock);
    return go_on;
}

/* Fills the next chunk, when it is this thread's turn, and sets its number. NULL: there are no more. */
static struct chunk *fill_next(struct ahead *a, uint64_t *number) {
    struct chunk *c = NULL;
    pthread_mutex_lock(&a->turn);
    if (!a->input_ended && wait_for_slot(a)) {
        c = &a->chunk[a->filled % RING];
        if (!chunk_fill(a->in, c)) c = NULL;
    }
    a->input_ended = c == NULL;
    pthread_mutex_lock(&a->lock);
    if (c != NULL) *number = a->filled++;
    else a->last = a->filled;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_unlock(&a->turn);
    return c;
}

/* Looks up the lines of one part of the chunk, after those of the chunk before it. */
static void look_up_part(struct ahead *a, struct chunk *c, uint64_t number, unsigned part) {
    const struct lines_config *config = &a->in->config;
    pthread_mutex_lock(&a->lock);
    while (!a->stopped && a->looked_up[part] != number) pthread_cond_wait(&a->changed, &a->lock);
    bool go_on = !a->stopped;
    pthread_mutex_unlock(&a->lock);
    if (!go_on) return;
    config->look_up(config->context, part, c);
    pthread_mutex_lock(&a->lock);
    a->looked_up[part]++;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void look_up(struct ahead *a, struct chunk *c, uint64_t number) {
    c->answered = c->n;
    for (unsigned part = 0; part < a->in->config.parts; part++) look_up_part(a, c, number, part);
}

struct job {
    struct ahead *ahead;
    void *worker;
};

static void *work(void *argument) {
    struct job job = *(struct job *)argument;
    struct chunk *c;
    uint64_t number;
    free(argument);
    while ((c = fill_next(job.ahead, &number)) != NULL) {
        while (c->split < c->size) chunk_split(job.ahead->in, job.worker, c, BATCH, true);
        if (job.ahead->in->config.look_up != NULL) look_up(job.ahead, c, number);
        pthread_mutex_lock(&job.ahead->lock);
        job.ahead->ready[c - job.ahead->chunk] = true;
        pthread_cond_broadcast(&job.ahead->changed);
        pthread_mutex_unlock(&job.ahead->lock);
    }
    return NULL;
}

static void init_lock(struct ahead *a) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&a->turn, NULL);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

struct ahead *ahead_start(struct lines *in) {
    struct ahead *a = alloc_or_die(NULL, sizeof *a);
    memset(a, 0, sizeof *a);
    a->in = in;
    a->last = UINT64_MAX;
    init_lock(a);
    for (; a->threads < in->config.jobs; a->threads++) {
        struct job *job = alloc_or_die(NULL, sizeof *job);
        *job = (struct job){a, in->config.worker[a->threads]};
        if (pthread_create(&a->thread[a->threads], NULL, work, job) != 0) trouble("--jobs: cannot start a thread");
    }
    return a;
}

/* Waits until something has changed, at most `ms` (negative: any time). Returns false after that time. */
static bool wait_for_change(struct ahead *a, int ms) {
    struct timespec until;
    if (ms < 0) return pthread_cond_wait(&a->changed, &a->lock) == 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(&a->changed, &a->lock, &until) != ETIMEDOUT;
}

/* Has the chunk after those that were taken been prepared, or is it known that there is none? */
static bool is_decided(const struct ahead *a) { return a->taken >= a->last || a->ready[a->taken % RING]; }

/* Calls idle() before waiting, and again when it asks for it. */
static void wait_for_chunk(struct ahead *a) {
    const struct lines_config *config = &a->in->config;
    while (!is_decided(a)) {
        pthread_mutex_unlock(&a->lock);
        int ms = config->idle == NULL ? -1 : config->idle(config->context);
        pthread_mutex_lock(&a->lock);
        while (!is_decided(a) && wait_for_change(a, ms)) continue;
    }
}

const struct chunk *ahead_next(struct ahead *a) {
    pthread_mutex_lock(&a->lock);
    if (a->using) { /* the chunk of the last call is free now */
        a->ready[a->taken++ % RING] = false;
        pthread_cond_broadcast(&a->changed);
    }
    wait_for_chunk(a);
    a->using = a->taken < a->last;
    const struct chunk *c = a->using ? &a->chunk[a->taken % RING] : NULL;
    pthread_mutex_unlock(&a->lock);
    return c;
}

/* A thread may be waiting for input that never comes; then it is left alone, because the process ends soon. */
void ahead_stop(struct ahead *a) {
    bool ended;
    pthread_mutex_lock(&a->lock);
    a->stopped = true;
    ended = a->last != UINT64_MAX;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    if (!ended) return;
    for (unsigned i = 0; i < a->threads; i++) pthread_join(a->thread[i], NULL);
    for (size_t i = 0; i < RING; i++) chunk_free(&a->chunk[i]);
    free(a);
}
