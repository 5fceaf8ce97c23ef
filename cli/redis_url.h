/* Where a server is: redis://[user:password@]host[:port][/db]. */
#ifndef GUIRA_CLI_REDIS_URL_H
#define GUIRA_CLI_REDIS_URL_H

struct redis_url {
    char *host;
    int port;
    char *user;     /* NULL: the default one */
    char *password; /* NULL: none */
    unsigned db;
};

/* Reads it, or ends the process with a sentence that does not repeat what may be a password. What it points to is kept
 * until the process ends. A password that is not in it comes from REDISCLI_AUTH, where redis-cli looks, too. */
void redis_url_read(const char *text, struct redis_url *out);

#endif
