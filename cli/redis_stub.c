/* Replaces all other redis_*.c except redis_options.c if hiredis was not found at build time. */
#include "redis.h"
#include "report.h"

static _Noreturn void not_supported(void) { trouble("--redis: not supported, guira was built without hiredis"); }

int redis_uniq(const struct redis_job *job) {
    (void)job;
    not_supported();
}

int redis_add(const struct redis_job *job) { return redis_uniq(job); }
int redis_remove(const struct redis_job *job) { return redis_uniq(job); }
int redis_test(const struct redis_job *job) { return redis_uniq(job); }

int redis_metrics(const struct redis_options *redis) {
    (void)redis;
    not_supported();
}
