/* What every fuzzer has: its function, a CHECK that aborts the process, which libFuzzer reports, and a cursor to take values
 * from the input. */
#ifndef GUIRA_FUZZ_INPUT_H
#define GUIRA_FUZZ_INPUT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* The rest of the input. */
struct cursor {
    const uint8_t *at;
    size_t n;
};

/* The next bytes as a number, lowest first; those that are missing are 0. */
static inline uint64_t take_number(struct cursor *in, unsigned bytes) {
    uint64_t x = 0;
    for (unsigned i = 0; i < bytes && in->n > 0; i++) {
        x |= (uint64_t)*in->at++ << (8 * i);
        in->n--;
    }
    return x;
}

static inline double take_double(struct cursor *in) {
    uint64_t bits = take_number(in, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The next n bytes, or fewer, as a text that ends with a NUL. To be freed. */
static inline char *take_text(struct cursor *in, size_t n) {
    if (n > in->n) n = in->n;
    char *text = malloc(n + 1);
    CHECK(text != NULL);
    if (n > 0) memcpy(text, in->at, n);
    text[n] = '\0';
    in->at += n;
    in->n -= n;
    return text;
}

/* The same up to the next byte `end`, which is skipped. */
static inline char *take_until(struct cursor *in, int end) {
    const uint8_t *found = in->n > 0 ? memchr(in->at, end, in->n) : NULL;
    char *text = take_text(in, found != NULL ? (size_t)(found - in->at) : in->n);
    if (found != NULL) take_number(in, 1);
    return text;
}

#endif
