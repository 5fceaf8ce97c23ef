/* guira doctor: what the figures of a filter mean, what is wrong, and what to do about it.
 *
 *     symptom in the file            likely cause                          first response
 *     ---------------------------    ----------------------------------    --------------------------------------
 *     a checksum or bucket is off    the disk, or something wrote to it    restore, or build anew
 *     load above 0.92                more items than it was made for       a larger one, or a tidal one
 *     insertions were refused        the same; or copies of one line       the same; or add each only once
 *     stash in use, fixed size       it hides that the filter is small     a larger one, soon
 *     more items than the store      removals do not reach the filter      remove in the same step as in the store
 *     fewer items than the store     removed what was not added, or lost   build anew: answers may be wrongly no
 *     rate above what was wanted     slots too narrow for the growth       build at full size, or with wider slots
 *     many elders                    grew very far from very little        build at full size
 *     load far below its least       room was reserved and is not used     shrink
 *
 * Each is a function below, in this order: the first is the most urgent. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

struct patient {
    const char *path;
    guira_stats s;
    guira_config c;
    double wanted;  /* rate; 0: nobody said */
    uint64_t live;  /* keys in the store; 0: nobody said */
    unsigned found; /* so far */
    char items[UNIT_TEXT], rate[UNIT_TEXT], wanted_text[UNIT_TEXT];
};

static const double crowded = 0.92; /* refusals begin near 0.95 */

