/* See input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode.h"
#include "report.h"
#include "signals.h"

enum { RAW = 256 << 10 };

static bool is_stdin(const char *name) { return strcmp(name, "-") == 0; }

/* ---------------------------------------------------------------------------------------------------- before reading */

/* The bytes left to read if it is a file, for the estimate of the remaining time; else 0. */
static uint64_t remaining(const char *name) {
    struct stat st;
    if ((is_stdin(name) ? fstat(STDIN_FILENO, &st) : stat(name, &st)) != 0 || !S_ISREG(st.st_mode)) return 0;
    off_t at = is_stdin(name) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    return at >= 0 && st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
}

static struct operands or_stdin(struct operands files) {
    static char dash[] = "-", *only_stdin[] = {dash};
    return files.n > 0 ? files : (struct operands){only_stdin, 1};
}

void input_check(struct operands files) {
    struct stat st;
    for (size_t i = 0; i < files.n; i++) {
        const char *name = files.name[i];
        if (is_stdin(name)) continue;
        if (stat(name, &st) != 0 || access(name, R_OK) != 0) trouble("%s: %s", name, system_error());
        if (S_ISDIR(st.st_mode)) trouble("%s: is a directory", name);
    }
}

void input_open(struct input *in, struct operands files) {
    bool known = true;
    input_check(files);
    memset(in, 0, sizeof *in);
    in->files = or_stdin(files);
    in->name = "stdin";
    in->fd = -1;
    in->raw = alloc_or_die(NULL, RAW);
    for (size_t i = 0; i < in->files.n; i++) {
        uint64_t size = remaining(in->files.name[i]);
        known = known && size > 0;
        in->size += size;
    }
    if (!known) in->size = 0;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

void input_must_not_include(struct operands files, const char *path) {
    struct stat there, here;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) return;
    files = or_stdin(files);
    for (size_t i = 0; i < files.n; i++) {
        int failed = is_stdin(files.name[i]) ? fstat(STDIN_FILENO, &here) : stat(files.name[i], &here);
        if (failed == 0 && same_file(&here, &there)) trouble("%s: is also an input file", path);
    }
}

/* Counts with pread, so that the position of stdin does not change. */
static bool count_in(int fd, off_t at, char end, char *buffer, uint64_t *count) {
    ssize_t n;
    for (bool first = true; (n = pread(fd, buffer, RAW, at)) > 0; at += n, first = false) {
        if (first && decoder_format(buffer, (size_t)n) != PLAIN) return false;
        for (const char *p = buffer; (p = memchr(p, end, (size_t)(buffer + n - p))) != NULL; p++) ++*count;
    }
    return n == 0;
}

bool input_count_lines(struct operands files, char end, uint64_t *out) {
    files = or_stdin(files);
    char *buffer = alloc_or_die(NULL, RAW);
    bool known = true;
    *out = 0;
    for (size_t i = 0; i < files.n && known; i++) {
        const char *name = files.name[i];
        known = remaining(name) > 0;
        int fd = is_stdin(name) ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
        off_t at = is_stdin(name) ? lseek(fd, 0, SEEK_CUR) : 0;
        known = known && fd >= 0 && at >= 0 && count_in(fd, at, end, buffer, out);
        if (fd > STDIN_FILENO) close(fd);
    }
    free(buffer);
    return known;
}

/* ----------------------------------------------------------------------------------------------------------- reading */

__attribute__((format(printf, 2, 3))) static void fail(struct input *in, const char *format, ...) {
    va_list arguments;
    int n = snprintf(in->error, sizeof in->error, "%.150s: ", in->name);
    va_start(arguments, format);
    vsnprintf(in->error + n, sizeof in->error - (size_t)n, format, arguments);
    va_end(arguments);
}

