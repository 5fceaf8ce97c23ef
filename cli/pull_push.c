/* guira pull and push: a key of a server becomes a file of guira's, and back.
 *
 *     pull   key -> bytes in memory -> checked -> FILE, in one step
 *     push   FILE -> bytes in memory -> checked -> key, in one step */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "file_save.h"
#include "filter_file.h"
#include "redis.h"
#include "report.h"
#include "units.h"

/* The bytes of a file, checked: exactly one of filter and window is set. */
struct value {
    struct slice bytes;
    guira_file file;
    guira_config config;
    guira *filter;
    guira_window *window;
};

/* Checks all of it. The filter is a view of the bytes. */
static guira_status value_open(struct value *v, struct slice bytes) {
    const char *reason;
    *v = (struct value){.bytes = bytes, .file = GUIRA_FILE_INIT, .config = {.size = sizeof v->config}};
    guira_status s = guira_file_info(bytes.data, bytes.size, &v->file, &v->config);
    if (s != GUIRA_OK) return s;
    if (v->file.content == GUIRA_FILE_WINDOW) return guira_window_load_from(bytes.data, bytes.size, &v->window);
    s = guira_view(bytes.data, bytes.size, &v->filter);
    return s == GUIRA_OK ? guira_validate(v->filter, &reason) : s;
}

static void value_close(struct value *v) {
    guira_destroy(v->filter);
    guira_window_destroy(v->window);
}

/* "seen: 1000 items, 4.5 KiB" */
static void print_summary(const char *name, const struct value *v) {
    guira_stats s = GUIRA_STATS_INIT;
    char items[UNIT_TEXT], size[UNIT_TEXT];
    if (v->window != NULL) guira_window_stats_get(v->window, &s);
    else guira_stats_get(v->filter, &s);
    note("%s: %s%s; %s", name, v->window != NULL ? "window, " : "", write_number(s.items, "item", items),
         write_size((double)v->bytes.size, size));
}

static void require_url(const struct redis_options *redis, const char *command) {
    redis_require_url(redis);
    if (redis->url == NULL) trouble("missing option --redis URL; 'guira %s --help' describes it", command);
}

/* ---------------------------------------------------------------------------------------------------------------- pull */

/* The seed that everybody knows, of a filter without items of ours: NO_SEED in module/filter.c. */
static bool has_no_seed(const struct value *v) {
    static const uint8_t no_seed[16] = "guira: no seed.";
    return v->filter != NULL && memcmp(v->config.seed, no_seed, sizeof no_seed) == 0;
}

static int pull_run(int argc, char **argv) {
    struct redis_options redis = {0};
    struct value v;
    bool force = false, quiet = false;
    const struct opt table[] = {REDIS_SERVER_OPTIONS(&redis),
                                {'f', "force", OPT_FLAG, &force, NULL, "replace FILE if it exists", NULL},
                                {'q', "quiet", OPT_FLAG, &quiet, NULL, "print no summary at the end", NULL},
                                OPT_END};
    options_read(&command_pull, table, &argc, argv, 2, 2);
    require_url(&redis, "pull");
    const char *key = argv[1], *path = argv[2];
    target_check(path, force);
    guira_status s = value_open(&v, redis_pull(&redis, key));
    if (s != GUIRA_OK)
        trouble("%s: what the server sent is not a file of this version of guira: %s", key, guira_strerror(s));
    if (has_no_seed(&v))
        trouble("%s: is an empty filter that moved over from RedisBloom; it gets its hash seed with the first item",
                key);
    target_save(path, (struct saved_content){.filter = v.filter, .window = v.window}, force);
    if (!quiet) print_summary(path, &v);
    value_close(&v);
    return EXIT_YES;
}

const struct command command_pull = {
    "pull", "--redis=URL [options] KEY FILE", "copy a filter or window of a server to a file",
    "KEY is a filter (CF.*, BF.*) or a window (CFW.*) of a server with the guira module, or of a cluster. FILE is as "
    "it\n"
    "was at one moment, also if the key changes meanwhile. It contains the seed of the hash function: protect it like\n"
    "the lines. Needs the permission for CF.SCANDUMP, and for windows and empty filters DUMP.\n"
    "Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira pull --redis redis://cache.example.org users users.gf\n"
    "  guira pull --force --redis rediss://reader:secret@cache.example.org users users.gf && guira info users.gf\n",
    pull_run};

