/* The module interface of Redis and Valkey, as much of it as guira.so calls. The server hands over one function, GetApi,
 * and that finds the others by name:
 *
 *     ctx -> GetApi -> "RedisModule_Alloc" ... -> redis.Alloc
 *
 * All are members of one struct, so a call reads redis.Alloc(n). Those that older servers lack are NULL there, and
 * whoever calls one of them asks first. The oldest server that will do is Redis 6.2. */
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
typedef struct RedisModuleDefragCtx redis_defrag;
typedef struct RedisModuleCommand redis_command;

typedef int redis_command_fn(redis_ctx *ctx, redis_string **argv, int argc);
typedef void redis_timer_fn(redis_ctx *ctx, void *data);
typedef void redis_info_fn(redis_info *info, int for_crash_report);
typedef long long redis_get_number_fn(const char *name, void *data);
typedef int redis_set_number_fn(const char *name, long long value, void *data, redis_string **error);

enum { REDIS_OK = 0, REDIS_ERR = 1, REDIS_API_VERSION = 1 };
enum { REDIS_READ = 1 << 0, REDIS_WRITE = 1 << 1, REDIS_NO_TOUCH = 1 << 16 };
enum { REDIS_KEY_EMPTY = 0, REDIS_KEY_MODULE = 6 };
enum { REDIS_NOTIFY_MODULE = 1 << 13 };
enum { REDIS_OPTION_HANDLE_IO_ERRORS = 1 << 0, REDIS_OPTION_HANDLE_ASYNC_LOAD = 1 << 2 };
enum {
    REDIS_CTX_MASTER = 1 << 2,
    REDIS_CTX_REPLICATED = 1 << 12,
    REDIS_CTX_LOADING = 1 << 13,
    REDIS_CTX_RESP3 = 1 << 22,
    REDIS_CTX_ASYNC_LOADING = 1 << 23
};

/* What a type of values can do. The server reads as much of it as version says: 3 has all up to defrag, and is known to
 * every server since 6.2. */
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

