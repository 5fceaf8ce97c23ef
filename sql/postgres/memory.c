/* Filters that belong to memory contexts, errors, and the setting guira.seed. */
#include "postgres/extension.h"

#include <utils/guc.h>
#include <utils/memutils.h>

PG_MODULE_MAGIC;

void _PG_init(void);

/* The library was seen to need 270 KB of stack, when a table and that of its elders grow at once. Where the address space
 * is limited, the kernel may refuse to let the stack grow, which ends the process by SIGSEGV. So it grows now, and later
 * there is an error instead. */
static pg_noinline void grow_stack(void) {
    volatile char room[512 * 1024];
    for (size_t i = 0; i < sizeof room; i += 1024) room[i] = 0;
}

void _PG_init(void) {
    grow_stack();
    define_settings();
}

static void destroy_filter(void *p) {
    struct owned *o = p;
    guira_destroy(o->filter);
    o->filter = NULL;
}

struct owned *owned_new(MemoryContext context) {
    struct owned *o = MemoryContextAllocZero(context, sizeof *o);
    o->at_reset.func = destroy_filter;
    o->at_reset.arg = o;
    MemoryContextRegisterResetCallback(context, &o->at_reset);
    return o;
}

void owned_free(struct owned *o) { destroy_filter(o); }

static int sqlstate_of(guira_status s) {
    switch (s) {
    case GUIRA_ENOMEM: return ERRCODE_OUT_OF_MEMORY;
    case GUIRA_EFORMAT:
    case GUIRA_ECORRUPT: return ERRCODE_INVALID_BINARY_REPRESENTATION;
    case GUIRA_EINVAL:
    case GUIRA_ELIMIT: return ERRCODE_INVALID_PARAMETER_VALUE;
    case GUIRA_EUNSUPPORTED: return ERRCODE_FEATURE_NOT_SUPPORTED;
    default: return ERRCODE_INTERNAL_ERROR;
    }
}

void check_status(guira_status s, const char *(*message)(guira_status)) {
    if (s != GUIRA_OK) ereport(ERROR, errcode(sqlstate_of(s)), errmsg("guira: %s", message(s)));
}

struct owned *load_value(const void *bytes, size_t n, MemoryContext context) {
    struct owned *o = owned_new(context);
    check_status(guira_load_from(bytes, n, &o->filter), sql_error);
    return o;
}

bytea *save_value(const guira *f) {
    uint64_t n = guira_saved_size(f);
    if (n > MaxAllocSize - VARHDRSZ)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("guira: a filter of %llu bytes is too large for a value", (unsigned long long)n));
    bytea *value = palloc((Size)n + VARHDRSZ);
    SET_VARSIZE(value, n + VARHDRSZ);
    check_status(sql_save(f, VARDATA(value)), sql_error);
    return value;
}

/* --------------------------------------------------------------------------------------------------------------- seeds */

static char *seed_text;
static uint8_t seed[SQL_SEED_BYTES];
static bool seed_is_known;

static void seed_changes(const char *text, void *extra) {
    (void)text;
    (void)extra;
    seed_is_known = false;
}

void define_settings(void) {
    DefineCustomStringVariable("guira.seed", "The text from which the seed of new filters is computed.",
                               "Only filters with the same seed can be united. Keep it as secret as the values.",
                               &seed_text, "", PGC_USERSET, GUC_NOT_IN_SAMPLE | GUC_NO_SHOW_ALL, NULL, seed_changes,
                               NULL);
    MarkGUCPrefixReserved("guira");
}

void create_filter(struct owned *o, double rate, uint64_t items, unsigned slot_bits) {
    const char *text = seed_text != NULL ? seed_text : "";
    if (!seed_is_known) check_status(sql_seed(text, strlen(text), seed), sql_error);
    seed_is_known = true;
    check_status(sql_create(seed, rate, items, slot_bits, &o->filter), sql_error);
}
