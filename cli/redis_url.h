/* The address of a server: redis://[user:password@]host[:port][/db], or rediss:// for TLS. */
#ifndef GUIRA_CLI_REDIS_URL_H
#define GUIRA_CLI_REDIS_URL_H

#include <stdbool.h>

struct redis_url {
    bool tls;
    char *host;
    int port;
    char *user;     /* NULL: the default user */
    char *password; /* NULL: none */
    unsigned db;
};

/* Parses a URL. The strings in *out live until the process exits. A password that is not in the URL is taken from the
 * environment variable REDISCLI_AUTH, as redis-cli does. Exits on a syntax error; messages do not quote the URL,
 * because it can contain a password. */
void redis_url_read(const char *text, struct redis_url *out);

#endif
