/* Loads and selects the filters. A shared object that lacks a required function is rejected here, so that it does not
 * crash in the middle of a long run. */
#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct bench_peer *find(const struct peers *p, const char *name) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->peer[i]->name, name) == 0) return p->peer[i];
    return NULL;
}

static bool add(struct peers *p, const struct bench_peer *b, const char *from) {
    if (b->name == NULL || b->create == NULL || b->destroy == NULL || b->insert == NULL || b->contains == NULL ||
        b->bytes == NULL) {
        fprintf(stderr, "guira-bench: %s: filter %s lacks a required function\n", from,
                b->name != NULL ? b->name : "(without a name)");
        return false;
    }
    if (find(p, b->name) != NULL) {
        fprintf(stderr, "guira-bench: %s: duplicate filter name %s\n", from, b->name);
        return false;
    }
    if (p->count == MAX_PEERS) {
        fprintf(stderr, "guira-bench: %s: more than %d filters\n", from, MAX_PEERS);
        return false;
    }
    p->peer[p->count++] = b;
    return true;
}

static bool add_all(struct peers *p, const struct bench_peer *const *list, const char *from) {
    for (; *list != NULL; list++)
        if (!add(p, *list, from)) return false;
    return true;
}

static bool load(struct peers *p, const char *file) {
    char path[4096]; /* a name without a slash would make dlopen search the library path */
    snprintf(path, sizeof path, "%s%s", strchr(file, '/') != NULL ? "" : "./", file);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        fprintf(stderr, "guira-bench: --peer %s: %s\n", file, dlerror());
        return false;
    }
    const struct bench_peer *const *(*list)(void) = NULL;
    *(void **)&list = dlsym(object, "bench_peers"); /* the cast POSIX prescribes */
    if (list == NULL) {
        fprintf(stderr, "guira-bench: --peer %s: does not export bench_peers\n", file);
        return false;
    }
    return add_all(p, list(), file);
}

static bool unknown(const struct peers *p, const char *option, const char *name) {
    fprintf(stderr, "guira-bench: --%s: unknown filter %s; available:", option, name);
    for (size_t i = 0; i < p->count; i++) fprintf(stderr, " %s", p->peer[i]->name);
    fprintf(stderr, "\n");
    return false;
}

bool peers_load(const struct options *o, struct peers *out) {
    struct peers all = {.count = 0};
    if (!add_all(&all, guira_bench_peers(), "guira")) return false;
    for (size_t i = 0; i < o->peers; i++)
        if (!load(&all, o->peer[i])) return false;
    *out = o->filters == 0 ? all : (struct peers){.count = 0};
    if (!add_all(&all, guira_bench_more(), "guira")) return false;
    for (size_t i = 0; i < o->filters; i++) {
        const struct bench_peer *b = find(&all, o->filter[i]);
        if (b == NULL) return unknown(&all, "filters", o->filter[i]);
        if (!add(out, b, "--filters")) return false;
    }
    if (o->reference_given)
        for (size_t i = 0; i < o->references; i++)
            if (find(out, o->reference[i]) == NULL) return unknown(out, "reference", o->reference[i]);
    return true;
}
