/* The tutorial's programs; the contracts are in tutorial_program.h. */
#include "tutorial_program.h"

#include <string.h>

enum { MAX_KICKS = 500 };

void tutorial_start_python(struct tutorial_program *p, bool corrected, uint64_t seed) {
    memset(p, 0, sizeof *p);
    p->corrected = corrected;
    p->buckets = TUTORIAL_BUCKETS;
    p->rng.state = seed;
}

void tutorial_start_java(struct tutorial_program *p, unsigned capacity, uint64_t seed) {
    memset(p, 0, sizeof *p);
    p->java = true;
    p->rng.state = seed;
    for (p->buckets = 1; p->buckets < capacity / TUTORIAL_SLOTS;) p->buckets *= 2;
    if (p->buckets > TUTORIAL_BUCKETS) lab_fatal("a model of this shape is not possible");
}

static uint32_t fingerprint_of(const struct tutorial_program *p, uint64_t hash) {
    if (p->corrected) return (uint32_t)(mix(hash) >> 48);
    if (!p->java) return hash & 0xffff;
    return (hash & 0xff) == 0 ? 1 : hash & 0xff;
}

static unsigned index1(const struct tutorial_program *p, uint64_t hash) {
    if (p->corrected) hash = mix(hash);
    if (p->java) hash &= 0x7fffffff;
    return (unsigned)(hash % p->buckets);
}

static unsigned alternate(const struct tutorial_program *p, unsigned bucket, uint32_t fingerprint) {
    uint64_t jump = p->corrected ? mix(fingerprint) : fingerprint;
    return (unsigned)((bucket ^ jump) % p->buckets);
}

unsigned tutorial_second_bucket(const struct tutorial_program *p, uint64_t hash) {
    return alternate(p, index1(p, hash), fingerprint_of(p, hash));
}

static bool append(struct tutorial_program *p, unsigned bucket, uint32_t fingerprint) {
    if (p->n[bucket] == TUTORIAL_SLOTS) return false;
    p->slot[bucket][p->n[bucket]++] = fingerprint;
    return true;
}

/* Where a victim goes. Python keeps the new item's buckets: its own index2 with the victim's fingerprint, or index1. */
static unsigned next_bucket(const struct tutorial_program *p, uint64_t hash, unsigned bucket, uint32_t victim) {
    if (p->java || p->corrected) return alternate(p, bucket, victim);
    unsigned first = index1(p, hash);
    return bucket == first ? alternate(p, first, victim) : first;
}

bool tutorial_insert(struct tutorial_program *p, uint64_t hash) {
    uint32_t fingerprint = fingerprint_of(p, hash);
    unsigned first = index1(p, hash), second = alternate(p, first, fingerprint);
    if (append(p, first, fingerprint) || append(p, second, fingerprint)) return true;
    unsigned bucket = lab_rng_below(&p->rng, 2) ? first : second;
    for (unsigned kick = 0; kick < MAX_KICKS; kick++) {
        uint32_t *victim = &p->slot[bucket][lab_rng_below(&p->rng, TUTORIAL_SLOTS)], out = *victim;
        *victim = fingerprint;
        fingerprint = out;
        bucket = next_bucket(p, hash, bucket, fingerprint);
        if (append(p, bucket, fingerprint)) return true;
    }
    return false;
}

static int find(const struct tutorial_program *p, unsigned bucket, uint32_t fingerprint) {
    for (unsigned i = 0; i < p->n[bucket]; i++)
        if (p->slot[bucket][i] == fingerprint) return (int)i;
    return -1;
}

bool tutorial_contains(const struct tutorial_program *p, uint64_t hash) {
    uint32_t fingerprint = fingerprint_of(p, hash);
    unsigned first = index1(p, hash), second = alternate(p, first, fingerprint);
    if (!p->java && !p->corrected) second = (first + fingerprint) % p->buckets; /* adds where insertion uses XOR */
    return find(p, first, fingerprint) >= 0 || find(p, second, fingerprint) >= 0;
}

static bool remove_from(struct tutorial_program *p, unsigned bucket, uint32_t fingerprint) {
    int at = find(p, bucket, fingerprint);
    if (at < 0) return false;
    p->slot[bucket][at] = p->slot[bucket][--p->n[bucket]];
    return true;
}

bool tutorial_delete(struct tutorial_program *p, uint64_t hash) {
    uint32_t fingerprint = fingerprint_of(p, hash);
    if (!p->java && !p->corrected) fingerprint &= 0xff; /* 8 of the 16 bits */
    unsigned first = index1(p, hash);
    return remove_from(p, first, fingerprint) || remove_from(p, alternate(p, first, fingerprint), fingerprint);
}
