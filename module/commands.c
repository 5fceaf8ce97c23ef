/* The table of commands: names, flags, key positions, and the descriptions for COMMAND DOCS.
 *
 * Commands with an underscore (CF._CREATE) are written to replicas and the AOF. Clients should not send them, so they have
 * the flag and the ACL category admin. */
#include "commands.h"

#include <string.h>

#include "names.h"
#include "settings.h"
#include "syntax.h"

#define ADMIN_WRITE "write deny-oom admin"

static const struct command {
    const char *name;
    const char *syntax; /* of the arguments, see syntax.h */
    redis_command_fn *run;
    const char *flags;
    int arity; /* number of arguments including the command's name; negative: at least that many */
    const char *summary, *complexity;
} commands[] = {
    {"CF.RESERVE",
     "key capacity [BUCKETSIZE bucketsize] [MAXITERATIONS maxiterations] [EXPANSION expansion] [ERROR rate]",
     cf_reserve, "write deny-oom", -3, "Creates an empty filter", "O(capacity)"},
    {"CF.ADD", "key item", cf_add, "write deny-oom fast", 3,
     "Adds an item; creates the filter if the key does not exist", "O(1)"},
    {"CF.ADDNX", "key item", cf_addnx, "write deny-oom fast", 3, "Adds an item unless it is already present", "O(1)"},
    {"CF.INSERT", "key [CAPACITY capacity] [ERROR rate] [NOCREATE] ITEMS item...", cf_insert, "write deny-oom", -4,
     "Adds items", "O(items)"},
    {"CF.INSERTNX", "key [CAPACITY capacity] [ERROR rate] [NOCREATE] ITEMS item...", cf_insertnx, "write deny-oom", -4,
     "Adds the items that are not yet present", "O(items)"},
    {"CF.DEL", "key item", cf_del, "write fast", 3, "Removes one copy of an item, which must have been added before",
     "O(1)"},
    {"CF.EXISTS", "key item", cf_exists, "readonly fast", 3, "Tells whether an item may be present", "O(1)"},
    {"CF.MEXISTS", "key item...", cf_mexists, "readonly", -3, "Tells which of the items may be present", "O(items)"},
    {"CF.COUNT", "key item", cf_count, "readonly fast", 3, "Returns an upper bound for the number of copies of an item",
     "O(1)"},
    {"CF.INFO", "key", cf_info, "readonly fast", 2, "Returns the size and options of a filter", "O(1)"},
    {"CF.STATS", "key", cf_stats, "readonly fast", 2,
     "Returns the statistics of a filter: load, false positive rate, bits per item", "O(1)"},
    {"CF.DEBUG", "key", cf_debug, "readonly", 2, "Checks every bucket of a filter", "O(filter)"},
    {"CF.COMPACT", "key", cf_compact, "write", 2, "Frees memory that the items do not need, including reserved memory",
     "O(filter)"},
    {"CF.SCANDUMP", "key position", cf_scandump, "readonly", 3, "Returns the next chunk of a dump",
     "O(chunk) when chunks are read in order; O(filter) otherwise"},
    {"CF.LOADCHUNK", "key position chunk", cf_loadchunk, "write deny-oom", -4, "Loads one chunk of a dump",
     "O(chunk); O(filter) for the last chunk, which creates the filter"},
    {"CF._CREATE", "key capacity bucketsize maxiterations expansion rate seed", cf_create, ADMIN_WRITE, 8,
     "Replicated form of CF.RESERVE", "O(capacity)"},
    {"CF._SEED", "key seed", cf_seed, ADMIN_WRITE, 3, "Replicated before the first item for a filter of RedisBloom",
     "O(1)"},
    {"CFW.RESERVE", "key milliseconds [ERROR rate]", cfw_reserve, "write deny-oom fast", -3,
     "Creates an empty window of the given length in milliseconds", "O(1)"},
    {"CFW.SEEN", "key item...", cfw_seen, "write deny-oom", -3,
     "Tells which items were seen within the window, and records all of them", "O(items)"},
    {"CFW.INFO", "key", cfw_info, "readonly fast", 2, "Returns the size and options of a window", "O(1)"},
    {"CFW._CREATE", "key milliseconds rate seed", cfw_create, ADMIN_WRITE, 5, "Replicated form of CFW.RESERVE", "O(1)"},
    {"CFW._SEEN", "key time [item...]", cfw_seen_at, ADMIN_WRITE, -3, "Replicated form of CFW.SEEN", "O(items)"},
    {"CFW._TICK", "key time", cfw_tick, ADMIN_WRITE, 3, "Replicated expiry of items in an idle window",
     "O(expired items)"},
    {"CFW._LOADCHUNK", "key position chunk", cfw_loadchunk, ADMIN_WRITE, 4, "Loads one chunk of a window from an AOF",
     "Same as CF.LOADCHUNK"},
    {"CF.MERGE", "key source...", cf_merge, "write deny-oom", -3,
     "Adds all items of the source filters to the destination", "O(filters)"},
    {"CF.UNION", "key source...", cf_union, "write deny-oom", -3,
     "Adds the items of the source filters that the destination does not have", "O(filters)"},
    {"BF.RESERVE", "key rate capacity [EXPANSION expansion] [NONSCALING]", bf_reserve, "write deny-oom", -4,
     "Creates an empty filter with a false positive rate", "O(capacity)"},
    {"BF.ADD", "key item", bf_add, "write deny-oom fast", 3, "Adds an item unless it is already present", "O(1)"},
    {"BF.MADD", "key item...", bf_madd, "write deny-oom", -3, "Adds the items that are not yet present", "O(items)"},
    {"BF.INSERT", "key [CAPACITY capacity] [ERROR rate] [EXPANSION expansion] [NOCREATE] [NONSCALING] ITEMS item...",
     bf_insert, "write deny-oom", -4, "Adds items; creates the filter with options", "O(items)"},
    {"BF.EXISTS", "key item", bf_exists, "readonly fast", 3, "Tells whether an item may be present", "O(1)"},
    {"BF.MEXISTS", "key item...", bf_mexists, "readonly", -3, "Tells which of the items may be present", "O(items)"},
    {"BF.CARD", "key", bf_card, "readonly fast", 2, "Returns the number of items that were added", "O(1)"},
    {"BF.INFO", "key [field]", bf_info, "readonly fast", -2, "Returns the size and options of a filter", "O(1)"},
    {"BF.DEL", "key item", bf_del, "write fast", 3, "Removes an item, which must have been added before", "O(1)"},
    {"BF.COUNT", "key item", bf_count, "readonly fast", 3, "Returns 1 if an item may be present, otherwise 0", "O(1)"},
    {"BF.COMPACT", "key", bf_compact, "write", 2, "Frees memory that the items do not need, including reserved memory",
     "O(filter)"},
    {"BF.SCANDUMP", "key position", bf_scandump, "readonly", 3, "Returns the next chunk of a dump",
     "O(chunk) when chunks are read in order; O(filter) otherwise"},
    {"BF.LOADCHUNK", "key position chunk", bf_loadchunk, "write deny-oom", -4, "Loads one chunk of a dump",
     "O(chunk); O(filter) for the last chunk, which creates the filter"},
    {"BF._CREATE", "key rate capacity expansion seed", bf_create, ADMIN_WRITE, 6, "Replicated form of BF.RESERVE",
     "O(capacity)"},
};

