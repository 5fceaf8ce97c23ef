/* See redis_url.h.
 *
 *     redis:// user : password @ host : port / db
 *     \______/ \_____________/   \_________/   \_ 0 if there is none
 *     both may be left out        6379 if there is none; [::1] for numbers with colons
 *
 * In user and password, %40 stands for @ and so on. */
#include "redis_url.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static char *copy(const char *from, const char *to) {
    size_t n = (size_t)(to - from);
    char *text = must_alloc(NULL, n + 1);
    memcpy(text, from, n);
    text[n] = '\0';
    return text;
}

/* The same without %XX. */
static char *decoded(const char *from, const char *to) {
    char *text = copy(from, to), *out = text;
    for (const char *in = text; *in != '\0'; out++) {
        char hex[3] = {in[0] == '%' ? in[1] : '\0', in[0] == '%' && in[1] != '\0' ? in[2] : '\0', '\0'};
        bool coded = isxdigit((unsigned char)hex[0]) != 0 && isxdigit((unsigned char)hex[1]) != 0;
        if (*in == '%' && !coded) trouble("--redis: user or password: %% without two hexadecimal digits (%%25 is %%)");
        *out = coded ? (char)strtoul(hex, NULL, 16) : *in;
        in += coded ? 3 : 1;
    }
    *out = '\0';
    return text;
}

/* A whole number up to `most`, and nothing else. */
static bool read_whole(const char *from, const char *to, unsigned long most, unsigned long *out) {
    *out = 0;
    for (const char *p = from; p < to; p++) {
        if (*p < '0' || *p > '9') return false;
        *out = 10 * *out + (unsigned long)(*p - '0');
        if (*out > most) return false;
    }
    return from < to;
}

static void read_login(const char *from, const char *to, struct redis_url *out) {
    const char *colon = memchr(from, ':', (size_t)(to - from));
    if (colon == NULL) trouble("--redis: before the @ comes user:password, or :password alone");
    if (colon > from) out->user = decoded(from, colon);
    out->password = decoded(colon + 1, to);
}

static void read_place(const char *from, const char *to, struct redis_url *out) {
    const char *end = from < to && *from == '[' ? memchr(from, ']', (size_t)(to - from)) : NULL;
    const char *colon = memchr(end != NULL ? end : from, ':', (size_t)(to - (end != NULL ? end : from)));
    unsigned long port = 6379;
    const char *stop = colon != NULL ? colon : to;
    if (colon != NULL && (!read_whole(colon + 1, to, 65535, &port) || port == 0))
        trouble("--redis: behind the host comes a port from 1 to 65535 (an address with colons: [::1])");
    if (end != NULL && end + 1 != stop) trouble("--redis: between ] and the port there is something else");
    out->host = end != NULL ? copy(from + 1, end) : copy(from, stop);
    out->port = (int)port;
    if (*out->host == '\0') trouble("--redis: there is no host (redis://localhost is the one here)");
}

void redis_url_read(const char *text, struct redis_url *out) {
    static const char scheme[] = "redis://";
    *out = (struct redis_url){0};
    if (strncmp(text, "rediss://", 9) == 0)
        trouble("--redis: rediss:// means TLS, which guira does not speak; use redis:// through a tunnel");
    if (strncmp(text, scheme, sizeof scheme - 1) == 0) text += sizeof scheme - 1;
    else if (strstr(text, "://") != NULL)
        trouble("--redis: no URL of a server; it is redis://[user:password@]host[:port][/db], or host:port");
    const char *end = text + strcspn(text, "/"), *at = memrchr(text, '@', (size_t)(end - text));
    unsigned long db = 0;
    if (*end == '/' && end[1] != '\0' && !read_whole(end + 1, end + strlen(end), 1000000, &db))
        trouble("--redis: behind the / comes the number of a database");
    out->db = (unsigned)db;
    if (at != NULL) read_login(text, at, out);
    read_place(at != NULL ? at + 1 : text, end, out);
    if (out->password == NULL) out->password = getenv("REDISCLI_AUTH");
}
