/* What marks a file as that of a filter, a window or a shared filter. */
#ifndef GUIRA_FORMAT_CONTENTS_H
#define GUIRA_FORMAT_CONTENTS_H

#include "format/sections.h"

/* The slot_bits of a window's header, which no filter has. 27: slots of 32 bits, 5 of them for the time stamp. 64 + b: slots of
 * b bits and a stamp of 5 bits, in format 2. */
enum { WINDOW_SLOT_BITS = 27, WINDOW_SLOT_BITS_2 = 64 };

/* The bits of a slot without its stamp; 0: this is not the slot_bits of a window. */
static inline unsigned window_key_bits(uint64_t slot_bits) {
    if (slot_bits == WINDOW_SLOT_BITS) return WINDOW_SLOT_BITS;
    bool is_window = slot_bits > WINDOW_SLOT_BITS_2 && slot_bits < WINDOW_SLOT_BITS_2 + WINDOW_SLOT_BITS;
    return is_window ? (unsigned)slot_bits - WINDOW_SLOT_BITS_2 : 0;
}

/* The reverse. */
static inline unsigned window_slot_bits(unsigned key_bits) {
    return key_bits == WINDOW_SLOT_BITS ? key_bits : WINDOW_SLOT_BITS_2 + key_bits;
}

/* The section "window", the first one of a window's file. */
enum { WINDOW_LENGTH, WINDOW_SLIDES, WINDOW_NOW, WINDOW_SWEEP, WINDOW_ROUND, WINDOW_BEFORE, WINDOW_NUMBERS };

/* A shared filter's file starts with a preamble: its own magic number, a version, and the number of shards. */
enum { SHARED_PREAMBLE = 64, MAX_SHARDS = 256 };

void guira__preamble_encode(uint8_t p[SHARED_PREAMBLE], uint64_t shards);

/* EFORMAT: no file of a shared filter. ECORRUPT. */
guira_status guira__preamble_read(const uint8_t p[SHARED_PREAMBLE], unsigned *shards);

#endif
