/* The commands: names, what the server has to know of them, and what COMMAND DOCS tells.
 *
 * Those with an underscore are for replicas and the AOF. They are the server's own business, hence admin. */
#include "commands.h"

#include <string.h>

#define ADMIN_WRITE "write deny-oom admin"

static const struct command {
    const char *name;
    redis_command_fn *run;
    const char *flags;
    int arity; /* as the server has it: with the name; negative: at least so many */
    const char *summary, *complexity;
} commands[] = {
    {"CF.RESERVE", cf_reserve, "write deny-oom", -3, "Makes an empty filter", "O(capacity)"},
    {"CF.ADD", cf_add, "write deny-oom fast", 3, "Adds an item; makes the filter if there is none", "O(1)"},
    {"CF.ADDNX", cf_addnx, "write deny-oom fast", 3, "Adds an item if it is not there", "O(1)"},
    {"CF.INSERT", cf_insert, "write deny-oom", -4, "Adds items", "O(items)"},
    {"CF.INSERTNX", cf_insertnx, "write deny-oom", -4, "Adds those of the items that are not there", "O(items)"},
    {"CF.DEL", cf_del, "write fast", 3, "Takes one copy of an item away, which must have been added", "O(1)"},
    {"CF.EXISTS", cf_exists, "readonly fast", 3, "Whether an item may be there", "O(1)"},
    {"CF.MEXISTS", cf_mexists, "readonly", -3, "Which of the items may be there", "O(items)"},
    {"CF.COUNT", cf_count, "readonly fast", 3, "How many copies of an item may be there", "O(1)"},
    {"CF.INFO", cf_info, "readonly fast", 2, "Size and options of a filter", "O(1)"},
    {"CF.STATS", cf_stats, "readonly fast", 2, "All that can be measured of a filter", "O(1)"},
    {"CF.DEBUG", cf_debug, "readonly", 2, "Checks a filter bucket by bucket", "O(filter)"},
    {"CF.COMPACT", cf_compact, "write", 2, "Gives back room that is not needed, reserved room too", "O(filter)"},
    {"CF.SCANDUMP", cf_scandump, "readonly", 3, "The next chunk of a dump",
     "O(chunk) for one chunk after the other; O(filter) to start in the middle"},
    {"CF.LOADCHUNK", cf_loadchunk, "write deny-oom", 4, "Takes in a chunk of a dump",
     "O(chunk); the last one makes the filter: O(filter)"},
    {"CF._CREATE", cf_create, ADMIN_WRITE, 8, "CF.RESERVE, replicated", "O(capacity)"},
    {"CFW.RESERVE", cfw_reserve, "write deny-oom fast", -3, "Makes an empty window of so many milliseconds", "O(1)"},
    {"CFW.SEEN", cfw_seen, "write deny-oom", -3, "Which items were seen in the window; from now on all were",
     "O(items)"},
    {"CFW.INFO", cfw_info, "readonly fast", 2, "Size and options of a window", "O(1)"},
    {"CFW._CREATE", cfw_create, ADMIN_WRITE, 5, "CFW.RESERVE, replicated", "O(1)"},
    {"CFW._SEEN", cfw_seen_at, ADMIN_WRITE, -3, "CFW.SEEN, replicated", "O(items)"},
    {"CFW._TICK", cfw_tick, ADMIN_WRITE, 3, "Expiry without traffic, replicated", "O(what has expired)"},
    {"CFW._LOADCHUNK", cfw_loadchunk, ADMIN_WRITE, 4, "A chunk of a window, from an AOF", "as CF.LOADCHUNK"},
    {"CF.MERGE", cf_merge, "write deny-oom", -3, "Adds all that is in the sources", "O(filters)"},
};

static const redis_command_info_version info_version = {.version = 1, .key_spec_size = sizeof(redis_key_spec)};

static bool only_reads(const struct command *c) { return strncmp(c->flags, "readonly", 8) == 0; }

/* The first argument is a key; of CF.MERGE the others too, which are only read. A server that is not told so takes every
 * key for one that is changed, and users who may only read could not ask. */
static const redis_key_spec *keys_of(const struct command *c) {
    enum { READ = REDIS_KEY_RO | REDIS_KEY_ACCESS, CHANGE = REDIS_KEY_RW | REDIS_KEY_ACCESS | REDIS_KEY_UPDATE };
#define KEYS(how, first, until)                                                                                      \
    {                                                                                                                \
        .flags = (how), .search = REDIS_SEARCH_INDEX, .start = {(first)}, .find = REDIS_FIND_RANGE, .last = (until), \
        .step = 1                                                                                                    \
    }
    static const redis_key_spec read[] = {KEYS(READ, 1, 0), {0}}, change[] = {KEYS(CHANGE, 1, 0), {0}},
                                merge[] = {KEYS(CHANGE, 1, 0), KEYS(READ, 2, -1), {0}};
#undef KEYS
    return c->run == cf_merge ? merge : only_reads(c) ? read : change;
}

/* For ACLs, with a category of our own where the server lets us have one. */
static const char *categories_of(const struct command *c, bool has_ours) {
    if (strstr(c->flags, "admin") != NULL) return "admin dangerous write";
    if (has_ours) return only_reads(c) ? "cuckoo read" : "cuckoo write";
    return only_reads(c) ? "read" : "write";
}

/* As far as the server has such things. */
static void describe(redis_ctx *ctx, const struct command *c, bool has_category) {
    redis_command_info info = {.version = &info_version,
                               .summary = c->summary,
                               .complexity = c->complexity,
                               .arity = c->arity,
                               .key_specs = keys_of(c)};
    if (redis.GetCommand == NULL) return;
    redis_command *command = redis.GetCommand(ctx, c->name);
    if (command == NULL) return;
    if (redis.SetCommandInfo != NULL) redis.SetCommandInfo(command, &info);
    if (redis.SetCommandACLCategories != NULL) redis.SetCommandACLCategories(command, categories_of(c, has_category));
}

bool commands_register(redis_ctx *ctx) {
    bool has_category = redis.AddACLCategory != NULL && redis.AddACLCategory(ctx, "cuckoo") == REDIS_OK;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *c = &commands[i];
        int last = c->run == cf_merge ? -1 : 1; /* all arguments are keys, or the first is */
        if (redis.CreateCommand(ctx, c->name, c->run, c->flags, 1, last, 1) != REDIS_OK) return false;
        describe(ctx, c, has_category);
    }
    return true;
}
