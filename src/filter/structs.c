/* Structs that start with their size: see filter.h. The rules are those of the Linux kernel's extensible system calls. */
#include <string.h>

#include "filter/filter.h"

enum { LARGEST_STRUCT = 4096 }; /* no struct will ever be larger: a larger size was never set */

static bool size_of(const void *p, size_t first, size_t *size) {
    memcpy(size, p, sizeof *size);
    if (*size == 0) *size = first;
    return *size >= first && *size <= LARGEST_STRUCT;
}

bool guira__struct_size_ok(const void *p, size_t first) {
    size_t size;
    return size_of(p, first, &size);
}

guira_status guira__struct_in(const void *from, size_t first, size_t present, void *to) {
    const uint8_t *bytes = (const uint8_t *)from;
    size_t size;
    if (!size_of(from, first, &size)) return GUIRA_EINVAL;
    for (size_t i = present; i < size; i++)
        if (bytes[i] != 0) return GUIRA_EINVAL; /* an option that this version does not support */
    memset(to, 0, present);
    memcpy(to, from, size < present ? size : present);
    memcpy(to, &present, sizeof present);
    return GUIRA_OK;
}

guira_status guira__struct_out(void *to, const void *from, size_t first, size_t present) {
    size_t size;
    if (!size_of(to, first, &size)) return GUIRA_EINVAL;
    memcpy(to, from, size < present ? size : present);
    if (size > present) memset((uint8_t *)to + present, 0, size - present);
    memcpy(to, &size, sizeof size);
    return GUIRA_OK;
}

guira_status guira__config_read(const guira_config *c, guira_config *out) {
    if (c != NULL) return guira__struct_in(c, CONFIG_FIRST_SIZE, sizeof *out, out);
    guira_config_init(out);
    return GUIRA_OK;
}

void guira_config_init(guira_config *c) {
    if (c == NULL) return;
    memset(c, 0, sizeof *c);
    c->size = sizeof *c;
}

guira_status guira__config_loads(guira_config *c, double max_load) {
    if (c->max_load == 0) c->max_load = max_load;
    if (!config_inside(c->max_load, 0, 1)) return GUIRA_EINVAL;
    if (c->min_load == 0) c->min_load = c->max_load > 0.1 ? c->max_load - 0.05 : c->max_load / 2;
    if (c->min_load < 0) c->min_load = -1;
    else if (!config_inside(c->min_load, 0, c->max_load)) return GUIRA_EINVAL;
    if (c->max_kicks == 0) c->max_kicks = DEFAULT_KICKS;
    return c->max_kicks <= MAX_KICKS ? GUIRA_OK : GUIRA_EINVAL;
}
