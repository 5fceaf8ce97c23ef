/* CCF: "space efficiency" counts slots only. With v virtual nodes per bucket the ring takes many times as much as the
 * slots. */
#include "replay.h"

/* Bits per item of a filter of the library that has grown to the paper's peak, everything included. */
static double bits_per_item(const struct lab *lab, guira_config c, double *load) {
    uint64_t items = lab->quick ? PAPER_PEAK / 8 : PAPER_PEAK;
    guira *f = lab_filter(lab, c);
    if (lab_fill(f, 0, items) != items) lab_fatal("a filter is full");
    double bits = 8.0 * (double)lab_stats(f).bytes / (double)items;
    *load = lab_stats(f).load;
    guira_destroy(f);
    return bits;
}

void experiment(struct lab *lab) {
    guira_config ccf = replay_config(GUIRA_CONSISTENT), dcf = replay_config(GUIRA_DYNAMIC);
    ccf.policy = GUIRA_BUCKET_LEVEL;
    guira_config tidal = {.kind = GUIRA_TIDAL, .slot_bits = 32};
    double load, dcf_bits = bits_per_item(lab, dcf, &load), tidal_bits = bits_per_item(lab, tidal, &load);
    static const unsigned nodes[] = {1, 2, 5, 10, 20};
    double ccf_bits = 0, slot_bits = 0;
    fputs("v,slots,all,dcf,tidal\n", lab->data);
    for (unsigned i = 0; i < 5; i++) {
        ccf.virtual_nodes = nodes[i];
        double bits = bits_per_item(lab, ccf, &load);
        if (nodes[i] == 10) ccf_bits = bits, slot_bits = 30 / load;
        fprintf(lab->data, "%u,%.2f,%.2f,%.2f,%.2f\n", nodes[i], 30 / load, bits, dcf_bits, tidal_bits);
    }
    lab_refute(lab, "CCF_B uses its space better than DCF (m = 64, b = 3, f = 30, v = 10): bits per item",
               text("%.1f, the slots alone", slot_bits), text("%.0f with the ring; DCF %.1f", ccf_bits, dcf_bits),
               ccf_bits > 2 * dcf_bits);
    lab_must_hold(lab, "most of a CCF is its ring", text("%.0f %%", 100 * (1 - slot_bits / ccf_bits)),
                  ccf_bits > 2 * slot_bits);
    lab_note(lab, "tidal with 32-bit slots, everything included", text("%.1f bits per item", tidal_bits));
}
