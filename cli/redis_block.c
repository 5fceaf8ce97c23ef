/* See redis_block.h. */
#include "redis_block.h"

#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "progress.h"
#include "report.h"

static const size_t block_bytes = 4 << 20;               /* but for a longer line */
static const size_t longest = (size_t)512 * 1024 * 1024; /* item that a server takes */

struct reading {
    const struct redis_job *job;
    struct block *block;
    bool (*take)(void *context, struct block *b);
    void *context;
    bool enough;
};

static void take_block(struct reading *r) {
    if (r->block->n == 0 || r->enough) return;
    r->enough = !r->take(r->context, r->block);
    r->block->first += r->block->n;
    r->block->n = 0;
    r->block->used = 0;
}

/* Before a wait: nothing stays here that could be with the servers, or with the reader. */
static int idle(void *context) {
    take_block(context);
    out_flush();
    return -1;
}

/* Lines of a batch lie one after the other, so one copy takes them all. Pointers into a block stay: it only gets more
 * memory while it is empty. */
static void gather(struct reading *r, const struct batch *in) {
    struct block *b = r->block;
    const char *start = in->line[0].at;
    size_t bytes = (size_t)(in->line[in->n - 1].at + in->line[in->n - 1].n - start);
    if (b->n + in->n > BLOCK || b->used + bytes > b->room) take_block(r);
    if (bytes > b->room) b->bytes = must_alloc(b->bytes, b->room = bytes);
    memcpy(b->bytes + b->used, start, bytes);
    for (size_t i = 0; i < in->n; i++) {
        struct piece line = {b->bytes + b->used + (in->line[i].at - start), in->line[i].n};
        b->line[b->n] = line;
        b->item[b->n++] = key_of(&r->job->keys, line);
        unsigned long long number = in->first + i;
        if (b->item[b->n - 1].n > longest) trouble("stdin, line %llu: longer than a server takes (512 MiB)", number);
    }
    b->used += bytes;
}

void blocks_read(const struct redis_job *job, bool (*take)(void *context, struct block *b), void *context) {
    static struct block block;
    static struct batch b;
    struct lines in;
    struct reading r = {.job = job, .block = &block, .take = take, .context = context};
    block = (struct block){.first = 1, .end = key_line_end(&job->keys), .room = block_bytes};
    block.bytes = must_alloc(NULL, block.room);
    lines_open(&in, block.end);
    in.idle = idle;
    in.context = &r;
    progress_begin(job->progress);
    while (!r.enough && lines_next(&in, &b)) {
        gather(&r, &b);
        if (job->stop_at_no) take_block(&r); /* the wait for more may be long */
        progress_tick(&in);
    }
    take_block(&r);
    out_flush();
    progress_end(&in);
    lines_close(&in);
    free(block.bytes);
}

void block_print(const struct block *b, size_t i) {
    out_write(b->line[i].at, b->line[i].n);
    out_write(&b->end, 1);
}

uint64_t block_count(const struct block *b, enum answer answer) {
    uint64_t count = 0;
    for (size_t i = 0; i < b->n; i++) count += b->answer[i] == answer;
    return count;
}
