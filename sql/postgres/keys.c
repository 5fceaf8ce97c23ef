/* Which bytes stand for a value of PostgreSQL. Two rules: values that are equal have the same key, and settings such as
 * DateStyle do not matter. So the text of a value is used only where it depends on nothing else.
 *
 * The hash functions of PostgreSQL follow both rules for every type that has one, and are used where there is nothing better.
 * They are not used for numbers and times, because they fold 64 bits to 32: among 10^8 values, one in 43 would be a false
 * positive. */
#include "postgres/extension.h"

#include <catalog/pg_type.h>
#include <datatype/timestamp.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/lsyscache.h>
#include <utils/timestamp.h>
#include <utils/typcache.h>

enum form {
    FORM_INTEGER_2,
    FORM_INTEGER_4,
    FORM_INTEGER_8,
    FORM_OID,
    FORM_REAL_4,
    FORM_REAL_8,
    FORM_NUMERIC,
    FORM_BYTES,
    FORM_PADDED,
    FORM_NAME,
    FORM_DATE,
    FORM_TIME,
    FORM_TEXT,
    FORM_HASH
};

static enum form form_of(Oid base) {
    switch (base) {
    case INT2OID: return FORM_INTEGER_2;
    case INT4OID: return FORM_INTEGER_4;
    case INT8OID: return FORM_INTEGER_8;
    case OIDOID: return FORM_OID;
    case FLOAT4OID: return FORM_REAL_4;
    case FLOAT8OID: return FORM_REAL_8;
    case NUMERICOID: return FORM_NUMERIC;
    case TEXTOID:
    case VARCHAROID:
    case BYTEAOID: return FORM_BYTES;
    case BPCHAROID: return FORM_PADDED;
    case NAMEOID: return FORM_NAME;
    case DATEOID: return FORM_DATE;
    case TIMEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID: return FORM_TIME;
    case BOOLOID:
    case UUIDOID: return FORM_TEXT;
    default: return type_is_enum(base) ? FORM_TEXT : FORM_HASH;
    }
}

static void prepare_hash(struct key_type *t, Oid base, MemoryContext context) {
    TypeCacheEntry *entry = lookup_type_cache(base, TYPECACHE_HASH_EXTENDED_PROC | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
    if (!OidIsValid(entry->hash_extended_proc))
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_FUNCTION),
                errmsg("guira: type %s has no hash function", format_type_be(base)),
                errhint("Cast the value to text."));
    fmgr_info_copy(&t->function, &entry->hash_extended_proc_finfo, context);
}

void key_prepare(struct key_type *t, Oid type, Oid collation, MemoryContext context) {
    Oid base = getBaseType(type), output;
    bool varlena;
    t->type = InvalidOid; /* until everything below has succeeded */
    t->form = form_of(base);
    if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("guira: nondeterministic collations are not supported"),
                errhint("Use another collation, for example COLLATE \"C\"."));
    if (t->form == FORM_TEXT) {
        getTypeOutputInfo(base, &output, &varlena);
        fmgr_info_cxt(output, &t->function, context);
    }
    if (t->form == FORM_HASH) prepare_hash(t, base, context);
    t->collation = collation;
    t->type = type;
}

void key_prepare_argument(struct key_type *t, FunctionCallInfo fcinfo, int argument) {
    Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
    if (!OidIsValid(type)) elog(ERROR, "guira: could not determine the type of the value");
    key_prepare(t, type, PG_GET_COLLATION(), fcinfo->flinfo->fn_mcxt);
}

/* 8 bytes, lowest first. */
static size_t key_of_bits(uint64_t bits, char *out) {
    for (unsigned i = 0; i < 8; i++) out[i] = (char)(bits >> 8 * i);
    return 8;
}

static void key_of_string(const char *text, struct key *out) {
    out->bytes = text;
    out->length = strlen(text);
}

/* 1.50 = 1.5, so without the zeros at the end. */
static const char *numeric_text(Datum value) {
    return DatumGetCString(DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, value)));
}

static void key_of_varlena(Datum value, bool padded, struct key *out) {
    struct varlena *v = PG_DETOAST_DATUM_PACKED(value);
    out->bytes = VARDATA_ANY(v);
    out->length = VARSIZE_ANY_EXHDR(v);
    if (padded) out->length = (size_t)bpchartruelen(VARDATA_ANY(v), (int)out->length);
}

void key_of_datum(struct key_type *t, Datum value, struct key *out) {
    out->bytes = out->number;
    switch ((enum form)t->form) {
    case FORM_INTEGER_2: out->length = key_of_integer(DatumGetInt16(value), out->number); break;
    case FORM_INTEGER_4: out->length = key_of_integer(DatumGetInt32(value), out->number); break;
    case FORM_INTEGER_8: out->length = key_of_integer(DatumGetInt64(value), out->number); break;
    case FORM_OID: out->length = key_of_integer(DatumGetObjectId(value), out->number); break;
    case FORM_REAL_4: out->length = key_of_real((double)DatumGetFloat4(value), out->number); break;
    case FORM_REAL_8: out->length = key_of_real(DatumGetFloat8(value), out->number); break;
    case FORM_NUMERIC: key_of_string(numeric_text(value), out); break;
    case FORM_BYTES: key_of_varlena(value, false, out); break;
    case FORM_PADDED: key_of_varlena(value, true, out); break;
    case FORM_NAME: key_of_string(NameStr(*DatumGetName(value)), out); break;
    case FORM_DATE: out->length = key_of_bits((uint64_t)(int64_t)DatumGetDateADT(value), out->number); break;
    case FORM_TIME: out->length = key_of_bits((uint64_t)DatumGetInt64(value), out->number); break;
    case FORM_TEXT: key_of_string(OutputFunctionCall(&t->function, value), out); break;
    case FORM_HASH:
        out->length = key_of_bits(
            DatumGetUInt64(FunctionCall2Coll(&t->function, t->collation, value, UInt64GetDatum(0))), out->number);
        break;
    }
}
