/* Files of an LSM store, each with a filter saved beside it.
 *
 *     memory        put(key) until there are RUN of them, then written as a run
 *     run-3.keys    sorted keys, never changed          run-3.gf   its filter
 *     run-2.keys                                        run-2.gf
 *
 * A lookup asks the runs from the newest to the oldest. The filter of a run, mapped when the run is opened, says for almost
 * all of them that the key is not there, and no file is read. A deleted key is written as a tombstone. Compaction makes one
 * run of all, without the tombstones and what they delete, writes its filter, and drops the old files with theirs:
 * the filters never need a removal, because they go with the file they belong to.
 *
 * Exit status: 1 if a lookup gave a wrong answer, or if a call failed. */
#include <fcntl.h>
#include <guira.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RUN = 5000, RUNS = 8, LOOKUPS = 5000 };

#define TOMBSTONE (UINT64_C(1) << 63) /* a bit of the entry; keys are below it */

struct run {
    int fd;
    size_t n;
    guira *filter;
    char path[80]; /* without its ending */
};

static struct run runs[RUNS];
static unsigned run_count, next_number;
static uint64_t file_searches;
static bool use_filters = true;
static char directory[] = "/tmp/guira-lsm-XXXXXX";

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static uint64_t key_of(uint64_t entry) { return entry & ~TOMBSTONE; }

/* --------------------------------------------------------------------------------------------------------------- a run */

/* The filter has the keys of the tombstones, too: a lookup must find them. It is made at the size it needs. */
static void write_filter(const struct run *r, const uint64_t *entry) {
    guira_config c = {.kind = GUIRA_CUCKOO, .capacity = r->n, .fpr = 0.01};
    char path[96];
    guira *f;
    must(guira_create(&c, &f) == GUIRA_OK, "guira_create");
    for (size_t i = 0; i < r->n; i++) {
        uint64_t key = key_of(entry[i]);
        must(guira_insert(f, &key, sizeof key) == GUIRA_OK, "guira_insert");
    }
    snprintf(path, sizeof path, "%s.gf", r->path);
    must(guira_save(f, path) == GUIRA_OK, "guira_save");
    guira_destroy(f);
}

static void run_open(struct run *r) {
    char path[96];
    snprintf(path, sizeof path, "%s.keys", r->path);
    r->fd = open(path, O_RDONLY);
    must(r->fd >= 0, "open");
    snprintf(path, sizeof path, "%s.gf", r->path);
    must(guira_map(path, &r->filter) == GUIRA_OK, "guira_map");
}

static void run_write(const uint64_t *entry, size_t n) {
    struct run *r = &runs[run_count++];
    char path[96];
    r->n = n;
    snprintf(r->path, sizeof r->path, "%s/run-%u", directory, next_number++);
    snprintf(path, sizeof path, "%s.keys", r->path);
    FILE *file = fopen(path, "w");
    must(file != NULL && fwrite(entry, sizeof *entry, n, file) == n && fclose(file) == 0, "fwrite");
    write_filter(r, entry);
    run_open(r);
}

static void run_drop(struct run *r) {
    char path[96];
    close(r->fd);
    guira_destroy(r->filter);
    snprintf(path, sizeof path, "%s.keys", r->path);
    must(unlink(path) == 0, "unlink");
    snprintf(path, sizeof path, "%s.gf", r->path);
    must(unlink(path) == 0, "unlink");
}

/* A binary search in the file. */
static bool run_find(const struct run *r, uint64_t key, uint64_t *entry) {
    size_t from = 0, to = r->n;
    file_searches++;
    while (from < to) {
        size_t middle = (from + to) / 2;
        must(pread(r->fd, entry, sizeof *entry, (off_t)(middle * sizeof *entry)) == sizeof *entry, "pread");
        if (key_of(*entry) == key) return true;
        if (key_of(*entry) < key) from = middle + 1;
        else to = middle;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------------ the store */

static bool store_has(uint64_t key) {
    uint64_t entry;
    for (unsigned i = run_count; i-- > 0;) {
        if (use_filters && !guira_contains(runs[i].filter, &key, sizeof key)) continue;
        if (run_find(&runs[i], key, &entry)) return (entry & TOMBSTONE) == 0;
    }
    return false;
}

struct item {
    uint64_t entry;
    unsigned run;
};

/* By key; of the same key the newest first. */
static int by_key(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    uint64_t p = key_of(x->entry), q = key_of(y->entry);
    return p != q ? (p > q) - (p < q) : (x->run < y->run) - (x->run > y->run);
}

/* The newest entry of each key wins; tombstones go. */
static void compact(void) {
    static struct item all[RUN * RUNS];
    static uint64_t kept[RUN * RUNS];
    size_t n = 0, left = 0;
    for (unsigned r = 0; r < run_count; r++)
        for (size_t i = 0; i < runs[r].n; i++, n++) {
            all[n].run = r;
            must(pread(runs[r].fd, &all[n].entry, 8, (off_t)(8 * i)) == 8, "pread");
        }
    qsort(all, n, sizeof *all, by_key);
    for (size_t i = 0; i < n; i++)
        if ((i == 0 || key_of(all[i].entry) != key_of(all[i - 1].entry)) && (all[i].entry & TOMBSTONE) == 0)
            kept[left++] = all[i].entry;
    for (unsigned i = 0; i < run_count; i++) run_drop(&runs[i]);
    run_count = 0;
    run_write(kept, left);
}

/* ---------------------------------------------------------------------------------------------------------- the program */

/* Run number r has the keys r RUN ... r RUN + RUN - 1, all even; the last run deletes those of the first. */
static void write_runs(void) {
    static uint64_t entry[RUN];
    for (uint64_t r = 0; r < RUNS; r++) {
        for (uint64_t i = 0; i < RUN; i++) entry[i] = r == RUNS - 1 ? (2 * i | TOMBSTONE) : 2 * (r * RUN + i);
        run_write(entry, RUN);
    }
}

static void look_up(const char *when) {
    uint64_t found = 0;
    file_searches = 0;
    for (uint64_t i = 0; i < LOOKUPS; i++) { /* half of them odd, which never were */
        uint64_t key = i * 7919 % (2 * RUN * RUNS);
        bool expected = key % 2 == 0 && key >= 2 * RUN && key < 2 * RUN * (RUNS - 1);
        bool has = store_has(key);
        must(has == expected, "a lookup");
        found += has;
    }
    printf("%-26s %u file%s: %d lookups, %" PRIu64 " found, %" PRIu64 " searches of files\n", when, run_count,
           run_count == 1 ? "" : "s", LOOKUPS, found, file_searches);
}

int main(void) {
    must(mkdtemp(directory) != NULL, "mkdtemp");
    write_runs();
    use_filters = false;
    look_up("without filters:");
    use_filters = true;
    look_up("with filters:");
    compact();
    look_up("compacted, with filter:");
    printf("%-26s %" PRIu64 " bytes for %zu keys\n", "its filter:", guira_saved_size(runs[0].filter), runs[0].n);
    run_drop(&runs[0]);
    must(rmdir(directory) == 0, "rmdir"); /* nothing else is left in it */
    return 0;
}
