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

struct slice redis_pull(const struct redis_options *o, const char *key) {
    (void)o;
    (void)key;
    not_supported();
}

void redis_push(const struct redis_options *o, const char *key, struct slice file, const guira_file *info,
                const guira_config *config, enum push_as as, bool force) {
    (void)o;
    (void)key;
    (void)file;
    (void)info;
    (void)config;
    (void)as;
    (void)force;
    not_supported();
}
