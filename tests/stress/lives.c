/* See lives.h. */
#define _GNU_SOURCE
#include "lives.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *kept_make(size_t size) {
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) abort();
    return at;
}

void kill_in(uint64_t microseconds) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(microseconds / 1000000), .tv_nsec = (long)(microseconds % 1000000 * 1000 + 1)}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0) abort();
}

static void remove_leftovers(const char *name) {
    unsigned n = 0;
    DIR *d = opendir(job.directory);
    if (d == NULL) abort();
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' || strcmp(e->d_name, name) == 0) continue;
        EXPECT(strncmp(e->d_name, name, strlen(name)) == 0, "a file %s was left", e->d_name);
        unlink(file_in(e->d_name));
        n++;
    }
    closedir(d);
    EXPECT(n <= 1, "%u temporary files were left", n);
}

bool live(void (*life)(struct rng *r), struct rng *r, const char *name) {
    int status;
    struct rng own = {rng_next(r)};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        counts = (struct counts){0}; /* the parent's */
        life(&own);
        counts_add();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN) _exit(EXIT_BROKEN);
    EXPECT(killed || status == 0, "a child process ended with status %d", status);
    remove_leftovers(name);
    counts.kills += killed;
    return killed;
}
