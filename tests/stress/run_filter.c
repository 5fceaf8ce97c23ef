/* One filter of any kind against an exact multiset: the number of members goes up and down between random targets, with
 * lookups after each change, operations on the filter as a whole, and faults. After a call that has failed, the filter
 * must be what it was before, byte for byte. */
#include "faults.h"
#include "subject.h"

#include "filter/filter.h"
#include "kinds/kinds.h"

/* ------------------------------------------------------------------------------------------------------------- checking */

static void check_member(const struct subject *s, uint64_t key) {
    uint64_t hash = hash_of(s, key);
    counts.lookups++;
    EXPECT(guira_contains_hash(s->f, hash), "false negative: key %llu, %u copies of %llu members",
           (unsigned long long)key, s->t.count[key], (unsigned long long)s->t.members.live);
}

static void check_count(const struct subject *s, uint64_t key) {
    uint64_t n = guira_count_hash(s->f, hash_of(s, key));
    counts.lookups++;
    EXPECT(n >= s->t.count[key], "key %llu: %u copies, %llu counted", (unsigned long long)key, s->t.count[key],
           (unsigned long long)n);
}

void subject_check(const struct subject *s) {
    const char *reason = NULL;
    EXPECT(s->f->items == s->t.members.live, "%llu items instead of %llu", (unsigned long long)s->f->items,
           (unsigned long long)s->t.members.live);
    EXPECT(guira_validate(s->f, &reason) == GUIRA_OK, "invalid: %s", reason);
    for (uint64_t key = 1; key <= s->t.keys; key++) {
        if (s->t.count[key] == 0) continue;
        check_member(s, key);
        check_count(s, key);
    }
}

static void check_batch(struct subject *s) {
    enum { SOME = 24 };
    uint64_t hash[SOME];
    bool found[SOME];
    for (size_t i = 0; i < SOME; i++)
        hash[i] = hash_of(s, i % 2 == 0 ? tally_member(&s->t, s->r) : 1 + rng_below(s->r, s->t.keys));
    size_t n = guira_contains_hash_many(s->f, hash, SOME, found);
    for (size_t i = 0; i < SOME; i++) {
        n -= found[i];
        EXPECT(found[i] || i % 2 == 1, "false negative in a batch");
        EXPECT(found[i] == guira_contains_hash(s->f, hash[i]), "a batch and a single lookup differ");
    }
    EXPECT(n == 0, "a batch has the wrong sum");
    counts.lookups += 2 * (uint64_t)SOME;
}

/* ----------------------------------------------------------------------------------------------------------- operations */

static guira_status insert(struct subject *s, uint64_t key) {
    guira_status status =
        s->by_key ? guira_insert(s->f, &key, sizeof key) : guira_insert_hash(s->f, tally_hash(&s->t, key));
    if (status == GUIRA_OK) tally_add(&s->t, key);
    s->may = insertion_may(s);
    return status;
}

static guira_status insert_unique(struct subject *s, uint64_t key) {
    bool there = guira_contains_hash(s->f, hash_of(s, key));
    guira_status status = guira_insert_unique_hash(s->f, hash_of(s, key));
    EXPECT(there == (status == GUIRA_EEXIST), "insert_unique: %s", guira_strerror(status));
    if (status == GUIRA_OK) tally_add(&s->t, key);
    s->may = insertion_may(s) | MAY(GUIRA_EEXIST);
    return status;
}

/* Succeeds without memory, too. */
static guira_status remove_one(struct subject *s) {
    uint64_t key = tally_take(&s->t, s->removed, s->r);
    guira_status status =
        s->by_key ? guira_remove(s->f, &key, sizeof key) : guira_remove_hash(s->f, tally_hash(&s->t, key));
    EXPECT(status == GUIRA_OK, "removing a member: %s", guira_strerror(status));
    return status;
}

/* A key that is not contained cannot be removed. */
static guira_status remove_absent(struct subject *s) {
    uint64_t hash = hash_of(s, 1 + rng_below(s->r, s->t.keys));
    if (guira_contains_hash(s->f, hash)) return GUIRA_OK;
    s->may = MAY(GUIRA_ENOTFOUND);
    return guira_remove_hash(s->f, hash);
}

static guira_status batch(struct subject *s, bool in) {
    enum { MANY = 100 };
    uint64_t key[MANY], hash[MANY], n = 1 + rng_below(s->r, MANY), done = 0;
    guira_status out[MANY];
    if (!in && n > s->t.members.live) n = s->t.members.live;
    for (uint64_t i = 0; i < n; i++) {
        key[i] = in ? draw_key(s) : tally_take(&s->t, s->removed, s->r);
        hash[i] = hash_of(s, key[i]);
    }
    uint64_t got = (in ? guira_insert_hash_many : guira_remove_hash_many)(s->f, hash, n, out);
    for (uint64_t i = 0; i < n; i++) {
        bool refused = in && (out[i] == GUIRA_ENOMEM ? s->faults_are_on : (MAY(out[i]) & insertion_may(s)) != 0);
        EXPECT(out[i] == GUIRA_OK || refused, "in a batch: %s", guira_strerror(out[i]));
        done += out[i] == GUIRA_OK;
        if (in && out[i] == GUIRA_OK) tally_add(&s->t, key[i]);
    }
    EXPECT(done == got, "a batch returns %llu instead of %llu", (unsigned long long)got, (unsigned long long)done);
    counts.changes += n;
    return GUIRA_OK;
}

