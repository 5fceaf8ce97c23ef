/* guira_union, guira_add, guira_stats. */
#include "postgres/extension.h"

#include <access/htup_details.h>
#include <funcapi.h>
#include <utils/builtins.h>

static struct owned *load_argument(FunctionCallInfo fcinfo, int argument) {
    bytea *value = PG_GETARG_BYTEA_PP(argument);
    return load_value(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), CurrentMemoryContext);
}

static Datum return_filter(struct owned *o) {
    bytea *value = save_value(o->filter);
    owned_free(o);
    PG_RETURN_BYTEA_P(value);
}

PG_FUNCTION_INFO_V1(pg_guira_union);
Datum pg_guira_union(PG_FUNCTION_ARGS) {
    struct owned *into = load_argument(fcinfo, 0), *from = load_argument(fcinfo, 1);
    check_status(sql_unite(&into->filter, from->filter), sql_union_error);
    owned_free(from);
    return return_filter(into);
}

PG_FUNCTION_INFO_V1(pg_guira_add);
Datum pg_guira_add(PG_FUNCTION_ARGS) {
    struct key_type type;
    struct key key;
    struct owned *o = load_argument(fcinfo, 0);
    key_prepare_argument(&type, fcinfo, 1);
    key_of_datum(&type, PG_GETARG_DATUM(1), &key);
    check_status(sql_insert(o->filter, key.bytes, key.length), sql_error);
    return return_filter(o);
}

PG_FUNCTION_INFO_V1(pg_guira_stats);
Datum pg_guira_stats(PG_FUNCTION_ARGS) {
    TupleDesc row;
    bool null[7] = {false};
    guira_stats stats = GUIRA_STATS_INIT;
    guira_config config;
    bytea *value = PG_GETARG_BYTEA_PP(0);
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE) elog(ERROR, "guira_stats returns a row");
    struct owned *o = owned_new(CurrentMemoryContext);
    check_status(guira_view(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &o->filter), sql_error);
    guira_config_init(&config);
    (void)guira_stats_get(o->filter, &stats);
    (void)guira_config_get(o->filter, &config);
    Datum column[7] = {
        CStringGetTextDatum(sql_kind_name(config.kind)),
        Int64GetDatum((int64)stats.items),
        Int64GetDatum((int64)VARSIZE_ANY_EXHDR(value)),
        Int32GetDatum((int32)config.slot_bits),
        Float8GetDatum(stats.load),
        Float8GetDatum(stats.fpr),
        Float8GetDatum(stats.fpr_kept),
    };
    owned_free(o);
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), column, null)));
}
