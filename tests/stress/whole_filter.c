/* Operations on a filter as a whole: clones, files, views, merges, unions, sizes. Where there is a second filter that must be
 * equal, it takes the place of the first, so that the run continues with it. */
#define _GNU_SOURCE
#include "faults.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static guira_status replace_by(struct subject *s, guira_status status, guira *g) {
    EXPECT((status == GUIRA_OK) == (g != NULL), "%s, but a filter is returned", guira_strerror(status));
    if (g == NULL) return status;
    EXPECT(digest(g) == digest(s->f), "a clone or a loaded filter differs");
    guira_destroy(s->f);
    s->f = g;
    return status;
}

static guira_status clone(struct subject *s) {
    guira *g;
    guira_status status = guira_clone(s->f, &g);
    return replace_by(s, status, g);
}

/* ---------------------------------------------------------------------------------------------------------- in memory */

struct bytes {
    uint8_t *at;
    size_t n, room;
};

static bool append(void *to, const void *bytes, size_t n) {
    struct bytes *b = to;
    if (b->n + n > b->room) return false;
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

static struct bytes image_room(const guira *f) {
    struct bytes b = {.room = guira_saved_size(f)};
    void *at = NULL;
    if (posix_memalign(&at, 64, b.room) != 0) abort();
    b.at = at;
    return b;
}

/* Part by part, by guira_saving_next. */
static guira_status save_slowly(struct subject *s, struct bytes *b) {
    guira_saving *saving;
    guira_status status = guira_saving_start(s->f, &saving);
    if (status != GUIRA_OK) return status;
    for (size_t n = 1 + rng_below(s->r, 10000), got = n; got == n; b->n += got) {
        if (n > b->room - b->n) n = b->room - b->n + 1; /* asks for one more than there is */
        uint8_t *part = malloc(n);
        if (part == NULL) break;
        got = guira_saving_next(saving, part, n);
        EXPECT(got <= b->room - b->n, "guira_saving_next writes more than guira_saved_size");
        memcpy(b->at + b->n, part, got);
        free(part);
    }
    guira_saving_end(saving);
    return b->n == b->room ? GUIRA_OK : GUIRA_ENOMEM; /* part was not allocated */
}

/* A view answers like the filter, and cannot be changed. (Its digest may differ: it does not know how many counts are to be
 * moved. That of its clone may not.) */
static void check_view(struct subject *s, guira *v) {
    EXPECT(guira_insert_hash(v, 1) == GUIRA_EUNSUPPORTED, "a view was changed");
    EXPECT(guira_remove_hash(v, 1) == GUIRA_EUNSUPPORTED, "a view was changed");
    for (unsigned i = 0; i < 20 && s->t.members.live > 0; i++) {
        uint64_t hash = hash_of(s, tally_member(&s->t, s->r));
        EXPECT(guira_contains_hash(v, hash), "false negative in a view");
        EXPECT(guira_count_hash(v, hash) == guira_count_hash(s->f, hash), "a view counts other copies");
    }
    counts.lookups += 20;
}

static guira_status in_memory(struct subject *s) {
    guira *g = NULL, *copy = NULL;
    struct bytes b = image_room(s->f);
    guira_status status = chance(s->r, 2) ? save_slowly(s, &b) : guira_save_to(s->f, append, &b);
    EXPECT(status != GUIRA_OK || b.n == b.room, "saved %zu bytes of %zu", b.n, b.room);
    counts.files++;
    if (status == GUIRA_OK && chance(s->r, 2)) {
        status = guira_load_from(b.at, b.n, &copy);
    } else if (status == GUIRA_OK && (status = guira_view(b.at, b.n, &g)) == GUIRA_OK) {
        check_view(s, g);
        status = guira_clone(g, &copy);
    }
    guira_destroy(g);
    status = replace_by(s, status, copy);
    free(b.at);
    return status;
}

/* -------------------------------------------------------------------------------------------------------------- in files */

/* On a disk that is full after so many bytes. */
static guira_status save_limited(const guira *f, const char *path, uint64_t bytes) {
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    guira_status status = guira_save(f, path);
    setrlimit(RLIMIT_FSIZE, &old);
    return status;
}

static bool is_disk_error(guira_status s) { return s == GUIRA_EIO || s == GUIRA_ENOSPC || s == GUIRA_EACCES; }

/* A file that fails to be saved is as it was before. Only if the directory was not flushed it may be the new one. */
static void save_in_vain(struct subject *s, const char *path) {
    guira *old;
    uint64_t size = guira_saved_size(s->f);
    EXPECT(guira_load(path, &old) == GUIRA_OK, "a saved file is not loaded");
    bool full = chance(s->r, 2);
    if (!full) fault_disk(1 + rng_below(s->r, 8), DISK_FAILS);
    guira_status status = full ? save_limited(s->f, path, rng_below(s->r, size)) : guira_save(s->f, path);
    unsigned fired = fault_end();
    counts.faults += full;
    EXPECT(is_disk_error(status) || (!full && fired == 0 && status == GUIRA_OK), "a full disk: %s",
           guira_strerror(status));
    guira *now;
    EXPECT(guira_load(path, &now) == GUIRA_OK, "a file is lost or torn after a failed save");
    uint64_t is = digest(now);
    EXPECT(is == digest(old) || (!full && is == digest(s->f)), "a file is neither the old one nor the new one");
    guira_destroy(old);
    guira_destroy(now);
}

static guira_status by_map(struct subject *s, const char *path, guira **copy) {
    guira *m;
    guira_status status = guira_map(path, &m);
    if (status != GUIRA_OK) return status;
    check_view(s, m);
    status = guira_clone(m, copy);
    guira_destroy(m);
    return status;
}

static guira_status in_file(struct subject *s) {
    char path[512];
    guira *copy = NULL;
    snprintf(path, sizeof path, "%s", file_in("filter"));
    guira_status status = guira_save(s->f, path);
    counts.files++;
    if (status == GUIRA_OK && s->faulty && !s->faults_are_on) save_in_vain(s, path);
    if (status == GUIRA_OK) status = guira_save(s->f, path);
    if (status == GUIRA_OK) status = chance(s->r, 2) ? guira_load(path, &copy) : by_map(s, path, &copy);
    unlink(path);
    if (is_disk_error(status) && s->faults_are_on) status = GUIRA_ENOMEM; /* mmap, or memory to flush the directory */
    return replace_by(s, status, copy);
}

/* ------------------------------------------------------------------------------------------------------ merge and union */

/* A filter of another size and, if it is tidal, another width; its members are appended to keys. */
static guira_status partner(struct subject *s, struct ordered_set *keys, guira **out) {
    guira_config c = {.size = sizeof c};
    guira_config_get(s->f, &c);
    if (is_subject(s, GUIRA_TIDAL)) {
        c.capacity = chance(s->r, 2) ? 0 : rng_scaled(s->r, 0, 10);
        c.fpr = 0;
        if (c.slot_bits != 12 && chance(s->r, 2)) c.slot_bits = (unsigned)(13 + rng_below(s->r, 14));
    }
    guira_status status = guira_create(&c, out);
    uint64_t n = rng_below(s->r, 2 + s->t.members.live / 4);
    for (uint64_t i = 0; status == GUIRA_OK && i < n && i < 3000; i++) {
        uint64_t key = draw_key(s);
        if (guira_insert_hash(*out, hash_of(s, key)) == GUIRA_OK) ordered_add(keys, key);
    }
    counts.changes += keys->live;
    return status;
}

static guira_status merge(struct subject *s) {
    struct ordered_set keys = {0};
    guira *g;
    guira_status status = partner(s, &keys, &g);
    uint64_t before = status == GUIRA_OK ? digest(g) : 0;
    if (status == GUIRA_OK) {
        status = guira_merge(s->f, g);
        EXPECT(digest(g) == before, "guira_merge has changed what it merged");
        bool can = !is_subject(s, GUIRA_ELASTIC) && !is_subject(s, GUIRA_CONSISTENT);
        EXPECT(can == (status != GUIRA_EUNSUPPORTED), "guira_merge: %s", guira_strerror(status));
        for (size_t i = 0; status == GUIRA_OK && i < keys.live; i++) tally_add(&s->t, keys.hash[i]);
    }
    s->may = insertion_may(s) | (is_subject(s, GUIRA_TIDAL) ? 0 : MAY(GUIRA_EUNSUPPORTED));
    guira_destroy(g);
    free(keys.hash);
    return status;
}

static void check_union(struct subject *s, const guira *u, const struct ordered_set *more) {
    const char *reason = NULL;
    EXPECT(guira_validate(u, &reason) == GUIRA_OK, "a union is invalid: %s", reason);
    for (size_t i = 0; i < more->live; i++)
        EXPECT(guira_contains_hash(u, hash_of(s, more->hash[i])), "false negative in a union, of the second filter");
    for (uint64_t key = 1; key <= s->t.keys; key++)
        EXPECT(s->t.count[key] == 0 || guira_contains_hash(u, hash_of(s, key)), "false negative in a union");
    counts.lookups += s->t.keys;
}

/* On a clone: keys that a union takes for one must not be removed any more. */
static guira_status unite(struct subject *s) {
    struct ordered_set keys = {0};
    guira *g = NULL, *u = NULL;
    s->may = is_subject(s, GUIRA_TIDAL) ? 0 : MAY(GUIRA_EUNSUPPORTED);
    guira_status status = guira_clone(s->f, &u);
    if (status == GUIRA_OK) status = partner(s, &keys, &g);
    if (status == GUIRA_OK) status = guira_union(u, g);
    if (status == GUIRA_OK) {
        EXPECT(u->items >= s->f->items && u->items <= s->f->items + keys.live, "a union has %llu items",
               (unsigned long long)u->items);
        for (unsigned i = 0; i < 200; i++) (void)guira_insert_hash(u, rng_next(s->r));
        check_union(s, u, &keys);
    }
    guira_destroy(g);
    guira_destroy(u);
    free(keys.hash);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------------- size */

static guira_status reserve(struct subject *s) {
    s->may = MAY(GUIRA_EUNSUPPORTED) | MAY(GUIRA_ELIMIT) | MAY(GUIRA_EFULL);
    if (is_subject(s, GUIRA_TIDAL)) s->may = 0;
    return guira_reserve(s->f, chance(s->r, 4) ? 0 : rng_below(s->r, 2 * s->t.members.live + 100));
}

static guira_status shrink(struct subject *s) {
    s->may = is_subject(s, GUIRA_CUCKOO) ? MAY(GUIRA_EUNSUPPORTED) : 0;
    return guira_shrink_to_fit(s->f);
}

static guira_status clear(struct subject *s) {
    s->may = is_subject(s, GUIRA_CONSISTENT) ? MAY(GUIRA_ELIMIT) : 0;
    guira_status status = guira_clear(s->f);
    if (status == GUIRA_OK) tally_clear(&s->t);
    return status;
}

static guira_status step_consistent(struct subject *s) {
    const guira_config other = {.slot_bits = (unsigned)(4 + rng_below(s->r, 29)),
                                .buckets = 1 + rng_below(s->r, 16),
                                .candidates = (unsigned)(1 + rng_below(s->r, 4))};
    size_t index = rng_below(s->r, 8); /* may be one that does not exist */
    switch (rng_below(s->r, 8)) {
    case 0: return guira_consistent_scale_up(s->f);
    case 1: return guira_consistent_scale_down(s->f);
    case 2: return guira_consistent_scale_out(s->f, NULL);
    case 3: return guira_consistent_scale_out(s->f, &other);
    case 4: return guira_consistent_scale_up_at(s->f, index);
    case 5: return guira_consistent_scale_down_at(s->f, index);
    case 6: return guira_consistent_compact_at(s->f, index);
    default: return guira_consistent_compact(s->f);
    }
}

static guira_status step_elastic(struct subject *s) {
    guira_stats stats = GUIRA_STATS_INIT;
    guira_stats_get(s->f, &stats);
    bool extends = chance(s->r, 2) && stats.buckets < 4096;
    return extends ? guira_elastic_extend(s->f, (unsigned)(2 + rng_below(s->r, 4))) : guira_elastic_halve(s->f);
}

static guira_status step(struct subject *s) {
    s->may = MAY(GUIRA_EFULL) | MAY(GUIRA_ELIMIT) | MAY(GUIRA_EINVAL);
    switch (s->config.kind) {
    case GUIRA_CUCKOO: return guira_cuckoo_halve(s->f);
    case GUIRA_ELASTIC: return step_elastic(s);
    case GUIRA_CONSISTENT: return step_consistent(s);
    default: return GUIRA_OK;
    }
}

/* ----------------------------------------------------------------------------------------------------------------- all */

guira_status whole_filter(struct subject *s) {
    s->may = 0;
    counts.changes++;
    switch (rng_below(s->r, 41)) {
    case 0: return clear(s);
    case 1:
    case 2:
    case 3:
    case 4: return clone(s);
    case 5:
    case 6:
    case 7:
    case 8: return in_memory(s);
    case 9:
    case 10:
    case 11:
    case 12: return in_file(s);
    case 13:
    case 14:
    case 15:
    case 16: return s->t.members.live < s->most ? merge(s) : GUIRA_OK;
    case 17:
    case 18: return unite(s);
    case 19:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24: return reserve(s);
    case 25:
    case 26:
    case 27: return shrink(s);
    default: return step(s);
    }
}
