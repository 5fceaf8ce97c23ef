/* tutorial: models of its two programs. In Python and in Java the hash of a small integer is the
 * integer. */
#include <string.h>

#include "lab.h"

enum { SIZE = 1024, SLOTS = 4, KICKS = 500 };

/* ----------------------------------------------------------------------------------------------------------- Python */

struct python {
    uint32_t bucket[SIZE][SLOTS];
    unsigned n[SIZE];
    struct lab_rng rng;
};

static uint64_t index1(uint64_t hash) { return hash % SIZE; }
static uint64_t index2(uint64_t hash, uint64_t fp) { return (index1(hash) ^ fp) % SIZE; }

static bool append(struct python *p, uint64_t i, uint32_t fp) {
    if (p->n[i] == SLOTS) return false;
    p->bucket[i][p->n[i]++] = fp;
    return true;
}

static bool python_insert(struct python *p, uint64_t hash) {
    uint32_t fp = (uint32_t)(hash & 0xffff);
    uint64_t i1 = index1(hash), i2 = index2(hash, fp), i;
    if (append(p, i1, fp) || append(p, i2, fp)) return true;
    i = lab_rng_below(&p->rng, 2) ? i1 : i2;
    for (unsigned kick = 0; kick < KICKS; kick++) {
        uint32_t *victim = &p->bucket[i][lab_rng_below(&p->rng, SLOTS)], out = *victim;
        *victim = fp;
        fp = out;
        i = i == i1 ? index2(hash, fp) : index1(hash); /* the index of the new item, not of the victim */
        if (append(p, i, fp)) return true;
    }
    return false;
}

static bool in_bucket(const struct python *p, uint64_t i, uint32_t fp) {
    for (unsigned j = 0; j < p->n[i]; j++)
        if (p->bucket[i][j] == fp) return true;
    return false;
}

static bool python_contains(const struct python *p, uint64_t hash) {
    uint32_t fp = (uint32_t)(hash & 0xffff);
    return in_bucket(p, index1(hash), fp) || in_bucket(p, (index1(hash) + fp) % SIZE, fp);
}

/* Whether its delete finds the fingerprint. */
static bool python_can_delete(const struct python *p, uint64_t hash) {
    uint32_t fp = (uint32_t)(hash & 0xff);
    return in_bucket(p, index1(hash), fp) || in_bucket(p, index2(hash, fp), fp);
}

static void check_python(struct lab *lab) {
    static struct python p;
    unsigned inserted = 0, lost = 0, deleted = 0, zero = 0;
    enum { N = SIZE * SLOTS / 2 };
    memset(&p, 0, sizeof p);
    p.rng.state = lab->seed;
    static bool in[N];
    for (uint64_t i = 0; i < N; i++) {
        uint64_t hash = mix(i);
        inserted += in[i] = python_insert(&p, hash);
        zero += index2(hash, hash & 0xffff) == 0;
    }
    for (uint64_t i = 0; i < N; i++) {
        lost += in[i] && !python_contains(&p, mix(i));
        deleted += in[i] && python_can_delete(&p, mix(i));
    }
    lab_refute(lab, "Python: the alternate bucket depends on the key", "spread over 1,024 buckets",
               text("bucket 0 for %.0f %% of the keys", 100.0 * zero / N), zero == N);
    lab_refute(lab, "Python: lookups of members at load 0.5", "all found",
               text("%u of %u not found, %u of %d insertions failed", lost, inserted, N - inserted, (int)N), lost > 0);
    lab_refute(lab, "Python: a member can be deleted", "always", text("%.1f %% can", 100.0 * deleted / inserted),
               deleted < inserted / 2);
}

/* ------------------------------------------------------------------------------------------------------------- Java */

enum { JAVA_BUCKETS = 64 }; /* new CuckooFilter(256) */

static int java_fingerprint(int key) { return (key & 255) == 0 ? 1 : key & 255; }
static int java_index1(int key) { return (key & 0x7fffffff) % JAVA_BUCKETS; }
static int java_index2(int key, int fp) { return (java_index1(key) ^ fp) % JAVA_BUCKETS; }

static bool java_store(int table[JAVA_BUCKETS][SLOTS], int bucket, int fp) {
    for (int i = 0; i < SLOTS; i++)
        if (table[bucket][i] == 0) return table[bucket][i] = fp, true;
    return false;
}

static bool java_search(int table[JAVA_BUCKETS][SLOTS], int bucket, int fp) {
    for (int i = 0; i < SLOTS; i++)
        if (table[bucket][i] == fp) return true;
    return false;
}

static void check_java(struct lab *lab) {
    static int table[JAVA_BUCKETS][SLOTS];
    unsigned positives = 0, lookups = 100000;
    memset(table, 0, sizeof table);
    for (int key = 0; key < 256; key++) {
        int fp = java_fingerprint(key);
        if (!java_store(table, java_index1(key), fp)) java_store(table, java_index2(key, fp), fp);
    }
    for (int key = 256; key < 256 + (int)lookups; key++) {
        int fp = java_fingerprint(key);
        positives += java_search(table, java_index1(key), fp) || java_search(table, java_index2(key, fp), fp);
    }
    lab_refute(lab, "Java: false positives after inserting 0..255, 8-bit fingerprints", "1/256",
               text("%.1f %%", 100.0 * positives / lookups), positives > lookups / 2);
}

/* ---------------------------------------------------------------------------------------------------------- library */

static void check_library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 2048};
    guira *f = lab_filter(lab, c);
    uint64_t n = lab_fill(f, 0, 2048), lost = lab_false_negatives(f, 0, n), deleted = 0;
    for (uint64_t i = 0; i < n; i++) deleted += lab_remove(f, MEMBERS, i) == GUIRA_OK;
    lab_must_hold(lab,
                  "the library: independent bits for index and fingerprint, the victim's own alternate bucket, one "
                  "formula everywhere",
                  text("%" PRIu64 " inserted, %" PRIu64 " lost, %" PRIu64 " deleted", n, lost, deleted),
                  n == 2048 && lost == 0 && deleted == n);
    guira_destroy(f);
}

void experiment(struct lab *lab) {
    check_python(lab);
    check_java(lab);
    check_library(lab);
}
