/* See counts.h. */
#include "tidal/counts.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "tidal/table.h"

static uint64_t slots_of(const struct count_array *a) { return UINT64_C(1) << a->bits; }
static size_t array_bytes(uint64_t bits) { return sizeof(struct count_array) + (sizeof(struct count_slot) << bits); }

/* So many names may be in an array: with more, probing takes long. */
static uint64_t most_names(uint64_t bits) { return (UINT64_C(1) << bits) / 4 * 3; }

/* ----------------------------------------------------------------------------------------------------------- one array */

static struct count_array *array_make(uint64_t bits) {
    struct count_array *a = bits <= COUNTS_MAX_BITS ? (struct count_array *)guira__zalloc(array_bytes(bits)) : NULL;
    if (a != NULL) *a = (struct count_array){bits, 0, (struct count_slot *)(a + 1)};
    return a;
}

struct count_array *guira__count_array_view(const uint8_t *slots, uint64_t bits) {
    struct count_array *a = (struct count_array *)guira__zalloc(sizeof *a);
    if (a != NULL) *a = (struct count_array){bits, 0, (struct count_slot *)(uintptr_t)slots};
    return a;
}

/* The slot of a name, or the empty one that ends the search for it; NULL: neither (in a broken file only). */
static struct count_slot *array_find(const struct count_array *a, uint64_t name) {
    uint64_t mask = slots_of(a) - 1;
    for (uint64_t i = 0; i <= mask; i++) {
        struct count_slot *s = &a->slot[(name + i) & mask];
        uint64_t there = load_acquire(s->name);
        if (there == 0 || le64(there) == name) return s;
    }
    return NULL;
}

/* Whether the name has a slot, also one with the number 0. */
static bool array_get(const struct count_array *a, uint64_t name, uint64_t *n) {
    const struct count_slot *s = a == NULL ? NULL : array_find(a, name);
    if (s == NULL || load_relaxed(s->name) == 0) return false;
    *n = le64(load_relaxed(s->n));
    return true;
}

static struct count_slot *array_add(struct count_array *a, uint64_t name, uint64_t n) {
    struct count_slot *s = array_find(a, name);
    store_relaxed(s->n, le64(n));
    store_release(s->name, le64(name));
    a->used++;
    return s;
}

/* ---------------------------------------------------------------------------------------------------------- rebuilding */

static uint64_t bits_for(uint64_t names) {
    uint64_t bits = COUNTS_FIRST_BITS;
    while (most_names(bits) < 2 * names && bits < COUNTS_MAX_BITS) bits++;
    return bits;
}

static void array_retire(const struct tidal *f, struct count_array *a) {
    if (a != NULL) guira__tidal_retire_block(f, a, array_bytes(a->bits));
}

static void finish_moving(struct counts *c, const struct tidal *f) {
    struct count_array *old = c->old;
    version_bump(tidal_version(f)); /* a reader may have looked into `now` before a name was moved there */
    store_relaxed(c->old, NULL);
    c->moved = c->left = 0;
    array_retire(f, old);
}

static void move_slot(struct counts *c, uint64_t i) {
    struct count_slot s = c->old->slot[i];
    uint64_t name = le64(s.name), n;
    if (s.name == 0 || s.n == 0 || array_get(c->now, name, &n)) return;
    array_add(c->now, name, le64(s.n));
    c->left--;
}

/* So many slots that the old array is done long before the new one is full. */
static void move_some(struct counts *c, const struct tidal *f) {
    if (c->old == NULL) return;
    uint64_t end = c->moved + 8 + 4 * slots_of(c->old) / slots_of(c->now);
    if (end > slots_of(c->old)) end = slots_of(c->old);
    for (; c->moved < end; c->moved++) move_slot(c, c->moved);
    if (c->moved == slots_of(c->old)) finish_moving(c, f);
}

static void start_moving(struct counts *c, const struct tidal *f, struct count_array *to) {
    while (c->old != NULL) move_some(c, f);
    c->left = c->names;
    store_release(c->old, c->now);
    store_release(c->now, to);
}

