/* Statements and measurements; the contracts are in checks.h. */
#include "checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

struct spread spread_of(double value) {
    return (struct spread){value, value, value, 1};
}

void spread_add(struct spread *s, double value) {
    if (s->n == 0) *s = (struct spread){0, value, value, 0};
    s->n++;
    s->mean += (value - s->mean) / s->n;
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
}

void spread_put(FILE *out, struct spread s) { fprintf(out, ",%.6g,%.6g,%.6g", s.mean, s.low, s.high); }

/* ------------------------------------------------------------------------------------------------------------- text */

/* How a printed number is written, so that the measurement can be written in the same way. */
struct style {
    double value; /* as a fraction if it is a percentage */
    int decimals;
    bool percent, exact;
};

static struct style style_of(const char *printed) {
    const char *start = printed + strcspn(printed, "0123456789"), *end = start + strspn(start, "0123456789.");
    const char *point = memchr(start, '.', (size_t)(end - start));
    struct style s = {.value = strtod(start, NULL), .percent = strchr(end, '%') != NULL};
    if (start == end) lab_fatal("no number in '%s'", printed);
    s.decimals = point != NULL ? (int)(end - point) - 1 : 0;
    if (s.percent) s.value /= 100;
    return s;
}

/* Of a large number that is not exact four digits say enough. */
static double with_four_digits(double value) {
    if (fabs(value) < 1e5) return value;
    double unit = pow(10, floor(log10(fabs(value))) - 3);
    return round(value / unit) * unit;
}

static const char *in_style(struct style s, double value) {
    if (!s.exact) value = with_four_digits(value);
    return s.percent ? text("%.*f %%", s.decimals, 100 * value) : text("%.*f", s.decimals, value);
}

static const char *spread_text(struct style s, struct spread x) {
    bool small = s.decimals < 3 && fabs(x.mean) < 100 && !s.percent && !s.exact;
    if (small) s.decimals++; /* to see the difference */
    if (x.n < 2) return in_style(s, x.mean);
    return text("%s (%s to %s in %u runs)", in_style(s, x.mean), in_style(s, x.low), in_style(s, x.high), x.n);
}

static const char *tolerance_text(struct style s, double within) {
    if (within == 0) return "exact";
    return s.percent ? text("\302\261 %g points", 100 * within) : text("\302\261 %.*g", within < 1000 ? 3 : 9, within);
}

/* ------------------------------------------------------------------------------------------------------------- rows */

enum { COLUMNS = 7 };
const char *const lab_check_columns = "kind,what,printed,tolerance,measured,difference,outcome\n";

