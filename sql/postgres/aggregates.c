/* guira_agg and guira_union_agg. The state of both is a filter in the aggregate's memory context.
 *
 *     worker 1   rows -> step -> filter -> serialize --.
 *     worker 2   rows -> step -> filter -> serialize ---+-> deserialize, combine (union) -> final
 *
 * The filters of workers can be united because their seed does not depend on the worker: PostgreSQL hands its settings over. */
#include "postgres/extension.h"

#include <utils/memutils.h>

static MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "guira: this function is a part of an aggregate");
    return context;
}

/* The state in an argument, or NULL if there is none yet. */
static struct owned *state_of(FunctionCallInfo fcinfo, int argument) {
    return PG_ARGISNULL(argument) ? NULL : (struct owned *)PG_GETARG_POINTER(argument);
}

/* ------------------------------------------------------------------------------------------------------------ guira_agg */

static double rate_argument(FunctionCallInfo fcinfo) {
    if (PG_NARGS() < 3 || PG_ARGISNULL(2)) return 0;
    double rate = PG_GETARG_FLOAT8(2);
    if (!(rate > 0 && rate < 1))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("guira: the rate must be between 0 and 1"));
    return rate;
}

static uint64_t items_argument(FunctionCallInfo fcinfo) {
    if (PG_NARGS() < 4 || PG_ARGISNULL(3)) return 0;
    int64 items = PG_GETARG_INT64(3);
    if (items < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("guira: the number of items must be at least 0"));
    return (uint64_t)items;
}

static struct owned *start(FunctionCallInfo fcinfo) {
    struct owned *o = owned_new(aggregate_context(fcinfo));
    create_filter(o, rate_argument(fcinfo), items_argument(fcinfo));
    return o;
}

static struct key_type *key_type_of_argument(FunctionCallInfo fcinfo) {
    struct key_type *t = fcinfo->flinfo->fn_extra;
    if (t == NULL) {
        t = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *t);
        key_prepare_argument(t, fcinfo, 1);
        fcinfo->flinfo->fn_extra = t;
    }
    return t;
}

PG_FUNCTION_INFO_V1(pg_guira_agg_step);
Datum pg_guira_agg_step(PG_FUNCTION_ARGS) {
    struct owned *state = state_of(fcinfo, 0);
    if (state == NULL) state = start(fcinfo);
    if (!PG_ARGISNULL(1)) {
        struct key key;
        key_of_datum(key_type_of_argument(fcinfo), PG_GETARG_DATUM(1), &key);
        check_status(sql_insert(state->filter, key.bytes, key.length), sql_error);
    }
    PG_RETURN_POINTER(state);
}

/* -------------------------------------------------------------------------------------------------------------- unions */

PG_FUNCTION_INFO_V1(pg_guira_union_step);
Datum pg_guira_union_step(PG_FUNCTION_ARGS) {
    struct owned *state = state_of(fcinfo, 0);
    MemoryContext context = aggregate_context(fcinfo);
    if (PG_ARGISNULL(1)) {
        if (state == NULL) PG_RETURN_NULL();
        PG_RETURN_POINTER(state);
    }
    bytea *value = PG_GETARG_BYTEA_PP(1);
    if (state == NULL) PG_RETURN_POINTER(load_value(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), context));
    struct owned *from = load_value(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), CurrentMemoryContext);
    check_status(sql_unite(&state->filter, from->filter), sql_union_error);
    owned_free(from);
    PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(pg_guira_agg_combine);
Datum pg_guira_agg_combine(PG_FUNCTION_ARGS) {
    struct owned *state = state_of(fcinfo, 0), *from = state_of(fcinfo, 1);
    MemoryContext context = aggregate_context(fcinfo);
    if (from == NULL && state == NULL) PG_RETURN_NULL();
    if (from == NULL) PG_RETURN_POINTER(state);
    if (state == NULL) {
        state = owned_new(context);
        check_status(guira_clone(from->filter, &state->filter), sql_error);
    } else check_status(sql_unite(&state->filter, from->filter), sql_union_error);
    PG_RETURN_POINTER(state);
}

/* ---------------------------------------------------------------------------------------------------- to and from workers */

PG_FUNCTION_INFO_V1(pg_guira_agg_serialize);
Datum pg_guira_agg_serialize(PG_FUNCTION_ARGS) {
    (void)aggregate_context(fcinfo);
    PG_RETURN_BYTEA_P(save_value(((struct owned *)PG_GETARG_POINTER(0))->filter));
}

PG_FUNCTION_INFO_V1(pg_guira_agg_deserialize);
Datum pg_guira_agg_deserialize(PG_FUNCTION_ARGS) {
    (void)aggregate_context(fcinfo);
    bytea *value = PG_GETARG_BYTEA_PP(0);
    PG_RETURN_POINTER(load_value(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), CurrentMemoryContext));
}

/* Of no rows: an empty filter, so that NOT guira_contains(...) is true for every value. */
PG_FUNCTION_INFO_V1(pg_guira_agg_final);
Datum pg_guira_agg_final(PG_FUNCTION_ARGS) {
    (void)aggregate_context(fcinfo);
    struct owned *state = state_of(fcinfo, 0);
    if (state == NULL) {
        state = owned_new(CurrentMemoryContext);
        create_filter(state, 0, 0);
    }
    PG_RETURN_BYTEA_P(save_value(state->filter));
}
