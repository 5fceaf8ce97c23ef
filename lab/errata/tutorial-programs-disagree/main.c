/* Tutorial: its two programs, run with the hash functions of their languages: small integers hash to themselves, strings
 * by SipHash. */
#include <string.h>

#include "models/program_hashes.h"
#include "models/tutorial_program.h"

enum { KEYS = TUTORIAL_BUCKETS * TUTORIAL_SLOTS / 2, PROBES = 100000 }; /* half full */

struct outcome {
    unsigned failed, lost, second_is_0, deleted, damaged, positives;
};

/* What hash() returns for the integer i, or for the string "k<i>". */
static uint64_t python_hash(bool strings, unsigned i) {
    char key[16];
    const struct python_key secret = {mix(1), mix(2)};
    snprintf(key, sizeof key, "k%u", i);
    return strings ? python_str_hash(secret, key, strlen(key)) : i;
}

/* Inserts KEYS keys, looks all of them up, then deletes the first half and looks the second half up. */
static struct outcome run_python(const struct lab *lab, bool strings, bool corrected) {
    static struct tutorial_program p;
    static bool in[KEYS], found[KEYS];
    struct outcome o = {0};
    tutorial_start_python(&p, corrected, lab->seed);
    for (unsigned i = 0; i < KEYS; i++) {
        in[i] = tutorial_insert(&p, python_hash(strings, i));
        o.failed += !in[i];
        o.second_is_0 += tutorial_second_bucket(&p, python_hash(strings, i)) == 0;
    }
    for (unsigned i = 0; i < KEYS; i++) {
        found[i] = in[i] && tutorial_contains(&p, python_hash(strings, i));
        o.lost += in[i] && !found[i];
    }
    for (unsigned i = 0; i < PROBES; i++) o.positives += tutorial_contains(&p, python_hash(strings, KEYS + i));
    for (unsigned i = 0; i < KEYS / 2; i++) o.deleted += in[i] && tutorial_delete(&p, python_hash(strings, i));
    for (unsigned i = KEYS / 2; i < KEYS; i++) o.damaged += found[i] && !tutorial_contains(&p, python_hash(strings, i));
    return o;
}

static void put_row(FILE *out, const char *what, struct outcome o) {
    fprintf(out, "%s,%u of %d,%u,%u of %d,%.0f %%,%u,%.2g\n", what, o.failed, KEYS, o.lost, o.deleted, KEYS / 2,
            100.0 * o.second_is_0 / KEYS, o.damaged, (double)o.positives / PROBES);
}

static void check_python(struct lab *lab) {
    struct outcome integers = run_python(lab, false, false), strings = run_python(lab, true, false);
    struct outcome right = run_python(lab, true, true), right_integers = run_python(lab, false, true);
    FILE *out = lab_file(lab, "table-python.csv");
    fputs(
        "# caption: The Python program, 2,048 keys in 1,024 x 4 slots, then half of them deleted.\n"
        "keys,insertions failed,members not found,deleted,second bucket is 0,others lost by deleting,false positives\n",
        out);
    put_row(out, "\"integers, as printed\"", integers);
    put_row(out, "\"strings, as printed\"", strings);
    put_row(out, "\"integers, corrected\"", right_integers);
    put_row(out, "\"strings, corrected\"", right);
    if (fclose(out) != 0) lab_fatal("%s: cannot write to %s", lab->name, lab->out);
    lab_refute(lab, "Python: the alternate bucket depends on the key", "spread over 1,024 buckets",
               text("bucket 0 for %.0f %% of the keys", 100.0 * strings.second_is_0 / KEYS),
               strings.second_is_0 == KEYS);
    lab_refute(lab, "Python, strings: members at load 0.5", "all found",
               text("%u not found, %u insertions failed", strings.lost, strings.failed), strings.lost > 0);
    lab_refute(lab, "Python, strings: a member can be deleted", "always", text("%u of %d", strings.deleted, KEYS / 2),
               strings.deleted < KEYS / 8);
    lab_refute(lab, "Python, integers: a member can be deleted", "always",
               text("%u of %d: those below 256", integers.deleted, KEYS / 2), integers.deleted < KEYS / 2);
    lab_must_hold(
        lab, "corrected, every member is found and can be deleted, and deleting harms no other",
        text("%u failed, %u not found, %u deleted, %u harmed", right.failed, right.lost, right.deleted, right.damaged),
        right.failed == 0 && right.lost == 0 && right.deleted == KEYS / 2 && right.damaged == 0 &&
            right_integers.lost == 0 && right_integers.deleted == KEYS / 2);
}

static void check_java(struct lab *lab) {
    static struct tutorial_program p;
    unsigned positives = 0, failed = 0;
    tutorial_start_java(&p, 256, lab->seed);
    for (unsigned key = 0; key < 256; key++) failed += !tutorial_insert(&p, key);
    for (unsigned key = 256; key < 256 + PROBES; key++) positives += tutorial_contains(&p, key);
    lab_refute(lab, "Java: false positives after inserting 0..255 into a filter for 256, 8-bit fingerprints", "1/256",
               text("%.1f %%", 100.0 * positives / PROBES), positives > PROBES / 2);
    lab_note(lab, "Java: insertions of 0..255 that failed", text("%u", failed));
}

static void check_library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 2048};
    guira *f = lab_filter(lab, c);
    uint64_t n = lab_fill(f, 0, 2048), lost = lab_false_negatives(f, 0, n), deleted = 0;
    for (uint64_t i = 0; i < n; i++) deleted += lab_remove(f, MEMBERS, i) == GUIRA_OK;
    lab_must_hold(lab,
                  "the library: independent bits for index and fingerprint, the victim's own alternate bucket, one "
                  "formula everywhere",
                  text("%" PRIu64 " inserted, %" PRIu64 " lost, %" PRIu64 " deleted", n, lost, deleted),
                  n == 2048 && lost == 0 && deleted == n);
    guira_destroy(f);
}

void experiment(struct lab *lab) {
    check_python(lab);
    check_java(lab);
    check_library(lab);
}
