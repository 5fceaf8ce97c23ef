/* Filter and SharedFilter: the same methods over two tables of functions. */
#include "binding.h"

#include <string.h>
#if GUIRA_PYTHON_SHARED
#include "guira_shared.h"
#endif

/* ------------------------------------------------------------------------------------------------ the library's functions */

static void f_destroy(void *f) { guira_destroy(f); }
static uint64_t f_hash(const void *f, const void *key, size_t len) { return guira_hash(f, key, len); }
static guira_status f_hash_many(const void *f, const void *keys, size_t size, size_t n, uint64_t *out) {
    return guira_hash_many(f, keys, size, n, out);
}
static bool f_contains(const void *f, const void *key, size_t len) { return guira_contains(f, key, len); }
static guira_status f_insert(void *f, const void *key, size_t len) { return guira_insert(f, key, len); }
static guira_status f_insert_unique(void *f, const void *key, size_t len) { return guira_insert_unique(f, key, len); }
static guira_status f_remove(void *f, const void *key, size_t len) { return guira_remove(f, key, len); }
static uint64_t f_count(const void *f, const void *key, size_t len) { return guira_count(f, key, len); }
static size_t f_contains_many(const void *f, const uint64_t *hash, size_t n, bool *out) {
    return guira_contains_hash_many(f, hash, n, out);
}
static size_t f_insert_many(void *f, const uint64_t *hash, size_t n, guira_status *out) {
    return guira_insert_hash_many(f, hash, n, out);
}
static size_t f_remove_many(void *f, const uint64_t *hash, size_t n, guira_status *out) {
    return guira_remove_hash_many(f, hash, n, out);
}
static guira_status f_reserve(void *f, uint64_t items) { return guira_reserve(f, items); }

/* The first batch of a tidal filter without a capacity makes room once: splitting bucket after bucket takes five times as
 * long, and costs fingerprint bits. The room is not reserved, so the filter shrinks as any other; what copies of keys did not
 * need is freed at once. If there is no memory for it, the filter grows step by step. */
static bool f_expect(void *f, size_t more) {
    guira_config c;
    guira_stats s = GUIRA_STATS_INIT;
    guira_config_init(&c);
    if (guira_config_get(f, &c) != GUIRA_OK || c.kind != GUIRA_TIDAL || c.capacity > 0) return false;
    if (guira_stats_get(f, &s) != GUIRA_OK || s.items > 0 || more <= s.slots) return false;
    return guira_reserve(f, more) == GUIRA_OK && guira_reserve(f, 0) == GUIRA_OK;
}
static void f_settle(void *f) {
    guira_stats s = GUIRA_STATS_INIT;
    if (guira_stats_get(f, &s) == GUIRA_OK && s.load < 0.6) guira_shrink_to_fit(f);
}

static guira_status f_shrink_to_fit(void *f) { return guira_shrink_to_fit(f); }
static guira_status f_clear(void *f) { return guira_clear(f); }
static guira_status f_merge(void *into, const void *from) { return guira_merge(into, from); }
static guira_status f_unite(void *into, const void *from) { return guira_union(into, from); }
static guira_status f_stats(const void *f, guira_stats *out) { return guira_stats_get(f, out); }
static guira_status f_validate(const void *f, const char **reason) { return guira_validate(f, reason); }
static guira_status f_save(const void *f, const char *path) { return guira_save(f, path); }
static guira_status f_save_to(const void *f, guira_write_fn *write, void *to) { return guira_save_to(f, write, to); }
static guira_status f_load(const char *path, void **out) { return guira_load(path, (guira **)out); }
static guira_status f_map(const char *path, void **out) { return guira_map(path, (guira **)out); }
static guira_status f_load_from(const void *bytes, size_t n, void **out) {
    return guira_load_from(bytes, n, (guira **)out);
}

static const struct calls filter_calls = {
    f_destroy,       f_hash,          f_hash_many,   f_contains,    f_insert,  f_insert_unique, f_remove,
    f_count,         f_contains_many, f_insert_many, f_remove_many, f_reserve, f_expect,        f_settle,
    f_shrink_to_fit, f_clear,         f_merge,       f_unite,       f_stats,   f_validate,      f_save,
    f_load,          f_save_to,       f_load_from,   false,
};

