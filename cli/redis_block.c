/* See redis_block.h. */
#include "redis_block.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "progress.h"
#include "report.h"

static const size_t block_bytes = 4 << 20;                /* more for a longer line */
static const size_t max_item = (size_t)512 * 1024 * 1024; /* limit of Redis (proto-max-bulk-len) */

struct block_reader {
    const struct redis_job *job;
    struct key_reader *keys;
    struct block *block;
    bool (*handle)(void *context, struct block *b);
    void *context;
    bool stopped; /* handle returned false */
};

/* Passes the block to the handler and empties it. */
static void handle_block(struct block_reader *r) {
    if (r->block->n == 0 || r->stopped) return;
    r->stopped = !r->handle(r->context, r->block);
    for (size_t i = 0; i < r->block->n; i++) free(r->block->copy[i]);
    r->block->first += r->block->n;
    r->block->n = 0;
    r->block->used = 0;
}

/* Before waiting for input: sends the lines that were read, and writes the output. */
static int idle(void *context) {
    handle_block(context);
    output_flush();
    return -1;
}

/* Sets the key of line i, which is the last one. It is copied unless it is a part of the line. */
static void set_item(struct block_reader *r, size_t i) {
    struct block *b = r->block;
    struct slice line = b->line[i], key = key_of(r->keys, line);
    bool is_part = key.data >= line.data && key.data + key.size <= line.data + line.size;
    b->copy[i] = is_part ? NULL : memcpy(alloc_or_die(NULL, key.size + 1), key.data, key.size);
    b->item[i] = is_part ? key : (struct slice){b->copy[i], key.size};
    unsigned long long number = b->first + i;
    if (key.size > max_item) trouble("line %llu of the input: longer than a server accepts (512 MiB)", number);
}

/* Copies a batch into the block. The lines of a batch are adjacent, so this is one memcpy. Slices of the block stay
 * valid, because it is only reallocated while it is empty. */
static void append_batch(struct block_reader *r, const struct batch *in) {
    struct block *b = r->block;
    const char *start = in->line[0].data;
    size_t bytes = (size_t)(in->line[in->n - 1].data + in->line[in->n - 1].size - start);
    if (b->n + in->n > BLOCK || b->used + bytes > b->capacity) handle_block(r);
    if (bytes > b->capacity) b->bytes = alloc_or_die(b->bytes, b->capacity = bytes);
    memcpy(b->bytes + b->used, start, bytes);
    for (size_t i = 0; i < in->n; i++) {
        b->line[b->n] = (struct slice){b->bytes + b->used + (in->line[i].data - start), in->line[i].size};
        set_item(r, b->n++);
    }
    b->used += bytes;
}

void blocks_read(const struct redis_job *job, bool (*handle)(void *context, struct block *b), void *context) {
    static struct block block;
    struct batch b;
    struct lines in;
    struct block_reader r = {.job = job, .block = &block, .handle = handle, .context = context};
    struct lines_config config = {.files = job->files, .end = key_line_end(&job->keys), .idle = idle, .context = &r};
    if (job->keys.csv) config.csv = key_field_rule(&job->keys).delimiter;
    r.keys = key_reader_new(&job->keys);
    block = (struct block){.first = 1, .end = config.end, .capacity = block_bytes};
    block.bytes = alloc_or_die(NULL, block.capacity);
    lines_open(&in, &config);
    progress_begin(job->progress);
    while (!r.stopped && lines_next(&in, &b)) {
        append_batch(&r, &b);
        if (job->stop_early) handle_block(&r); /* do not wait for more input: one line may decide */
        progress_tick(&in);
    }
    handle_block(&r);
    output_flush();
    progress_end(&in);
    lines_check(&in);
    lines_close(&in);
    free(block.bytes);
}

void block_print(const struct block *b, size_t i) {
    output_write(b->line[i].data, b->line[i].size);
    output_write(&b->end, 1);
}

uint64_t block_count(const struct block *b, enum answer answer) {
    uint64_t count = 0;
    for (size_t i = 0; i < b->n; i++) count += b->answer[i] == answer;
    return count;
}
