/* Replaces redis_tls.c if OpenSSL was not found at build time. */
#include "redis_tls.h"
#include "report.h"

void tls_setup(const struct tls_options *o) {
    (void)o;
    trouble("--redis: rediss:// is not supported, guira was built without OpenSSL");
}

struct tls *tls_open(int fd, const char *host, char *error, size_t n) {
    (void)fd;
    (void)host;
    (void)error;
    (void)n;
    return NULL;
}

void tls_close(struct tls *t) { (void)t; }

ssize_t tls_read(struct tls *t, void *to, size_t n) {
    (void)t;
    (void)to;
    (void)n;
    return -1;
}

ssize_t tls_write(struct tls *t, const void *from, size_t n) { return tls_read(t, (void *)from, n); }
