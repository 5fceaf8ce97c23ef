/* Loading from bytes in memory. load_file.c reads them from files.
 *
 *     bytes -> header -> a view of the sections -> a clone of it -> every invariant of the clone
 *
 * The clone is checked and not the view, because checking the elders means looking them up, and that needs memory that
 * is aligned. */
#include "format/contents.h"
#include "io/io.h"
#include "kinds/kinds.h"

/* -------------------------------------------------------------------------------------------------------------- filters */

static guira_status load_filter(const guira_config *c, struct guira__reader *r, void **out) {
    const struct guira__ops *ops = guira__kind_ops(ISA_BEST, c);
    guira *view, *f;
    if (ops == NULL) return GUIRA_EUNSUPPORTED;
    guira_status s = ops->view(ops, c, r, &view);
    if (s != GUIRA_OK) return s;
    s = ops->clone(view, &f);
    ops->destroy(view);
    if (s != GUIRA_OK) return s;
    if (guira__filter_format(f) != r->format || ops->check(f) != NULL) {
        ops->destroy(f);
        return GUIRA_ECORRUPT;
    }
    *out = f;
    return GUIRA_OK;
}

static void destroy_filter(void *f) { guira_destroy((guira *)f); }

/* A window has the configuration of a tidal filter with slots that no filter has. */
guira_status guira__filter_resolve(guira_config *c) {
    bool window = c->kind == GUIRA_TIDAL && window_key_bits(c->slot_bits) != 0;
    return window ? GUIRA_EFORMAT : guira__config_resolve(c);
}

const struct content guira__content_filter = {guira__filter_resolve, load_filter, destroy_filter};

/* ---------------------------------------------------------------------------------------------------------- from memory */

guira_status guira__load_sections(const struct content *what, const struct header *h, const uint8_t *bytes,
                                  void **out) {
    struct guira__reader r = {bytes + HEADER_BYTES, h->total - HEADER_BYTES, false, h->format};
    guira_status s = what->load(&h->config, &r, out);
    if (s != GUIRA_OK || r.left == 0) return s;
    what->destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

guira_status guira__load_prefix(const struct content *what, const void *bytes, size_t n, size_t *used, void **out) {
    struct header h;
    *out = NULL;
    if (n < HEADER_BYTES) return GUIRA_EFORMAT;
    guira_status s = guira__header_read((const uint8_t *)bytes, what->resolve, &h);
    if (s != GUIRA_OK) return s;
    if (h.total > n) return GUIRA_ECORRUPT;
    *used = (size_t)h.total;
    return guira__load_sections(what, &h, (const uint8_t *)bytes, out);
}

guira_status guira__load_bytes(const struct content *what, const void *bytes, size_t n, void **out) {
    size_t used;
    *out = NULL;
    if (bytes == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_prefix(what, bytes, n, &used, out);
    if (s != GUIRA_OK || used == n) return s;
    what->destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

guira_status guira_load_from(const void *bytes, size_t n, guira **out) {
    void *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_bytes(&guira__content_filter, bytes, n, &f);
    *out = (guira *)f;
    return s;
}
