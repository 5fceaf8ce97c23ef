/* The names under which the commands are registered. Without the argument PREFIX they are those of RedisBloom. With
 * PREFIX x, each family has a name of its own, so that the module can be loaded beside another one with CF.* or BF.*:
 *
 *     CF.ADD  ->  x.ADD          CFW.SEEN  ->  xW.SEEN          BF.ADD  ->  xB.ADD
 *
 * Replication and the AOF carry these names too, so all servers that exchange data need the same prefix. */
#ifndef GUIRA_MODULE_NAMES_H
#define GUIRA_MODULE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_PREFIX = 32, MAX_NAME = MAX_PREFIX + 24 };

/* The commands that the module sends itself, to replicas and to the AOF. */
enum sent_command {
    CF_ADD,
    CF_INSERT,
    CF_CREATE,
    CF_SEED,
    CF_LOADCHUNK,
    CFW_CREATE,
    CFW_SEEN,
    CFW_TICK,
    CFW_LOADCHUNK,
    BF_CREATE,
    BF_MADD,
    BF_LOADCHUNK,
    SENT_COMMANDS
};

/* To be called once, before any other function here. prefix may be NULL. False: it is not 1 to 32 letters, digits, '_' or
 * '-'. */
bool names_set_prefix(const char *prefix, size_t n);

bool names_have_prefix(void);

/* The name under which a command, here with its name in the tables of this module ("CF.ADD"), is registered. */
void name_of_command(const char *canonical, char out[MAX_NAME]);

const char *sent_name(enum sent_command c);

#endif
