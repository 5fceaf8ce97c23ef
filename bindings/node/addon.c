/* The backend of ../js/core.mjs as an addon of Node, by Node-API. A handle is an external value that owns a filter or a
 * window; it is freed with the JavaScript object, or before by free(). Structs are arrays of doubles: ../js/flat.h.
 *
 * Arguments come from core.mjs, which has checked them, except for keys and hashes: those are checked here, and what is
 * wrong is a TypeError. */
#include <node_api.h>
#include <stdlib.h>

#include "../js/flat.h"

enum { SHORT_KEY = 256, MOST_ARGUMENTS = 4 };

static _Thread_local guira_status status; /* of the last function that makes something; workers are threads */

struct handle {
    guira *filter;
    guira_window *window;
};

/* ------------------------------------------------------------------------------------------------------------- arguments */

struct call {
    napi_env env;
    napi_value argument[MOST_ARGUMENTS];
};

static inline struct call call_with(napi_env env, napi_callback_info info, size_t n) {
    struct call c = {.env = env};
    napi_get_cb_info(env, info, &n, c.argument, NULL, NULL);
    return c;
}

static struct call call_of(napi_env env, napi_callback_info info) { return call_with(env, info, MOST_ARGUMENTS); }

static struct handle handle_of(struct call c, unsigned i) {
    void *p = NULL;
    napi_get_value_external(c.env, c.argument[i], &p);
    return p != NULL ? *(struct handle *)p : (struct handle){0};
}

/* The elements of a typed array; NULL if it has none. */
static void *array_of(struct call c, unsigned i, napi_typedarray_type wanted, size_t *n) {
    napi_typedarray_type type;
    void *data = NULL;
    bool is_array = false;
    *n = 0;
    napi_is_typedarray(c.env, c.argument[i], &is_array);
    if (!is_array) return NULL;
    napi_get_typedarray_info(c.env, c.argument[i], &type, n, &data, NULL, NULL);
    if (type != wanted) *n = 0;
    return type == wanted ? data : NULL;
}

static double number_of(struct call c, unsigned i) {
    double d = -1; /* what is not a number is out of range everywhere */
    napi_get_value_double(c.env, c.argument[i], &d);
    return d;
}

/* The bytes of a key. `more` is freed by key_free. */
struct key {
    const void *bytes;
    size_t n;
    char *more;
    char copy[3 * SHORT_KEY]; /* a unit of UTF-16 is at most 3 bytes of UTF-8 */
};

/* Eight units, as a vector: of loops, gcc 12 makes a chain of single loads, which takes 5 ns more for 16 characters. */
typedef uint16_t vector_of_units __attribute__((vector_size(16)));
typedef uint64_t vector_of_words __attribute__((vector_size(16)));
typedef uint8_t vector_of_bytes __attribute__((vector_size(8)));

/* Narrows eight units. False: not all of them are ASCII. */
static bool narrow(const char16_t *from, char *to) {
    vector_of_units units;
    memcpy(&units, from, sizeof units);
    vector_of_bytes narrowed = __builtin_convertvector(units, vector_of_bytes);
    vector_of_words others = (vector_of_words)(units & 0xff80);
    memcpy(to, &narrowed, sizeof narrowed);
    return (others[0] | others[1]) == 0;
}

static char *put_character(char *to, uint32_t c) {
    unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)(more == 0 ? c : 0xff00u >> (more + 1) | c >> 6 * more);
    while (more-- > 0) *to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    return to;
}

/* The UTF-8 of n units; half of a pair becomes U+FFFD, as with TextEncoder. Returns how many bytes it wrote. */
static size_t utf8_of(const char16_t *from, size_t n, char *to) {
    enum { HIGH = 0xd800 >> 10, LOW = 0xdc00 >> 10, UNKNOWN = 0xfffd };
    char *start = to;
    for (size_t i = 0; i < n;) {
        uint32_t c = from[i];
        if (c < 0x80 && n - i >= 8 && narrow(from + i, to)) {
            i += 8;
            to += 8;
            continue;
        }
        i++;
        if (c >> 10 == HIGH && i < n && from[i] >> 10 == LOW) c = 0x10000 + ((c & 0x3ff) << 10) + (from[i++] & 0x3ff);
        else if (c >> 10 == HIGH || c >> 10 == LOW) c = UNKNOWN;
        to = put_character(to, c);
    }
    return (size_t)(to - start);
}