__attribute__((format(printf, 2, 3))) static void what(struct patient *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("\n%u. ", ++p->found);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

static void why(const char *text) { printf("   why: %s\n", text); }

__attribute__((format(printf, 1, 2))) static void todo(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("   do:  ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

/* A filter that cannot grow. */
static bool is_fixed(const struct patient *p) { return p->c.kind == GUIRA_CUCKOO; }

static void todo_larger(const struct patient *p) {
    todo("guira build --items %" PRIu64 " NEW, from the lines (twice as many as now); or --kind tidal, which grows",
         2 * p->s.items);
}

static void check_load(struct patient *p) {
    if (p->s.load <= (is_fixed(p) ? crowded : p->c.max_load + 0.01)) return;
    what(p, "it is crowded: load %.3f", p->s.load);
    if (is_fixed(p)) {
        why("it holds more than it was made for; near 0.95 insertions begin to fail, many at once");
        todo_larger(p);
    } else {
        why("it should have grown and could not: there was no memory when it tried");
        todo("raise the memory limit of who adds to it; it grows by itself with the next line added");
    }
}

static void check_refusals(struct patient *p) {
    if (p->s.failures == 0) return;
    what(p, "%" PRIu64 " insertions were refused", p->s.failures);
    if (p->s.load > 0.90) {
        why("there was no room for them; those lines are not in the filter, so it may say no for lines you have");
        if (is_fixed(p)) todo_larger(p);
        else todo("see to it that there is memory, and add again the lines whose addition failed");
    } else {
        why("there is room, so it was copies: a filter holds some 20 of one line and refuses more");
        todo("add each line only once (guira add --unique), or find out who sends the same one again and again");
    }
}

static void check_stash(struct patient *p) {
    if (p->s.stash == 0 || !is_fixed(p)) return; /* a tidal one empties it when it grows */
    what(p, "%" PRIu64 " items wait beside the table", p->s.stash);
    why("the stash takes what the buckets have no room for, and hides that the filter is too small");
    todo_larger(p);
}

static void check_drift(struct patient *p) {
    if (p->live == 0) return;
    if ((double)p->s.items > 1.02 * (double)p->live) {
        what(p, "it has %" PRIu64 " items more than the store", p->s.items - p->live);
        why("what is deleted, evicted or expires in the store is not removed from the filter, which only fills up");
        todo("remove from the filter in the same step as from the store; then build it anew from the store's keys");
    } else if (p->s.items < p->live) {
        what(p, "it has %" PRIu64 " items less than the store", p->live - p->s.items);
        why("keys were not added, or keys that never were in it were removed, which takes others away");
        todo("build it anew from the store's keys, for it may say no for keys you have; remove only what you added");
    }
}

static void check_rate(struct patient *p) {
    if (p->wanted == 0 || p->s.fpr <= p->wanted) return;
    what(p, "wrong answers: %s expected, %s wanted (%.1f times as many)", p->rate, p->wanted_text,
         p->s.fpr / p->wanted);
    why(is_fixed(p) ? "its slots are too narrow for this rate"
                    : "it has grown: old members know fewer bits the more it grows (or its slots are too narrow)");
    todo("guira build --items %" PRIu64 " --fpr %g NEW, from the lines: made at full size, with slots to fit",
         p->s.items, p->wanted);
}

static void check_elders(struct patient *p) {
    if (p->s.elders * 20 <= p->s.items) return;
    what(p, "%" PRIu64 " of %" PRIu64 " items are elders", p->s.elders, p->s.items);
    why("they came when the filter was very small and are kept aside; each takes some 10 bytes and slows down lookups");
    todo("guira build --items %" PRIu64 " NEW, from the lines: made at full size, none has to age", p->s.items);
}

static void check_waste(struct patient *p) {
    if (p->s.load >= 0.5 || p->s.slots < 4096) return;
    what(p, "it is nearly empty: load %.3f", p->s.load);
    why("room was made for more than came, or much was removed");
    if (is_fixed(p))
        todo("guira build --items %" PRIu64 " NEW, from the lines; or --kind tidal, which shrinks", p->s.items);
    else todo("guira shrink %s, unless you expect the rest to come", p->path);
}

/* f is NULL if it could not even be opened. */
static void check_bytes(struct patient *p, const guira *f) {
    const char *reason = "a part of it is missing or wrong";
    if (f != NULL && guira_validate(f, &reason) == GUIRA_OK) return;
    what(p, "the file is damaged: %s", reason);
    why("the disk, a copy that was cut short, or something else has written to it");
    todo("restore it from a copy or build it anew; do not use it, it may say no for lines you have");
}

static void examine(struct patient *p, const guira *f) {
    check_bytes(p, f);
    if (p->found > 0) return; /* the other figures would be guesses */
    check_load(p);
    check_refusals(p);
    check_stash(p);
    check_drift(p);
    check_rate(p);
    check_elders(p);
    check_waste(p);
}

static void print_verdict(const struct patient *p) {
    if (p->found == 0) printf("\nNothing is wrong with it.\n");
    if (p->live == 0)
        printf("\nNot looked at: whether removals reach it (say --live N, the number of keys in the store).\n");
    if (p->wanted == 0)
        printf("Not looked at: whether the wrong answers are too many (say --fpr RATE, what you wanted).\n");
    printf("Not to be seen in a file: slow lookups under load, which mostly are threads that wait for one lock.\n");
}

static void introduce(struct patient *p, const guira *f) {
    guira_stats_get(f, &p->s);
    guira_config_get(f, &p->c);
    if (p->wanted == 0) p->wanted = p->c.fpr;
    write_rate(p->wanted, p->wanted_text);
    printf("%s: %s, %s items, load %.3f, wrong answers %s\n", p->path, kind_names[p->c.kind],
           write_count((double)p->s.items, p->items), p->s.load, write_rate(p->s.fpr, p->rate));
}

static int doctor_run(int argc, char **argv) {
    struct patient p = {0};
    const struct opt table[] = {
        {'l', "live", OPT_COUNT, &p.live, "N", "how many keys the store behind the filter has now", NULL},
        {'p', "fpr", OPT_RATE, &p.wanted, "RATE", "most wrong answers to accept (default: as it was built)", NULL},
        OPT_END,
    };
    options_read(&command_doctor, table, &argc, argv, 1, 1);
    p.path = argv[1];
    guira *f = filter_map_if_whole(p.path);
    if (f != NULL) introduce(&p, f);
    examine(&p, f);
    if (f != NULL) print_verdict(&p);
    guira_destroy(f);
    return p.found == 0 ? EXIT_YES : EXIT_NO;
}

const struct command command_doctor = {"doctor", "[options] FILE",
                                       "tell what is wrong with a filter file, why, and what to do",
                                       "Exit status: 0 nothing was found, 1 something was, 2 trouble.\n"
                                       "\n"
                                       "examples:\n"
                                       "  guira doctor users.gf\n"
                                       "  guira doctor --live 1200000 --fpr 0.1% users.gf\n",
                                       doctor_run};