/* Which arguments of a command are keys, and what it does to them: from the argument `index` on, up to `last` after it. */
enum { REDIS_KEY_RO = 1 << 0, REDIS_KEY_RW = 1 << 1, REDIS_KEY_ACCESS = 1 << 4, REDIS_KEY_UPDATE = 1 << 5 };
enum { REDIS_SEARCH_INDEX = 2, REDIS_FIND_RANGE = 2 };
typedef struct {
    const char *notes;
    uint64_t flags;
    int search; /* 0 after the last one of a list */
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

/* What COMMAND DOCS tells of a command, and its keys. The server finds its way by the sizes in the version. */
typedef struct {
    int version;
    size_t history_entry_size, key_spec_size, argument_size;
} redis_command_info_version;
typedef struct {
    const redis_command_info_version *version;
    const char *summary, *complexity, *since;
    void *history;
    const char *tips;
    int arity;
    const redis_key_spec *key_specs;
    void *arguments;
} redis_command_info;

/* MUST(result, name, arguments) for what there has to be, MAY for what not every server has. */
#define REDIS_FUNCTIONS(MUST, MAY)                                                                                    \
    MUST(void, SetModuleAttribs, (redis_ctx * ctx, const char *name, int version, int api_version))                   \
    MUST(int, IsModuleNameBusy, (const char *name))                                                                   \
    MUST(void, SetModuleOptions, (redis_ctx * ctx, int options))                                                      \
    MUST(void, Log, (redis_ctx * ctx, const char *level, const char *format, ...))                                    \
    MUST(void, LogIOError, (redis_io * io, const char *level, const char *format, ...))                               \
    MUST(void *, Alloc, (size_t bytes))                                                                               \
    MAY(void *, TryAlloc, (size_t bytes))                                                                             \
    MUST(void, Free, (void *p))                                                                                       \
    MUST(size_t, MallocSize, (void *p))                                                                               \
    MUST(void *, PoolAlloc, (redis_ctx * ctx, size_t bytes))                                                          \
    MUST(void, AutoMemory, (redis_ctx * ctx))                                                                         \
    MUST(int, CreateCommand,                                                                                          \
         (redis_ctx * ctx, const char *name, redis_command_fn *fn, const char *flags, int first, int last, int step)) \
    MAY(redis_command *, GetCommand, (redis_ctx * ctx, const char *name))                                             \
    MAY(int, SetCommandInfo, (redis_command * command, const redis_command_info *info))                               \
    MAY(int, AddACLCategory, (redis_ctx * ctx, const char *name))                                                     \
    MAY(int, SetCommandACLCategories, (redis_command * command, const char *categories))                              \
    MAY(int, RegisterNumericConfig,                                                                                   \
        (redis_ctx * ctx, const char *name, long long normal, unsigned flags, long long min, long long max,           \
         redis_get_number_fn *get, redis_set_number_fn *set, void *apply, void *data))                                \
    MAY(int, LoadConfigs, (redis_ctx * ctx))                                                                          \
    MUST(int, WrongArity, (redis_ctx * ctx))                                                                          \
    MUST(int, ReplyWithError, (redis_ctx * ctx, const char *text))                                                    \
    MUST(int, ReplyWithSimpleString, (redis_ctx * ctx, const char *text))                                             \
    MUST(int, ReplyWithStringBuffer, (redis_ctx * ctx, const char *bytes, size_t n))                                  \
    MUST(int, ReplyWithLongLong, (redis_ctx * ctx, long long n))                                                      \
    MUST(int, ReplyWithDouble, (redis_ctx * ctx, double x))                                                           \
    MUST(int, ReplyWithNull, (redis_ctx * ctx))                                                                       \
    MUST(int, ReplyWithArray, (redis_ctx * ctx, long n))                                                              \
    MAY(int, ReplyWithMap, (redis_ctx * ctx, long n))                                                                 \
    MAY(int, ReplyWithBool, (redis_ctx * ctx, int yes))                                                               \
    MUST(int, StringToLongLong, (const redis_string *s, long long *n))                                                \
    MUST(int, StringToDouble, (const redis_string *s, double *x))                                                     \
    MUST(const char *, StringPtrLen, (const redis_string *s, size_t *n))                                              \
    MUST(redis_string *, CreateStringFromString, (redis_ctx * ctx, const redis_string *s))                            \
    MUST(void, FreeString, (redis_ctx * ctx, redis_string * s))                                                       \
    MUST(int, Replicate, (redis_ctx * ctx, const char *command, const char *format, ...))                             \
    MUST(int, ReplicateVerbatim, (redis_ctx * ctx))                                                                   \
    MAY(int, AvoidReplicaTraffic, (void))                                                                             \
    MUST(int, NotifyKeyspaceEvent, (redis_ctx * ctx, int type, const char *event, redis_string *key))                 \
    MUST(int, GetContextFlags, (redis_ctx * ctx))                                                                     \
    MUST(redis_ctx *, GetContextFromIO, (redis_io * io))                                                              \
    MUST(redis_key *, OpenKey, (redis_ctx * ctx, redis_string * name, int mode))                                      \
    MUST(void, CloseKey, (redis_key * key))                                                                           \
    MUST(int, KeyType, (redis_key * key))                                                                             \
    MUST(redis_type *, CreateDataType, (redis_ctx * ctx, const char *name, int version, redis_type_methods *methods)) \
    MUST(redis_type *, ModuleTypeGetType, (redis_key * key))                                                          \
    MUST(void *, ModuleTypeGetValue, (redis_key * key))                                                               \
    MUST(int, ModuleTypeSetValue, (redis_key * key, redis_type * type, void *value))                                  \
    MUST(void, SaveUnsigned, (redis_io * io, uint64_t n))                                                             \
    MUST(uint64_t, LoadUnsigned, (redis_io * io))                                                                     \
    MUST(void, SaveStringBuffer, (redis_io * io, const char *bytes, size_t n))                                        \
    MUST(char *, LoadStringBuffer, (redis_io * io, size_t * n))                                                       \
    MUST(int, IsIOError, (redis_io * io))                                                                             \
    MUST(void, EmitAOF, (redis_io * io, const char *command, const char *format, ...))                                \
    MUST(void, DigestAddStringBuffer, (redis_digest * digest, const char *bytes, size_t n))                           \
    MUST(void, DigestEndSequence, (redis_digest * digest))                                                            \
    MUST(void *, DefragAlloc, (redis_defrag * ctx, void *p))                                                          \
    MUST(void, GetRandomBytes, (unsigned char *to, size_t n))                                                         \
    MUST(long long, Milliseconds, (void))                                                                             \
    MAY(long long, CachedMicroseconds, (void))                                                                        \
    MUST(uint64_t, CreateTimer, (redis_ctx * ctx, long long milliseconds, redis_timer_fn *fn, void *data))            \
    MUST(int, RegisterInfoFunc, (redis_ctx * ctx, redis_info_fn * fn))                                                \
    MUST(int, InfoAddSection, (redis_info * info, const char *name))                                                  \
    MUST(int, InfoAddFieldULongLong, (redis_info * info, const char *name, unsigned long long n))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type cannot have any */
#define REDIS_MEMBER(result, name, arguments) result(*name) arguments;
struct redis {
    REDIS_FUNCTIONS(REDIS_MEMBER, REDIS_MEMBER)
};
#undef REDIS_MEMBER

extern struct redis redis;

/* Fills it in. Returns the name of a function that is missing and must not be, or NULL. */
const char *redis_connect(redis_ctx *ctx);

#endif
