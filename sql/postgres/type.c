/* The type: its text is that of a bytea in hex, its binary form the bytes of a file. What comes in is checked in full, so that
 * every value of the type is a filter. */
#include "postgres/extension.h"

#include <libpq/pqformat.h>
#include <utils/builtins.h>

static void check_bytes(const void *bytes, size_t n) { owned_free(load_value(bytes, n, CurrentMemoryContext)); }

PG_FUNCTION_INFO_V1(pg_guira_in);
Datum pg_guira_in(PG_FUNCTION_ARGS) {
    bytea *value = DatumGetByteaPP(DirectFunctionCall1(byteain, PG_GETARG_DATUM(0)));
    check_bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    PG_RETURN_BYTEA_P(value);
}

/* Not by byteaout, whose format is a setting. */
PG_FUNCTION_INFO_V1(pg_guira_out);
Datum pg_guira_out(PG_FUNCTION_ARGS) {
    bytea *value = PG_GETARG_BYTEA_PP(0);
    size_t n = VARSIZE_ANY_EXHDR(value);
    char *text = palloc_extended(2 * n + 3, MCXT_ALLOC_HUGE);
    text[0] = '\\';
    text[1] = 'x';
    hex_encode(VARDATA_ANY(value), n, text + 2);
    text[2 * n + 2] = '\0';
    PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(pg_guira_recv);
Datum pg_guira_recv(PG_FUNCTION_ARGS) {
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    int n = message->len - message->cursor;
    bytea *value = palloc((Size)n + VARHDRSZ);
    SET_VARSIZE(value, n + VARHDRSZ);
    pq_copymsgbytes(message, VARDATA(value), n);
    check_bytes(VARDATA(value), (size_t)n);
    PG_RETURN_BYTEA_P(value);
}

PG_FUNCTION_INFO_V1(pg_guira_send);
Datum pg_guira_send(PG_FUNCTION_ARGS) { PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0)); }

PG_FUNCTION_INFO_V1(pg_guira_from_bytea);
Datum pg_guira_from_bytea(PG_FUNCTION_ARGS) {
    bytea *value = PG_GETARG_BYTEA_PP(0);
    check_bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    PG_RETURN_BYTEA_P(value);
}
