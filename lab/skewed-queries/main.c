/* What adapting to reported false positives buys: an adaptive cuckoo filter (ACF), and a small list of reported keys in
 * front of a filter that does not adapt, on query streams of absent keys with different skew. */
#include <math.h>
#include <stdlib.h>

#include "models/adaptive.h"
#include "models/cuckoo.h"

enum { BUCKETS = 4096, CELLS = 4, MEMBERS_N = 14000, ABSENT = 100000, BITS = 8, REPORTED = 1024 };
enum { CF, ACF, CF_LIST, TIDAL, TIDAL_LIST, FILTERS };
static const char *const name[FILTERS] = {"CF", "ACF", "CF + list", "tidal", "tidal + list"};

/* A direct-mapped list of keys that were reported: 8 KiB. A key that is inserted later must be taken out of it. */
struct reported {
    uint64_t key[REPORTED];
};
static uint64_t *place_of(struct reported *l, uint64_t key) { return &l->key[mix(key + 3) % REPORTED]; }

/* A sampler of 0..n-1 with probabilities proportional to 1 / (i + 1)^skew. */
struct zipf {
    double *sum;
    size_t n;
};

static struct zipf zipf_make(size_t n, double skew) {
    struct zipf z = {malloc(n * sizeof(double)), n};
    if (z.sum == NULL) lab_fatal("no memory for a distribution");
    double total = 0;
    for (size_t i = 0; i < n; i++) z.sum[i] = total += pow((double)i + 1, -skew);
    return z;
}

