/* guira_agg and guira_union_agg. The state of both has a filter in the aggregate's memory context.
 *
 *     worker 1   rows -> step -> wide filter -> serialize --.
 *     worker 2   rows -> step -> wide filter -> serialize ---+-> deserialize, combine (union) -> final
 *
 * The filters of workers can be united because their seed does not depend on the worker: PostgreSQL hands its settings over. A
 * filter of a fraction of the rows is smaller, so its entries know fewer bits of a hash than those of a filter of all rows. To make up
 * for it, workers have the widest slots, and the leader unites them into a filter of the width that was asked for, which
 * keeps as many bits as fit: as if it had got the rows itself. */
#include "postgres/extension.h"

#include <nodes/execnodes.h>
#include <utils/memutils.h>

enum { WIDE = 32 };

struct state {
    struct owned *of; /* the filter */
    double rate;      /* that was asked for; 0: none */
    uint64_t items;
    bool wide; /* a worker's filter */
};

static MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "guira: this function is a part of an aggregate");
    return context;
}

/* The state in an argument, or NULL if there is none yet. */
static struct state *state_of(FunctionCallInfo fcinfo, int argument) {
    return PG_ARGISNULL(argument) ? NULL : (struct state *)PG_GETARG_POINTER(argument);
}

static struct state *state_new(struct owned *of, MemoryContext context) {
    struct state *state = MemoryContextAllocZero(context, sizeof *state);
    state->of = of;
    return state;
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

/* Whether this is a worker, or the leader in the part of one. */
static bool is_worker(FunctionCallInfo fcinfo) {
    return IsA(fcinfo->context, AggState) && DO_AGGSPLIT_SKIPFINAL(((AggState *)fcinfo->context)->aggsplit);
}

static struct state *start(FunctionCallInfo fcinfo) {
    MemoryContext context = aggregate_context(fcinfo);
    struct state *state = state_new(owned_new(context), context);
    state->rate = rate_argument(fcinfo);
    state->items = items_argument(fcinfo);
    state->wide = is_worker(fcinfo);
    create_filter(state->of, state->wide ? 0 : state->rate, state->items, state->wide ? WIDE : 0);
    return state;
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
    struct state *state = state_of(fcinfo, 0);
    if (state == NULL) state = start(fcinfo);
    if (!PG_ARGISNULL(1)) {
        struct key key;
        key_of_datum(key_type_of_argument(fcinfo), PG_GETARG_DATUM(1), &key);
        check_status(sql_insert(state->of->filter, key.bytes, key.length), sql_error);
    }
    PG_RETURN_POINTER(state);
}

/* -------------------------------------------------------------------------------------------------------------- unions */

PG_FUNCTION_INFO_V1(pg_guira_union_step);
Datum pg_guira_union_step(PG_FUNCTION_ARGS) {
    struct state *state = state_of(fcinfo, 0);
    MemoryContext context = aggregate_context(fcinfo);
    if (PG_ARGISNULL(1)) {
        if (state == NULL) PG_RETURN_NULL();
        PG_RETURN_POINTER(state);
    }
    bytea *value = PG_GETARG_BYTEA_PP(1);
    if (state == NULL)
        PG_RETURN_POINTER(state_new(load_value(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), context), context));
    struct owned *from = load_value(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), CurrentMemoryContext);
    check_status(sql_unite(&state->of->filter, from->filter), sql_union_error);
    owned_free(from);
    PG_RETURN_POINTER(state);
}

static unsigned slot_bits_of(const guira *f) {
    guira_config c;
    guira_config_init(&c);
    check_status(guira_config_get(f, &c), sql_error);
    return c.slot_bits;
}

/* What the workers' filters are united in. Slots of 12 bits cannot take them, but 13 keep the same rate. */
static struct state *start_union(const struct state *from, MemoryContext context) {
    struct state *state = state_new(owned_new(context), context);
    state->rate = from->rate;
    state->items = from->items;
    create_filter(state->of, from->rate, from->items, 0);
    if (slot_bits_of(state->of->filter) > 12) return state;
    owned_free(state->of);
    create_filter(state->of, from->rate, from->items, 13);
    return state;
}

static void unite(struct state *state, const struct state *from) {
    if (from->wide) check_status(guira_union(state->of->filter, from->of->filter), sql_union_error);
    else check_status(sql_unite(&state->of->filter, from->of->filter), sql_union_error);
}

PG_FUNCTION_INFO_V1(pg_guira_agg_combine);
Datum pg_guira_agg_combine(PG_FUNCTION_ARGS) {
    struct state *state = state_of(fcinfo, 0), *from = state_of(fcinfo, 1);
    MemoryContext context = aggregate_context(fcinfo);
    if (from == NULL && state == NULL) PG_RETURN_NULL();
    if (from == NULL) PG_RETURN_POINTER(state);
    if (state == NULL && !from->wide) {
        state = state_new(owned_new(context), context);
        check_status(guira_clone(from->of->filter, &state->of->filter), sql_error);
        PG_RETURN_POINTER(state);
    }
    if (state == NULL) state = start_union(from, context);
    unite(state, from);
    PG_RETURN_POINTER(state);
}

/* ---------------------------------------------------------------------------------------------------- to and from workers
 * The head of the state, then the filter. These bytes go from process to process of one query, and are not stored. */

struct head {
    double rate;
    uint64_t items;
    uint64_t wide;
};

PG_FUNCTION_INFO_V1(pg_guira_agg_serialize);
Datum pg_guira_agg_serialize(PG_FUNCTION_ARGS) {
    (void)aggregate_context(fcinfo);
    const struct state *state = state_of(fcinfo, 0);
    struct head head = {state->rate, state->items, state->wide};
    bytea *filter = save_value(state->of->filter);
    Size n = VARSIZE(filter) - VARHDRSZ;
    bytea *value = palloc(VARHDRSZ + sizeof head + n);
    SET_VARSIZE(value, VARHDRSZ + sizeof head + n);
    memcpy(VARDATA(value), &head, sizeof head);
    memcpy(VARDATA(value) + sizeof head, VARDATA(filter), n);
    pfree(filter);
    PG_RETURN_BYTEA_P(value);
}

PG_FUNCTION_INFO_V1(pg_guira_agg_deserialize);
Datum pg_guira_agg_deserialize(PG_FUNCTION_ARGS) {
    (void)aggregate_context(fcinfo);
    bytea *value = PG_GETARG_BYTEA_PP(0);
    struct head head;
    Size n = VARSIZE_ANY_EXHDR(value);
    if (n < sizeof head) check_status(GUIRA_EFORMAT, sql_error);
    memcpy(&head, VARDATA_ANY(value), sizeof head);
    struct state *state = state_new(load_value(VARDATA_ANY(value) + sizeof head, n - sizeof head, CurrentMemoryContext),
                                    CurrentMemoryContext);
    state->rate = head.rate;
    state->items = head.items;
    state->wide = head.wide != 0;
    PG_RETURN_POINTER(state);
}

/* Of no rows: an empty filter, so that NOT guira_contains(...) is true for every value. */
PG_FUNCTION_INFO_V1(pg_guira_agg_final);
Datum pg_guira_agg_final(PG_FUNCTION_ARGS) {
    MemoryContext context = aggregate_context(fcinfo);
    struct state *state = state_of(fcinfo, 0);
    if (state == NULL) {
        state = state_new(owned_new(CurrentMemoryContext), context);
        create_filter(state->of, 0, 0, 0);
    }
    PG_RETURN_BYTEA_P(save_value(state->of->filter));
}
