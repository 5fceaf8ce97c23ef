/* Entries of one filter on a ring: finding them, and making room for them. See i2cf.h. */
#include "i2cf.h"

#include <math.h>

#include "packed.h"

/* --------------------------------------------------------------------------------------------------------- candidates */

void guira__aim_fingerprint(struct aim *a, const struct shape *s, uint64_t fingerprint) {
    a->fingerprint = fingerprint;
    a->ring = s->ring;
    a->bits = s->bits;
    a->n = s->candidates;
    for (unsigned i = 0; i < a->n; i++) a->position[i] = 1 + guira__hash_pair(fingerprint, i) % (s->ring - 1);
}

void guira__aim_hash(struct aim *a, const struct shape *s, uint64_t hash) {
    if (a->bits == s->bits && a->n == s->candidates && a->ring == s->ring) return;
    guira__aim_fingerprint(a, s, fingerprint_cut(hash >> 32, 32, s->bits));
}

/* One fingerprint, 1, is twice as likely as each of the others: for the key as well as for the entries. */
double guira__i2cf_miss(unsigned bits, double entries) {
    double p = ldexp(1, -(int)bits);
    return (1 - 2 * p) * exp(entries * log1p(-p)) + 2 * p * exp(entries * log1p(-2 * p));
}

/* The candidate buckets of an entry, each once. */
struct choice {
    unsigned n;
    uint32_t bucket[MAX_CANDIDATES];
};

static bool is_choice(const struct choice *c, uint32_t bucket) {
    for (unsigned i = 0; i < c->n; i++)
        if (c->bucket[i] == bucket) return true;
    return false;
}

static void choice_of(const struct i2cf *f, const struct aim *a, struct choice *c) {
    c->n = 0;
    for (unsigned i = 0; i < a->n; i++) {
        uint32_t bucket = ring_owner(&f->ring, a->position[i]);
        if (!is_choice(c, bucket)) c->bucket[c->n++] = bucket;
    }
}

/* ------------------------------------------------------------------------------------------------------------- looking */

uint64_t guira__i2cf_entry(const struct i2cf *f, uint64_t slot) { return packed_get(f->table, slot, f->shape.bits); }

/* How many slots of the bucket hold this fingerprint (0: are empty); *slot is the first of them. The ring of a mapped file
 * may be broken and lead to buckets that are not there. */
static unsigned count_in(const struct i2cf *f, uint64_t bucket, uint64_t fingerprint, uint64_t *slot) {
    unsigned n = 0;
    *slot = 0;
    if (bucket >= f->buckets) return 0;
    for (unsigned j = f->shape.slots; j-- > 0;) {
        uint64_t at = bucket * f->shape.slots + j;
        if (guira__i2cf_entry(f, at) != fingerprint) continue;
        *slot = at;
        n++;
    }
    return n;
}

bool guira__i2cf_contains(const struct i2cf *f, const struct aim *a) {
    uint64_t slot;
    for (unsigned i = 0; i < a->n; i++)
        if (count_in(f, ring_owner(&f->ring, a->position[i]), a->fingerprint, &slot) > 0) return true;
    return false;
}

uint64_t guira__i2cf_count(const struct i2cf *f, const struct aim *a, uint64_t *places) {
    uint64_t n = 0, slot;
    struct choice c;
    choice_of(f, a, &c);
    for (unsigned i = 0; i < c.n; i++) n += count_in(f, c.bucket[i], a->fingerprint, &slot);
    if (places != NULL) *places = (uint64_t)c.n * f->shape.slots;
    return n;
}

/* ------------------------------------------------------------------------------------------------------------ changing */

void guira__i2cf_set(struct i2cf *f, uint64_t slot, uint64_t fingerprint) {
    packed_set(f->table, slot, f->shape.bits, fingerprint);
}

/* Callers see to it that there is room in the log. */
static void write(struct i2cf *f, uint64_t slot, uint64_t fingerprint, struct i2cf_log *log) {
    log->line[log->n].slot = slot;
    log->line[log->n].old = guira__i2cf_entry(f, slot);
    log->n++;
    guira__i2cf_set(f, slot, fingerprint);
}

static void undo_to(struct i2cf *f, struct i2cf_log *log, unsigned n) {
    while (log->n > n) {
        log->n--;
        guira__i2cf_set(f, log->line[log->n].slot, log->line[log->n].old);
    }
}

void guira__i2cf_undo(struct i2cf *f, struct i2cf_log *log) { undo_to(f, log, 0); }

uint64_t guira__luck(guira *luck) {
    luck->rng = luck->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return guira__hash_pair(luck->rng, 0); /* the generator's low bits are not random enough for a modulus */
}

bool guira__i2cf_remove(struct i2cf *f, const struct aim *a) {
    uint64_t slot;
    for (unsigned i = 0; i < a->n; i++)
        if (count_in(f, ring_owner(&f->ring, a->position[i]), a->fingerprint, &slot) > 0) {
            guira__i2cf_set(f, slot, 0);
            f->items--;
            return true;
        }
    return false;
}

bool guira__i2cf_place_in(struct i2cf *f, uint64_t bucket, uint64_t fingerprint, struct i2cf_log *log) {
    uint64_t slot;
    if (log->n == LOG_SIZE || count_in(f, bucket, 0, &slot) == 0) return false;
    write(f, slot, fingerprint, log);
    return true;
}

