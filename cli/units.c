/* See units.h. Every reader parses a decimal number and multiplies it by the factor of its suffix. */
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of suffixes ends with a NULL text. */
struct suffix {
    const char *text;
    double factor;
};

/* A decimal number of 0 or more. strtod alone would also accept hexadecimal numbers, "inf" and "nan". */
static bool read_number(const char **text, double *out) {
    const char *p = *text;
    size_t plain = strspn(p, "0123456789.");
    char *end;
    if (plain == 0 || strspn(p, ".") == plain || (*p == '0' && (p[1] == 'x' || p[1] == 'X'))) return false;
    *out = strtod(p, &end);
    *text = end;
    return true;
}

/* Looks up a suffix, which must be the rest of the text. */
static bool read_suffix(const char *text, const struct suffix *table, double *factor) {
    for (; table->text != NULL; table++)
        if (strcmp(text, table->text) == 0) {
            *factor = table->factor;
            return true;
        }
    return false;
}

/* Rounds. False: the number is too large. */
static bool round_to_integer(double number, uint64_t *out) {
    bool good = number < 9e18;
    *out = good ? (uint64_t)round(number) : TOO_LARGE;
    return good;
}

/* A number with a suffix: "2.5k" is 2500. */
static bool read_scaled(const char *text, const struct suffix *table, double *out) {
    double number, factor;
    if (!read_number(&text, &number) || !read_suffix(text, table, &factor)) return false;
    *out = number * factor;
    return true;
}

/* Up to the rounding of a double: 2.3M is 2299999.9999999995. */
static bool is_whole(double number) { return fabs(number - round(number)) <= 1e-9 * number; }

bool read_count(const char *text, uint64_t *out) {
    static const struct suffix table[] = {{"", 1},    {"k", 1e3}, {"K", 1e3},  {"M", 1e6},
                                          {"G", 1e9}, {"B", 1e9}, {"T", 1e12}, {NULL, 0}};
    double number;
    return read_scaled(text, table, &number) && is_whole(number) && round_to_integer(number, out);
}

bool read_size(const char *text, uint64_t *out) {
    static const struct suffix table[] = {
        {"", 1},       {"B", 1},        {"K", 0x1p10},   {"k", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},
        {"T", 0x1p40}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3},
        {"KB", 1e3},   {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {NULL, 0}};
    double number;
    return read_scaled(text, table, &number) && number >= 1 && round_to_integer(number, out);
}

/* The unit of one part of a duration ("1h" in "1h30m"), in milliseconds; *text moves behind it. */
static bool read_time_unit(const char **text, double *factor) {
    static const struct suffix table[] = {{"ms", 1},     {"s", 1e3},     {"m", 6e4}, {"h", 3.6e6},
                                          {"d", 8.64e7}, {"w", 6.048e8}, {NULL, 0}};
    char unit[3] = "";
    size_t n = strcspn(*text, "0123456789.");
    if (n >= sizeof unit) return false;
    memcpy(unit, *text, n);
    *text += n;
    return read_suffix(unit, table, factor);
}

bool read_duration(const char *text, uint64_t *out) {
    double total = 0, number, factor;
    if (read_number(&text, &total) && *text == '\0') total *= 1000;
    else if (!read_time_unit(&text, &factor)) return false;
    else {
        for (total *= factor; *text != '\0'; total += number * factor)
            if (!read_number(&text, &number) || !read_time_unit(&text, &factor)) return false;
    }
    return total >= 1 && round_to_integer(total, out);
}

bool read_rate(const char *text, double *out) {
    double number, divisor = 1;
    if (!read_number(&text, &number)) return false;
    if (*text == '/') {
        text++;
        if (!read_number(&text, &divisor) || divisor == 0) return false;
    } else if (*text == '%') {
        text++;
        divisor = 100;
    }
    *out = number / divisor;
    return *text == '\0' && *out > 0 && *out < 1;
}

bool read_factor(const char *text, double *out) {
    double number;
    if (!read_number(&text, &number) || (*text != '\0' && strcmp(text, "x") != 0)) return false;
    *out = number;
    return number >= 1 && isfinite(number);
}

/* ---------------------------------------------------------------------------------------------------------- writing */

/* With three significant digits. */
static const char *write_three_digits(double number, const char *unit, char *to) {
    int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    snprintf(to, UNIT_TEXT, "%.*f%s", decimals, number, unit);
    return to;
}

const char *write_count(double n, char *to) {
    static const char *const unit[] = {"", "k", "M", "G", "T", "P"};
    unsigned i = 0;
    for (; n >= 999.5 && i < 5; i++) n /= 1000;
    if (i > 0) return write_three_digits(n, unit[i], to);
    snprintf(to, UNIT_TEXT, "%.0f", n);
    return to;
}

const char *write_number(uint64_t n, const char *noun, char *to) {
    snprintf(to, UNIT_TEXT, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
    return to;
}

const char *write_size(double bytes, char *to) {
    static const char *const unit[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    unsigned i = 0;
    for (; bytes >= 1023.5 && i < 5; i++) bytes /= 1024;
    if (i > 0) return write_three_digits(bytes, unit[i], to);
    snprintf(to, UNIT_TEXT, "%.0f B", bytes);
    return to;
}

const char *write_elapsed(double seconds, char *to) {
    unsigned long s = seconds < 0 ? 0 : seconds > 1e9 ? 1000000000 : (unsigned long)seconds;
    if (s < 3600) snprintf(to, UNIT_TEXT, "%lu:%02lu", s / 60, s % 60);
    else snprintf(to, UNIT_TEXT, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    return to;
}

const char *write_duration(uint64_t ms, char *to) {
    static const struct {
        const char *text;
        uint64_t ms;
    } unit[] = {{"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};
    size_t i = 0;
    while (i < 4 && ms < unit[i].ms) i++;
    int n = snprintf(to, UNIT_TEXT, "%llu%s", (unsigned long long)(ms / unit[i].ms), unit[i].text);
    uint64_t rest = i < 4 ? ms % unit[i].ms / unit[i + 1].ms : 0;
    if (rest > 0) snprintf(to + n, UNIT_TEXT - (size_t)n, "%llu%s", (unsigned long long)rest, unit[i + 1].text);
    return to;
}

const char *write_rate(double fraction, char *to) {
    if (fraction >= 1e-5) snprintf(to, UNIT_TEXT, "%.2g%%", 100 * fraction);
    else snprintf(to, UNIT_TEXT, "%.1e", fraction);
    return to;
}
