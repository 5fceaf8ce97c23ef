/* See redis_url.h.
 *
 *     redis:// user : password @ host : port / db             rediss:// with TLS
 *     \______/ \_____________/   \_________/   \_ default: 0
 *         both optional           default port: 6379; [::1] for an IPv6 address
 *
 * User and password are percent-encoded: %40 is @. */
#include "redis_url.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* A copy of the text between two pointers. */
static char *copy(const char *from, const char *to) {
    size_t n = (size_t)(to - from);
    char *text = alloc_or_die(NULL, n + 1);
    memcpy(text, from, n);
    text[n] = '\0';
    return text;
}

/* The same with %XX decoded. */
static char *decoded(const char *from, const char *to) {
    char *text = copy(from, to), *out = text;
    for (const char *in = text; *in != '\0'; out++) {
        char hex[3] = {in[0] == '%' ? in[1] : '\0', in[0] == '%' && in[1] != '\0' ? in[2] : '\0', '\0'};
        bool encoded = isxdigit((unsigned char)hex[0]) != 0 && isxdigit((unsigned char)hex[1]) != 0;
        if (*in == '%' && !encoded)
            trouble("--redis: in user or password, %% must be followed by two hexadecimal digits (write %%25 for %%)");
        *out = encoded ? (char)strtoul(hex, NULL, 16) : *in;
        in += encoded ? 3 : 1;
    }
    *out = '\0';
    return text;
}

/* A decimal integer of at most `max`. */
static bool read_integer(const char *from, const char *to, unsigned long max, unsigned long *out) {
    *out = 0;
    for (const char *p = from; p < to; p++) {
        if (*p < '0' || *p > '9') return false;
        *out = 10 * *out + (unsigned long)(*p - '0');
        if (*out > max) return false;
    }
    return from < to;
}

static void read_login(const char *from, const char *to, struct redis_url *out) {
    const char *colon = memchr(from, ':', (size_t)(to - from));
    if (colon == NULL) trouble("--redis: the part before @ must be user:password or :password");
    if (colon > from) out->user = decoded(from, colon);
    out->password = decoded(colon + 1, to);
}

static void read_address(const char *from, const char *to, struct redis_url *out) {
    const char *end = from < to && *from == '[' ? memchr(from, ']', (size_t)(to - from)) : NULL;
    const char *colon = memchr(end != NULL ? end : from, ':', (size_t)(to - (end != NULL ? end : from)));
    unsigned long port = 6379;
    const char *stop = colon != NULL ? colon : to;
    if (colon != NULL && (!read_integer(colon + 1, to, 65535, &port) || port == 0))
        trouble("--redis: the port must be a number from 1 to 65535 (write an IPv6 address as [::1])");
    if (end != NULL && end + 1 != stop) trouble("--redis: after ] only :port can follow");
    out->host = end != NULL ? copy(from + 1, end) : copy(from, stop);
    out->port = (int)port;
    if (*out->host == '\0') trouble("--redis: missing host (for example redis://localhost)");
}

void redis_url_read(const char *text, struct redis_url *out) {
    *out = (struct redis_url){.tls = strncmp(text, "rediss://", 9) == 0};
    if (out->tls || strncmp(text, "redis://", 8) == 0) text = strstr(text, "://") + 3;
    else if (strstr(text, "://") != NULL)
        trouble("--redis: not a URL of a server; the form is redis[s]://[user:password@]host[:port][/db] or host:port");
    const char *end = text + strcspn(text, "/"), *at = memrchr(text, '@', (size_t)(end - text));
    unsigned long db = 0;
    if (*end == '/' && end[1] != '\0' && !read_integer(end + 1, end + strlen(end), 1000000, &db))
        trouble("--redis: the part after / must be a database number");
    out->db = (unsigned)db;
    if (at != NULL) read_login(text, at, out);
    read_address(at != NULL ? at + 1 : text, end, out);
    if (out->password == NULL) out->password = getenv("REDISCLI_AUTH");
}
