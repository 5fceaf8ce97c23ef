/* For lookups that are inlined into the caller: see guira_inline.h. */
#include "guira_inline.h"

#include "filter/latency.h"
#include "tidal/elders.h"
#include "tidal/tidal.h"

static void set_outside(const struct tidal *f, guira_inline_table *t) {
    t->outside = f->has_outside == 0 ? 0 : 1;
    if (f->has_outside == 0 || (f->has_outside & OUTSIDE_STASH) != 0) return;
    t->outside = 2;
    t->map = f->elders->map->word;
    t->map_shift = 64 - f->elders->map->bits;
}

/* The header knows how 16-bit slots and the map lie in memory on little-endian machines. Single lookups of the library use
 * packed starts under the same condition. */
void guira__tidal_inline_table(const guira *common, guira_inline_table *t) {
    const struct tidal *f = const_tidal_of(common);
    struct layout l = tidal_layout(f);
    bool packed = guira__latency_untimed(common) == tidal_ops(f)->contains_flat;
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (!packed || !little || l.form != FORM_WORDS || l.bits != 16) return;
    t->form = GUIRA_INLINE_TIDAL16;
    t->split_address = f->split_address;
    t->packed[0] = f->flat_start[PACKED + UNSPLIT];
    t->packed[1] = f->flat_start[PACKED + SPLIT];
    t->displacement = guira__displacement;
    set_outside(f, t);
}
