/* In the place of all the other redis_*.c but redis_options.c, where hiredis was not found. */
#include "redis.h"
#include "report.h"

static _Noreturn void say_so(void) { trouble("--redis: this guira was built without hiredis and cannot"); }

int redis_uniq(const struct redis_job *job) {
    (void)job;
    say_so();
}

int redis_add(const struct redis_job *job) { return redis_uniq(job); }
int redis_remove(const struct redis_job *job) { return redis_uniq(job); }
int redis_test(const struct redis_job *job) { return redis_uniq(job); }

int redis_metrics(const struct redis_options *redis) {
    (void)redis;
    say_so();
}
