/* See redis_tls.h. */
#include "redis_tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "report.h"

static SSL_CTX *context;
static const char *expected_name; /* NULL: the host */

/* The first error that OpenSSL has recorded, or else that of the system. */
static const char *reason(void) {
    unsigned long code = ERR_get_error();
    const char *text = code != 0 ? ERR_reason_error_string(code) : NULL;
    return text != NULL ? text : errno != 0 ? system_error() : "unknown error";
}

static void trust(const char *ca) {
    struct stat st;
    bool directory = ca != NULL && stat(ca, &st) == 0 && S_ISDIR(st.st_mode);
    int done = ca == NULL ? SSL_CTX_set_default_verify_paths(context)
                          : SSL_CTX_load_verify_locations(context, directory ? NULL : ca, directory ? ca : NULL);
    if (done != 1) trouble("--tls-ca: %s: %s", ca != NULL ? ca : "certificates of the system", reason());
}

static void identify(const struct tls_options *o) {
    if (o->cert == NULL) {
        if (o->key != NULL) trouble("--tls-key requires --tls-cert");
        return;
    }
    const char *key = o->key != NULL ? o->key : o->cert;
    if (SSL_CTX_use_certificate_chain_file(context, o->cert) != 1) trouble("--tls-cert: %s: %s", o->cert, reason());
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
        trouble("--tls-%s: %s: no private key that fits the certificate (%s)", o->key != NULL ? "key" : "cert", key,
                reason());
}

void tls_setup(const struct tls_options *o) {
    errno = 0;
    context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) trouble("TLS: %s", reason());
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    trust(o->ca);
    identify(o);
    expected_name = o->name;
}

/* An address is compared with the addresses of a certificate, a name with its names. */
static bool expect(SSL *ssl, const char *name) {
    unsigned char address[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static void explain(SSL *ssl, char *error, size_t n) {
    bool silent = errno == EAGAIN; /* the timeout of the socket */
    long verified = SSL_get_verify_result(ssl);
    if (verified != X509_V_OK)
        snprintf(error, n, "its certificate is refused: %s", X509_verify_cert_error_string(verified));
    else
        snprintf(error, n, "no TLS connection: %s (redis:// connects without TLS)",
                 silent ? "no answer in time" : reason());
    ERR_clear_error();
}

/* struct tls is OpenSSL's SSL under another name. */
struct tls *tls_open(int fd, const char *host, char *error, size_t n) {
    SSL *ssl = SSL_new(context);
    ERR_clear_error();
    errno = 0;
    if (ssl != NULL && SSL_set_fd(ssl, fd) == 1 && expect(ssl, expected_name != NULL ? expected_name : host) &&
        SSL_connect(ssl) == 1)
        return (struct tls *)ssl;
    if (ssl != NULL) explain(ssl, error, n);
    else snprintf(error, n, "no TLS connection: %s", reason());
    SSL_free(ssl);
    return NULL;
}

/* Without a closing message: the connection may be lost, and then it would block. */
void tls_close(struct tls *t) { SSL_free((SSL *)t); }

/* 0 at the end of the connection. A timeout of the socket is an error of the system, EAGAIN. */
static ssize_t result(SSL *ssl, int done) {
    if (done > 0) return done;
    int error = SSL_get_error(ssl, done), number = errno;
    ERR_clear_error();
    errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : number != 0 ? number : EPROTO;
    return error == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

static int clip(size_t n) { return n < INT_MAX ? (int)n : INT_MAX; }

ssize_t tls_read(struct tls *t, void *to, size_t n) {
    ERR_clear_error();
    errno = 0;
    return result((SSL *)t, SSL_read((SSL *)t, to, clip(n)));
}

ssize_t tls_write(struct tls *t, const void *from, size_t n) {
    ERR_clear_error();
    errno = 0;
    return result((SSL *)t, SSL_write((SSL *)t, from, clip(n)));
}
