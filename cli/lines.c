/* See lines.h. */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "report.h"
#include "signals.h"

/* Free space before each read. A chunk and what is computed from it should stay in the second cache. */
static const size_t read_size = 256 << 10;

void lines_open(struct lines *in, const struct lines_config *config) {
    memset(in, 0, sizeof *in);
    in->config = *config;
    input_open(&in->input, config->files);
    in->size = in->input.size;
    if (config->jobs > 1) {
        in->ahead = ahead_start(in);
        return;
    }
    in->input.idle = config->idle;
    in->input.context = config->context;
}

void lines_check(const struct lines *in) {
    if (*in->input.error == '\0') return;
    trouble("%s (after %llu lines)", in->input.error, (unsigned long long)in->count);
}

void chunk_free(struct chunk *c) {
    free(c->bytes);
    free(c->line);
    free(c->hash);
    free(c->time);
    free(c->seen);
}

void lines_close(struct lines *in) {
    if (in->ahead != NULL) ahead_stop(in->ahead);
    input_close(&in->input);
    chunk_free(&in->chunk);
    free(in->carry);
}

/* ---------------------------------------------------------------------------------------------------------- filling */

static void make_room(char **bytes, size_t *capacity, size_t needed) {
    if (*capacity >= needed) return;
    *capacity = needed > 2 * *capacity ? needed : 2 * *capacity;
    *bytes = alloc_or_die(*bytes, *capacity);
}

/* The part of the chunk up to its last line end; 0: it has none. s->at: bytes before it have been searched. */
static size_t complete_part(const struct lines *in, const struct chunk *c, struct csv_scan *s) {
    if (in->config.csv != NULL) {
        csv_scan_to(s, c->bytes, c->size, in->config.end, in->config.csv);
        return s->complete;
    }
    const char *last = memrchr(c->bytes + s->at, in->config.end, c->size - s->at);
    s->at = c->size;
    return last == NULL ? 0 : (size_t)(last - c->bytes) + 1;
}

/* Ends the chunk at `complete`; the rest is for the next one. */
static void carry_rest(struct lines *in, struct chunk *c, size_t complete) {
    in->carried = c->size - complete;
    make_room(&in->carry, &in->carry_capacity, in->carried);
    if (in->carried > 0) memcpy(in->carry, c->bytes + complete, in->carried);
    c->size = complete;
}

static void start_chunk(struct lines *in, struct chunk *c) {
    make_room(&c->bytes, &c->capacity, in->carried + read_size);
    if (in->carried > 0) memcpy(c->bytes, in->carry, in->carried);
    c->size = in->carried;
    c->split = c->n = 0;
    c->unterminated = false;
    in->carried = 0;
}

/* Reads once. Returns the number of bytes; 0: the end of the file, a signal or an error. */
static size_t append_input(struct lines *in, struct chunk *c) {
    make_room(&c->bytes, &c->capacity, c->size + read_size + 1);
    size_t n = input_read(&in->input, c->bytes + c->size, c->capacity - c->size - 1);
    c->size += n;
    c->bytes[c->size] = '\0'; /* regexec looks at the byte behind a line, which may be the last one of a file */
    c->read = in->input.bytes;
    return n;
}

/* At the end of a file of CSV: lines that no record ends are one record, because a quote before them is not closed. */
static void report_unclosed_quote(const struct lines *in, const struct chunk *c) {
    const char *first = c->size == 0 ? NULL : memchr(c->bytes, in->config.end, c->size), *record = c->bytes;
    enum { SHOWN = 40 };
    if (in->config.csv == NULL || first == NULL) return;
    note("%s: a quote is not closed: everything from '%.*s' on is one record", in->input.name,
         (int)(first - record < SHOWN ? first - record : SHOWN), record);
}

/* Reads the current file until the chunk has a complete line. False: the file has ended and the chunk is empty. At the
 * end of a file the last line may have no end; after a signal or an error it is incomplete, and not used. */