/* A short string is copied as UTF-16: V8 needs 15 ns to write 16 characters as UTF-8, and 5 ns to copy them. */
static bool key_from_string(napi_env env, napi_value value, struct key *k) {
    char16_t units[SHORT_KEY];
    if (napi_get_value_string_utf16(env, value, units, SHORT_KEY, &k->n) != napi_ok) return false;
    k->bytes = k->copy;
    if (k->n < SHORT_KEY - 1) {
        k->n = utf8_of(units, k->n, k->copy);
        return true;
    }
    napi_get_value_string_utf8(env, value, NULL, 0, &k->n); /* there may be more of it */
    k->bytes = k->more = malloc(k->n + 1);
    if (k->more != NULL) napi_get_value_string_utf8(env, value, k->more, k->n + 1, &k->n);
    return k->more != NULL;
}

/* A buffer that was sent to another thread has no bytes, and is not the empty key. */
static bool key_from_bytes(napi_env env, napi_value value, struct key *k) {
    napi_typedarray_type type;
    napi_value buffer;
    void *data = NULL;
    bool is_array = false, is_gone = false;
    napi_is_typedarray(env, value, &is_array);
    if (!is_array || napi_get_typedarray_info(env, value, &type, &k->n, &data, &buffer, NULL) != napi_ok) return false;
    if (k->n == 0) napi_is_detached_arraybuffer(env, buffer, &is_gone);
    k->bytes = data;
    return type == napi_uint8_array && !is_gone;
}

static bool key_of(napi_env env, napi_value value, struct key *k) {
    k->more = NULL;
    if (key_from_string(env, value, k) || key_from_bytes(env, value, k)) return true;
    napi_throw_type_error(env, NULL, "a key must be a string or a Uint8Array");
    return false;
}

static void key_free(struct key *k) {
    if (k->more != NULL) free(k->more);
}

static bool hash_of(struct call c, unsigned i, uint64_t *out) {
    bool lossless;
    if (napi_get_value_bigint_uint64(c.env, c.argument[i], out, &lossless) == napi_ok) return true;
    napi_throw_type_error(c.env, NULL, "a hash must be a bigint");
    return false;
}

/* --------------------------------------------------------------------------------------------------------------- results */

static napi_value number(napi_env env, double d) {
    napi_value v = NULL;
    napi_create_double(env, d, &v);
    return v;
}

static napi_value integer(napi_env env, int32_t i) {
    napi_value v = NULL;
    napi_create_int32(env, i, &v);
    return v;
}

/* What single operations return in most cases is undefined, which NULL becomes: it takes 2 ns less than a number. */
static napi_value integer_unless_0(napi_env env, int32_t i) { return i == 0 ? NULL : integer(env, i); }

static napi_value true_or_undefined(napi_env env, bool b) {
    napi_value v = NULL;
    if (b) napi_get_boolean(env, true, &v);
    return v;
}

static napi_value bigint(napi_env env, uint64_t u) {
    napi_value v = NULL;
    napi_create_bigint_uint64(env, u, &v);
    return v;
}

static napi_value string(napi_env env, const char *s) {
    napi_value v = NULL;
    if (s == NULL) napi_get_null(env, &v);
    else napi_create_string_utf8(env, s, NAPI_AUTO_LENGTH, &v);
    return v;
}

static void handle_clear(struct handle *h) {
    guira_destroy(h->filter);
    guira_window_destroy(h->window);
    *h = (struct handle){0};
}

static void finalize(napi_env env, void *data, void *hint) {
    (void)env;
    (void)hint;
    handle_clear(data);
    free(data);
}

/* An external value that owns what was made, or null if nothing was. */
static napi_value handle_new(napi_env env, struct handle made) {
    napi_value v = NULL;
    struct handle *h = made.filter != NULL || made.window != NULL ? malloc(sizeof *h) : NULL;
    if (h != NULL) *h = made;
    if (h != NULL && napi_create_external(env, h, finalize, NULL, &v) == napi_ok) return v;
    free(h);
    if (made.filter != NULL || made.window != NULL) status = GUIRA_ENOMEM;
    handle_clear(&made);
    napi_get_null(env, &v);
    return v;
}

