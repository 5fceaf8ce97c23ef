/* The guide's programs; the contracts are in guide_program.h. */
#include "guide_program.h"

#include <string.h>

enum { FINGERPRINT_BITS = 12, MAX_KICKS = 500 };

void guide_program_start(struct guide_program *p, enum language language, bool corrected, uint64_t seed) {
    memset(p, 0, sizeof *p);
    p->language = language;
    p->corrected = corrected;
    p->rng.state = seed;
    p->key = (struct python_key){mix(seed + 1), mix(seed + 2)};
}

static uint64_t hash_of(const struct guide_program *p, const char *s) {
    size_t n = strlen(s);
    uint64_t h = p->language == GO     ? fnv1a_64(s, n)
                 : p->language == JAVA ? guide_java_hash(s, n)
                                       : guide_python_hash(p->key, s, n);
    return p->corrected ? mix(h) : h;
}

static uint16_t fingerprint_of(uint64_t h) {
    uint16_t fingerprint = h & ((1 << FINGERPRINT_BITS) - 1);
    return fingerprint == 0 ? 1 : fingerprint;
}
static unsigned index_of(uint64_t h) { return (unsigned)(h >> 32) & (GUIDE_BUCKETS - 1); }
static unsigned alternate_of(const struct guide_program *p, unsigned bucket, uint16_t fingerprint) {
    char name[16];
    snprintf(name, sizeof name, "fp%u", fingerprint);
    return bucket ^ index_of(hash_of(p, name));
}

static bool put(struct guide_program *p, unsigned bucket, uint16_t fingerprint) {
    for (unsigned i = 0; i < GUIDE_SLOTS; i++)
        if (p->slot[bucket][i] == 0) return p->slot[bucket][i] = fingerprint, true;
    return false;
}

static bool in_bucket(const struct guide_program *p, unsigned bucket, uint16_t fingerprint) {
    for (unsigned i = 0; i < GUIDE_SLOTS; i++)
        if (p->slot[bucket][i] == fingerprint) return true;
    return false;
}

void guide_program_insert(struct guide_program *p, const char *key) {
    uint64_t h = hash_of(p, key);
    uint16_t fingerprint = fingerprint_of(h);
    unsigned first = index_of(h), second = alternate_of(p, first, fingerprint);
    p->count++;
    if (put(p, first, fingerprint) || put(p, second, fingerprint)) return;
    unsigned bucket = lab_rng_below(&p->rng, 2) == 1 ? second : first;
    for (unsigned kick = 0; kick < MAX_KICKS; kick++) {
        uint16_t *victim = &p->slot[bucket][lab_rng_below(&p->rng, GUIDE_SLOTS)], out = *victim;
        *victim = fingerprint;
        fingerprint = out;
        bucket = alternate_of(p, bucket, fingerprint);
        if (put(p, bucket, fingerprint)) return;
    }
    p->stashed[fingerprint]++;
    p->stash_bucket[p->failures] = (uint16_t)bucket;
    p->stash[p->failures++] = fingerprint;
}

/* As printed, the fingerprint alone decides; corrected, it must be in one of the key's buckets too. */
static bool in_stash(const struct guide_program *p, uint16_t fingerprint, unsigned first, unsigned second) {
    if (p->stashed[fingerprint] == 0 || !p->corrected) return p->stashed[fingerprint] > 0;
    for (unsigned i = 0; i < p->failures; i++)
        if (p->stash[i] == fingerprint && (p->stash_bucket[i] == first || p->stash_bucket[i] == second)) return true;
    return false;
}

bool guide_program_lookup(const struct guide_program *p, const char *key) {
    uint64_t h = hash_of(p, key);
    uint16_t fingerprint = fingerprint_of(h);
    unsigned first = index_of(h), second = alternate_of(p, first, fingerprint);
    return in_stash(p, fingerprint, first, second) || in_bucket(p, first, fingerprint) ||
           in_bucket(p, second, fingerprint);
}

unsigned guide_program_index(const struct guide_program *p, const char *key) { return index_of(hash_of(p, key)); }
