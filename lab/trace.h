/* A flow trace: who comes when and goes when. The paper's (Yahoo!, 20 minutes) is not public, so there is a generator
 * with the same totals, and a reader for a trace of your own:
 *
 *     start,end,key          the header is optional
 *     0.013,12.5,10.0.0.1>10.0.0.9
 *
 * Times are seconds; lines are in the order of start. Everything after the second comma is the key. */
#ifndef GUIRA_LAB_TRACE_H
#define GUIRA_LAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flow {
    double start, end;
    size_t key, length; /* where in keys */
};

struct event {
    double time;
    size_t flow;
    bool arrives;
};

struct trace {
    struct flow *flow;
    size_t flows, room;
    char *keys;
    size_t bytes, keys_room;
    struct event *event; /* in the order of time; at one time departures come first */
    size_t events;
    size_t peak; /* most flows at once */
};

enum { PAPER_FLOWS = 58941, PAPER_PEAK = 7290, PAPER_SECONDS = 1200 };

/* Flows that rise and fall in waves and end by draining, exactly so many in all and exactly peak at once. Dies if out
 * of memory. */
struct trace trace_generate(uint64_t seed, size_t flows, size_t peak, double seconds);

/* False: message says what is wrong, with the name and the line; nothing is left allocated. */
bool trace_read(FILE *in, const char *name, struct trace *out, char *message, size_t room);

void trace_free(struct trace *t);

const char *trace_key(const struct trace *t, size_t flow, size_t *length);

#endif