/* Into the candidate with the most room, if any has some. */
static bool place_at_once(struct i2cf *f, const struct aim *a, struct i2cf_log *log) {
    unsigned most = 0;
    uint64_t best = 0, slot;
    for (unsigned i = 0; i < a->n; i++) {
        unsigned room = count_in(f, ring_owner(&f->ring, a->position[i]), 0, &slot);
        if (room <= most) continue;
        most = room;
        best = slot;
    }
    if (most == 0 || log->n == LOG_SIZE) return false;
    write(f, best, a->fingerprint, log);
    return true;
}

/* A way on from a full bucket: the entry in `slot` goes to bucket `to`. */
struct step {
    uint64_t slot, entry;
    uint32_t to;
    bool possible, has_room;
};

/* Looks at every entry of the bucket and at all its other candidates: the first with room is the step to take, else
 * one by lot. Nobody is sent back to where the walk came from. */
static struct step look_ahead(const struct i2cf *f, uint32_t at, uint32_t from, guira *luck) {
    struct step step = {.possible = false};
    unsigned b = f->shape.slots, ways = 0;
    uint64_t free_slot;
    struct aim a;
    struct choice c;
    for (unsigned j = 0; j < b; j++) {
        uint64_t slot = (uint64_t)at * b + j, entry = guira__i2cf_entry(f, slot);
        guira__aim_fingerprint(&a, &f->shape, entry);
        choice_of(f, &a, &c);
        for (unsigned i = 0; i < c.n; i++) {
            if (c.bucket[i] == at || c.bucket[i] == from) continue;
            bool has_room = count_in(f, c.bucket[i], 0, &free_slot) > 0;
            if (!has_room && guira__luck(luck) % ++ways != 0)
                continue; /* the n-th way replaces the one so far by 1/n */
            step = (struct step){slot, entry, c.bucket[i], true, has_room};
            if (has_room) return step;
        }
    }
    return step;
}

/* Gives the fingerprint a slot of a full bucket by moving others. On failure the caller undoes what is in the log. */
static bool walk(struct i2cf *f, uint64_t fingerprint, uint32_t at, unsigned kicks, struct i2cf_log *log, guira *luck) {
    uint32_t from = at;
    for (unsigned kick = 0; kick < kicks && log->n + 2 <= LOG_SIZE; kick++) {
        struct step step = look_ahead(f, at, from, luck);
        if (!step.possible) return false;
        write(f, step.slot, fingerprint, log);
        if (step.has_room) return guira__i2cf_place_in(f, step.to, step.entry, log);
        fingerprint = step.entry;
        from = at;
        at = step.to;
    }
    return false;
}

bool guira__i2cf_place(struct i2cf *f, const struct aim *a, unsigned kicks, struct i2cf_log *log, guira *luck) {
    unsigned before = log->n;
    uint64_t rng = luck->rng;
    if (place_at_once(f, a, log)) return true;
    if (kicks == 0) return false;
    uint32_t at = ring_owner(&f->ring, a->position[guira__luck(luck) % a->n]);
    if (walk(f, a->fingerprint, at, kicks, log, luck)) {
        luck->kicks += log->n - before - 1;
        luck->evictions++;
        return true;
    }
    undo_to(f, log, before);
    luck->rng = rng;
    return false;
}

bool guira__i2cf_insert(struct i2cf *f, const struct aim *a, unsigned kicks, struct i2cf_log *log, guira *luck) {
    bool placed = guira__i2cf_place(f, a, kicks, log, luck);
    f->items += placed;
    return placed;
}

/* ------------------------------------------------------------------------------------------------------------ checking */

static const char *check_entries(const struct i2cf *f) {
    uint64_t items = 0;
    struct aim a;
    struct choice c;
    for (uint64_t slot = 0; slot < i2cf_slots(f); slot++) {
        uint64_t entry = guira__i2cf_entry(f, slot);
        if (entry == 0) continue;
        guira__aim_fingerprint(&a, &f->shape, entry);
        choice_of(f, &a, &c);
        if (!is_choice(&c, (uint32_t)(slot / f->shape.slots))) return "table: an entry in a bucket that is not its own";
        items++;
    }
    return items == f->items ? NULL : "counters: items of a filter";
}

const char *guira__i2cf_check(const struct i2cf *f) {
    if (f->buckets == 0 || f->buckets > f->room) return "table: no buckets, or more than there is memory for";
    const char *broken = guira__ring_check(&f->ring, f->buckets, f->shape.nodes);
    if (broken != NULL) return broken;
    uint64_t end = i2cf_slots(f) * f->shape.bits;
    if (end % 8 != 0 && f->table[end / 8] >> (end % 8) != 0) return "table: something behind the last slot";
    return check_entries(f);
}

void guira__i2cf_dump(const struct i2cf *f, guira__sink *sink, void *to) {
    const uint64_t number[] = {f->shape.bits, f->shape.slots, f->shape.candidates, f->shape.nodes, f->shape.ring,
                               f->buckets,    f->items};
    sink(to, number, sizeof number);
    sink(to, f->ring.point, f->ring.n * sizeof *f->ring.point);
    sink(to, f->ring.owner, f->ring.n * sizeof *f->ring.owner);
    sink(to, f->table, guira__i2cf_table_bytes(f));
}
