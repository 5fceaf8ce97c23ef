/* Models of Bloom filters; the contracts are in bloom.h. */
#include "bloom.h"

#include <math.h>
#include <stdlib.h>

#include "lab.h"

struct bloom bloom_make(uint64_t capacity, double rate, unsigned cell_bits) {
    double per_item = -log2(rate) / log(2);
    struct bloom f = {.capacity = capacity, .cell_bits = cell_bits};
    f.cells = (uint64_t)ceil((double)capacity * per_item);
    f.hashes = (unsigned)fmax(1, round(per_item * log(2)));
    f.cell = calloc(f.cells, 1);
    if (f.cell == NULL) lab_fatal("no memory for a model");
    return f;
}

void bloom_free(struct bloom *f) { free(f->cell); }

static uint64_t position(const struct bloom *f, uint64_t key, unsigned i) {
    return mix(mix(key) + i * UINT64_C(0x9e3779b97f4a7c15)) % f->cells;
}

void bloom_insert(struct bloom *f, uint64_t key) {
    unsigned most = (1U << f->cell_bits) - 1;
    for (unsigned i = 0; i < f->hashes; i++) {
        uint8_t *cell = &f->cell[position(f, key, i)];
        if (*cell < most) ++*cell;
    }
    f->items++;
}

bool bloom_contains(const struct bloom *f, uint64_t key, uint64_t table, struct lines *lines) {
    for (unsigned i = 0; i < f->hashes; i++) {
        uint64_t at = position(f, key, i);
        lines_touch(lines, table, at * f->cell_bits, f->cell_bits);
        if (f->cell[at] == 0) return false;
    }
    return true;
}

bool bloom_remove(struct bloom *f, uint64_t key) {
    unsigned most = (1U << f->cell_bits) - 1;
    if (f->cell_bits == 1 || !bloom_contains(f, key, 0, NULL)) return false;
    for (unsigned i = 0; i < f->hashes; i++) {
        uint8_t *cell = &f->cell[position(f, key, i)];
        if (*cell<most && * cell> 0) --*cell;
    }
    f->items--;
    return true;
}

void bloom_merge(struct bloom *into, const struct bloom *from) {
    unsigned most = (1U << into->cell_bits) - 1;
    for (uint64_t i = 0; i < into->cells; i++) {
        unsigned sum = into->cell[i] + from->cell[i];
        into->cell[i] = (uint8_t)(sum < most ? sum : most);
    }
    into->items += from->items;
}

double bloom_bits(const struct bloom *f) { return (double)f->cells * f->cell_bits; }

double bloom_rate(const struct bloom *f) {
    return pow(-expm1(-(double)f->hashes * (double)f->items / (double)f->cells), f->hashes);
}

/* ---------------------------------------------------------------------------------------------- dynamic Bloom filter */

static struct bloom *add_filter(struct dbf *f, struct bloom one) {
    if (f->filters == f->room) {
        f->room = 2 * f->room + 16;
        f->filter = realloc(f->filter, f->room * sizeof *f->filter);
        if (f->filter == NULL) lab_fatal("no memory for a model");
    }
    f->filter[f->filters] = one;
    return &f->filter[f->filters++];
}

struct dbf dbf_make(uint64_t capacity, double rate, unsigned cell_bits) {
    struct dbf f = {.rate = rate};
    add_filter(&f, bloom_make(capacity, rate, cell_bits));
    return f;
}

void dbf_free(struct dbf *f) {
    while (f->filters > 0) bloom_free(&f->filter[--f->filters]);
    free(f->filter);
}

/* A filter with room, the last one added first. */
static struct bloom *with_room(struct dbf *f) {
    for (unsigned i = f->filters; i > 0; i--)
        if (f->filter[i - 1].items < f->filter[i - 1].capacity) return &f->filter[i - 1];
    return add_filter(f, bloom_make(f->filter[0].capacity, f->rate, f->filter[0].cell_bits));
}

void dbf_insert(struct dbf *f, uint64_t key) { bloom_insert(with_room(f), key); }

bool dbf_contains(const struct dbf *f, uint64_t key, struct lines *lines) {
    for (unsigned i = 0; i < f->filters; i++)
        if (bloom_contains(&f->filter[i], key, i, lines)) return true;
    return false;
}

/* Merges the two filters with the fewest items if they have at most the capacity of one. */
static void merge_emptiest(struct dbf *f) {
    unsigned a = 0, b = 1;
    if (f->filters < 2) return;
    for (unsigned i = 0; i < f->filters; i++)
        if (f->filter[i].items < f->filter[a].items) a = i;
    b = a == 0;
    for (unsigned i = 0; i < f->filters; i++)
        if (i != a && f->filter[i].items < f->filter[b].items) b = i;
    if (f->filter[a].items + f->filter[b].items > f->filter[a].capacity) return;
    bloom_merge(&f->filter[b], &f->filter[a]);
    bloom_free(&f->filter[a]);
    f->filter[a] = f->filter[--f->filters];
}

bool dbf_remove(struct dbf *f, uint64_t key) {
    unsigned matches = 0, which = 0;
    for (unsigned i = 0; i < f->filters; i++)
        if (bloom_contains(&f->filter[i], key, 0, NULL)) matches++, which = i;
    f->not_removed += matches > 1;
    if (matches != 1 || !bloom_remove(&f->filter[which], key)) return false;
    merge_emptiest(f);
    return true;
}

double dbf_bits(const struct dbf *f) {
    double bits = 0;
    for (unsigned i = 0; i < f->filters; i++) bits += bloom_bits(&f->filter[i]);
    return bits;
}

double dbf_rate(const struct dbf *f) {
    double none = 1;
    for (unsigned i = 0; i < f->filters; i++) none *= 1 - bloom_rate(&f->filter[i]);
    return 1 - none;
}
