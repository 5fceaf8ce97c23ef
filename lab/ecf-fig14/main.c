/* ECF, Fig. 14: false-positive rate of ECF and DCF when they are filled to 0.90 and doubled, three times. */
#include "ecf_filters.h"
#include "theory.h"

enum { ECF, DCF, TIDAL, FILTERS };

static guira *make(const struct lab *lab, int which, uint64_t buckets) {
    guira_config c = {.slot_bits = 12, .buckets = buckets, .bucket_slots = CELLS, .max_load = 0.905, .min_load = -1};
    c.kind = which == ECF ? GUIRA_ELASTIC : which == DCF ? GUIRA_DYNAMIC : GUIRA_TIDAL;
    if (which == TIDAL) c.capacity = (uint64_t)(0.9 * (double)(buckets * CELLS)); /* starts as large as the others */
    return lab_filter(lab, c);
}

/* Fills all filters up to n members and measures their rates. */
static void measure(guira *f[FILTERS], uint64_t from, uint64_t n, uint64_t probes, struct rate r[FILTERS],
                    uint64_t *lost) {
    for (int i = 0; i < FILTERS; i++) {
        lab_fill(f[i], from, n);
        r[i] = lab_fpr(f[i], probes);
        *lost += lab_false_negatives(f[i], 0, n);
    }
}

static void put_row(struct lab *lab, unsigned step, unsigned size, unsigned percent, const struct rate r[FILTERS],
                    double theory) {
    fprintf(lab->data, "%u,%u-%u%%,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f\n", step, size, percent, r[ECF].value,
            r[ECF].error, r[DCF].value, r[DCF].error, r[TIDAL].value, r[TIDAL].error, theory);
}

void experiment(struct lab *lab) {
    uint64_t buckets = lab->quick ? 1024 : 4096, probes = lab->quick ? 50000 : 500000, n = 0, lost = 0;
    struct rate r[FILTERS], first[FILTERS] = {{0, 0}};
    guira *f[FILTERS];
    struct spread ratio = {0};
    double theory = 0;
    for (int i = 0; i < FILTERS; i++) f[i] = make(lab, i, buckets);
    fputs("step,label,ecf,ecf_error,dcf,dcf_error,tidal,tidal_error,theory\n", lab->data);
    for (unsigned size = 1, step = 0; size <= 8; size *= 2) {
        if (size > 1) { /* doubled with the same members: 45 % */
            guira_reserve(f[ECF], n + 100);
            guira_reserve(f[DCF], (uint64_t)(0.9 * (double)(buckets * CELLS * size)));
            measure(f, n, n, probes, r, &lost);
            spread_add(&ratio, r[ECF].value / r[DCF].value);
            put_row(lab, step++, size, 45, r, theory_ecf_fpr(buckets * size, CELLS, 0.45, 12, size));
        }
        uint64_t to = (uint64_t)(0.9 * (double)(buckets * CELLS * size));
        measure(f, n, to, probes, r, &lost);
        n = to;
        theory = theory_ecf_fpr(buckets * size, CELLS, 0.9, 12, size);
        spread_add(&ratio, r[ECF].value / r[DCF].value);
        put_row(lab, step++, size, 90, r, theory);
        for (int i = 0; i < FILTERS && size == 1; i++) first[i] = r[i];
    }
    lab_compare_words(lab, "rate of ECF / of DCF, at all seven points", "nearly the same", 0.9, 1.1, ratio);
    lab_must_hold(lab, "ECF's rate grows in proportion to its size",
                  text("8-90%%: %s, %.1f times that of 1-90%%, theory %.4f", rate_text(r[ECF]),
                       r[ECF].value / first[ECF].value, theory),
                  rate_is(r[ECF], theory, 0.06));
    lab_note(lab, "tidal, ratio of 8-90% to 1-90%", text("%.1f", r[TIDAL].value / first[TIDAL].value));
    lab_must_hold(lab, "no false negatives", text("%" PRIu64, lost), lost == 0);
    for (int i = 0; i < FILTERS; i++) guira_destroy(f[i]);
}
