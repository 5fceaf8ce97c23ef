/* What share of the rows `filter @> column` keeps, for the planner. If the filter is known when the query is planned, the values
 * that ANALYZE has sampled are looked up in it: the most common ones count as often as they are, the bounds of the histogram,
 * which are evenly distributed over the rest, stand for the rest. */
#include "postgres/extension.h"

#include <access/htup_details.h>
#include <catalog/pg_statistic.h>
#include <utils/lsyscache.h>
#include <utils/selfuncs.h>

/* As PostgreSQL does for functions that it knows nothing about. */
static const double unknown_share = 1.0 / 3;

struct sample {
    int values, found;
    double weight, found_weight; /* of the most common values: their share of all rows */
};

static void look_up(const guira *f, const AttStatsSlot *slot, struct sample *out) {
    struct key_type type = {0};
    struct key key;
    key_prepare(&type, slot->valuetype, InvalidOid, CurrentMemoryContext);
    for (int i = 0; i < slot->nvalues; i++) {
        double weight = i < slot->nnumbers ? (double)slot->numbers[i] : 0;
        key_of_datum(&type, slot->values[i], &key);
        bool found = guira_contains(f, key.bytes, key.length);
        out->values++;
        out->weight += weight;
        out->found += found;
        out->found_weight += found ? weight : 0;
    }
}

static struct sample sample_of(const guira *f, HeapTuple statistics, int kind, int flags) {
    struct sample sample = {0};
    AttStatsSlot slot;
    if (get_attstatsslot(&slot, statistics, kind, InvalidOid, flags)) {
        look_up(f, &slot, &sample);
        free_attstatsslot(&slot);
    }
    return sample;
}

static double share_by_samples(const guira *f, HeapTuple statistics) {
    struct sample common = sample_of(f, statistics, STATISTIC_KIND_MCV, ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
    struct sample bounds = sample_of(f, statistics, STATISTIC_KIND_HISTOGRAM, ATTSTATSSLOT_VALUES);
    double nulls = (double)((Form_pg_statistic)GETSTRUCT(statistics))->stanullfrac;
    double rest = bounds.values > 0   ? (double)bounds.found / bounds.values
                  : common.values > 0 ? (double)common.found / common.values
                                      : unknown_share;
    return common.found_weight + (1 - nulls - common.weight) * rest;
}

static double share_of(VariableStatData *variable, Node *filter, Oid function) {
    if (!IsA(filter, Const) || ((Const *)filter)->constisnull || !HeapTupleIsValid(variable->statsTuple) ||
        !statistic_proc_security_check(variable, function))
        return unknown_share;
    bytea *value = DatumGetByteaPP(((Const *)filter)->constvalue);
    struct owned *o = owned_new(CurrentMemoryContext);
    check_status(guira_view(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &o->filter), sql_error);
    double share = share_by_samples(o->filter, variable->statsTuple);
    owned_free(o);
    return share;
}

PG_FUNCTION_INFO_V1(pg_guira_sel);
Datum pg_guira_sel(PG_FUNCTION_ARGS) {
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);
    VariableStatData variable;
    Node *other;
    bool left;
    if (!get_restriction_variable(root, (List *)PG_GETARG_POINTER(2), PG_GETARG_INT32(3), &variable, &other, &left))
        PG_RETURN_FLOAT8(unknown_share);
    double share = left ? unknown_share : share_of(&variable, other, get_opcode(PG_GETARG_OID(1)));
    ReleaseVariableStats(variable);
    CLAMP_PROBABILITY(share);
    PG_RETURN_FLOAT8(share);
}