static guira_status operate(struct subject *s, bool up) {
    uint64_t draw = rng_below(s->r, 1024);
    s->may = 0;
    bool in = s->t.members.live == 0 || (draw % 8 == 0 ? !up : up);
    counts.changes++;
    if (draw < 8) return batch(s, in);
    if (draw < 16) return insert_unique(s, draw_key(s));
    if (draw < 20) return remove_absent(s);
    if (rng_below(s->r, 100 + s->t.members.live / 2) == 0) return whole_filter(s);
    return in ? insert(s, draw_key(s)) : remove_one(s);
}

/* ------------------------------------------------------------------------------------------------------------- the run */

/* With the bytes compared if it fails, and perhaps with a fault. */
static void watched(struct subject *s, bool up) {
    uint64_t before = digest(s->f);
    s->faults_are_on = s->faulty && chance(s->r, 2);
    if (s->faults_are_on) fault_memory(1 + rng_below(s->r, chance(s->r, 2) ? 2 : 20), chance(s->r, 2));
    guira_status status = operate(s, up);
    unsigned fired = fault_end();
    s->faults_are_on = false;
    if (status == GUIRA_OK) return;
    counts.refusals++;
    bool fault = fired > 0 && status == GUIRA_ENOMEM;
    EXPECT(fault || (MAY(status) & s->may) != 0, "refused without reason: %s", guira_strerror(status));
    EXPECT(digest(s->f) == before, "a call that failed (%s) has changed the filter", guira_strerror(status));
}

static void one_step(struct subject *s, bool up) {
    if (rng_below(s->r, 16 + s->t.members.live / 64) == 0) {
        watched(s, up);
    } else {
        guira_status status = operate(s, up);
        EXPECT(status == GUIRA_OK || (MAY(status) & s->may) != 0, "refused without reason: %s", guira_strerror(status));
        counts.refusals += status != GUIRA_OK;
    }
    EXPECT(s->f->items == s->t.members.live, "%llu items instead of %llu", (unsigned long long)s->f->items,
           (unsigned long long)s->t.members.live);
    if (s->t.members.live == 0) return;
    uint64_t key = tally_member(&s->t, s->r);
    check_member(s, key);
    if (key % 16 == 0) check_count(s, key);
    if (chance(s->r, 64)) check_batch(s);
}

/* How large a filter of each kind may become, in powers of two: the papers' kinds take time in proportion to their size. */
static const struct {
    unsigned keys, steps;
} largest[] = {[GUIRA_TIDAL] = {17, 19},
               [GUIRA_CUCKOO] = {16, 19},
               [GUIRA_DYNAMIC] = {12, 15},
               [GUIRA_ELASTIC] = {12, 15},
               [GUIRA_CONSISTENT] = {9, 13}};

static struct subject subject_make(struct rng *r) {
    const guira_kind kinds[] = {GUIRA_TIDAL,  GUIRA_TIDAL,  GUIRA_TIDAL,   GUIRA_TIDAL,   GUIRA_TIDAL,
                                GUIRA_CUCKOO, GUIRA_CUCKOO, GUIRA_DYNAMIC, GUIRA_ELASTIC, GUIRA_CONSISTENT};
    struct subject s = {.r = r, .by_key = chance(r, 4), .faulty = chance(r, 2)};
    if (chance(r, 2)) faults_hook();
    guira_kind kind = kinds[rng_below(r, sizeof kinds / sizeof *kinds)];
    s.config = config_draw(kind, r);
    s.t = tally_make(rng_scaled(r, 2, largest[kind].keys), rng_next(r));
    s.most = s.t.keys * (chance(r, 4) ? 3 : 1) / (chance(r, 2) ? 2 : 1);
    if (kind == GUIRA_TIDAL && chance(r, 3)) s.hot = (unsigned)(2 + rng_below(r, 20));
    enum isa isa = isa_named(chance(r, 2) ? isa_list()[0] : "portable");
    EXPECT(guira__create_isa(isa, &s.config, &s.f) == GUIRA_OK, "guira_create fails the second time");
    uint64_t slots = stats_of(s.f).slots;
    if (kind == GUIRA_CUCKOO && s.most > slots + 20) s.most = slots + 20; /* a full one is slow to refuse */
    return s;
}

/* Towards a number of members, which a fixed filter may never have. Returns how many steps it took. */
static uint64_t wave(struct subject *s, uint64_t steps) {
    uint64_t target = rng_below(s->r, s->most + 1) >> rng_below(s->r, 6), n = 0;
    bool up = target > s->t.members.live;
    s->removed = (enum choice)rng_below(s->r, CHOICES);
    if (steps > 2 * s->most + 100) steps = 2 * s->most + 100;
    do one_step(s, up);
    while (++n < steps && (up ? s->t.members.live < target : s->t.members.live > target));
    return n;
}

void run_filter(struct rng *r) {
    struct subject s = subject_make(r);
    uint64_t unchecked = 0;
    for (uint64_t left = rng_scaled(r, 9, largest[s.config.kind].steps), n; left > 0; left -= n) {
        n = wave(&s, left);
        unchecked += n;
        if (unchecked < s.t.keys && left > n) continue; /* checking takes time */
        subject_check(&s);
        unchecked = 0;
    }
    guira_destroy(s.f);
    tally_free(&s.t);
    EXPECT(faults_blocks() == 0, "%llu blocks were not released", (unsigned long long)faults_blocks());
}
