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
    struct latency *l = f->rare->latency;
    if (count(&l->asked, 1) % l->every != 0) return l->untimed(f, hash);
    uint64_t start = now();
    bool found = l->untimed(f, hash);
    guira__latency_record(l, now() - start);
    return found;
}

/* ------------------------------------------------------------------------------------------------------- on and off */

static bool is_on(const guira *f) { return f->contains == guira__latency_contains; }

bool (*guira__latency_untimed(const guira *f))(const guira *f, uint64_t hash) {
    return is_on(f) ? f->rare->latency->untimed : f->contains;
}

void guira__latency_set_contains(guira *f, bool (*contains)(const guira *f, uint64_t hash)) {
    if (is_on(f)) f->rare->latency->untimed = contains;
    else f->contains = contains;
}

static void turn_on(guira *f, unsigned every) {
    f->rare->latency->untimed = guira__latency_untimed(f);
    f->rare->latency->every = every;
    f->contains = guira__latency_contains;
}

static void turn_off(guira *f) { f->contains = guira__latency_untimed(f); }

guira_status guira_latency_sample(guira *f, unsigned every) {
    if (f == NULL) return GUIRA_EINVAL;
    if (every == 0) {
        turn_off(f);
        return GUIRA_OK;
    }
    if (!guira__rare_make(f)) return GUIRA_ENOMEM;
    if (f->rare->latency == NULL) f->rare->latency = (struct latency *)guira__zalloc(sizeof *f->rare->latency);
    if (f->rare->latency == NULL) return GUIRA_ENOMEM;
    turn_on(f, every);
    return GUIRA_OK;
}

uint64_t guira__latency_bytes(const guira *f) {
    const struct latency *l = f->rare == NULL ? NULL : f->rare->latency;
    return l != NULL ? guira__alloc_cost(sizeof *l) : 0;
}

void guira__latency_move(guira *from, guira *to) {
    bool on = is_on(from);
    if (from->rare == NULL || from->rare->latency == NULL) return;
    to->rare->latency = from->rare->latency;
    if (on) turn_on(to, (unsigned)to->rare->latency->every);
    guira__latency_forget(from);
}

void guira__latency_forget(guira *f) {
    turn_off(f);
    if (f->rare == NULL) return;
    f->rare->latency = NULL;
    guira__rare_trim(f);
}

void guira__latency_free(guira *f) {
    turn_off(f);
    if (f->rare == NULL) return;
    guira__free(f->rare->latency);
    f->rare->latency = NULL;
}
