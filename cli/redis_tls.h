/* Encrypted connections to servers (rediss://), by OpenSSL. The server has to present a certificate that a trusted authority
 * has signed for its name: the host of the URL, or --tls-name.
 *
 * If OpenSSL is not available at build time, redis_tls_stub.c defines these functions and exits with an error. */
#ifndef GUIRA_CLI_REDIS_TLS_H
#define GUIRA_CLI_REDIS_TLS_H

#include <stddef.h>
#include <sys/types.h>

/* File names; NULL: not given. */
struct tls_options {
    const char *ca;   /* certificates of trusted authorities, or a directory of them; NULL: those of the system */
    const char *cert; /* certificate of the client */
    const char *key;  /* its private key; NULL: it is in the file of the certificate */
    const char *name; /* name in the certificates of servers; NULL: the host */
};

struct tls;

/* To be called once before tls_open. Exits if a file cannot be used. */
void tls_setup(const struct tls_options *o);

/* Starts TLS on a connected socket, which stays the caller's. NULL: failed, and `error` (n bytes) says why. */
struct tls *tls_open(int fd, const char *host, char *error, size_t n);

void tls_close(struct tls *t);

/* Like read and write on a blocking socket. Negative: failed, and errno is EAGAIN if it was the socket's timeout. */
ssize_t tls_read(struct tls *t, void *to, size_t n);
ssize_t tls_write(struct tls *t, const void *from, size_t n);

#endif
