/* Bytes that a database hands over as a filter, and any value as a key: sql/common.
 *
 *     input   [ how ][ value: 8 bytes ][ the filter ]      how & 1: repair the checksums */
#include "fuzz.h"

#include <math.h>

#include "common/filter.h"
#include "common/held.h"
#include "common/key.h"
#include "repair.h"

/* An integer and the real that equals it are the same key. */
static void check_keys(uint64_t bits) {
    char first[KEY_NUMBER_BYTES], second[KEY_NUMBER_BYTES];
    double x;
    memcpy(&x, &bits, sizeof x);
    size_t n = key_of_real(x, first);
    CHECK(n > 0 && n <= KEY_NUMBER_BYTES);
    int64_t integer = (int64_t)bits >> (bits % 64);
    n = key_of_integer(integer, first);
    CHECK(n > 0 && n <= KEY_NUMBER_BYTES);
    if (integer > -(INT64_C(1) << 53) && integer < INT64_C(1) << 53)
        CHECK(key_of_real((double)integer, second) == n && memcmp(first, second, n) == 0);
}

/* A union with a filter of one item, which fails or has it. */
static void unite(const guira *from) {
    guira_config c = {.size = sizeof c};
    guira *f;
    CHECK(guira_config_get(from, &c) == GUIRA_OK);
    c.capacity = 0;
    c.buckets = 0;
    if (c.kind != GUIRA_TIDAL || c.max_load < 0.1 || guira_create(&c, &f) != GUIRA_OK) return;
    CHECK(sql_insert(f, "ana", 3) == GUIRA_OK);
    sql_unite(&f, from);
    CHECK(guira_contains(f, "ana", 3));
    check_valid(f);
    guira_destroy(f);
}

static void use(const uint8_t *bytes, size_t n, bool validate) {
    struct held *h;
    guira_status s = held_copy(bytes, n, validate, &h);
    CHECK((s == GUIRA_OK) == (h != NULL) && *sql_error(s) != '\0' && *sql_union_error(s) != '\0');
    if (h == NULL) return;
    for (unsigned i = 0; i < 32; i++) guira_contains_hash(h->filter, mix(i) >> (i % 4 * 16));
    if (validate) CHECK(held_is(h, bytes, n) && guira_validate(h->filter, NULL) == GUIRA_OK);
    if (validate) unite(h->filter);
    held_release(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct cursor in = {data, n};
    uint64_t how = take_number(&in, 1), value = take_number(&in, 8);
    size_t length = in.n;
    uint8_t *bytes = (uint8_t *)take_text(&in, length);
    check_keys(value);
    if (how & 1) repair_length_and_checksums(bytes, length);
    use(bytes, length, true);
    use(bytes, length, false);
    free(bytes);
    return 0;
}
