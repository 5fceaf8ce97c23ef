/* Planning with any numbers: errors are errors, and what is said to be available can be made and keeps its word.
 *
 *     input   [ items: 8 bytes ][ fpr: a double ][ growth: a double ] */
#include "fuzz.h"

#include <math.h>

enum { SMALL = 1 << 16 };

static void check_row(const guira_plan_row *r, uint64_t items, double fpr, double growth) {
    CHECK(r->name != NULL && r->bits_per_item >= 0 && r->fpr >= 0 && r->fpr <= 1);
    CHECK(!r->meets || r->fpr <= fpr * (1 + 1e-9));
    if (!r->available || r->bytes > SMALL) return;
    guira_config c = {.kind = r->kind, .slot_bits = r->bits, .bucket_slots = r->bucket_slots, .capacity = items};
    c.fpr = r->meets ? fpr : 0;
    c.growth = r->kind == GUIRA_TIDAL ? growth : 0;
    c.seed[0] = 1;
    guira *f;
    CHECK(guira_create(&c, &f) == GUIRA_OK);
    guira_destroy(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct cursor in = {data, n};
    uint64_t items = take_number(&in, 8);
    double fpr = take_double(&in), growth = take_double(&in);
    guira_plan_row rows[GUIRA_PLAN_ROWS] = {{.size = sizeof *rows}};
    size_t smallest = GUIRA_PLAN_ROWS;
    guira_status s = guira_plan(items, fpr, growth, rows, &smallest);
    bool valid = items > 0 && fpr > 0 && fpr < 1 && (growth == 0 || (growth >= 1 && growth <= 1e18));
    CHECK((s == GUIRA_EINVAL) == !valid);
    if (s != GUIRA_OK) {
        CHECK(s == GUIRA_EINVAL || (s == GUIRA_ELIMIT && items > UINT64_C(1) << 48));
        return 0;
    }
    CHECK(smallest < GUIRA_PLAN_ROWS && rows[smallest].meets);
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) check_row(&rows[i], items, fpr, growth);
    return 0;
}
