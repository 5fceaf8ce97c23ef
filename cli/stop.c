/* See stop.h. The handler notes the signal and writes a byte into a pipe: a signal between the question and the wait
 * would else be slept through. */
#include "stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

static volatile sig_atomic_t asked;
static int ends[2] = {-1, -1};

static void on_signal(int number) {
    asked = number;
    ssize_t n = write(ends[1], "", 1);
    (void)n; /* a full pipe is readable too */
}

void stop_catch(void) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    a.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigemptyset(&a.sa_mask);
    if (pipe(ends) != 0) trouble("pipe: %s", system_error());
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

bool stop_asked(void) { return asked != 0; }

int stop_fd(void) { return ends[0]; }

void stop_now(void) {
    signal(asked, SIG_DFL);
    raise(asked);
}
