/* Changing the size of a tidal filter on request. The steps that follow the items are in steps.inc. */
#include "base/alloc.h"
#include "tidal/elders.h"
#include "tidal/table.h"

/* Grows a copy, which then replaces f: running out of memory half way leaves no trace. */
static guira_status grow_to(struct tidal *f, uint64_t buckets) {
    guira *copy;
    guira_status s = guira__tidal_clone(&f->head, &copy);
    if (s != GUIRA_OK) return s;
    struct tidal *g = tidal_of(copy);
    while (s == GUIRA_OK && bucket_count(g) < buckets) s = tidal_ops(g)->grow(g);
    if (s == GUIRA_OK) guira__tidal_take_over(f, g);
    else guira__tidal_destroy(copy);
    return s;
}

/* Replaces f by an empty table of so many buckets. */
static guira_status start_over(struct tidal *f, uint64_t buckets) {
    guira *g;
    guira_status s = guira__tidal_clone_empty(&f->head, buckets, &g);
    if (s == GUIRA_OK) guira__tidal_take_over(f, tidal_of(g));
    return s;
}

guira_status guira__tidal_reserve(guira *head, uint64_t items) {
    struct tidal *f = tidal_of(head);
    struct layout l = tidal_layout(f);
    uint64_t split, buckets = guira__table_needs(f, items);
    unsigned level;
    if (items == 0) {
        guira__table_set_floor(f, 0);
        return GUIRA_OK;
    }
    if (buckets > MAX_BUCKETS) return GUIRA_ELIMIT;
    guira__table_shape(buckets, &level, &split);
    if (level + 1 >= max_level(l)) return GUIRA_ELIMIT;
    if (!guira__memory_has((double)buckets * l.bucket_bytes)) return GUIRA_ENOMEM;
    bool had_rare = head->rare != NULL;
    if (!guira__rare_make(head)) return GUIRA_ENOMEM; /* for the floor */
    guira_status s = GUIRA_OK;
    if (buckets > bucket_count(f)) s = head->items == 0 ? start_over(f, buckets) : grow_to(f, buckets);
    if (s == GUIRA_OK && buckets > tidal_floor(f)) guira__table_set_floor(f, buckets);
    if (s != GUIRA_OK && !had_rare) guira__rare_free(head);
    return s;
}

void guira__tidal_shrink_steps(struct tidal *f) {
    uint64_t buckets = guira__table_needs(f, f->head.items - tidal_counted(f));
    guira__table_set_floor(f, 0);
    if (buckets < tidal_floor(f)) buckets = tidal_floor(f);
    while (bucket_count(f) > buckets && tidal_ops(f)->shrink(f) == GUIRA_OK) {
    }
}

/* As far as it gets: without memory for an empty table it stays as it is. The capacity is given up as well: from then on a
 * rate is kept only if the slots are wide enough for growth from the smallest size. */
guira_status guira__tidal_shrink_to_fit(guira *head) {
    struct tidal *f = tidal_of(head);
    if (head->rare != NULL) head->rare->capacity = 0;
    if (head->rare != NULL) head->rare->least = 0;
    guira__table_set_floor(f, 0);
    if (head->items == 0) (void)start_over(f, MIN_BUCKETS);
    else guira__tidal_shrink_steps(f);
    return GUIRA_OK;
}

guira_status guira__tidal_clear(guira *head) { return start_over(tidal_of(head), tidal_floor(tidal_of(head))); }