static bool fill_from_file(struct lines *in, struct chunk *c) {
    struct csv_scan scan = {0};
    start_chunk(in, c);
    if (in->config.csv == NULL) scan.at = c->size; /* what was carried over has no line end */
    for (size_t complete = 0; complete == 0;) {
        if (append_input(in, c) == 0) {
            if (*in->input.error != '\0' || signal_received()) c->size = 0;
            c->unterminated = c->size > 0 && c->bytes[c->size - 1] != in->config.end;
            report_unclosed_quote(in, c);
            input_end(&in->input);
            return c->size > 0;
        }
        complete = complete_part(in, c, &scan);
        if (complete > 0) carry_rest(in, c, complete);
    }
    return true;
}

bool chunk_fill(struct lines *in, struct chunk *c) {
    c->first_of_file = false;
    while (!signal_received()) {
        if (in->input.fd < 0) {
            if (!input_next(&in->input)) return false;
            c->first_of_file = true;
        }
        c->name = in->input.name;
        if (fill_from_file(in, c)) return true;
    }
    return false;
}

/* -------------------------------------------------------------------------------------------------------- splitting */

static void make_line_room(struct chunk *c, size_t needed) {
    if (c->room >= needed) return;
    c->room = needed > 2 * c->room ? needed : 2 * c->room;
    c->line = alloc_or_die(c->line, c->room * sizeof *c->line);
    c->hash = alloc_or_die(c->hash, c->room * sizeof *c->hash);
    c->time = alloc_or_die(c->time, c->room * sizeof *c->time);
    c->seen = alloc_or_die(c->seen, c->room * sizeof *c->seen);
}

static const char *line_end(const struct lines *in, const char *p, const char *end) {
    if (in->config.csv != NULL) return csv_record_end(p, end, in->config.end, in->config.csv);
    return memchr(p, in->config.end, (size_t)(end - p));
}

void chunk_split(const struct lines *in, void *worker, struct chunk *c, size_t most, bool keep) {
    size_t start = keep ? c->n : 0;
    const char *p = c->bytes + c->split, *end = c->bytes + c->size;
    make_line_room(c, start + most);
    for (c->n = start; c->n < start + most && p < end;) {
        const char *stop = line_end(in, p, end);
        if (stop == NULL) stop = c->unterminated ? end : end - 1; /* the last line of a file, or an unclosed quote */
        c->line[c->n++] = (struct slice){p, (size_t)(stop - p)};
        p = stop + 1;
    }
    c->split = p < end ? (size_t)(p - c->bytes) : c->size;
    if (in->config.prepare != NULL)
        in->config.prepare(worker, c->line + start, c->n - start, c->hash + start, c->time + start);
}

/* ---------------------------------------------------------------------------------------------------------- batches */

/* Makes the next chunk, or the next part of it, the current one. */
static bool next_lines(struct lines *in) {
    struct chunk *c = &in->chunk;
    in->at = 0;
    if (in->ahead != NULL) {
        in->current = ahead_next(in->ahead);
    } else if (c->split < c->size || chunk_fill(in, c)) {
        if (c->split > 0) c->first_of_file = false;
        chunk_split(in, in->config.worker[0], c, BATCH, false);
        in->current = c;
    } else {
        in->current = NULL;
    }
    if (in->current != NULL && in->current->first_of_file) in->line = 1;
    return in->current != NULL;
}

bool lines_next(struct lines *in, struct batch *b) {
    if ((in->current == NULL || in->at == in->current->n) && !next_lines(in)) return false;
    const struct chunk *c = in->current;
    size_t left = c->n - in->at, n = left < BATCH ? left : BATCH;
    bool last = in->at + n == c->n && c->split == c->size;
    *b = (struct batch){.n = n,
                        .line = c->line + in->at,
                        .hash = c->hash + in->at,
                        .time = c->time + in->at,
                        .seen = in->config.look_up != NULL ? c->seen + in->at : NULL,
                        .answered = c->answered < in->at       ? 0
                                    : c->answered - in->at < n ? c->answered - in->at
                                                               : n,
                        .name = c->name,
                        .first = in->line,
                        .unterminated = c->unterminated && last};
    in->at += n;
    in->line += n;
    in->count += n;
    in->bytes = c->read;
    return true;
}