/* A new Uint8Array of n bytes; *bytes is NULL if there is no memory. */
static napi_value bytes_new(napi_env env, size_t n, void **bytes) {
    napi_value buffer, array = NULL;
    *bytes = NULL;
    if (napi_create_arraybuffer(env, n, bytes, &buffer) != napi_ok) return NULL;
    napi_create_typedarray(env, napi_uint8_array, n, buffer, 0, &array);
    return array;
}

static napi_value release(napi_env env, napi_callback_info info) {
    struct call c = call_of(env, info);
    void *p = NULL;
    napi_get_value_external(env, c.argument[0], &p);
    if (p != NULL) handle_clear(p);
    return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- filters */

#define FUNCTION(name) static napi_value name(napi_env env, napi_callback_info info)

FUNCTION(filter_create) {
    struct call c = call_of(env, info);
    size_t n;
    guira_config config;
    struct handle made = {0};
    const double *numbers = array_of(c, 0, napi_float64_array, &n);
    const uint8_t *seed = array_of(c, 1, napi_uint8_array, &n);
    status = flat_config_in(numbers, seed, &config);
    if (status == GUIRA_OK) status = guira_create(&config, &made.filter);
    return handle_new(env, made);
}

FUNCTION(filter_load) {
    struct call c = call_of(env, info);
    size_t n;
    struct handle made = {0};
    const uint8_t *bytes = array_of(c, 0, napi_uint8_array, &n);
    status = guira_load_from(n > 0 ? bytes : (const uint8_t *)"", n, &made.filter);
    return handle_new(env, made);
}

FUNCTION(filter_clone) {
    struct handle made = {0};
    status = guira_clone(handle_of(call_of(env, info), 0).filter, &made.filter);
    return handle_new(env, made);
}

/* Functions of a filter and a key. */
#define BY_KEY(name, result)                              \
    FUNCTION(name) {                                      \
        struct call c = call_with(env, info, 2);          \
        struct key k;                                     \
        if (!key_of(env, c.argument[1], &k)) return NULL; \
        guira *f = handle_of(c, 0).filter;                \
        napi_value v = result;                            \
        key_free(&k);                                     \
        return v;                                         \
    }

BY_KEY(filter_insert, integer_unless_0(env, guira_insert(f, k.bytes, k.n)))
BY_KEY(filter_insert_unique, integer_unless_0(env, guira_insert_unique(f, k.bytes, k.n)))
BY_KEY(filter_contains, true_or_undefined(env, guira_contains(f, k.bytes, k.n)))
BY_KEY(filter_remove, integer_unless_0(env, guira_remove(f, k.bytes, k.n)))
BY_KEY(filter_count, number(env, (double)guira_count(f, k.bytes, k.n)))
BY_KEY(filter_hash, bigint(env, guira_hash(f, k.bytes, k.n)))

#define BY_HASH(name, result)                \
    FUNCTION(name) {                         \
        struct call c = call_of(env, info);  \
        uint64_t h;                          \
        if (!hash_of(c, 1, &h)) return NULL; \
        guira *f = handle_of(c, 0).filter;   \
        return result;                       \
    }

BY_HASH(filter_insert_hash, integer(env, guira_insert_hash(f, h)))
BY_HASH(filter_insert_unique_hash, integer(env, guira_insert_unique_hash(f, h)))
BY_HASH(filter_contains_hash, integer(env, guira_contains_hash(f, h)))
BY_HASH(filter_remove_hash, integer(env, guira_remove_hash(f, h)))
BY_HASH(filter_count_hash, number(env, (double)guira_count_hash(f, h)))

/* The hashes of an array of keys, as a BigUint64Array. */
static napi_value hashes(napi_env env, napi_callback_info info) {
    struct call c = call_of(env, info);
    struct handle h = handle_of(c, 0);
    napi_value buffer, array = NULL;
    uint32_t n = 0;
    void *data = NULL;
    napi_get_array_length(env, c.argument[1], &n);
    if (napi_create_arraybuffer(env, (size_t)n * 8, &data, &buffer) != napi_ok) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        napi_handle_scope scope;
        napi_value value;
        struct key k;
        napi_open_handle_scope(env, &scope);
        bool good = napi_get_element(env, c.argument[1], i, &value) == napi_ok && key_of(env, value, &k);
        napi_close_handle_scope(env, scope);
        if (!good) return NULL;
        ((uint64_t *)data)[i] =
            h.filter != NULL ? guira_hash(h.filter, k.bytes, k.n) : guira_window_hash(h.window, k.bytes, k.n);
        key_free(&k);
    }
    napi_create_typedarray(env, napi_biguint64_array, n, buffer, 0, &array);
    return array;
}