/* ---------------------------------------------------------------------------------------------------------------- push */

static struct slice read_file(const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !file_exists(path)) filter_trouble(path, GUIRA_ENOENT);
    if (fd < 0 || fstat(fd, &st) != 0) trouble("%s: %s", path, system_error());
    size_t size = (size_t)st.st_size, done = 0;
    char *bytes = alloc_or_die(NULL, size + 1);
    for (ssize_t n; done < size; done += (size_t)n) {
        n = read(fd, bytes + done, size - done);
        if (n < 0) trouble("%s: %s", path, system_error());
        if (n == 0) break;
    }
    close(fd);
    return (struct slice){bytes, done};
}

/* Exits if the module has no keys with such a value. */
static void require_possible(const char *path, const struct value *v, enum push_as as) {
    if (v->file.content == GUIRA_FILE_SHARED)
        trouble("%s: is a filter of guira_shared, which cannot be a key of a server", path);
    bool known = v->config.kind == GUIRA_TIDAL || v->config.kind == GUIRA_CUCKOO;
    if (!known) trouble("%s: only tidal and cuckoo filters, and windows, can be keys of a server", path);
    if (as != PUSH_AS_BEFORE && v->window != NULL) trouble("%s: is a window, which can only be a key for CFW.*", path);
    if (as == PUSH_AS_BF && v->config.kind != GUIRA_TIDAL) trouble("%s: only tidal filters can be keys for BF.*", path);
}

static int push_run(int argc, char **argv) {
    struct redis_options redis = {0};
    struct value v;
    bool force = false, quiet = false;
    unsigned as = PUSH_AS_BEFORE;
    static const char *const kinds[] = {"same", "cf", "bf", NULL};
    const struct opt table[] = {
        REDIS_SERVER_OPTIONS(&redis),
        {0, "as", OPT_CHOICE, &as, "WHAT", "commands for a filter; same: those of the key before, or CF.*", kinds},
        {'f', "force", OPT_FLAG, &force, NULL, "replace KEY if it exists, whatever it is", NULL},
        {'q', "quiet", OPT_FLAG, &quiet, NULL, "print no summary at the end", NULL},
        OPT_END};
    options_read(&command_push, table, &argc, argv, 2, 2);
    require_url(&redis, "push");
    const char *path = argv[1], *key = argv[2];
    must_be_regular(path);
    guira_status s = value_open(&v, read_file(path));
    if (v.file.content == GUIRA_FILE_SHARED) s = GUIRA_OK;
    if (s != GUIRA_OK) filter_trouble(path, s);
    require_possible(path, &v, (enum push_as)as);
    redis_push(&redis, key, v.bytes, &v.file, &v.config, (enum push_as)as, force);
    if (!quiet) print_summary(key, &v);
    value_close(&v);
    return EXIT_YES;
}

const struct command command_push = {
    "push", "--redis=URL [options] FILE KEY", "copy a file to a filter or window of a server",
    "The key appears when it is complete. It is a filter for CF.* commands, with --as=bf for BF.*, or a window for "
    "CFW.*,\n"
    "and keeps the seed of FILE, which does not tell for which commands it was before. The time of a window goes on "
    "with\n"
    "the clock of the server. FILE can also be a state of 'guira uniq'. Needs the permission for CF.LOADCHUNK\n"
    "(BF.LOADCHUNK, CFW._LOADCHUNK), DEL, EXPIRE and RENAME.\n"
    "Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira push --redis redis://cache.example.org users.gf users\n"
    "  guira pull --redis redis://old seen seen.gf && guira push --as bf --redis redis://new seen.gf seen\n"
    "  guira build -q today.gf today.txt && guira push --force --redis redis://cache today.gf blocked\n",
    push_run};
