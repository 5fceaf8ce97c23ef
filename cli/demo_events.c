/* See demo_events.h. Event i has the time 2026-01-01 00:00 plus i milliseconds. */
#include "demo_events.h"

#include <inttypes.h>
#include <stdio.h>

#include "output.h"

static uint64_t next_random(uint64_t *state) { /* xorshift64 (Marsaglia 2003) */
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* "2026-01-01T00:00:00.000Z order-1 paid\n". After 31 days the time starts again from the first. */
static int format_event(char *to, size_t room, uint64_t ms, uint64_t order) {
    static const char *const states[] = {"placed", "paid", "packed", "shipped"};
    uint64_t s = ms / 1000;
    return snprintf(to, room, "2026-01-%02uT%02u:%02u:%02u.%03uZ order-%" PRIu64 " %s\n",
                    (unsigned)(s / 86400 % 31) + 1, (unsigned)(s / 3600 % 24), (unsigned)(s / 60 % 60),
                    (unsigned)(s % 60), (unsigned)(ms % 1000), order, states[order % 4]);
}

void demo_events_print(uint64_t n) {
    enum { LATEST = 100000 }; /* a repeated event belongs to one of the last LATEST orders */
    uint64_t random = 88172645463325252u, orders = 0;
    char line[128];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = next_random(&random), window = orders < LATEST ? orders : LATEST;
        bool repeated = orders > 0 && (r & 1) != 0;
        uint64_t order = repeated ? orders - (r >> 1) % window : ++orders;
        output_write(line, (size_t)format_event(line, sizeof line, i, order));
    }
    output_flush();
}
