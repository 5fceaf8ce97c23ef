/* The part of the module API of Redis and Valkey that guira.so uses. The server passes one function, GetApi, which finds
 * all others by name:
 *
 *     ctx -> GetApi -> "RedisModule_Alloc" ... -> redis.Alloc
 *
 * The functions are members of one struct, so a call reads redis.Alloc(n). Optional functions, which older servers lack,
 * are NULL there: compare with NULL before calling one. The oldest supported server is Redis 6.2. */
#ifndef GUIRA_MODULE_REDIS_H
#define GUIRA_MODULE_REDIS_H

#include <stddef.h>
#include <stdint.h>

typedef struct RedisModuleCtx redis_ctx;
typedef struct RedisModuleKey redis_key;
typedef struct RedisModuleString redis_string;
typedef struct RedisModuleIO redis_io;
typedef struct RedisModuleType redis_type;
typedef struct RedisModuleDigest redis_digest;
typedef struct RedisModuleInfoCtx redis_info;
typedef struct RedisModuleServerInfoData redis_info_data;
typedef struct RedisModuleDefragCtx redis_defrag;
typedef struct RedisModuleCommand redis_command;

typedef int redis_command_fn(redis_ctx *ctx, redis_string **argv, int argc);
typedef void redis_timer_fn(redis_ctx *ctx, void *data);
typedef void redis_info_fn(redis_info *info, int for_crash_report);
typedef long long redis_get_number_fn(const char *name, void *data);
typedef int redis_set_number_fn(const char *name, long long value, void *data, redis_string **error);
typedef redis_string *redis_get_string_fn(const char *name, void *data);
typedef int redis_set_string_fn(const char *name, redis_string *value, void *data, redis_string **error);

enum { REDIS_OK = 0, REDIS_ERR = 1, REDIS_API_VERSION = 1 };
enum { REDIS_READ = 1 << 0, REDIS_WRITE = 1 << 1, REDIS_NO_TOUCH = 1 << 16 };
enum { REDIS_KEY_EMPTY = 0, REDIS_KEY_MODULE = 6 };
enum { REDIS_NOTIFY_MODULE = 1 << 13 };
enum { REDIS_CONFIG_UNPREFIXED = 1 << 9 }; /* since Redis 8.0; other servers refuse it */
enum { REDIS_OPTION_HANDLE_IO_ERRORS = 1 << 0, REDIS_OPTION_HANDLE_ASYNC_LOAD = 1 << 2 };
enum {
    REDIS_CTX_MASTER = 1 << 2,
    REDIS_CTX_REPLICATED = 1 << 12,
    REDIS_CTX_LOADING = 1 << 13,
    REDIS_CTX_RESP3 = 1 << 22,
    REDIS_CTX_ASYNC_LOADING = 1 << 23
};

/* The callbacks of a data type. The version tells the server how many members there are: version 3 ends with defrag, and
 * every server since 6.2 knows it. */
enum { REDIS_TYPE_METHODS_VERSION = 3 };
typedef struct {
    uint64_t version;
    void *(*rdb_load)(redis_io *io, int version);
    void (*rdb_save)(redis_io *io, void *value);
    void (*aof_rewrite)(redis_io *io, redis_string *key, void *value);
    size_t (*mem_usage)(const void *value);
    void (*digest)(redis_digest *digest, void *value);
    void (*free)(void *value);
    int (*aux_load)(redis_io *io, int version, int when);
    void (*aux_save)(redis_io *io, int when);
    int aux_save_triggers;
    size_t (*free_effort)(redis_string *key, const void *value);
    void (*unlink)(redis_string *key, const void *value);
    void *(*copy)(redis_string *from, redis_string *to, const void *value);
    int (*defrag)(redis_defrag *ctx, redis_string *key, void **value);
} redis_type_methods;

/* Which arguments of a command are keys, and how it accesses them: from argument start.index up to `last` after it. */
enum { REDIS_KEY_RO = 1 << 0, REDIS_KEY_RW = 1 << 1, REDIS_KEY_ACCESS = 1 << 4, REDIS_KEY_UPDATE = 1 << 5 };
enum { REDIS_SEARCH_INDEX = 2, REDIS_FIND_RANGE = 2 };
typedef struct {
    const char *notes;
    uint64_t flags;
    int search; /* 0 marks the end of a list */
    union {
        int index;
        struct {
            const char *word;
            int from;
        } keyword;
    } start;
    int find;
    int last, step, limit;
} redis_key_spec;

/* The documentation of a command for COMMAND DOCS, and its keys. The version holds the sizes of the structs, so that the
 * server can read structs of an older or newer header. */
