/* See latency.h. */
#define _POSIX_C_SOURCE 199309L
#include "filter/latency.h"

#include <time.h>

#include "base/alloc.h"

const struct latency_bound guira__latency_bound[LATENCY_BOUNDS] = {
    {25, "2.5e-08"},     {50, "5e-08"},      {100, "1e-07"},     {250, "2.5e-07"},
    {500, "5e-07"},      {1000, "1e-06"},    {2500, "2.5e-06"},  {5000, "5e-06"},
    {10000, "1e-05"},    {25000, "2.5e-05"}, {50000, "5e-05"},   {100000, "0.0001"},
    {250000, "0.00025"}, {500000, "0.0005"}, {1000000, "0.001"}, {10000000, "0.01"},
};

static uint64_t count(uint64_t *counter, uint64_t n) { return __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

static uint64_t now(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void guira__latency_record(struct latency *l, uint64_t ns) {
    size_t i = 0;
    while (i < LATENCY_BOUNDS && ns > guira__latency_bound[i].ns) i++;
    count(&l->timed[i], 1);
    count(&l->sum, ns);
}

bool guira__latency_contains(const guira *f, uint64_t hash) {
    struct latency *l = f->latency;
    if (count(&l->asked, 1) % l->every != 0) return f->untimed(f, hash);
    uint64_t start = now();
    bool found = f->untimed(f, hash);
    guira__latency_record(l, now() - start);
    return found;
}

/* ------------------------------------------------------------------------------------------------------- on and off */

static void turn_on(guira *f, unsigned every) {
    if (f->untimed == NULL) f->untimed = f->contains;
    f->latency->every = every;
    f->contains = guira__latency_contains;
}

static void turn_off(guira *f) {
    if (f->untimed != NULL) f->contains = f->untimed;
    f->untimed = NULL;
}

guira_status guira_latency_sample(guira *f, unsigned every) {
    if (f == NULL) return GUIRA_EINVAL;
    if (every == 0) {
        turn_off(f);
        return GUIRA_OK;
    }
    if (f->latency == NULL) f->latency = guira__zalloc(sizeof *f->latency);
    if (f->latency == NULL) return GUIRA_ENOMEM;
    turn_on(f, every);
    return GUIRA_OK;
}

uint64_t guira__latency_bytes(const guira *f) { return f->latency != NULL ? guira__alloc_cost(sizeof *f->latency) : 0; }

void guira__latency_forget(guira *f) {
    turn_off(f);
    f->latency = NULL;
}

void guira__latency_free(guira *f) {
    if (f->latency != NULL) guira__free(f->latency);
}
