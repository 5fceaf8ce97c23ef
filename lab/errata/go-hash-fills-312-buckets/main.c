/* Guide: its Go program takes the bucket from bits 32 to 43 of FNV-1a, which hardly depend on the last characters of a
 * short key. */
#include <math.h>
#include <string.h>

#include "models/guide_program.h"

static uint64_t go_hash(unsigned i, bool mixed) {
    char key[16];
    snprintf(key, sizeof key, "k%u", i);
    uint64_t h = fnv1a_64(key, strlen(key));
    return mixed ? mix(h) : h;
}

/* How many different values 12 bits of the hash have over the 14,000 keys, from each position on. */
static unsigned distinct(unsigned shift, bool mixed) {
    static bool seen[4096];
    unsigned n = 0;
    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < GUIDE_KEYS; i++) {
        unsigned value = (unsigned)(go_hash(i, mixed) >> shift) & 4095;
        n += !seen[value];
        seen[value] = true;
    }
    return n;
}

void experiment(struct lab *lab) {
    static struct guide_program p;
    unsigned hits = 0, probes = lab->quick ? 20000 : 200000;
    char key[16];
    fputs("shift,fnv,mixed\n", lab->data);
    for (unsigned shift = 0; shift <= 52; shift += 2)
        fprintf(lab->data, "%u,%u,%u\n", shift, distinct(shift, false), distinct(shift, true));
    double expected = 4096 * (1 - exp(-GUIDE_KEYS / 4096.0));
    lab_refute(lab, "the index takes 4,096 values (14,000 keys: 3,962 expected)", text("%.0f", expected),
               text("%u", distinct(32, false)), distinct(32, false) < 1000);
    guide_program_start(&p, GO, false, lab->seed);
    for (unsigned i = 0; i < GUIDE_KEYS; i++) {
        snprintf(key, sizeof key, "k%u", i);
        guide_program_insert(&p, key);
    }
    for (unsigned i = 0; i < probes; i++) {
        snprintf(key, sizeof key, "k%u", GUIDE_KEYS + i);
        hits += guide_program_lookup(&p, key);
    }
    lab_refute(lab, "\"a few items\" in the stash: run as printed", "a few", text("%u of %d", p.failures, GUIDE_KEYS),
               p.failures > 8000 && p.failures < 9000);
    lab_refute(lab, "false positives, run as printed", "0.00195", rate_text(rate_of(hits, probes)), hits > probes / 2);
    lab_must_hold(lab, "mixed once more, the same bits take as many values as expected", text("%u", distinct(32, true)),
                  fabs(distinct(32, true) - expected) < 60);
}
