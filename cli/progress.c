/* See progress.h. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "units.h"

/* One command runs per process, so its progress is global. */
static struct {
    bool on, terminal, visible;
    double start, next;
} progress;

double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A terminal that cannot erase a line shows none. Lines that are printed on the same terminal erase it: output.c. */
void progress_begin(bool forced) {
    const char *term = getenv("TERM");
    bool dumb = term != NULL && strcmp(term, "dumb") == 0;
    progress.terminal = isatty(STDERR_FILENO) == 1 && !dumb;
    progress.on = forced || progress.terminal;
    progress.start = clock_seconds();
    progress.next = progress.start + 1; /* a command that takes less than a second shows none */
}

void progress_hide(void) {
    if (progress.visible) fputs("\r\033[K", stderr);
    progress.visible = false;
}

static void print_progress(const struct lines *in, double now) {
    char lines[UNIT_TEXT], bytes[UNIT_TEXT], rate[UNIT_TEXT], left[UNIT_TEXT];
    double seconds = now - progress.start, done = in->size == 0 ? 0 : (double)in->bytes / (double)in->size;
    progress_hide();
    fprintf(stderr, "%s line%s, %s, %s lines/s", write_count((double)in->count, lines), in->count == 1 ? "" : "s",
            write_size((double)in->bytes, bytes), write_count((double)in->count / (seconds + 1e-9), rate));
    if (done > 0 && done < 1)
        fprintf(stderr, ", %.0f%%, %s left", 100 * done, write_elapsed(seconds / done * (1 - done), left));
    if (!progress.terminal) fputc('\n', stderr);
    progress.visible = progress.terminal;
    fflush(stderr);
}

void progress_tick(const struct lines *in) {
    if (!progress.on) return;
    double now = clock_seconds();
    if (now < progress.next) return;
    progress.next = now + (progress.terminal ? 0.25 : 1);
    print_progress(in, now);
}

void progress_end(const struct lines *in) {
    progress_hide();
    if (progress.on && !progress.terminal) print_progress(in, clock_seconds());
    progress.on = false;
}
