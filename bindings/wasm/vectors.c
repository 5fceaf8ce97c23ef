/* Test vectors: what a native build answers and saves, for test.mjs to repeat in WebAssembly.
 * usage: vectors DIRECTORY      writes hashes.txt and a file NAME.gf for each configuration
 *
 * The operations are the same there and here: keys are the decimal digits of numbers, hashes come from SplitMix64. */
#include <inttypes.h>
#include <stdio.h>

#include "guira.h"
#include "guira_window.h"

static uint64_t state;

static uint64_t next(void) {
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#define SEED \
    { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }

static const struct {
    const char *name;
    guira_config config;
} cases[] = {
    {"tidal16", {.seed = SEED}},
    {"tidal12", {.seed = SEED, .slot_bits = 12}},
    {"tidal14", {.seed = SEED, .slot_bits = 14}},
    {"tidal20", {.seed = SEED, .slot_bits = 20}},
    {"tidal32", {.seed = SEED, .slot_bits = 32}},
    {"kept", {.seed = SEED, .fpr = 0.001}},
    {"cuckoo16", {.seed = SEED, .kind = GUIRA_CUCKOO, .capacity = 9000}},
    {"cuckoo12", {.seed = SEED, .kind = GUIRA_CUCKOO, .capacity = 9000, .slot_bits = 12}},
    {"cuckoo4", {.seed = SEED, .kind = GUIRA_CUCKOO, .capacity = 9000, .fpr = 0.001}},
    {"dynamic", {.seed = SEED, .kind = GUIRA_DYNAMIC}},
    {"elastic", {.seed = SEED, .kind = GUIRA_ELASTIC}},
    {"consistent", {.seed = SEED, .kind = GUIRA_CONSISTENT}},
};

static FILE *create(const char *directory, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return fopen(path, "wb");
}

static bool put(void *to, const void *bytes, size_t n) { return fwrite(bytes, 1, n, to) == n; }

/* 5,000 keys of which each third is inserted twice and each second removed, then 1,000 hashes. */
static void use(guira *f) {
    char key[16];
    for (int i = 0; i < 5000; i++) {
        size_t n = (size_t)snprintf(key, sizeof key, "%d", i);
        guira_insert(f, key, n);
        if (i % 3 == 0) guira_insert(f, key, n);
    }
    for (int i = 0; i < 5000; i += 2) guira_remove(f, key, (size_t)snprintf(key, sizeof key, "%d", i));
    state = 42;
    for (int i = 0; i < 1000; i++) guira_insert_hash(f, next());
    for (int i = 0; i < 100; i++) guira_insert(f, "many copies", 11);
}

static bool write_filter(const char *directory, const char *name, const guira_config *c) {
    char file[64];
    guira *f;
    if (guira_create(c, &f) != GUIRA_OK) return false;
    use(f);
    snprintf(file, sizeof file, "%s.gf", name);
    FILE *to = create(directory, file);
    bool written = to != NULL && guira_save_to(f, put, to) == GUIRA_OK && fclose(to) == 0;
    guira_destroy(f);
    return written;
}

static bool write_window(const char *directory) {
    guira_window_config c = {.size = sizeof c, .length = 600, .fpr = 0.001, .seed = SEED};
    guira_window *w;
    char key[16];
    bool seen;
    if (guira_window_create(&c, &w) != GUIRA_OK) return false;
    for (int i = 0; i < 5000; i++)
        guira_window_seen(w, key, (size_t)snprintf(key, sizeof key, "%d", i % 700), (uint64_t)i, &seen);
    FILE *to = create(directory, "window.gf");
    bool written = to != NULL && guira_window_save_to(w, put, to) == GUIRA_OK && fclose(to) == 0;
    guira_window_destroy(w);
    return written;
}

/* Keys of every length up to 299, which are all the ways in which XXH3 treats a key. */
static bool write_hashes(const char *directory) {
    guira *f;
    FILE *to = create(directory, "hashes.txt");
    if (to == NULL || guira_create(&cases[0].config, &f) != GUIRA_OK) return false;
    uint8_t key[300];
    for (unsigned i = 0; i < sizeof key; i++) key[i] = (uint8_t)(i * 7);
    for (unsigned n = 0; n < sizeof key; n++) fprintf(to, "%" PRIu64 "\n", guira_hash(f, key, n));
    guira_destroy(f);
    return fclose(to) == 0;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    bool written = write_hashes(argv[1]) && write_window(argv[1]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        written = written && write_filter(argv[1], cases[i].name, &cases[i].config);
    if (!written) fprintf(stderr, "vectors: cannot write to %s\n", argv[1]);
    return written ? 0 : 1;
}
