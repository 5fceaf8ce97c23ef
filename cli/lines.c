/* See lines.h. */
#include "lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "signals.h"

static const size_t read_size = 1 << 20; /* free space before each read */

/* The bytes left to read if stdin is a file, for the estimate of the remaining time; else 0. */
static uint64_t remaining_input(void) {
    struct stat st;
    if (fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return at >= 0 && st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
}

void lines_open(struct lines *in, char end) {
    memset(in, 0, sizeof *in);
    in->end = end;
    in->capacity = 2 * read_size;
    in->buffer = alloc_or_die(NULL, in->capacity);
    in->size = remaining_input();
}

void lines_close(struct lines *in) { free(in->buffer); }

/* Adds complete lines of the buffer to the batch until one of both is exhausted. */
static void split(struct lines *in, struct batch *b) {
    const char *p = in->buffer + in->from, *end = in->buffer + in->to;
    while (b->n < BATCH && p < end) {
        const char *stop = memchr(p, in->end, (size_t)(end - p));
        if (stop == NULL) break;
        b->line[b->n++] = (struct slice){p, (size_t)(stop - p)};
        p = stop + 1;
    }
    in->from = (size_t)(p - in->buffer);
}

/* Makes room for at least read_size bytes: moves the incomplete line to the front and, if it is long, doubles the
 * buffer. */
static void make_capacity(struct lines *in) {
    size_t left = in->to - in->from;
    if (in->from > 0) memmove(in->buffer, in->buffer + in->from, left);
    in->from = 0;
    in->to = left;
    if (in->capacity - in->to >= read_size) return;
    in->capacity *= 2;
    in->buffer = alloc_or_die(in->buffer, in->capacity);
}

/* Waits for input. False: SIGINT or SIGTERM was received. */
static bool wait_for_input(struct lines *in) {
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signals_fd(), .events = POLLIN}};
    int timeout = 0; /* the first poll only tests whether input is available, before idle() is called */
    while (!signal_received()) {
        int ready = poll(fds, 2, timeout);
        if (ready < 0 && errno != EINTR) trouble("stdin: %s", system_error());
        if (ready > 0 && fds[0].revents != 0) return true;
        if (ready == 0) timeout = in->idle == NULL ? -1 : in->idle(in->context);
    }
    return false;
}

/* Reads once. False: end of input, or a signal was received. */
static bool refill(struct lines *in) {
    ssize_t n;
    make_capacity(in);
    do {
        if (!wait_for_input(in)) return false;
        n = read(STDIN_FILENO, in->buffer + in->to, in->capacity - in->to);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0) trouble("stdin: %s (after %llu lines)", system_error(), (unsigned long long)in->count);
    in->to += (size_t)n;
    in->bytes += (uint64_t)n;
    in->ended = n == 0;
    return n > 0;
}

bool lines_next(struct lines *in, struct batch *b) {
    b->n = 0;
    b->first = in->count + 1;
    b->unterminated = false;
    split(in, b);
    while (b->n == 0 && !in->ended && refill(in)) split(in, b);
    if (b->n == 0 && in->ended && in->from < in->to) {
        b->line[b->n++] = (struct slice){in->buffer + in->from, in->to - in->from};
        b->unterminated = true;
        in->from = in->to;
    }
    in->count += b->n;
    return b->n > 0;
}