static _Thread_local guira_status refusal; /* the first of the last filter_insert_many */

FUNCTION(filter_insert_many) {
    struct call c = call_of(env, info);
    size_t n;
    const uint64_t *h = array_of(c, 1, napi_biguint64_array, &n);
    guira *f = handle_of(c, 0).filter;
    size_t inserted = 0;
    guira_status part[256];
    refusal = GUIRA_OK;
    for (size_t i = 0; i < n; i += 256) {
        size_t some = n - i < 256 ? n - i : 256, done = guira_insert_hash_many(f, h + i, some, part);
        for (size_t j = 0; done < some && refusal == GUIRA_OK && j < some; j++) refusal = part[j];
        inserted += done;
    }
    return number(env, (double)inserted);
}

FUNCTION(last_refusal) {
    (void)info;
    return integer(env, refusal);
}

FUNCTION(filter_contains_many) {
    struct call c = call_of(env, info);
    size_t n;
    void *out;
    const uint64_t *h = array_of(c, 1, napi_biguint64_array, &n);
    napi_value array = bytes_new(env, n, &out);
    if (array != NULL && n > 0) guira_contains_hash_many(handle_of(c, 0).filter, h, n, out);
    return array;
}

FUNCTION(filter_remove_many) {
    struct call c = call_of(env, info);
    size_t n;
    const uint64_t *h = array_of(c, 1, napi_biguint64_array, &n);
    return number(env, n == 0 ? 0 : (double)guira_remove_hash_many(handle_of(c, 0).filter, h, n, NULL));
}

FUNCTION(filter_reserve) {
    struct call c = call_of(env, info);
    uint64_t items;
    bool fits = flat_u64(number_of(c, 1), &items);
    return integer(env, fits ? guira_reserve(handle_of(c, 0).filter, items) : GUIRA_EINVAL);
}
FUNCTION(filter_shrink_to_fit) { return integer(env, guira_shrink_to_fit(handle_of(call_of(env, info), 0).filter)); }
FUNCTION(filter_clear) { return integer(env, guira_clear(handle_of(call_of(env, info), 0).filter)); }
FUNCTION(filter_merge) {
    struct call c = call_of(env, info);
    return integer(env, guira_merge(handle_of(c, 0).filter, handle_of(c, 1).filter));
}
FUNCTION(filter_union) {
    struct call c = call_of(env, info);
    return integer(env, guira_union(handle_of(c, 0).filter, handle_of(c, 1).filter));
}

FUNCTION(filter_config) {
    struct call c = call_of(env, info);
    size_t n;
    guira_config config = {.size = sizeof config};
    guira_status s = guira_config_get(handle_of(c, 0).filter, &config);
    double *numbers = array_of(c, 1, napi_float64_array, &n);
    if (s == GUIRA_OK) flat_config_out(&config, numbers, array_of(c, 2, napi_uint8_array, &n));
    return integer(env, s);
}

/* ------------------------------------------------------------------------------------------------------ filters, windows */

FUNCTION(stats) {
    struct call c = call_of(env, info);
    struct handle h = handle_of(c, 0);
    size_t n;
    guira_stats all = GUIRA_STATS_INIT;
    guira_status s = h.filter != NULL ? guira_stats_get(h.filter, &all) : guira_window_stats_get(h.window, &all);
    if (s == GUIRA_OK) flat_stats_out(&all, array_of(c, 1, napi_float64_array, &n));
    return integer(env, s);
}

FUNCTION(validate) {
    struct handle h = handle_of(call_of(env, info), 0);
    const char *reason = NULL;
    guira_status s = h.filter != NULL ? guira_validate(h.filter, &reason) : guira_window_validate(h.window, &reason);
    return string(env, s == GUIRA_OK ? NULL : reason);
}

