/* guira_shared as a file: the number of shards, and then each of them as a filter's file.
 *
 *     [ "GUIRAset" | version | shards | 0 ... | checksum ]   64 bytes
 *     [ shard 0: a file of a filter ][ shard 1 ] ...
 *
 * Each shard is written from a copy of one moment, so that no writer waits for the disk. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "format/contents.h"
#include "io/io.h"
#include "shared/shared.h"

/* -------------------------------------------------------------------------------------------------------------- saving */

guira_status guira_shared_save_to(const guira_shared *g, guira_write_fn *write, void *to) {
    uint8_t preamble[SHARED_PREAMBLE];
    if (g == NULL || write == NULL) return GUIRA_EINVAL;
    guira__preamble_encode(preamble, g->shards);
    guira_status s = write(to, preamble, SHARED_PREAMBLE) ? GUIRA_OK : GUIRA_EIO;
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
    struct fd_writer w = {fd, 0};
    return guira__fd_status(guira_shared_save_to(g, guira__write_fd, &w), &w);
}

static guira_status save_shared(const void *g, int fd) { return guira_shared_save_fd(g, fd); }

guira_status guira_shared_save(const guira_shared *g, const char *path) {
    return guira__save_path(path, save_shared, g);
}

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
    void *f = NULL;
    size_t used = 0;
    guira_status s = from->fd >= 0 ? guira__load_fd(&guira__content_filter, from->fd, &f)
                                   : guira__load_prefix(&guira__content_filter, from->at, from->left, &used, &f);
    from->at += used;
    from->left -= used;
    *out = f;
    return s;
}

/* Moves a filter to the stable regions of a shard and publishes it there. */
static guira_status publish_in(guira_shared *g, unsigned i, const guira *f) {
    guira *moved;
    guira_status s = guira__tidal_clone_in(&g->shard[i].regions, f, &moved);
    if (s == GUIRA_OK) guira__shard_publish(g, i, moved);
    return s;
}

/* Publishes a filter in a shard of *out, which is made for the first one. */
static guira_status take_shard(struct source *from, unsigned i, unsigned shards, guira_shared **out) {
    guira *f;
    guira_status s = take_filter(from, &f);
    if (s != GUIRA_OK) return s == GUIRA_EFORMAT ? GUIRA_ECORRUPT : s;
    guira_config c = guira__config_of(f);
    if (c.kind != GUIRA_TIDAL) s = GUIRA_ECORRUPT; /* no other kind can be shared */
    else if (i == 0) s = guira__shared_alloc(shards, &c, out);
    else if (!guira__alike(f, (*out)->root[0].filter)) s = GUIRA_ECORRUPT;
    if (s == GUIRA_OK) s = publish_in(*out, i, f);
    guira_destroy(f);
    return s;
}

static guira_status load(struct source *from, guira_shared **out) {
    uint8_t preamble[SHARED_PREAMBLE];
    unsigned shards;
    guira_shared *g = NULL;
    guira_status s = take(from, preamble, SHARED_PREAMBLE);
    if (s != GUIRA_OK) return s == GUIRA_ECORRUPT ? GUIRA_EFORMAT : s;
    s = guira__preamble_read(preamble, &shards);
    for (unsigned i = 0; s == GUIRA_OK && i < shards; i++) s = take_shard(from, i, shards, &g);
    if (s != GUIRA_OK) {
        guira_shared_destroy(g);
        return s;
    }
    guira__secret_derive(g->root[0].filter->seed, g->secret);
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
    int fd;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    guira_status s = path == NULL ? GUIRA_EINVAL : guira__open_path(path, &fd);
    if (s != GUIRA_OK) return s;
    s = guira_shared_load_fd(fd, out);
    if (s == GUIRA_OK && guira__read_fd(fd, &more, 1) == GUIRA_OK) { /* the file has more than that */
        guira_shared_destroy(*out);
        *out = NULL;
        s = GUIRA_ECORRUPT;
    }
    close(fd);
    return s;
}
