/* Counts the different cache lines of 64 bytes that a lookup reads, from the positions of the bits in a packed table.
 * Models store cells in whole bytes or words; what counts here is where they would be if they were packed. */
#ifndef GUIRA_LAB_LINES_H
#define GUIRA_LAB_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { LINES_MOST = 1024, LINE_BITS = 512 };

struct lines {
    uint64_t line[LINES_MOST];
    unsigned n;
};

/* lines may be NULL: then nothing is counted. table: which of several tables, each of which begins on a new line. */
static inline void lines_touch(struct lines *lines, uint64_t table, uint64_t first_bit, uint64_t bits) {
    if (lines == NULL) return;
    for (uint64_t at = first_bit / LINE_BITS; at <= (first_bit + bits - 1) / LINE_BITS; at++) {
        uint64_t line = table << 48 | at;
        unsigned i = 0;
        while (i < lines->n && lines->line[i] != line) i++;
        if (i == lines->n && i < LINES_MOST) lines->line[lines->n++] = line;
    }
}

#endif