typedef struct {
    int version;
    size_t history_entry_size, key_spec_size, argument_size;
} redis_command_info_version;
enum { REDIS_ARG_STRING, REDIS_ARG_INTEGER, REDIS_ARG_DOUBLE, REDIS_ARG_KEY, REDIS_ARG_PURE_TOKEN = 6 };
enum { REDIS_ARG_OPTIONAL = 1 << 0, REDIS_ARG_MULTIPLE = 1 << 1 };
typedef struct redis_command_arg {
    const char *name; /* NULL marks the end of a list */
    int type;
    int key_spec; /* of a key: the number of its specification; otherwise -1 */
    const char *token, *summary, *since;
    int flags;
    const char *deprecated_since;
    struct redis_command_arg *parts;
    const char *display;
} redis_command_arg;
typedef struct {
    const redis_command_info_version *version;
    const char *summary, *complexity, *since;
    void *history;
    const char *tips;
    int arity;
    const redis_key_spec *key_specs;
    const redis_command_arg *arguments;
} redis_command_info;

/* REQUIRED(result, name, arguments) or, for functions that not every supported server has, OPTIONAL(...). */
#define REDIS_FUNCTIONS(REQUIRED, OPTIONAL)                                                                          \
    REQUIRED(void, SetModuleAttribs, (redis_ctx * ctx, const char *name, int version, int api_version))              \
    REQUIRED(int, IsModuleNameBusy, (const char *name))                                                              \
    REQUIRED(void, SetModuleOptions, (redis_ctx * ctx, int options))                                                 \
    REQUIRED(void, Log, (redis_ctx * ctx, const char *level, const char *format, ...))                               \
    REQUIRED(void, LogIOError, (redis_io * io, const char *level, const char *format, ...))                          \
    REQUIRED(void *, Alloc, (size_t bytes))                                                                          \
    OPTIONAL(void *, TryAlloc, (size_t bytes))                                                                       \
    REQUIRED(void, Free, (void *p))                                                                                  \
    REQUIRED(size_t, MallocSize, (void *p))                                                                          \
    REQUIRED(void *, PoolAlloc, (redis_ctx * ctx, size_t bytes))                                                     \
    REQUIRED(void, AutoMemory, (redis_ctx * ctx))                                                                    \
    REQUIRED(                                                                                                        \
        int, CreateCommand,                                                                                          \
        (redis_ctx * ctx, const char *name, redis_command_fn *fn, const char *flags, int first, int last, int step)) \
    OPTIONAL(redis_command *, GetCommand, (redis_ctx * ctx, const char *name))                                       \
    OPTIONAL(int, SetCommandInfo, (redis_command * command, const redis_command_info *info))                         \
    OPTIONAL(int, AddACLCategory, (redis_ctx * ctx, const char *name))                                               \
    OPTIONAL(int, SetCommandACLCategories, (redis_command * command, const char *categories))                        \
    OPTIONAL(int, RegisterNumericConfig,                                                                             \
             (redis_ctx * ctx, const char *name, long long normal, unsigned flags, long long min, long long max,     \
              redis_get_number_fn *get, redis_set_number_fn *set, void *apply, void *data))                          \
    OPTIONAL(int, RegisterStringConfig,                                                                              \
             (redis_ctx * ctx, const char *name, const char *normal, unsigned flags, redis_get_string_fn *get,       \
              redis_set_string_fn *set, void *apply, void *data))                                                    \
    OPTIONAL(int, GetServerVersion, (void))                                                                          \
    OPTIONAL(int, LoadConfigs, (redis_ctx * ctx))                                                                    \
    REQUIRED(int, WrongArity, (redis_ctx * ctx))                                                                     \
    REQUIRED(int, ReplyWithError, (redis_ctx * ctx, const char *text))                                               \
    REQUIRED(int, ReplyWithSimpleString, (redis_ctx * ctx, const char *text))                                        \
    REQUIRED(int, ReplyWithStringBuffer, (redis_ctx * ctx, const char *bytes, size_t n))                             \
    REQUIRED(int, ReplyWithLongLong, (redis_ctx * ctx, long long n))                                                 \
    REQUIRED(int, ReplyWithDouble, (redis_ctx * ctx, double x))                                                      \
    REQUIRED(int, ReplyWithNull, (redis_ctx * ctx))                                                                  \
    REQUIRED(int, ReplyWithArray, (redis_ctx * ctx, long n))                                                         \
    OPTIONAL(int, ReplyWithMap, (redis_ctx * ctx, long n))                                                           \
    OPTIONAL(int, ReplyWithBool, (redis_ctx * ctx, int yes))                                                         \
    REQUIRED(int, StringToLongLong, (const redis_string *s, long long *n))                                           \
    REQUIRED(int, StringToDouble, (const redis_string *s, double *x))                                                \
    REQUIRED(const char *, StringPtrLen, (const redis_string *s, size_t *n))                                         \
    REQUIRED(redis_string *, CreateString, (redis_ctx * ctx, const char *bytes, size_t n))                           \
    REQUIRED(redis_string *, CreateStringFromString, (redis_ctx * ctx, const redis_string *s))                       \
    REQUIRED(void, FreeString, (redis_ctx * ctx, redis_string * s))                                                  \
    REQUIRED(int, Replicate, (redis_ctx * ctx, const char *command, const char *format, ...))                        \
    REQUIRED(int, ReplicateVerbatim, (redis_ctx * ctx))                                                              \
    OPTIONAL(int, AvoidReplicaTraffic, (void))                                                                       \
    REQUIRED(int, NotifyKeyspaceEvent, (redis_ctx * ctx, int type, const char *event, redis_string *key))            \
    REQUIRED(int, GetContextFlags, (redis_ctx * ctx))                                                                \
    REQUIRED(redis_ctx *, GetContextFromIO, (redis_io * io))                                                         \
    REQUIRED(redis_key *, OpenKey, (redis_ctx * ctx, redis_string * name, int mode))                                 \
    REQUIRED(void, CloseKey, (redis_key * key))                                                                      \
    REQUIRED(int, KeyType, (redis_key * key))                                                                        \
    REQUIRED(redis_type *, CreateDataType,                                                                           \
             (redis_ctx * ctx, const char *name, int version, redis_type_methods *methods))                          \
    REQUIRED(redis_type *, ModuleTypeGetType, (redis_key * key))                                                     \
    REQUIRED(void *, ModuleTypeGetValue, (redis_key * key))                                                          \
    REQUIRED(int, ModuleTypeSetValue, (redis_key * key, redis_type * type, void *value))                             \
    REQUIRED(void, SaveUnsigned, (redis_io * io, uint64_t n))                                                        \
    REQUIRED(uint64_t, LoadUnsigned, (redis_io * io))                                                                \
    REQUIRED(void, SaveStringBuffer, (redis_io * io, const char *bytes, size_t n))                                   \
    REQUIRED(char *, LoadStringBuffer, (redis_io * io, size_t * n))                                                  \
    REQUIRED(int, IsIOError, (redis_io * io))                                                                        \
    REQUIRED(void, EmitAOF, (redis_io * io, const char *command, const char *format, ...))                           \
    REQUIRED(void, DigestAddStringBuffer, (redis_digest * digest, const char *bytes, size_t n))                      \
    REQUIRED(void, DigestEndSequence, (redis_digest * digest))                                                       \
    REQUIRED(void *, DefragAlloc, (redis_defrag * ctx, void *p))                                                     \
    REQUIRED(void, GetRandomBytes, (unsigned char *to, size_t n))                                                    \
    REQUIRED(long long, Milliseconds, (void))                                                                        \
    OPTIONAL(long long, CachedMicroseconds, (void))                                                                  \
    REQUIRED(uint64_t, CreateTimer, (redis_ctx * ctx, long long milliseconds, redis_timer_fn *fn, void *data))       \
    REQUIRED(int, RegisterInfoFunc, (redis_ctx * ctx, redis_info_fn * fn))                                           \
    REQUIRED(redis_info_data *, GetServerInfo, (redis_ctx * ctx, const char *section))                               \
    REQUIRED(void, FreeServerInfo, (redis_ctx * ctx, redis_info_data * info))                                        \
    REQUIRED(unsigned long long, ServerInfoGetFieldUnsigned, (redis_info_data * info, const char *name, int *error)) \
    REQUIRED(const char *, ServerInfoGetFieldC, (redis_info_data * info, const char *name))                          \
    REQUIRED(int, InfoAddSection, (redis_info * info, const char *name))                                             \
    REQUIRED(int, InfoAddFieldULongLong, (redis_info * info, const char *name, unsigned long long n))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type cannot be put in parentheses */
#define REDIS_MEMBER(result, name, arguments) result(*name) arguments;
struct redis {
    REDIS_FUNCTIONS(REDIS_MEMBER, REDIS_MEMBER)
};
#undef REDIS_MEMBER

extern struct redis redis;

/* Fills in `redis`. Returns NULL, or the name of a required function that the server lacks. */
const char *redis_load_api(redis_ctx *ctx);

/* The version of a Valkey server, 0x0801 for 8.1; 0: the server is Redis. */
unsigned redis_valkey_version(redis_ctx *ctx);

#endif