static void put_quoted(FILE *out, const char *s) {
    fputc('"', out);
    for (; *s != '\0'; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void put_row(struct lab *lab, const char *const cell[COLUMNS]) {
    for (int i = 0; i < COLUMNS; i++) {
        if (i > 0) fputc(',', lab->checks);
        put_quoted(lab->checks, cell[i]);
    }
    fputc('\n', lab->checks);
}

static const char *outcome_of(bool same) { return same ? "reproduced" : "differs"; }

/* A difference in points for percentages and in percent for other numbers. */
static const char *difference_text(struct style s, double measured) {
    if (s.percent) return text("%+.*f points", s.decimals, 100 * (measured - s.value));
    if (s.value == 0 || measured == s.value) return "";
    double percent = 100 * (measured / s.value - 1);
    return text("%+.*f %%", fabs(percent) < 0.01 ? 6 : fabs(percent) < 1 ? 2 : fabs(percent) < 10 ? 1 : 0, percent);
}

void lab_compare_spread(struct lab *lab, const char *what, const char *printed, struct spread measured, double within) {
    struct style s = style_of(printed);
    s.exact = within == 0;
    bool same = fabs(measured.mean - s.value) <= within;
    put_row(lab, (const char *[]){"compare", what, printed, tolerance_text(s, within), spread_text(s, measured),
                                  difference_text(s, measured.mean), outcome_of(same)});
}

void lab_compare(struct lab *lab, const char *what, const char *printed, double measured, double within) {
    lab_compare_spread(lab, what, printed, spread_of(measured), within);
}

void lab_compare_bound(struct lab *lab, const char *what, const char *printed, struct spread measured) {
    struct style s = style_of(printed);
    bool under = strncmp(printed, "under", 5) == 0;
    if (!under && strncmp(printed, "above", 5) != 0) lab_fatal("'%s' is not a limit", printed);
    bool same = under ? measured.mean < s.value : measured.mean > s.value;
    put_row(lab, (const char *[]){"compare", what, printed, "a limit", spread_text(s, measured), "", outcome_of(same)});
}

void lab_compare_words(struct lab *lab, const char *what, const char *printed, double low, double high,
                       struct spread measured) {
    struct style s = {.decimals = 2};
    if (high < 0.1 && high > 0) s.decimals = 4;
    bool same = measured.mean >= low && measured.mean <= high;
    put_row(lab, (const char *[]){"compare", what, printed, text("read as %g to %g", low, high),
                                  spread_text(s, measured), "", outcome_of(same)});
}

void lab_compare_each(struct lab *lab, const char *what, const char *printed, double low, double high,
                      const struct spread *point, unsigned n) {
    struct spread means = {0};
    for (unsigned i = 0; i < n; i++) spread_add(&means, point[i].mean);
    bool same = means.low >= low && means.high <= high;
    put_row(lab,
            (const char *[]){"compare", what, printed, text("each read as %g to %g", low, high),
                             text("%.2f to %.2f (%u points, means of %u runs)", means.low, means.high, n, point->n), "",
                             outcome_of(same)});
}

void lab_compare_fact(struct lab *lab, const char *what, const char *printed, const char *measured, bool agrees) {
    put_row(lab, (const char *[]){"compare", what, printed, "", measured, "", outcome_of(agrees)});
}

void lab_compare_earlier(struct lab *lab, const char *what, const char *earlier, struct spread measured,
                         double within) {
    struct style s = style_of(earlier);
    s.exact = within == 0;
    bool same = fabs(measured.mean - s.value) <= within;
    put_row(lab, (const char *[]){"earlier", what, text("%s (ours, earlier)", earlier), tolerance_text(s, within),
                                  spread_text(s, measured), difference_text(s, measured.mean),
                                  same ? "as before" : "changed"});
}

void lab_refute(struct lab *lab, const char *what, const char *printed, const char *measured, bool refuted) {
    put_row(lab, (const char *[]){"refute", what, printed, "", measured, "", refuted ? "refuted" : "not refuted"});
}

void lab_must_hold(struct lab *lab, const char *what, const char *measured, bool holds) {
    put_row(lab, (const char *[]){"hold", what, "", "", measured, "", holds ? "holds" : "broken"});
    if (holds) return;
    lab->broken++;
    fprintf(stderr, "%s: does not hold: %s (measured: %s)\n", lab->name, what, measured);
}

void lab_note(struct lab *lab, const char *what, const char *measured) {
    put_row(lab, (const char *[]){"note", what, "", "", measured, "", ""});
}

/* ------------------------------------------------------------------------------------------------------------ rates */

struct rate rate_of(uint64_t hits, uint64_t trials) {
    double n = (double)trials, p = (double)hits / n;
    if (hits == 0 || hits == trials) return (struct rate){p, 3 / n}; /* the rule of three */
    return (struct rate){p, 1.96 * sqrt(p * (1 - p) / n)};
}

const char *rate_text(struct rate r) {
    if (r.value == 0) return text("0 (under %.1g)", r.error);
    return text("%.3g \302\261 %.1g", r.value, r.error);
}

/* Three times the 95 % error, because many rates are checked: at one time the error, one check in twenty would fail. */
bool rate_is(struct rate r, double expected, double tolerance) {
    return fabs(r.value - expected) <= 3 * r.error + tolerance * expected;
}

void rates_add(struct rates *all, struct rate one, uint64_t trials) {
    spread_add(&all->each, one.value);
    all->hits += (uint64_t)llround(one.value * (double)trials);
    all->trials += trials;
}

struct rate rate_of_all(const struct rates *all) {
    return rate_of(all->hits, all->trials);
}
