/* See events.h. Event i happens i milliseconds after the year began. */
#include "events.h"

#include <inttypes.h>
#include <stdio.h>

#include "out.h"

static uint64_t next_random(uint64_t *state) { /* xorshift, Marsaglia's */
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* Time of day only goes on for a month; then it starts again. */
static int format_event(char *to, size_t room, uint64_t ms, uint64_t order) {
    static const char *const happened[] = {"placed", "paid", "packed", "shipped"};
    uint64_t s = ms / 1000;
    return snprintf(to, room, "2026-01-%02uT%02u:%02u:%02u.%03uZ order-%" PRIu64 " %s\n",
                    (unsigned)(s / 86400 % 31) + 1, (unsigned)(s / 3600 % 24), (unsigned)(s / 60 % 60),
                    (unsigned)(s % 60), (unsigned)(ms % 1000), order, happened[order % 4]);
}

void events_print(uint64_t n) {
    enum { LATEST = 100000 }; /* what is sent again is one of these many */
    uint64_t luck = 88172645463325252u, orders = 0;
    char line[128];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = next_random(&luck), window = orders < LATEST ? orders : LATEST;
        bool again = orders > 0 && (r & 1) != 0;
        uint64_t order = again ? orders - (r >> 1) % window : ++orders;
        out_write(line, (size_t)format_event(line, sizeof line, i, order));
    }
    out_flush();
}
