/* guira_shared as a file: how many shards, and then each of them as a filter's file.
 *
 *     [ "GUIRAset" | version | shards | 0 ... | sum ]   64 bytes
 *     [ shard 0: a file of a filter ][ shard 1 ] ...
 *
 * Each shard is written from a copy, as it was at one moment; nobody waits for the disk. */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "format.h"
#include "shared.h"
#include "tidal_whole.h"

static const uint8_t magic[8] = {'G', 'U', 'I', 'R', 'A', 's', 'e', 't'};

enum { VERSION = 1, PREAMBLE = 64, SUM_AT = PREAMBLE - 8 };

static void preamble_encode(uint8_t p[PREAMBLE], uint64_t shards) {
    memset(p, 0, PREAMBLE);
    memcpy(p, magic, sizeof magic);
    put_u64(p + 8, VERSION);
    put_u64(p + 16, shards);
    put_u64(p + SUM_AT, XXH3_64bits(p, SUM_AT));
}

static guira_status preamble_read(const uint8_t p[PREAMBLE], unsigned *shards) {
    uint8_t again[PREAMBLE];
    uint64_t n = get_u64(p + 16);
    if (memcmp(p, magic, sizeof magic) != 0 || get_u64(p + 8) != VERSION) return GUIRA_EFORMAT;
    preamble_encode(again, n);
    if (memcmp(p, again, PREAMBLE) != 0 || n == 0 || n > MAX_SHARDS || (n & (n - 1)) != 0) return GUIRA_ECORRUPT;
    *shards = (unsigned)n;
    return GUIRA_OK;
}

/* -------------------------------------------------------------------------------------------------------------- saving */

guira_status guira_shared_save_to(const guira_shared *g, guira_write_fn *write, void *to) {
    uint8_t preamble[PREAMBLE];
    if (g == NULL || write == NULL) return GUIRA_EINVAL;
    preamble_encode(preamble, g->shards);
    guira_status s = write(to, preamble, PREAMBLE) ? GUIRA_OK : GUIRA_EIO;
    for (unsigned i = 0; s == GUIRA_OK && i < g->shards; i++) {
        guira *copy;
        s = guira__shard_copy(g, i, &copy);
        if (s != GUIRA_OK) break;
        s = guira_save_to(copy, write, to);
        guira_destroy(copy);
    }
    return s;
}

guira_status guira_shared_save_fd(const guira_shared *g, int fd) {
    return guira_shared_save_to(g, guira__write_fd, &fd);
}

static guira_status save_shared(const void *g, int fd) { return guira_shared_save_fd(g, fd); }

guira_status guira_shared_save(const guira_shared *g, const char *path) { return guira__save(path, save_shared, g); }

/* ------------------------------------------------------------------------------------------------------------- loading */

/* Where shards come from: a file, or bytes in memory. */
struct source {
    int fd; /* -1: bytes */
    const uint8_t *at;
    size_t left;
};

static guira_status take(struct source *from, uint8_t *to, size_t n) {
    if (from->fd >= 0) return guira__read_fd(from->fd, to, n);
    if (from->left < n) return GUIRA_ECORRUPT;
    memcpy(to, from->at, n);
    from->at += n;
    from->left -= n;
    return GUIRA_OK;
}

static guira_status take_filter(struct source *from, guira **out) {
    guira_config c;
    uint64_t n;
    if (from->fd >= 0) return guira__load_fd(from->fd, A_FILTER, out);
    *out = NULL;
    if (from->left < HEADER_BYTES) return GUIRA_ECORRUPT;
    guira_status s = guira__header_read(from->at, A_FILTER, &n, &c);
    if (s != GUIRA_OK) return s;
    if (n > from->left) return GUIRA_ECORRUPT;
    s = guira_load_from(from->at, (size_t)n, out);
    from->at += n;
    from->left -= (size_t)n;
    return s;
}

/* Shows the filter in a shard of *out, which is made when the first one comes. */
static guira_status take_shard(struct source *from, unsigned i, unsigned shards, guira_shared **out) {
    guira *f;
    guira_status s = take_filter(from, &f);
    if (s != GUIRA_OK) return s == GUIRA_EFORMAT ? GUIRA_ECORRUPT : s;
    if (f->config.kind != GUIRA_TIDAL) s = GUIRA_ECORRUPT; /* no other can be shared */
    else if (i == 0) s = guira__shared_alloc(shards, &f->config, out);
    else if (!guira__alike(f, (*out)->sight[0].filter)) s = GUIRA_ECORRUPT;
    if (s != GUIRA_OK) {
        guira_destroy(f);
        return s;
    }
    guira__shard_show(*out, i, f);
    guira *elsewhere = guira__shard_settle(*out, i);
    if (elsewhere != NULL) guira__tidal_hide(elsewhere);
    guira_destroy(elsewhere);
    return GUIRA_OK;
}

static guira_status load(struct source *from, guira_shared **out) {
    uint8_t preamble[PREAMBLE];
    unsigned shards;
    guira_shared *g = NULL;
    guira_status s = take(from, preamble, PREAMBLE);
    if (s != GUIRA_OK) return s == GUIRA_ECORRUPT ? GUIRA_EFORMAT : s;
    s = preamble_read(preamble, &shards);
    for (unsigned i = 0; s == GUIRA_OK && i < shards; i++) s = take_shard(from, i, shards, &g);
    if (s != GUIRA_OK) {
        guira_shared_destroy(g);
        return s;
    }
    memcpy(g->secret, g->sight[0].filter->secret, sizeof g->secret);
    *out = g;
    return GUIRA_OK;
}

guira_status guira_shared_load_from(const void *bytes, size_t n, guira_shared **out) {
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (bytes == NULL) return GUIRA_EINVAL;
    struct source from = {-1, bytes, n};
    guira_status s = load(&from, out);
    if (s != GUIRA_OK || from.left == 0) return s;
    guira_shared_destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

guira_status guira_shared_load_fd(int fd, guira_shared **out) {
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    return fd < 0 ? GUIRA_EIO : load(&(struct source){fd, NULL, 0}, out);
}

guira_status guira_shared_load(const char *path, guira_shared **out) {
    uint8_t more;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (path == NULL) return GUIRA_EINVAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    guira_status s = guira_shared_load_fd(fd, out);
    if (s == GUIRA_OK && guira__read_fd(fd, &more, 1) == GUIRA_OK) { /* there is more than there should be */
        guira_shared_destroy(*out);
        *out = NULL;
        s = GUIRA_ECORRUPT;
    }
    if (fd >= 0) close(fd);
    return s;
}
