/* guira_file_info: what the start of a file says. */
#include <string.h>

#include "format/contents.h"
#include "io/io.h"
#include "kinds/kinds.h"

enum { FILE_FIRST_SIZE = sizeof(guira_file) }; /* version 1 of the struct: never changed again */

static bool is_window(const guira_config *c) { return c->kind == GUIRA_TIDAL && window_key_bits(c->slot_bits) != 0; }

/* The items are the first number of the first section "head". */
static guira_status read_items(struct guira__reader *r, uint64_t *items) {
    uint64_t length;
    const uint8_t *p = guira__section_get(r, "head", &length);
    if (p == NULL || length < 8) return GUIRA_ECORRUPT;
    *items = get_u64(p);
    return GUIRA_OK;
}

/* The header has a number of its own for the width of a window's slots. */
static guira_status window_width(guira_config *c) {
    struct layout l = layout_stamped(window_key_bits(c->slot_bits));
    if (l.form == FORM_NONE) return GUIRA_EFORMAT; /* as when it is loaded */
    c->slot_bits = layout_stored_bits(l);
    return GUIRA_OK;
}

static guira_status read_window(struct guira__reader *r, guira_file *out) {
    const uint8_t *p = guira__section_expect(r, "window", 8 * WINDOW_NUMBERS);
    if (p == NULL) return GUIRA_ECORRUPT;
    out->window_length = get_u64(p + 8 * WINDOW_LENGTH);
    out->window_now = get_u64(p + 8 * WINDOW_NOW);
    out->window_slides = get_u64(p + 8 * WINDOW_SLIDES) != 0;
    return GUIRA_OK;
}

/* A filter or a window. */
static guira_status read_filter(const uint8_t *bytes, size_t n, guira_file *out, guira_config *config) {
    struct header h;
    if (n < HEADER_BYTES) return GUIRA_EFORMAT;
    guira_status s = guira__header_peek(bytes, &h);
    if (s != GUIRA_OK) return s;
    *config = h.config;
    *out = (guira_file){.format = h.format, .bytes = h.total, .shards = 1};
    struct guira__reader r = {bytes + HEADER_BYTES, n - HEADER_BYTES, false, h.format};
    if (is_window(config)) {
        out->content = GUIRA_FILE_WINDOW;
        s = window_width(config);
        if (s == GUIRA_OK) s = read_window(&r, out);
    }
    return s == GUIRA_OK ? read_items(&r, &out->items) : s;
}

static guira_status read_shared(const uint8_t *bytes, size_t n, guira_file *out, guira_config *config) {
    unsigned shards;
    if (n < SHARED_PREAMBLE) return GUIRA_EFORMAT;
    guira_status s = guira__preamble_read(bytes, &shards);
    if (s != GUIRA_OK) return s;
    s = read_filter(bytes + SHARED_PREAMBLE, n - SHARED_PREAMBLE, out, config);
    if (s != GUIRA_OK) return s == GUIRA_EFORMAT ? GUIRA_ECORRUPT : s; /* as when it is loaded */
    out->content = GUIRA_FILE_SHARED;
    out->shards = shards;
    out->bytes = out->items = 0;
    return GUIRA_OK;
}

guira_status guira_file_info(const void *bytes, size_t n, guira_file *out, guira_config *config) {
    guira_file info;
    guira_config c;
    if (bytes == NULL || out == NULL) return GUIRA_EINVAL;
    guira_status s = read_shared((const uint8_t *)bytes, n, &info, &c);
    if (s == GUIRA_EFORMAT) s = read_filter((const uint8_t *)bytes, n, &info, &c);
    if (s != GUIRA_OK) return s;
    info.size = sizeof info;
    c.size = sizeof c;
    if (!guira__struct_size_ok(out, FILE_FIRST_SIZE)) return GUIRA_EINVAL;
    if (config != NULL) s = guira__struct_out(config, &c, CONFIG_FIRST_SIZE, sizeof c);
    return s == GUIRA_OK ? guira__struct_out(out, &info, FILE_FIRST_SIZE, sizeof info) : s;
}