#if GUIRA_PYTHON_SHARED
static void s_destroy(void *f) { guira_shared_destroy(f); }
static uint64_t s_hash(const void *f, const void *key, size_t len) { return guira_shared_hash(f, key, len); }
static guira_status s_hash_many(const void *f, const void *keys, size_t size, size_t n, uint64_t *out) {
    return guira_shared_hash_many(f, keys, size, n, out);
}
static bool s_contains(const void *f, const void *key, size_t len) { return guira_shared_contains(f, key, len); }
static guira_status s_insert(void *f, const void *key, size_t len) { return guira_shared_insert(f, key, len); }
static guira_status s_insert_unique(void *f, const void *key, size_t len) {
    return guira_shared_insert_unique(f, key, len);
}
static guira_status s_remove(void *f, const void *key, size_t len) { return guira_shared_remove(f, key, len); }
static uint64_t s_count(const void *f, const void *key, size_t len) { return guira_shared_count(f, key, len); }
static size_t s_contains_many(const void *f, const uint64_t *hash, size_t n, bool *out) {
    return guira_shared_contains_hash_many(f, hash, n, out);
}
static size_t s_insert_many(void *f, const uint64_t *hash, size_t n, guira_status *out) {
    return guira_shared_insert_hash_many(f, hash, n, out);
}
static size_t s_remove_many(void *f, const uint64_t *hash, size_t n, guira_status *out) {
    return guira_shared_remove_hash_many(f, hash, n, out);
}
static guira_status s_reserve(void *f, uint64_t items) { return guira_shared_reserve(f, items); }
static guira_status s_shrink_to_fit(void *f) { return guira_shared_shrink_to_fit(f); }
static guira_status s_clear(void *f) { return guira_shared_clear(f); }
static guira_status s_merge(void *into, const void *from) { return guira_shared_merge(into, from); }
static guira_status s_unite(void *into, const void *from) { return guira_shared_union(into, from); }
static guira_status s_stats(const void *f, guira_stats *out) { return guira_shared_stats_get(f, out); }
static guira_status s_validate(const void *f, const char **reason) { return guira_shared_validate(f, reason); }
static guira_status s_save(const void *f, const char *path) { return guira_shared_save(f, path); }
static guira_status s_save_to(const void *f, guira_write_fn *write, void *to) {
    return guira_shared_save_to(f, write, to);
}
static guira_status s_load(const char *path, void **out) { return guira_shared_load(path, (guira_shared **)out); }
static guira_status s_load_from(const void *bytes, size_t n, void **out) {
    return guira_shared_load_from(bytes, n, (guira_shared **)out);
}
static guira_status shared_create(const guira_config *c, unsigned shards, void **out) {
    return guira_shared_create(c, shards, (guira_shared **)out);
}

static const struct calls shared_calls = {
    s_destroy, s_hash,     s_hash_many,     s_contains,    s_insert,      s_insert_unique,
    s_remove,  s_count,    s_contains_many, s_insert_many, s_remove_many, s_reserve,
    NULL,      NULL,       s_shrink_to_fit, s_clear,       s_merge,       s_unite,
    s_stats,   s_validate, s_save,          s_load,        s_save_to,     s_load_from,
    true,
};
#endif

/* -------------------------------------------------------------------------------------------------------------- making */

