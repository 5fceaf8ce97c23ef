/* The first 256 bytes of a file: its version and length, and the configuration of what is in it. */
#ifndef GUIRA_IO_HEADER_H
#define GUIRA_IO_HEADER_H

#include <stdbool.h>

#include "format/sections.h"
#include "guira.h"

enum { HEADER_BYTES = 256 };

struct header {
    guira_config config;
    uint64_t total;  /* bytes of the file */
    unsigned format; /* its version */
};

/* Fills in defaults and checks the rest, as struct guira__kind's resolve does; the seed too. EFORMAT: a configuration of
 * something else. */
typedef guira_status guira__resolve_fn(guira_config *c);

/* The oldest format for filters of a configuration. What is in a filter may need a newer one: guira__ops.format. */
unsigned guira__config_format(const guira_config *c);

void guira__header_encode(uint8_t header[HEADER_BYTES], const guira_config *c, unsigned format, uint64_t total);

/* EFORMAT: not a file of guira's, or one of an unknown version, or of something else. ECORRUPT. */
guira_status guira__header_read(const uint8_t header[HEADER_BYTES], guira__resolve_fn *resolve, struct header *out);

/* The same without looking whether the configuration is possible. */
guira_status guira__header_peek(const uint8_t header[HEADER_BYTES], struct header *out);

#endif
