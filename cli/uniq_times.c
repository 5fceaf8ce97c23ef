/* See uniq_times.h. */
#include "uniq_times.h"

#include <stdio.h>

#include "report.h"
#include "units.h"

void count_fault(struct fault_count *f, const struct batch *b, size_t i) {
    if (f->n++ > 0) return;
    f->name = b->name;
    f->line = b->first + i;
}

/* What the lines have, as part of a sentence. */
static const char *describe(enum time_fault fault, const struct time_options *t, char *to, size_t n) {
    char skew[UNIT_TEXT];
    write_duration(t->max_skew, skew);
    if (fault == TIME_MISSING) snprintf(to, n, "no time in --time-field %s", t->field);
    if (fault == TIME_AHEAD) snprintf(to, n, "a time more than %s ahead of the clock (--max-skew)", skew);
    if (fault == TIME_BACK) snprintf(to, n, "a time more than %s before the latest one (--max-skew)", skew);
    return to;
}

void report_bad_times(const struct time_options *t, const struct fault_count *f) {
    char text[200], lines[UNIT_TEXT];
    for (enum time_fault fault = TIME_MISSING; fault < TIME_FAULTS; fault++) {
        if (f[fault].n == 0) continue;
        note("%s %s %s: %s (the first is %s, line %llu)", write_number(f[fault].n, "line", lines),
             f[fault].n == 1 ? "has" : "have", describe(fault, t, text, sizeof text),
             t->bad == BAD_TIME_PASS ? "printed without a lookup" : "dropped", f[fault].name,
             (unsigned long long)f[fault].line);
    }
}

/* Control characters are replaced and long texts are cut. */
static const char *printable(struct slice text, char *to, size_t room) {
    size_t n = 0;
    for (; n < text.size && n < room - 1; n++)
        to[n] = (char)(text.data[n] < ' ' && text.data[n] >= 0 ? '?' : text.data[n]);
    to[n] = '\0';
    return to;
}

void trouble_bad_time(const struct time_options *t, const struct key_options *k, const struct fault_count *f,
                      struct slice line) {
    enum time_fault fault = TIME_MISSING;
    char text[41], reason[200];
    while (fault + 1 < TIME_FAULTS && f[fault].n == 0) fault++;
    const struct fault_count *at = &f[fault];
    struct slice field = time_text(time_reader_new(t, k), line);
    if (field.size == 0)
        trouble("%s, line %llu: has no field %s for --time-field", at->name, (unsigned long long)at->line, t->field);
    printable(field, text, sizeof text);
    if (fault == TIME_MISSING)
        trouble("%s, line %llu: '%s' is not a time%s --bad-time pass goes on", at->name, (unsigned long long)at->line,
                text, t->format != NULL ? " as in --time-format;" : "; --time-format describes other forms,");
    trouble("%s, line %llu: '%s' is %s", at->name, (unsigned long long)at->line, text,
            describe(fault, t, reason, sizeof reason));
}
