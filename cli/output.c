/* See output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"

enum { CAPACITY = 256 << 10 };

static const char *output_name = "stdout"; /* for messages */
static bool to_terminal;                   /* then progress is removed before lines are written */
static uint8_t buffer[CAPACITY];
static size_t used;

void output_open(const char *path, struct operands inputs) {
    to_terminal = path == NULL && isatty(STDOUT_FILENO) == 1;
    if (path == NULL) return;
    input_must_not_include(inputs, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) trouble("%s: %s", path, system_error());
    close(fd);
    output_name = path;
}

static void write_all(const uint8_t *p, size_t n) {
    if (to_terminal && n > 0) progress_hide();
    while (n > 0) {
        ssize_t written = write(STDOUT_FILENO, p, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) { /* another process made the shared pipe non-blocking */
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (written < 0 && errno == EPIPE)
            exit(EXIT_TROUBLE); /* SIGPIPE is ignored: exit as silently as the signal would */
        if (written < 0) trouble("%s: %s; output is incomplete", output_name, system_error());
        p += written;
        n -= (size_t)written;
    }
}

void output_flush(void) {
    size_t n = used;
    used = 0; /* first, so that an exit from write_all does not write the same bytes again */
    write_all(buffer, n);
}

void output_write(const void *bytes, size_t n) {
    if (n > CAPACITY - used) output_flush();
    if (n > CAPACITY) {
        write_all(bytes, n);
        return;
    }
    memcpy(buffer + used, bytes, n);
    used += n;
}

/* Adjacent lines are copied together: the input buffer already has their line ends between them. */
void output_lines(const struct batch *b, const bool *selected, bool wanted, char end) {
    for (size_t i = 0; i < b->n; i++) {
        if (selected[i] != wanted) continue;
        const char *start = b->line[i].data;
        while (i + 1 < b->n && selected[i + 1] == wanted) i++;
        bool unterminated = b->unterminated && i + 1 == b->n;
        output_write(start, (size_t)(b->line[i].data + b->line[i].size - start) + !unterminated);
        if (unterminated) output_write(&end, 1);
    }
}