/* Waits for input. False: SIGINT or SIGTERM was received. */
static bool wait_for_input(struct input *in) {
    struct pollfd fds[] = {{.fd = in->fd, .events = POLLIN}, {.fd = signals_fd(), .events = POLLIN}};
    int timeout = 0; /* the first poll only tests whether input is available, before idle() is called */
    while (!signal_received()) {
        int ready = poll(fds, 2, timeout);
        if (ready < 0 && errno != EINTR) {
            fail(in, "%s", system_error());
            return false;
        }
        if (ready > 0 && fds[0].revents != 0) return true;
        if (ready == 0) timeout = in->idle == NULL ? -1 : in->idle(in->context);
    }
    return false;
}

static size_t read_stored(struct input *in, void *to, size_t n) {
    ssize_t got;
    do {
        if (!wait_for_input(in)) return 0;
        got = read(in->fd, to, n);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    if (got < 0) fail(in, "%s", system_error());
    if (got <= 0) return 0;
    in->bytes += (uint64_t)got;
    return (size_t)got;
}

/* Reads more stored bytes behind those that are not used yet. */
static void refill(struct input *in) {
    size_t left = in->raw_to - in->raw_from;
    memmove(in->raw, in->raw + in->raw_from, left);
    size_t got = read_stored(in, in->raw + left, RAW - left);
    in->raw_from = 0;
    in->raw_to = left + got;
    in->raw_ended = got == 0;
}

static bool name_ends_with(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* Reads the first bytes and chooses the decoder. Reads on only while they can still become those of a compressed file. */
static bool choose_decoder(struct input *in) {
    enum format format = PLAIN;
    do {
        refill(in);
        format = decoder_format((const char *)in->raw, in->raw_to);
    } while (format == UNDECIDED && !in->raw_ended);
    if (*in->error != '\0') return false;
    if (format == UNDECIDED) format = PLAIN;
    enum format wanted = name_ends_with(in->name, ".gz") ? GZIP : name_ends_with(in->name, ".zst") ? ZSTD : format;
    if (wanted != format && in->raw_to > 0) {
        fail(in, "not in %s format", decoder_name(wanted));
        return false;
    }
    if (format == PLAIN) return true;
    in->decoder = decoder_open(format);
    if (in->decoder == NULL) fail(in, "compressed with %s, which this guira was built without", decoder_name(format));
    return in->decoder != NULL;
}

void input_end(struct input *in) {
    if (in->fd > STDIN_FILENO) close(in->fd);
    decoder_close(in->decoder);
    in->decoder = NULL;
    in->fd = -1;
    in->raw_from = in->raw_to = 0;
    in->raw_ended = false;
}

bool input_next(struct input *in) {
    input_end(in);
    if (*in->error != '\0' || in->next == in->files.n) return false;
    const char *name = in->files.name[in->next++];
    in->name = is_stdin(name) ? "stdin" : name;
    in->fd = is_stdin(name) ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0) fail(in, "%s", system_error());
    return in->fd >= 0 && choose_decoder(in);
}

/* Bytes that were read to recognise the format, then directly from the file. */
static size_t read_plain(struct input *in, char *to, size_t n) {
    size_t left = in->raw_to - in->raw_from;
    if (left == 0) return in->raw_ended ? 0 : read_stored(in, to, n);
    if (n > left) n = left;
    memcpy(to, in->raw + in->raw_from, n);
    in->raw_from += n;
    return n;
}

/* Decodes until there is output. At the end of the stored bytes, what was encoded must be complete. */
static size_t read_decoded(struct input *in, char *to, size_t n) {
    for (;;) {
        size_t used = in->raw_to - in->raw_from, made = n;
        const char *error = decoder_run(in->decoder, in->raw + in->raw_from, &used, to, &made);
        in->raw_from += used;
        if (error != NULL) {
            fail(in, "damaged: %s", error);
            return 0;
        }
        if (made > 0) return made;
        if (in->raw_ended && in->raw_from == in->raw_to) {
            if (!decoder_is_complete(in->decoder) && !signal_received())
                fail(in, "truncated: the compressed data has no end");
            return 0;
        }
        refill(in);
        if (*in->error != '\0') return 0;
    }
}

size_t input_read(struct input *in, char *to, size_t n) {
    return in->decoder != NULL ? read_decoded(in, to, n) : read_plain(in, to, n);
}

void input_close(struct input *in) {
    input_end(in);
    free(in->raw);
}
