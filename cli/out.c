/* See out.h. */
#include "out.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

enum { ROOM = 256 << 10 };

static uint8_t buffer[ROOM];
static size_t used;

static void write_all(const uint8_t *p, size_t n) {
    while (n > 0) {
        ssize_t written = write(STDOUT_FILENO, p, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) { /* somebody made the pipe or terminal we share non-blocking */
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (written < 0 && errno == EPIPE)
            exit(EXIT_TROUBLE); /* only where SIGPIPE is ignored; it is no news either way */
        if (written < 0) trouble("stdout: %s; what was not written is lost", system_error());
        p += written;
        n -= (size_t)written;
    }
}

void out_flush(void) {
    size_t n = used;
    used = 0; /* first: whoever ends in write_all must not come back for the same bytes */
    write_all(buffer, n);
}

void out_write(const void *bytes, size_t n) {
    if (n > ROOM - used) out_flush();
    if (n > ROOM) {
        write_all(bytes, n);
        return;
    }
    memcpy(buffer + used, bytes, n);
    used += n;
}

/* Neighbours go in one copy: the ends of lines lie between them already. */
void out_lines(const struct batch *b, const bool *pick, bool wanted, char end) {
    for (size_t i = 0; i < b->n; i++) {
        if (pick[i] != wanted) continue;
        const char *start = b->line[i].at;
        while (i + 1 < b->n && pick[i + 1] == wanted) i++;
        bool open_end = b->open_end && i + 1 == b->n;
        out_write(start, (size_t)(b->line[i].at + b->line[i].n - start) + !open_end);
        if (open_end) out_write(&end, 1);
    }
}