static bool put(void *to, const void *bytes, size_t n) {
    uint8_t **at = to;
    memcpy(*at, bytes, n);
    *at += n;
    return true;
}

/* A Uint8Array, or a status. */
FUNCTION(save) {
    struct handle h = handle_of(call_of(env, info), 0);
    uint64_t n = h.filter != NULL ? guira_saved_size(h.filter) : guira_window_saved_size(h.window);
    void *to;
    napi_value array = bytes_new(env, n, &to);
    if (array == NULL) return NULL;
    guira_status s = h.filter != NULL ? guira_save_to(h.filter, put, &to) : guira_window_save_to(h.window, put, &to);
    return s == GUIRA_OK ? array : integer(env, s);
}

/* --------------------------------------------------------------------------------------------------------------- windows */

FUNCTION(window_create) {
    struct call c = call_of(env, info);
    size_t n;
    guira_window_config config;
    struct handle made = {0};
    const double *numbers = array_of(c, 0, napi_float64_array, &n);
    const uint8_t *seed = array_of(c, 1, napi_uint8_array, &n);
    status = flat_window_in(numbers, seed, &config);
    if (status == GUIRA_OK) status = guira_window_create(&config, &made.window);
    return handle_new(env, made);
}

FUNCTION(window_load) {
    struct call c = call_of(env, info);
    size_t n;
    struct handle made = {0};
    const uint8_t *bytes = array_of(c, 0, napi_uint8_array, &n);
    status = guira_window_load_from(n > 0 ? bytes : (const uint8_t *)"", n, &made.window);
    return handle_new(env, made);
}

FUNCTION(window_clone) {
    struct handle made = {0};
    status = guira_window_clone(handle_of(call_of(env, info), 0).window, &made.window);
    return handle_new(env, made);
}

/* 0 or 1, or a status. */
static napi_value window_asked(napi_env env, napi_callback_info info, bool record) {
    struct call c = call_of(env, info);
    guira_window *w = handle_of(c, 0).window;
    uint64_t now;
    bool seen = false;
    struct key k;
    if (!key_of(env, c.argument[1], &k)) return NULL;
    guira_status s = flat_u64(number_of(c, 2), &now) ? GUIRA_OK : GUIRA_EINVAL;
    if (s == GUIRA_OK && record) s = guira_window_seen(w, k.bytes, k.n, now, &seen);
    else if (s == GUIRA_OK) s = guira_window_contains(w, k.bytes, k.n, now, &seen);
    key_free(&k);
    return integer(env, s == GUIRA_OK ? seen : (int32_t)s);
}

FUNCTION(window_seen) { return window_asked(env, info, true); }
FUNCTION(window_contains) { return window_asked(env, info, false); }

FUNCTION(window_hash) {
    struct call c = call_of(env, info);
    struct key k;
    if (!key_of(env, c.argument[1], &k)) return NULL;
    napi_value v = bigint(env, guira_window_hash(handle_of(c, 0).window, k.bytes, k.n));
    key_free(&k);
    return v;
}

FUNCTION(window_seen_many) {
    struct call c = call_of(env, info);
    size_t n, room;
    uint64_t now;
    const uint64_t *h = array_of(c, 1, napi_biguint64_array, &n);
    void *seen = array_of(c, 3, napi_uint8_array, &room);
    if (!flat_u64(number_of(c, 2), &now) || room < n) return integer(env, GUIRA_EINVAL);
    return integer(env, n == 0 ? GUIRA_OK : guira_window_seen_hash_many(handle_of(c, 0).window, h, n, now, seen));
}

FUNCTION(window_tick) {
    struct call c = call_of(env, info);
    uint64_t now;
    bool fits = flat_u64(number_of(c, 1), &now);
    return integer(env, fits ? guira_window_tick(handle_of(c, 0).window, now) : GUIRA_EINVAL);
}
FUNCTION(window_now) { return number(env, (double)guira_window_now(handle_of(call_of(env, info), 0).window)); }
FUNCTION(window_clear) { return integer(env, guira_window_clear(handle_of(call_of(env, info), 0).window)); }

