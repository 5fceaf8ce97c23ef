/* See signals.h. The handler stores the signal and writes a byte into a pipe (the "self-pipe trick"). Without the pipe,
 * a signal that arrives between the check of signal_received() and the call of poll() would not wake the process. */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

static atomic_int received; /* set by the handler, read by all threads */
static int pipe_ends[2] = {-1, -1};

static void on_signal(int number) {
    received = number;
    ssize_t n = write(pipe_ends[1], "", 1);
    (void)n; /* if the pipe is full it is readable, which is all that matters */
}

void signals_catch(void) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    a.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigemptyset(&a.sa_mask);
    if (pipe(pipe_ends) != 0) trouble("pipe: %s", system_error());
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

bool signal_received(void) { return received != 0; }

int signals_fd(void) { return pipe_ends[0]; }

void signal_reraise(void) {
    signal(received, SIG_DFL);
    raise(received);
}