static bool is_bloom(const struct command *c) { return strncmp(c->name, "BF.", 3) == 0; }

static const redis_command_info_version info_version = {
    .version = 1, .key_spec_size = sizeof(redis_key_spec), .argument_size = sizeof(redis_command_arg)};

static bool is_merge(const struct command *c) { return c->run == cf_merge || c->run == cf_union; }
static bool is_read_only(const struct command *c) { return strncmp(c->flags, "readonly", 8) == 0; }

/* The first argument is a key; CF.MERGE and CF.UNION have more keys, which they only read. Without these specifications the server would
 * treat every key as written, and refuse lookups by users with read-only permission. */
static const redis_key_spec *keys_of(const struct command *c) {
    enum { READ = REDIS_KEY_RO | REDIS_KEY_ACCESS, WRITE = REDIS_KEY_RW | REDIS_KEY_ACCESS | REDIS_KEY_UPDATE };
#define KEYS(access, first, until)                                                                     \
    {                                                                                                  \
        .flags = (access), .search = REDIS_SEARCH_INDEX, .start = {(first)}, .find = REDIS_FIND_RANGE, \
        .last = (until), .step = 1                                                                     \
    }
    static const redis_key_spec read[] = {KEYS(READ, 1, 0), {0}}, write[] = {KEYS(WRITE, 1, 0), {0}},
                                merge[] = {KEYS(WRITE, 1, 0), KEYS(READ, 2, -1), {0}};
#undef KEYS
    return is_merge(c) ? merge : is_read_only(c) ? read : write;
}

/* ACL categories. has_own: the server let the module register the categories "cuckoo" and "bloom". */
static const char *categories_of(const struct command *c, bool has_own) {
    if (strstr(c->flags, "admin") != NULL) return "admin dangerous write";
    if (has_own && is_bloom(c)) return is_read_only(c) ? "bloom read" : "bloom write";
    if (has_own) return is_read_only(c) ? "cuckoo read" : "cuckoo write";
    return is_read_only(c) ? "read" : "write";
}

/* Another module may have registered a category of the same name: then commands have only those of the server. */
static bool add_categories(redis_ctx *ctx) {
    if (redis.AddACLCategory == NULL || redis.AddACLCategory(ctx, "cuckoo") != REDIS_OK) return false;
    return !settings_want_bf() || redis.AddACLCategory(ctx, "bloom") == REDIS_OK;
}

/* Sets documentation, keys and categories. Older servers lack some or all of these functions, and the parts are skipped. */
static void describe(redis_ctx *ctx, const struct command *c, const char *name, bool has_own) {
    struct syntax syntax;
    syntax_parse(c->syntax, &syntax);
    redis_command_info info = {.version = &info_version,
                               .since = "0.1.0",
                               .arguments = syntax.argument,
                               .summary = c->summary,
                               .complexity = c->complexity,
                               .arity = c->arity,
                               .key_specs = keys_of(c)};
    if (redis.GetCommand == NULL) return;
    redis_command *command = redis.GetCommand(ctx, name);
    if (command == NULL) return;
    if (redis.SetCommandInfo != NULL) redis.SetCommandInfo(command, &info);
    if (redis.SetCommandACLCategories != NULL) redis.SetCommandACLCategories(command, categories_of(c, has_own));
}

bool commands_register(redis_ctx *ctx) {
    bool has_own = add_categories(ctx);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *c = &commands[i];
        if (is_bloom(c) && !settings_want_bf()) continue;
        int last = is_merge(c) ? -1 : 1; /* the last argument that is a key; -1: all arguments are */
        char name[MAX_NAME];
        name_of_command(c->name, name);
        if (redis.CreateCommand(ctx, name, c->run, c->flags, 1, last, 1) != REDIS_OK) {
            redis.Log(
                ctx, "warning",
                "guira: the command %s exists already, perhaps of RedisBloom, which Redis 8 contains. To use both, "
                "load guira with names of its own: loadmodule guira.so PREFIX guira",
                name);
            return false;
        }
        describe(ctx, c, name, has_own);
    }
    return true;
}
