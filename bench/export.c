/* Results as CSV and JSON files.
 *
 * CSV: one line per series (workload, size, filter, metric). Every line repeats the metadata of the run, so that the
 * files of many runs can be concatenated. JSON: the metadata once, and every round of every series.
 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void csv_text(FILE *out, const char *text) {
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_number(FILE *out, double v) {
    if (isfinite(v)) fprintf(out, ",%.9g", v);
    else fputc(',', out);
}

static void csv_line(const struct results *r, const struct meta *m, const struct series *s, FILE *out) {
    const char *reference = results_reference(r, s->workload, s->size);
    struct summary sum = summarise(s, BY_WALL);
    fprintf(out, "%s,%" PRIu64 ",", s->workload, s->size);
    csv_text(out, s->filter);
    fprintf(out, ",%s,%s,%u", metric_name(s->metric), metric_unit(s->metric), sum.rounds);
    csv_number(out, sum.median);
    csv_number(out, sum.min);
    csv_number(out, sum.max);
    csv_number(out, results_ratio(r, s, BY_WALL));
    fputc(',', out);
    csv_text(out, reference != NULL ? reference : "");
    csv_number(out, summarise(s, BY_CPU).median);
    csv_number(out, results_ratio(r, s, BY_CPU));
    if (s->trials > 0) fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.9g", s->hits, s->trials, sum.error);
    else fputs(",,,", out);
    for (size_t i = 0; i < m->count; i++) {
        fputc(',', out);
        csv_text(out, m->entry[i].value);
    }
    fputc('\n', out);
}

bool export_csv(const struct results *r, const struct meta *m, FILE *out) {
    fputs("workload,size,filter,metric,unit,rounds,median,min,max,ratio,reference,cpu_median,cpu_ratio,"
          "hits,trials,std_error",
          out);
    for (size_t i = 0; i < m->count; i++) fprintf(out, ",%s", m->entry[i].key);
    fputc('\n', out);
    for (size_t i = 0; i < r->count; i++) csv_line(r, m, &r->series[i], out);
    return fflush(out) == 0 && ferror(out) == 0;
}

static void json_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", (unsigned)c);
        else fputc(c, out);
    }
    fputc('"', out);
}

static void json_number(FILE *out, const char *key, double v) {
    if (isfinite(v)) fprintf(out, ", \"%s\": %.9g", key, v);
    else fprintf(out, ", \"%s\": null", key);
}

static void json_rounds(const struct results *r, const char *name, const double *value, FILE *out) {
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < r->rounds; i++) {
        if (i > 0) fputs(", ", out);
        if (isfinite(value[i])) fprintf(out, "%.9g", value[i]);
        else fputs("null", out);
    }
    fputc(']', out);
}

static void json_series(const struct results *r, const struct series *s, FILE *out) {
    const char *reference = results_reference(r, s->workload, s->size);
    struct summary sum = summarise(s, BY_WALL);
    struct summary cpu = summarise(s, BY_CPU);
    fprintf(out, "    {\"workload\": \"%s\", \"size\": %" PRIu64 ", \"filter\": ", s->workload, s->size);
    json_text(out, s->filter);
    fprintf(out, ", \"metric\": \"%s\", \"unit\": \"%s\"", metric_name(s->metric), metric_unit(s->metric));
    json_number(out, "median", sum.median);
    json_number(out, "min", sum.min);
    json_number(out, "max", sum.max);
    json_number(out, "ratio", results_ratio(r, s, BY_WALL));
    fputs(", \"reference\": ", out);
    if (reference != NULL) json_text(out, reference);
    else fputs("null", out);
    if (s->trials > 0) {
        fprintf(out, ", \"hits\": %" PRIu64 ", \"trials\": %" PRIu64, s->hits, s->trials);
        json_number(out, "std_error", sum.error);
    }
    json_rounds(r, "rounds", s->value[BY_WALL], out);
    if (cpu.rounds > 0) {
        json_number(out, "cpu_median", cpu.median);
        json_number(out, "cpu_ratio", results_ratio(r, s, BY_CPU));
        json_rounds(r, "cpu_rounds", s->value[BY_CPU], out);
    }
    fputc('}', out);
}

bool export_json(const struct results *r, const struct meta *m, FILE *out) {
    fputs("{\n  \"meta\": {", out);
    for (size_t i = 0; i < m->count; i++) {
        fprintf(out, "%s\n    \"%s\": ", i > 0 ? "," : "", m->entry[i].key);
        json_text(out, m->entry[i].value);
    }
    fputs("\n  },\n  \"results\": [", out);
    for (size_t i = 0; i < r->count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        json_series(r, &r->series[i], out);
    }
    fputs("\n  ],\n  \"notes\": [", out);
    for (size_t i = 0; i < r->notes; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        json_text(out, r->note[i]);
    }
    fputs("\n  ]\n}\n", out);
    return fflush(out) == 0 && ferror(out) == 0;
}
