/* The functions of match.h as compiled for one instruction set: see match_kernel.c. */
#ifndef GUIRA_TEST_MATCH_KERNEL_H
#define GUIRA_TEST_MATCH_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* prefix chooses PREFIX, else EXACT. */
struct match_kernel {
    unsigned (*mask)(const uint8_t *bucket, uint64_t q, unsigned w, bool prefix);
    bool (*either)(const uint8_t *a, uint64_t qa, const uint8_t *b, uint64_t qb, unsigned w, bool prefix);
    unsigned (*empty)(const uint8_t *bucket, unsigned w);
    unsigned (*range)(const uint8_t *bucket, uint32_t from, uint32_t span);
};

#endif