static const char *const kind_names[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent"};

static bool kind_get(const char *name, guira_kind *out) {
    for (unsigned i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
        if (strcmp(name, kind_names[i]) == 0) {
            *out = (guira_kind)i;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "kind must be 'tidal', 'cuckoo', 'dynamic', 'elastic' or 'consistent', not '%s'",
                 name);
    return false;
}

/* The arguments of Filter and SharedFilter. *keys is borrowed, NULL if there are none. Python checks the range of "i", not of
 * "I"; negative numbers are out of range as unsigned ones. */
static bool config_get(PyObject *args, PyObject *kw, guira_config *c, unsigned *shards, PyObject **keys) {
    static char *filter_names[] = {"",     "kind",     "capacity", "fpr",          "growth",  "slot_bits",
                                   "seed", "max_load", "min_load", "bucket_slots", "buckets", NULL};
    static char *shared_names[] = {"",          "shards", "capacity", "fpr",      "growth",
                                   "slot_bits", "seed",   "max_load", "min_load", NULL};
    const char *kind = "tidal";
    PyObject *capacity = NULL, *seed = NULL, *buckets = NULL;
    guira_config_init(c);
    *keys = NULL;
    bool ok = shards == NULL ? PyArg_ParseTupleAndKeywords(args, kw, "|O$sOddiOddiO:Filter", filter_names, keys, &kind,
                                                           &capacity, &c->fpr, &c->growth, &c->slot_bits, &seed,
                                                           &c->max_load, &c->min_load, &c->bucket_slots, &buckets)
                             : PyArg_ParseTupleAndKeywords(args, kw, "|O$iOddiOdd:SharedFilter", shared_names, keys,
                                                           shards, &capacity, &c->fpr, &c->growth, &c->slot_bits, &seed,
                                                           &c->max_load, &c->min_load);
    if (*keys == Py_None) *keys = NULL;
    return ok && kind_get(kind, &c->kind) && (capacity == NULL || u64_get(capacity, "capacity", &c->capacity)) &&
           (buckets == NULL || u64_get(buckets, "buckets", &c->buckets)) && seed_get(seed, c->seed);
}

static PyObject *fill(PyObject *self, PyObject *keys) {
    if (self == NULL || keys == NULL) return self;
    PyObject *done = batch_insert(object_of(self), keys);
    if (done == NULL) Py_DECREF(self);
    Py_XDECREF(done);
    return done == NULL ? NULL : self;
}

static PyObject *filter_new(PyTypeObject *type, PyObject *args, PyObject *kw) {
    guira_config c;
    guira *f;
    PyObject *keys;
    if (!config_get(args, kw, &c, NULL, &keys)) return NULL;
    guira_status s = guira_create(&c, &f);
    if (s == GUIRA_EINVAL) {
        PyErr_SetString(PyExc_ValueError, "an argument is out of range, or does not fit the others");
        return NULL;
    }
    if (s == GUIRA_ELIMIT) {
        PyErr_SetString(PyExc_ValueError, "capacity is too large, or fpr too small for any slots");
        return NULL;
    }
    return s == GUIRA_OK ? fill(object_make(type, &filter_calls, f), keys) : raise_status(type, s, NULL);
}

static PyObject *shared_new(PyTypeObject *type, PyObject *args, PyObject *kw) {
#if GUIRA_PYTHON_SHARED
    guira_config c;
    unsigned shards = 0;
    void *f;
    PyObject *keys;
    if (!config_get(args, kw, &c, &shards, &keys)) return NULL;
    guira_status s = shared_create(&c, shards, &f);
    if (s == GUIRA_EINVAL) {
        PyErr_SetString(PyExc_ValueError, "an argument is out of range (shards: a power of two up to 256)");
        return NULL;
    }
    return s == GUIRA_OK ? fill(object_make(type, &shared_calls, f), keys) : raise_status(type, s, NULL);
#else
    (void)type;
    (void)args;
    (void)kw;
    PyErr_SetString(PyExc_NotImplementedError, "guira was built without liburcu, which SharedFilter needs");
    return NULL;
#endif
}

/* --------------------------------------------------------------------------------------------------------- single keys */

static int contains(PyObject *self, PyObject *from) {
    struct object *o = object_of(self);
    struct key key;
    if (!key_get(from, &key)) return -1;
    int found = -1;
    if (lookup_is_free(o) || wait_for_lookup(o)) found = o->calls->contains(o->f, key.bytes, key.len);
    key_done(&key);
    return found;
}

typedef guira_status change_fn(void *f, const void *key, size_t len);

/* 1 and a status in *s, or 0 with an exception set. */
static bool change(struct object *o, PyObject *from, change_fn *fn, guira_status *s) {
    struct key key;
    if (!key_get(from, &key)) return false;
    bool ok = change_is_free(o) || wait_for_change(o);
    if (ok) *s = fn(o->f, key.bytes, key.len);
    key_done(&key);
    return ok;
}

static PyObject *add(PyObject *self, PyObject *key) {
    guira_status s;
    if (!change(object_of(self), key, object_of(self)->calls->insert, &s)) return NULL;
    if (s != GUIRA_OK) return raise_status(Py_TYPE(self), s, NULL);
    Py_RETURN_NONE;
}

static PyObject *add_unique(PyObject *self, PyObject *key) {
    guira_status s;
    if (!change(object_of(self), key, object_of(self)->calls->insert_unique, &s)) return NULL;
    if (s == GUIRA_OK) Py_RETURN_TRUE;
    if (s == GUIRA_EEXIST) Py_RETURN_FALSE;
    return raise_status(Py_TYPE(self), s, NULL);
}

static PyObject *discard(PyObject *self, PyObject *key) {
    guira_status s;
    if (!change(object_of(self), key, object_of(self)->calls->remove, &s)) return NULL;
    if (s == GUIRA_OK || s == GUIRA_ENOTFOUND) Py_RETURN_NONE;
    return raise_status(Py_TYPE(self), s, NULL);
}

static PyObject *remove_key(PyObject *self, PyObject *key) {
    guira_status s;
    if (!change(object_of(self), key, object_of(self)->calls->remove, &s)) return NULL;
    if (s == GUIRA_OK) Py_RETURN_NONE;
    if (s != GUIRA_ENOTFOUND) return raise_status(Py_TYPE(self), s, NULL);
    PyErr_SetObject(PyExc_KeyError, key);
    return NULL;
}

static PyObject *count(PyObject *self, PyObject *from) {
    struct object *o = object_of(self);
    struct key key;
    if (!key_get(from, &key)) return NULL;
    PyObject *n = NULL;
    if (lookup_is_free(o) || wait_for_lookup(o))
        n = PyLong_FromUnsignedLongLong(o->calls->count(o->f, key.bytes, key.len));
    key_done(&key);
    return n;
}

/* -------------------------------------------------------------------------------------------------------------- batches */

static PyObject *contains_many(PyObject *self, PyObject *keys) { return batch_contains(object_of(self), keys); }
static PyObject *update(PyObject *self, PyObject *keys) { return batch_insert(object_of(self), keys); }
static PyObject *discard_many(PyObject *self, PyObject *keys) { return batch_remove(object_of(self), keys); }

static PyObject *reserve(PyObject *self, PyObject *items) {
    struct object *o = object_of(self);
    uint64_t n;
    guira_status s;
    if (!u64_get(items, "items", &n) || !enter_change(o)) return NULL;
    Py_BEGIN_ALLOW_THREADS s = o->calls->reserve(o->f, n);
    Py_END_ALLOW_THREADS leave_change(o);
    if (s != GUIRA_OK) return raise_status(Py_TYPE(self), s, NULL);
    Py_RETURN_NONE;
}

static PyObject *shrink_to_fit(PyObject *self, PyObject *none) {
    struct object *o = object_of(self);
    guira_status s;
    (void)none;
    if (!enter_change(o)) return NULL;
    Py_BEGIN_ALLOW_THREADS s = o->calls->shrink_to_fit(o->f);
    Py_END_ALLOW_THREADS leave_change(o);
    if (s != GUIRA_OK) return raise_status(Py_TYPE(self), s, NULL);
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------------------------ merge and union */

/* Enters both or none: a thread that held one and waited for the other could wait forever. */
static bool enter_both(struct object *into, struct object *from) {
    do
        if (!wait_for_change(into) || !wait_for_lookup(from)) return false;
    while (!change_is_free(into) || !lookup_is_free(from));
    if (into->calls->concurrent) into->readers++;
    else into->writer = true;
    from->readers++;
    return true;
}

static bool combine(PyObject *self, PyObject *other, bool only_new) {
    struct object *into = object_of(self), *from = object_of(other);
    guira_status s;
    if (!enter_both(into, from)) return false;
    Py_BEGIN_ALLOW_THREADS s = (only_new ? into->calls->unite : into->calls->merge)(into->f, from->f);
    Py_END_ALLOW_THREADS leave_shared(from);
    leave_change(into);
    if (s == GUIRA_EINVAL)
        PyErr_SetString(PyExc_ValueError,
                        "filters can be combined only if they were made alike: same seed, kind and size of slots");
    else if (s != GUIRA_OK) raise_status(Py_TYPE(self), s, NULL);
    return s == GUIRA_OK;
}

static PyObject *merge(PyObject *self, PyObject *other) {
    if (Py_TYPE(self) != Py_TYPE(other)) {
        PyErr_SetString(PyExc_TypeError, "merge() takes a filter of the same type");
        return NULL;
    }
    if (self == other) {
        PyErr_SetString(PyExc_ValueError, "a filter cannot be merged with itself");
        return NULL;
    }
    if (!combine(self, other, false)) return NULL;
    Py_RETURN_NONE;
}

static PyObject *inplace_or(PyObject *self, PyObject *other) {
    if (Py_TYPE(self) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    if (self != other && !combine(self, other, true)) return NULL;
    return Py_NewRef(self);
}

static PyObject *either(PyObject *self, PyObject *other) {
    if (Py_TYPE(self) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    PyObject *copy = object_copy(self, NULL);
    if (copy == NULL || self == other || combine(copy, other, true)) return copy;
    Py_DECREF(copy);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------------- types */

static PyObject *filter_config(PyObject *self, PyObject *none) {
    struct object *o = object_of(self);
    guira_config c;
    (void)none;
    guira_config_init(&c);
    if (!enter_shared(o)) return NULL;
    guira_status s = guira_config_get(o->f, &c);
    leave_shared(o);
    if (s != GUIRA_OK) return raise_status(Py_TYPE(self), s, NULL);
    return Py_BuildValue("{ss sK sd sd sI sy# sd sd sI sK}", "kind", kind_names[c.kind], "capacity", c.capacity, "fpr",
                         c.fpr, "growth", c.growth, "slot_bits", c.slot_bits, "seed", (const char *)c.seed,
                         (Py_ssize_t)16, "max_load", c.max_load, "min_load", c.min_load, "bucket_slots", c.bucket_slots,
                         "buckets", c.buckets);
}

static PyObject *filter_load(PyObject *type, PyObject *path) {
    return load_with((PyTypeObject *)type, &filter_calls, path, f_load);
}
static PyObject *filter_open_mapped(PyObject *type, PyObject *path) {
    return load_with((PyTypeObject *)type, &filter_calls, path, f_map);
}
static PyObject *filter_from_bytes(PyObject *type, PyObject *bytes) {
    return from_bytes_with((PyTypeObject *)type, &filter_calls, bytes);
}

#define METHODS                                                                                                     \
    {"add", add, METH_O, "add(key)\n\nAdds one copy of key."},                                                      \
        {"add_unique", add_unique, METH_O,                                                                          \
         "add_unique(key) -> bool\n\nAdds key unless it is contained; whether it was added. A key that was not\n"   \
         "added, because of a false positive, must not be removed later."},                                         \
        {"discard", discard, METH_O,                                                                                \
         "discard(key)\n\nRemoves one copy of key, if there is one. key must have been "                            \
         "added."},                                                                                                 \
        {"remove", remove_key, METH_O, "remove(key)\n\nLike discard(), but KeyError if there is none."},            \
        {"count", count, METH_O, "count(key) -> int\n\nHow many copies of key there are; never too few."},          \
        {"contains_many", contains_many, METH_O,                                                                    \
         "contains_many(keys)\n\nOne answer for each key: a NumPy array of bool for a NumPy array, else bytes of\n" \
         "1 and 0. keys: an iterable, or an array of 64-bit integers, which is not copied."},                       \
        {"update", update, METH_O, "update(keys)\n\nAdds every key. keys: as for contains_many()."},                \
        {"discard_many", discard_many, METH_O,                                                                      \
         "discard_many(keys) -> int\n\nDiscards every key; how many were removed."},                                \
        {"merge", merge, METH_O, "merge(other)\n\nAdds a copy of every member of other."},                          \
        {"reserve", reserve, METH_O, "reserve(items)\n\nMakes room for so many items in all."},                     \
        {"shrink_to_fit", shrink_to_fit, METH_NOARGS, "shrink_to_fit()\n\nFrees room that is not needed."},         \
        {"clear", object_clear, METH_NOARGS, "clear()\n\nRemoves everything."},                                     \
        {"copy", object_copy, METH_NOARGS, "copy()\n\nA second filter with the same members."},                     \
        {"__copy__", object_copy, METH_NOARGS, NULL}, {"__deepcopy__", object_copy, METH_O, NULL},                  \
        {"__reduce__", object_reduce, METH_NOARGS, NULL},                                                           \
        {"stats", object_stats, METH_NOARGS, "stats() -> dict\n\nItems, bytes, rate and so on: see guira.h."},      \
        {"validate", object_validate, METH_NOARGS, "validate()\n\nFormatError if an invariant is broken."},         \
        {"save", object_save, METH_O, "save(path)\n\nReplaces the file at path, atomically."},                      \
        {"to_bytes", object_to_bytes, METH_NOARGS, "to_bytes() -> bytes\n\nWhat save() writes."},                   \
        {"close", object_close, METH_NOARGS, "close()\n\nFrees the memory or the mapping now."},                    \
        {"__enter__", object_enter, METH_NOARGS, NULL}, {                                                           \
        "__exit__", (PyCFunction)(void (*)(void))object_exit, METH_FASTCALL, NULL                                   \
    }

static PyMethodDef filter_methods[] = {
    METHODS,
    {"config", filter_config, METH_NOARGS,
     "config() -> dict\n\nArguments that make an empty filter which can be merged with this one. It has the seed."},
    {"load", filter_load, METH_O | METH_CLASS, "load(path)\n\nThe filter that save() wrote."},
    {"open_mapped", filter_open_mapped, METH_O | METH_CLASS,
     "open_mapped(path)\n\nA read-only filter that answers from the file without reading it. A context manager."},
    {"from_bytes", filter_from_bytes, METH_O | METH_CLASS, "from_bytes(bytes)\n\nThe filter that to_bytes() wrote."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {{"nbytes", object_bytes_held, NULL, "Memory that the filter holds.", NULL},
                                {"fpr", object_fpr, NULL, "The false-positive rate to expect right now.", NULL},
                                {"closed", object_closed, NULL, "Whether close() was called.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot filter_slots[] = {
    {Py_tp_doc, "Filter(keys=None, /, *, kind='tidal', capacity=0, fpr=0, growth=0, slot_bits=0, seed=None,\n"
                "       max_load=0, min_load=0, bucket_slots=0, buckets=0)\n\n"
                "A multiset that answers `key in f` with no false negatives and a known rate of false positives."},
    {Py_tp_new, filter_new},
    {Py_tp_dealloc, object_dealloc},
    {Py_tp_repr, object_repr},
    {Py_tp_methods, filter_methods},
    {Py_tp_getset, getters},
    {Py_sq_contains, contains},
    {Py_sq_length, object_len},
    {Py_nb_or, either},
    {Py_nb_inplace_or, inplace_or},
    {0, NULL}};

PyType_Spec filter_spec = {"guira.Filter", sizeof(struct object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                           filter_slots};

static PyObject *shared_load(PyObject *type, PyObject *path) {
#if GUIRA_PYTHON_SHARED
    return load_with((PyTypeObject *)type, &shared_calls, path, s_load);
#else
    (void)path;
    return shared_new((PyTypeObject *)type, NULL, NULL);
#endif
}

static PyObject *shared_from_bytes(PyObject *type, PyObject *bytes) {
#if GUIRA_PYTHON_SHARED
    return from_bytes_with((PyTypeObject *)type, &shared_calls, bytes);
#else
    (void)bytes;
    return shared_new((PyTypeObject *)type, NULL, NULL);
#endif
}

static PyMethodDef shared_methods[] = {
    METHODS,
    {"load", shared_load, METH_O | METH_CLASS, "load(path)\n\nThe filter that save() wrote."},
    {"from_bytes", shared_from_bytes, METH_O | METH_CLASS, "from_bytes(bytes)\n\nThe filter that to_bytes() wrote."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot shared_slots[] = {
    {Py_tp_doc, "SharedFilter(keys=None, /, *, shards=16, capacity=0, fpr=0, growth=0, slot_bits=0, seed=None,\n"
                "             max_load=0, min_load=0)\n\n"
                "A Filter whose batches run in several threads at once: lookups take no lock and never block."},
    {Py_tp_new, shared_new},
    {Py_tp_dealloc, object_dealloc},
    {Py_tp_repr, object_repr},
    {Py_tp_methods, shared_methods},
    {Py_tp_getset, getters},
    {Py_sq_contains, contains},
    {Py_sq_length, object_len},
    {Py_nb_or, either},
    {Py_nb_inplace_or, inplace_or},
    {0, NULL}};

PyType_Spec shared_spec = {"guira.SharedFilter", sizeof(struct object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, shared_slots};