FUNCTION(window_config) {
    struct call c = call_of(env, info);
    size_t n;
    guira_window_config config = GUIRA_WINDOW_CONFIG_INIT;
    guira_status s = guira_window_config_get(handle_of(c, 0).window, &config);
    double *numbers = array_of(c, 1, napi_float64_array, &n);
    if (s == GUIRA_OK) flat_window_out(&config, numbers, array_of(c, 2, napi_uint8_array, &n));
    return integer(env, s);
}

/* ------------------------------------------------------------------------------------------------------------ everything */

FUNCTION(plan) {
    struct call c = call_of(env, info);
    guira_plan_row rows[GUIRA_PLAN_ROWS] = {{.size = sizeof *rows}};
    uint64_t items;
    size_t smallest, n;
    double *out = array_of(c, 3, napi_float64_array, &n);
    if (!flat_u64(number_of(c, 0), &items)) return integer(env, GUIRA_EINVAL);
    guira_status s = guira_plan(items, number_of(c, 1), number_of(c, 2), rows, &smallest);
    for (size_t i = 0; s == GUIRA_OK && i < GUIRA_PLAN_ROWS; i++) flat_plan_out(&rows[i], out + i * FLAT_PLAN);
    if (s == GUIRA_OK) out[GUIRA_PLAN_ROWS * FLAT_PLAN] = (double)smallest;
    return integer(env, s);
}

FUNCTION(version) {
    (void)info;
    return string(env, guira_version());
}
FUNCTION(last_status) {
    (void)info;
    return integer(env, status);
}
FUNCTION(status_text) { return string(env, guira_strerror((guira_status)number_of(call_of(env, info), 0))); }

struct named {
    const char *name;
    napi_callback call;
};

static void define(napi_env env, napi_value object, const struct named *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        napi_value f;
        napi_create_function(env, all[i].name, NAPI_AUTO_LENGTH, all[i].call, NULL, &f);
        napi_set_named_property(env, object, all[i].name, f);
    }
}

static const struct named of_all[] = {
    {"version", version}, {"lastStatus", last_status}, {"statusText", status_text}, {"plan", plan}};

static const struct named of_filters[] = {
    {"create", filter_create},
    {"load", filter_load},
    {"clone", filter_clone},
    {"free", release},
    {"insert", filter_insert},
    {"insertUnique", filter_insert_unique},
    {"contains", filter_contains},
    {"remove", filter_remove},
    {"count", filter_count},
    {"hash", filter_hash},
    {"hashes", hashes},
    {"insertHash", filter_insert_hash},
    {"insertUniqueHash", filter_insert_unique_hash},
    {"containsHash", filter_contains_hash},
    {"removeHash", filter_remove_hash},
    {"countHash", filter_count_hash},
    {"insertMany", filter_insert_many},
    {"lastRefusal", last_refusal},
    {"containsMany", filter_contains_many},
    {"removeMany", filter_remove_many},
    {"reserve", filter_reserve},
    {"shrinkToFit", filter_shrink_to_fit},
    {"clear", filter_clear},
    {"merge", filter_merge},
    {"union", filter_union},
    {"config", filter_config},
    {"stats", stats},
    {"validate", validate},
    {"save", save},
};

static const struct named of_windows[] = {
    {"create", window_create},
    {"load", window_load},
    {"clone", window_clone},
    {"free", release},
    {"seen", window_seen},
    {"contains", window_contains},
    {"hash", window_hash},
    {"hashes", hashes},
    {"seenMany", window_seen_many},
    {"tick", window_tick},
    {"now", window_now},
    {"clear", window_clear},
    {"config", window_config},
    {"stats", stats},
    {"validate", validate},
    {"save", save},
};

NAPI_MODULE_INIT() {
    napi_value filter, window;
    napi_create_object(env, &filter);
    napi_create_object(env, &window);
    define(env, exports, of_all, sizeof of_all / sizeof *of_all);
    define(env, filter, of_filters, sizeof of_filters / sizeof *of_filters);
    define(env, window, of_windows, sizeof of_windows / sizeof *of_windows);
    napi_set_named_property(env, exports, "filter", filter);
    napi_set_named_property(env, exports, "window", window);
    return exports;
}
