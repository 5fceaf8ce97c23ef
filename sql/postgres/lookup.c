/* guira_contains and @>. The filter is held from row to row in fn_extra, which lives as long as the query.
 *
 * WHICH BYTES ARE COPIED? A large filter is stored outside its row (TOAST), and the row has a pointer to it. A pointer that is the
 * same as in the row before names the same bytes, and nothing is read. Otherwise the value is fetched piece by piece into its
 * place, so that there is one copy of it, not two. A filter in memory, such as the result of a subquery, is recognized as
 * common/held.h explains. */
#include "postgres/extension.h"

#include <access/detoast.h>
#include <nodes/primnodes.h>

enum { PIECE = 1 << 20 };

struct lookup {
    struct key_type key;
    struct held *held; /* NULL: none */
    bool stored;       /* it came from where `pointer` says */
    struct varatt_external pointer;
    MemoryContextCallback at_reset;
};

static void forget(void *p) {
    struct lookup *l = p;
    held_release(l->held);
    l->held = NULL;
    l->stored = false;
}

static struct lookup *lookup_of(FunctionCallInfo fcinfo) {
    struct lookup *l = fcinfo->flinfo->fn_extra;
    if (l != NULL) return l;
    MemoryContext context = fcinfo->flinfo->fn_mcxt;
    l = MemoryContextAllocZero(context, sizeof *l);
    key_prepare_argument(&l->key, fcinfo, 1);
    l->at_reset.func = forget;
    l->at_reset.arg = l;
    MemoryContextRegisterResetCallback(context, &l->at_reset);
    fcinfo->flinfo->fn_extra = l;
    return l;
}

/* On failure nothing is held. */
static void open_held(struct lookup *l, const void *from) {
    guira_status s = held_open(l->held, from, false); /* the type has checked it */
    if (s != GUIRA_OK) l->held = NULL;
    check_status(s, sql_error);
}

static void fetch_stored(struct lookup *l, struct varlena *value, const struct varatt_external *pointer) {
    size_t n = (size_t)VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
    forget(l);
    check_status(held_new(n, &l->held), sql_error);
    for (size_t at = 0; at < n; at += PIECE) {
        size_t length = n - at < PIECE ? n - at : PIECE;
        struct varlena *piece = detoast_attr_slice(value, (int32)at, (int32)length);
        if ((size_t)VARSIZE_ANY_EXHDR(piece) != length) elog(ERROR, "guira: a piece of a stored filter is missing");
        memcpy(l->held->bytes + at, VARDATA_ANY(piece), length);
        pfree(piece);
    }
    open_held(l, NULL);
    l->stored = true;
    l->pointer = *pointer;
}

static void hold_bytes(struct lookup *l, struct varlena *value) {
    struct varlena *flat = pg_detoast_datum_packed(value);
    const void *bytes = VARDATA_ANY(flat);
    size_t n = VARSIZE_ANY_EXHDR(flat);
    if (!held_is(l->held, bytes, n)) {
        forget(l);
        check_status(held_new(n, &l->held), sql_error);
        memcpy(l->held->bytes, bytes, n);
        open_held(l, bytes);
    }
    l->held->from = flat == value ? bytes : NULL; /* a copy that was made for this row goes away */
    l->stored = false;
    if (flat != value) pfree(flat);
}

static const guira *filter_of(struct lookup *l, struct varlena *value) {
    struct varatt_external pointer;
    bool stored = VARATT_IS_EXTERNAL_ONDISK(value);
    if (stored) VARATT_EXTERNAL_GET_POINTER(pointer, value);
    if (stored && l->stored && memcmp(&pointer, &l->pointer, sizeof pointer) == 0) return l->held->filter;
    if (stored && !VARATT_EXTERNAL_IS_COMPRESSED(pointer)) fetch_stored(l, value, &pointer);
    else hold_bytes(l, value);
    return l->held->filter;
}

PG_FUNCTION_INFO_V1(pg_guira_contains);
Datum pg_guira_contains(PG_FUNCTION_ARGS) {
    struct lookup *l = lookup_of(fcinfo);
    const guira *f = filter_of(l, (struct varlena *)PG_GETARG_POINTER(0));
    struct key key;
    key_of_datum(&l->key, PG_GETARG_DATUM(1), &key);
    PG_RETURN_BOOL(guira_contains(f, key.bytes, key.length));
}
