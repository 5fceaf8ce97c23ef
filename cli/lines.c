/* See lines.h. */
#include "lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "stop.h"

static const size_t block = 1 << 20;

/* What is left to read of a file, so that one can say how long it will take. */
static uint64_t size_of_input(void) {
    struct stat st;
    if (fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return at >= 0 && st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
}

void lines_open(struct lines *in, char end) {
    memset(in, 0, sizeof *in);
    in->end = end;
    in->room = 2 * block;
    in->buffer = must_alloc(NULL, in->room);
    in->size = size_of_input();
}

void lines_close(struct lines *in) { free(in->buffer); }

/* As many whole lines as there are and the batch has room for. */
static void split(struct lines *in, struct batch *b) {
    const char *p = in->buffer + in->from, *end = in->buffer + in->to;
    while (b->n < BATCH && p < end) {
        const char *stop = memchr(p, in->end, (size_t)(end - p));
        if (stop == NULL) break;
        b->line[b->n++] = (struct piece){p, (size_t)(stop - p)};
        p = stop + 1;
    }
    in->from = (size_t)(p - in->buffer);
}

/* Room for at least one block behind what is there: the unfinished line goes to the front, long ones get a larger buffer. */
static void make_room(struct lines *in) {
    size_t left = in->to - in->from;
    if (in->from > 0) memmove(in->buffer, in->buffer + in->from, left);
    in->from = 0;
    in->to = left;
    if (in->room - in->to >= block) return;
    in->room *= 2;
    in->buffer = must_alloc(in->buffer, in->room);
}

/* Waits for input. False: a stop was asked for. */
static bool wait_for_input(struct lines *in) {
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = stop_fd(), .events = POLLIN}};
    int timeout = 0; /* the first time only to see whether there is a wait */
    while (!stop_asked()) {
        int ready = poll(fds, 2, timeout);
        if (ready < 0 && errno != EINTR) trouble("stdin: %s", system_error());
        if (ready > 0 && fds[0].revents != 0) return true;
        if (ready == 0) timeout = in->idle == NULL ? -1 : in->idle(in->context);
    }
    return false;
}

/* False: there is no more, or a stop was asked for. */
static bool refill(struct lines *in) {
    ssize_t n;
    make_room(in);
    do {
        if (!wait_for_input(in)) return false;
        n = read(STDIN_FILENO, in->buffer + in->to, in->room - in->to);
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
    b->open_end = false;
    split(in, b);
    while (b->n == 0 && !in->ended && refill(in)) split(in, b);
    if (b->n == 0 && in->ended && in->from < in->to) {
        b->line[b->n++] = (struct piece){in->buffer + in->from, in->to - in->from};
        b->open_end = true;
        in->from = in->to;
    }
    in->count += b->n;
    return b->n > 0;
}