static bool has_room(const struct counts *c, uint64_t k) {
    return c->now != NULL && c->now->used + c->left + k <= most_names(c->now->bits);
}

/* The size of a spare array depends on nothing but what a file has: a larger one from before would make a loaded filter, which
 * has none, continue in another way. */
bool guira__counts_ready(struct counts *c, uint64_t k) {
    uint64_t bits = bits_for(c->names + k);
    if (has_room(c, k) || (c->spare != NULL && c->spare->bits == bits)) return true;
    struct count_array *spare = array_make(bits);
    if (spare == NULL) return false;
    guira__free(c->spare);
    c->spare = spare;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- counting */

uint64_t guira__counts_get(const struct counts *c, uint64_t name) {
    uint64_t n = 0;
    const struct count_array *now = load_acquire(c->now);
    if (now == NULL || array_get(now, name, &n)) return n;
    return array_get(load_acquire(c->old), name, &n) ? n : 0;
}

/* The slot of a name in `now`. If it is still in `old`, it is moved; if it is nowhere, made. */
static struct count_slot *slot_for(struct counts *c, uint64_t name) {
    struct count_slot *s = array_find(c->now, name);
    uint64_t n = 0;
    if (s->name != 0) return s;
    if (array_get(c->old, name, &n) && n > 0) c->left--;
    return array_add(c->now, name, n);
}

void guira__counts_add(struct counts *c, const struct tidal *f, uint64_t name, uint64_t n) {
    if (!has_room(c, 1)) {
        start_moving(c, f, c->spare);
        c->spare = NULL;
    }
    struct count_slot *s = slot_for(c, name);
    if (s->n == 0) c->names++;
    store_relaxed(s->n, le64(le64(s->n) + n));
    move_some(c, f);
}

static bool is_far_too_large(const struct counts *c, const struct count_array *a) {
    return bits_for(c->names) + 2 <= a->bits;
}

/* Gives memory back: all of it with the last name, else when few names are left. */
static void shrink(struct counts *c, const struct tidal *f) {
    if (c->spare != NULL && is_far_too_large(c, c->spare)) {
        guira__free(c->spare);
        c->spare = NULL;
    }
    if (c->names == 0) {
        struct count_array *now = c->now;
        if (c->old != NULL) finish_moving(c, f);
        store_relaxed(c->now, NULL);
        array_retire(f, now);
    } else if (c->old == NULL && is_far_too_large(c, c->now)) {
        struct count_array *smaller = array_make(bits_for(c->names));
        if (smaller != NULL) start_moving(c, f, smaller);
    }
}

void guira__counts_subtract(struct counts *c, const struct tidal *f, uint64_t name) {
    struct count_slot *s = slot_for(c, name);
    store_relaxed(s->n, le64(le64(s->n) - 1));
    c->names -= s->n == 0;
    move_some(c, f);
    if (s->n == 0) shrink(c, f);
}

/* ------------------------------------------------------------------------------------------------------------ the whole */

/* Slot i of an array, byte by byte: in a file that is loaded it may lie on any address. */
static struct count_slot read_slot(const struct count_array *a, uint64_t i) {
    const uint8_t *p = (const uint8_t *)a->slot + i * sizeof(struct count_slot);
    return (struct count_slot){get_u64(p), get_u64(p + 8)};
}

/* First the slots of `now`, then those of `old` that count. */
bool guira__counts_next(const struct counts *c, uint64_t *at, struct count_slot *out) {
    uint64_t now = c->now == NULL ? 0 : slots_of(c->now), old = c->old == NULL ? 0 : slots_of(c->old), n;
    for (uint64_t i; (i = *at) < now + old;) {
        *out = read_slot(i < now ? c->now : c->old, i < now ? i : i - now);
        ++*at;
        if (out->name == 0 || out->n == 0) continue;
        if (i < now || !array_get(c->now, out->name, &n)) return true;
    }
    return false;
}

static struct count_array *array_clone(const struct count_array *a) {
    struct count_array *b = array_make(a->bits);
    if (b == NULL) return NULL;
    memcpy(b->slot, a->slot, sizeof(struct count_slot) << a->bits);
    for (uint64_t i = 0; i < slots_of(b); i++) b->used += b->slot[i].name != 0;
    return b;
}

/* The names that are still to be moved. */
static uint64_t count_left(const struct counts *c) {
    uint64_t left = 0, n;
    if (c->old == NULL) return 0;
    for (uint64_t i = 0; i < slots_of(c->old); i++) {
        const struct count_slot *s = &c->old->slot[i];
        left += s->name != 0 && s->n != 0 && !array_get(c->now, le64(s->name), &n);
    }
    return left;
}

bool guira__counts_clone(const struct counts *c, struct counts *to) {
    *to = (struct counts){.moved = c->moved, .names = c->names};
    if (c->now != NULL && (to->now = array_clone(c->now)) == NULL) return false;
    if (c->old != NULL && (to->old = array_clone(c->old)) == NULL) return false;
    to->left = count_left(to);
    return true;
}

void guira__counts_free(struct counts *c) {
    guira__free(c->now);
    guira__free(c->old);
    guira__free(c->spare);
}

static bool is_view(const struct count_array *a) { return a->slot != (const struct count_slot *)(a + 1); }

static uint64_t array_cost(const struct count_array *a) {
    if (a == NULL) return 0;
    return guira__alloc_cost(is_view(a) ? sizeof *a : array_bytes(a->bits));
}

uint64_t guira__counts_bytes(const struct counts *c) {
    return array_cost(c->now) + array_cost(c->old) + array_cost(c->spare);
}

/* Every name of an array can be found, and there is room for those to come. */
static const char *check_array(const struct count_array *a, uint64_t to_come) {
    uint64_t used = 0;
    for (uint64_t i = 0; i < slots_of(a); i++) {
        struct count_slot s = read_slot(a, i);
        used += s.name != 0;
        if (s.name == 0 && s.n != 0) return "counts: a number without a name";
        if (s.name != 0 && array_find(a, s.name) != a->slot + i) return "counts: a name that is not found";
    }
    return used + to_come <= most_names(a->bits) ? NULL : "counts: too many names";
}

const char *guira__counts_check(const struct counts *c, uint64_t *total) {
    uint64_t at = 0, names = 0, n;
    *total = 0;
    if (c->now == NULL) return c->old == NULL && c->names == 0 ? NULL : "counts: names without a table";
    if (c->names == 0) return "counts: kept, but there are none";
    const char *broken = c->old == NULL ? NULL : check_array(c->old, 0);
    uint64_t left = count_left(c);
    if (broken == NULL) broken = check_array(c->now, left);
    if (broken != NULL) return broken;
    if (!is_view(c->now) && c->left != left) return "counts: another number of names to move";
    if (c->moved > (c->old == NULL ? 0 : slots_of(c->old) - 1)) return "counts: moved beyond the end";
    for (uint64_t i = 0; i < c->moved; i++) {
        struct count_slot s = read_slot(c->old, i);
        if (s.name != 0 && s.n != 0 && !array_get(c->now, s.name, &n)) return "counts: a name was left behind";
    }
    for (struct count_slot s; guira__counts_next(c, &at, &s); names++) {
        if (s.n > MAX_COUNTED - *total) return "counts: impossible numbers";
        *total += s.n;
    }
    return names == c->names ? NULL : "counts: another number of names";
}

/* Without `left`, which follows from the arrays, and which a view does not have. */
void guira__counts_dump(const struct counts *c, guira__sink *sink, void *to) {
    const struct count_array *array[] = {c->now, c->old};
    const uint64_t number[] = {c->moved, c->names};
    sink(to, number, sizeof number);
    for (unsigned i = 0; i < 2; i++)
        if (array[i] != NULL) sink(to, array[i]->slot, sizeof(struct count_slot) << array[i]->bits);
}
