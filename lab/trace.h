/* Flow traces: when each network flow starts and ends. The paper's trace (Yahoo!, 20 minutes) is not public, so there
 * is a generator with the same totals, and a reader for traces of your own:
 *
 *     start,end,key          the header is optional
 *     0.013,12.5,10.0.0.1>10.0.0.9
 *
 * Times are in seconds; lines are sorted by start. Everything after the second comma is the key. */
#ifndef GUIRA_LAB_TRACE_H
#define GUIRA_LAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flow {
    double start, end;
    size_t key, length; /* position in trace.keys */
};

struct event {
    double time;
    size_t flow;
    bool arrives;
};

struct trace {
    struct flow *flow;
    size_t flows, capacity;
    char *keys;
    size_t bytes, keys_capacity;
    struct event *event; /* sorted by time; departures before arrivals of the same time */
    size_t events;
    size_t peak; /* maximum number of concurrent flows */
};

enum { PAPER_FLOWS = 58941, PAPER_PEAK = 7290, PAPER_SECONDS = 1200 };

/* Generates a trace with exactly this number of flows, and of concurrent flows at the peak. The number of flows rises
 * and falls in waves and drops at the end. Exits if memory runs out. */
struct trace trace_generate(uint64_t seed, size_t flows, size_t peak, double seconds);

/* False: message says what is wrong, with the name and the line; nothing stays allocated. */
bool trace_read(FILE *in, const char *name, struct trace *out, char *message, size_t size);

void trace_free(struct trace *t);

const char *trace_key(const struct trace *t, size_t flow, size_t *length);

#endif