static size_t zipf_next(const struct zipf *z, struct lab_rng *r) {
    double x = lab_rng_unit(r) * z->sum[z->n - 1];
    size_t low = 0, high = z->n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (z->sum[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct filters {
    struct cuckoo cf;
    struct adaptive acf;
    guira *tidal;
    struct reported list[2];
};

static uint64_t member(uint64_t i) { return mix((uint64_t)MEMBERS << 56 | i) | 1; }
static uint64_t stranger(uint64_t i) { return mix((uint64_t)NON_MEMBERS << 56 | i) & ~UINT64_C(1); }

static struct filters *filters_make(const struct lab *lab) {
    struct filters *f = calloc(1, sizeof *f);
    if (f == NULL) lab_fatal("no memory for filters");
    f->cf = cuckoo_make(BUCKETS, CELLS, BITS, false, lab->seed);
    f->acf = adaptive_make(BUCKETS, CELLS, BITS, lab->seed);
    f->tidal = lab_filter(lab, (guira_config){.slot_bits = 12, .capacity = MEMBERS_N, .growth = 1});
    for (uint64_t i = 0; i < MEMBERS_N; i++) {
        uint64_t key = member(i);
        if (!cuckoo_insert(&f->cf, key) || !adaptive_insert(&f->acf, key) ||
            guira_insert(f->tidal, &key, sizeof key) != GUIRA_OK)
            lab_fatal("a filter is full");
    }
    return f;
}

static void filters_free(struct filters *f) {
    cuckoo_free(&f->cf);
    adaptive_free(&f->acf);
    guira_destroy(f->tidal);
    free(f);
}

/* Whether a positive answer comes out; what is false is reported, as the owner of the store would do. */
static bool with_list(struct reported *l, uint64_t key, bool positive) {
    if (!positive || *place_of(l, key) == key) return false;
    *place_of(l, key) = key;
    return true;
}

/* One query of an absent key in every filter. */
static void query(struct filters *f, uint64_t key, uint64_t hits[FILTERS]) {
    bool cf = cuckoo_contains(&f->cf, key, NULL), tidal = guira_contains(f->tidal, &key, sizeof key);
    bool acf = adaptive_contains(&f->acf, key, NULL);
    if (acf) adaptive_report(&f->acf, key);
    hits[CF] += cf;
    hits[ACF] += acf;
    hits[CF_LIST] += with_list(&f->list[0], key, cf);
    hits[TIDAL] += tidal;
    hits[TIDAL_LIST] += with_list(&f->list[1], key, tidal);
}

/* Adds the rates over the second half of a stream. */
static void run_stream(const struct lab *lab, double skew, struct spread out[FILTERS], uint64_t *lost) {
    struct filters *f = filters_make(lab);
    struct zipf z = zipf_make(ABSENT, skew);
    struct lab_rng r = {lab->seed};
    uint64_t first = lab->quick ? 20000 : 250000, hits[FILTERS] = {0}, before[FILTERS] = {0};
    for (uint64_t i = 0; i < 2 * first; i++) query(f, stranger(zipf_next(&z, &r)), i < first ? before : hits);
    for (int i = 0; i < FILTERS; i++) spread_add(&out[i], (double)hits[i] / (double)first);
    for (uint64_t i = 0; i < MEMBERS_N; i++) *lost += !adaptive_contains(&f->acf, member(i), NULL);
    free(z.sum);
    filters_free(f);
}

/* Every absent key once: nothing to learn from. */
static void run_once(const struct lab *lab, struct rate *cf, struct rate *acf) {
    struct filters *f = filters_make(lab);
    uint64_t hits[FILTERS] = {0};
    for (uint64_t i = 0; i < ABSENT; i++) query(f, stranger(i), hits);
    *cf = rate_of(hits[CF], ABSENT);
    *acf = rate_of(hits[ACF], ABSENT);
    filters_free(f);
}

void experiment(struct lab *lab) {
    static const double skews[] = {0, 0.4, 0.8, 1.0, 1.2, 1.4};
    enum { SKEWS = sizeof skews / sizeof *skews, AT_1 = 3 };
    static struct spread x[SKEWS][FILTERS];
    uint64_t lost = 0;
    for (int s = 0; s < SKEWS; s++)
        for (unsigned round = 0; round < lab_seeds(lab); round++) {
            struct lab one = lab_with_seed(lab, round);
            run_stream(&one, skews[s], x[s], &lost);
        }
    fputs("skew", lab->data);
    for (int i = 0; i < FILTERS; i++) fprintf(lab->data, ",%s,low,high", name[i]);
    fputc('\n', lab->data);
    for (int s = 0; s < SKEWS; s++) {
        fprintf(lab->data, "%.1f", skews[s]);
        for (int i = 0; i < FILTERS; i++)
            fprintf(lab->data, ",%.6f,%.6f,%.6f", x[s][i].mean, x[s][i].low, x[s][i].high);
        fputc('\n', lab->data);
    }
    const struct spread *at = x[AT_1];
    lab_compare_fact(lab, "ACF removes false positives by resetting collided fingerprints (Zipf, exponent 1)", "fewer",
                     text("%.4f instead of %.4f", at[ACF].mean, at[CF].mean), at[ACF].mean < 0.5 * at[CF].mean);
    lab_must_hold(lab, "adapting loses no member", text("%" PRIu64 " lost", lost), lost == 0);
    struct rate cf, acf;
    run_once(lab, &cf, &acf);
    lab_must_hold(lab, "if every key is queried once, adapting buys nothing",
                  text("ACF %s, CF %s", rate_text(acf), rate_text(cf)), rate_is(acf, cf.value, 0.1));
    lab_must_hold(lab, "a list of 1,024 reported keys in front of CF does most of what adapting does (exponent 1)",
                  text("%.4f, ACF %.4f, CF %.4f", at[CF_LIST].mean, at[ACF].mean, at[CF].mean),
                  at[CF].mean - at[CF_LIST].mean > 0.6 * (at[CF].mean - at[ACF].mean));
    lab_note(lab, "tidal with 12-bit slots, exponent 1",
             text("%.4f, with the list %.4f", at[TIDAL].mean, at[TIDAL_LIST].mean));
}
