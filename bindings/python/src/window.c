/* Window: was this key seen in the last T? */
#include "binding.h"

static void w_destroy(void *f) { guira_window_destroy(f); }
static guira_status w_hash_many(const void *f, const void *keys, size_t size, size_t n, uint64_t *out) {
    return guira_window_hash_many(f, keys, size, n, out);
}
static uint64_t w_hash(const void *f, const void *key, size_t len) { return guira_window_hash(f, key, len); }
static guira_status w_clear(void *f) { return guira_window_clear(f); }
static guira_status w_stats(const void *f, guira_stats *out) { return guira_window_stats_get(f, out); }
static guira_status w_validate(const void *f, const char **reason) { return guira_window_validate(f, reason); }
static guira_status w_save(const void *f, const char *path) { return guira_window_save(f, path); }
static guira_status w_save_to(const void *f, guira_write_fn *write, void *to) {
    return guira_window_save_to(f, write, to);
}
static guira_status w_load(const char *path, void **out) { return guira_window_load(path, (guira_window **)out); }
static guira_status w_load_from(const void *bytes, size_t n, void **out) {
    return guira_window_load_from(bytes, n, (guira_window **)out);
}

static const struct calls window_calls = {
    .destroy = w_destroy,
    .hash = w_hash,
    .hash_many = w_hash_many,
    .clear = w_clear,
    .stats = w_stats,
    .validate = w_validate,
    .save = w_save,
    .load = w_load,
    .save_to = w_save_to,
    .load_from = w_load_from,
};

static PyObject *window_new(PyTypeObject *type, PyObject *args, PyObject *kw) {
    static char *names[] = {"length", "fpr", "slides", "capacity", "growth", "seed", NULL};
    guira_window_config c = GUIRA_WINDOW_CONFIG_INIT;
    PyObject *length, *capacity = NULL, *seed = NULL;
    int slides = 0;
    guira_window *w;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|$dpOdO:Window", names, &length, &c.fpr, &slides, &capacity, &c.growth,
                                     &seed))
        return NULL;
    if (!u64_get(length, "length", &c.length) || (capacity != NULL && !u64_get(capacity, "capacity", &c.capacity)) ||
        !seed_get(seed, c.seed))
        return NULL;
    c.slides = slides != 0;
    guira_status s = guira_window_create(&c, &w);
    if (s == GUIRA_EINVAL) {
        PyErr_SetString(PyExc_ValueError, "length must be at least 1, fpr between 0 and 1, growth at least 1");
        return NULL;
    }
    return s == GUIRA_OK ? object_make(type, &window_calls, w) : raise_status(type, s, NULL);
}

/* ------------------------------------------------------------------------------------------------------------- the time */

/* A time argument; NULL or None: the time of the last call. The object must be open. */
static bool now_get(struct object *o, PyObject *from, uint64_t *now) {
    if (from != NULL && from != Py_None) return u64_get(from, "now", now);
    bool ok = wait_for_lookup(o);
    if (ok) *now = guira_window_now(o->f);
    return ok;
}

static PyObject *raise_time(PyObject *self, guira_status s, uint64_t now) {
    if (s != GUIRA_EINVAL) return raise_status(Py_TYPE(self), s, NULL);
    PyErr_Format(PyExc_ValueError, "now is %llu, which is before the time of the last call, %llu",
                 (unsigned long long)now, (unsigned long long)guira_window_now(object_of(self)->f));
    return NULL;
}

static PyObject *window_now(PyObject *self, void *closure) {
    uint64_t now;
    (void)closure;
    return now_get(object_of(self), NULL, &now) ? PyLong_FromUnsignedLongLong(now) : NULL;
}

static PyObject *tick(PyObject *self, PyObject *time) {
    struct object *o = object_of(self);
    uint64_t now;
    guira_status s;
    if (!u64_get(time, "now", &now) || !enter_exclusive(o)) return NULL;
    Py_BEGIN_ALLOW_THREADS s = guira_window_tick(o->f, now);
    Py_END_ALLOW_THREADS leave_exclusive(o);
    if (s != GUIRA_OK) return raise_time(self, s, now);
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------------------------------------------------------- keys */

/* key and now. False: an exception is set. */
static bool arguments(const char *name, PyObject *const *args, Py_ssize_t n, PyObject **now) {
    *now = n > 1 ? args[1] : NULL;
    if (n == 1 || n == 2) return true;
    PyErr_Format(PyExc_TypeError, "%s() takes 1 or 2 arguments, not %zd", name, n);
    return false;
}

static PyObject *seen(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    struct object *o = object_of(self);
    struct key key;
    PyObject *time, *result = NULL;
    uint64_t now;
    bool was;
    if (!arguments("seen", args, n, &time) || !now_get(o, time, &now) || !key_get(args[0], &key)) return NULL;
    if (enter_exclusive(o)) {
        guira_status s = guira_window_seen(o->f, key.bytes, key.len, now, &was);
        leave_exclusive(o);
        result = s == GUIRA_OK ? PyBool_FromLong(was) : raise_time(self, s, now);
    }
    key_done(&key);
    return result;
}

static PyObject *contains_at(PyObject *self, PyObject *from, PyObject *time) {
    struct object *o = object_of(self);
    struct key key;
    PyObject *result = NULL;
    uint64_t now;
    bool was;
    if (!now_get(o, time, &now) || !key_get(from, &key)) return NULL;
    if (enter_shared(o)) {
        guira_status s = guira_window_contains(o->f, key.bytes, key.len, now, &was);
        leave_shared(o);
        result = s == GUIRA_OK ? PyBool_FromLong(was) : raise_time(self, s, now);
    }
    key_done(&key);
    return result;
}

static PyObject *contains(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    PyObject *time;
    return arguments("contains", args, n, &time) ? contains_at(self, args[0], time) : NULL;
}

static int has(PyObject *self, PyObject *key) {
    PyObject *answer = contains_at(self, key, NULL);
    if (answer == NULL) return -1;
    Py_DECREF(answer);
    return answer == Py_True;
}

static PyObject *add(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    PyObject *answer = seen(self, args, n);
    if (answer == NULL) return NULL;
    Py_DECREF(answer);
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------------------------------- batches */

static guira_status contains_hashes(const guira_window *w, const struct hashes *h, uint64_t now, bool *out) {
    guira_status s = GUIRA_OK;
    for (size_t i = 0; i < h->n && s == GUIRA_OK; i++) s = guira_window_contains_hash(w, h->hash[i], now, &out[i]);
    return s;
}

/* A bytearray of answers, or NULL with an exception set. */
static PyObject *run(PyObject *self, const struct hashes *h, uint64_t now, bool record) {
    struct object *o = object_of(self);
    guira_status s;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)h->n);
    if (bytes == NULL || !(record ? enter_exclusive(o) : enter_shared(o))) {
        Py_XDECREF(bytes);
        return NULL;
    }
    bool *out = (bool *)PyByteArray_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS s =
        record ? guira_window_seen_hash_many(o->f, h->hash, h->n, now, out) : contains_hashes(o->f, h, now, out);
    Py_END_ALLOW_THREADS if (record) leave_exclusive(o);
    else leave_shared(o);
    if (s == GUIRA_OK) return bytes;
    Py_DECREF(bytes);
    return raise_time(self, s, now);
}

static PyObject *many(PyObject *self, const char *name, PyObject *const *args, Py_ssize_t n, bool record) {
    struct hashes h;
    PyObject *time;
    uint64_t now;
    if (!arguments(name, args, n, &time) || !hashes_get(object_of(self), args[0], &h)) return NULL;
    PyObject *bytes = now_get(object_of(self), time, &now) ? run(self, &h, now, record) : NULL;
    hashes_free(&h);
    return bytes == NULL ? NULL : answers(args[0], bytes);
}

static PyObject *seen_many(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    return many(self, "seen_many", args, n, true);
}

static PyObject *contains_many(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    return many(self, "contains_many", args, n, false);
}

static PyObject *update(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    PyObject *answer = many(self, "update", args, n, true);
    if (answer == NULL) return NULL;
    Py_DECREF(answer);
    Py_RETURN_NONE;
}

/* --------------------------------------------------------------------------------------------------------------- type */

static PyObject *load(PyObject *type, PyObject *path) {
    return load_with((PyTypeObject *)type, &window_calls, path, w_load);
}
static PyObject *from_bytes(PyObject *type, PyObject *bytes) {
    return from_bytes_with((PyTypeObject *)type, &window_calls, bytes);
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

static PyMethodDef methods[] = {
    {"seen", FAST(seen),
     "seen(key, now=None) -> bool\n\nWhether key was seen in the last `length`; records it.\n"
     "now: an int, never smaller than before; None: the time of the last call."},
    {"seen_many", FAST(seen_many), "seen_many(keys, now=None)\n\nOne answer for each key: see Filter.contains_many."},
    {"contains", FAST(contains), "contains(key, now=None) -> bool\n\nLike seen(), but changes nothing."},
    {"contains_many", FAST(contains_many), "contains_many(keys, now=None)\n\nLike seen_many(), but changes nothing."},
    {"add", FAST(add), "add(key, now=None)\n\nRecords key as seen."},
    {"update", FAST(update), "update(keys, now=None)\n\nRecords every key as seen."},
    {"tick", tick, METH_O, "tick(now)\n\nSets the time and removes everything that has expired."},
    {"clear", object_clear, METH_NOARGS, "clear()\n\nRemoves all keys, keeps the time."},
    {"copy", object_copy, METH_NOARGS, "copy()\n\nA second window with the same keys."},
    {"__copy__", object_copy, METH_NOARGS, NULL},
    {"__deepcopy__", object_copy, METH_O, NULL},
    {"__reduce__", object_reduce, METH_NOARGS, NULL},
    {"stats", object_stats, METH_NOARGS, "stats() -> dict\n\nItems, bytes, rate and so on: see guira.h."},
    {"validate", object_validate, METH_NOARGS, "validate()\n\nFormatError if an invariant is broken."},
    {"save", object_save, METH_O, "save(path)\n\nReplaces the file at path, atomically."},
    {"load", load, METH_O | METH_CLASS, "load(path)\n\nThe window that save() wrote."},
    {"to_bytes", object_to_bytes, METH_NOARGS, "to_bytes() -> bytes\n\nWhat save() writes."},
    {"from_bytes", from_bytes, METH_O | METH_CLASS, "from_bytes(bytes)\n\nThe window that to_bytes() wrote."},
    {"close", object_close, METH_NOARGS, "close()\n\nFrees the memory now."},
    {"__enter__", object_enter, METH_NOARGS, NULL},
    {"__exit__", FAST(object_exit), NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {{"now", window_now, NULL, "The time of the last call.", NULL},
                                {"nbytes", object_bytes_held, NULL, "Memory that the window holds.", NULL},
                                {"fpr", object_fpr, NULL, "The false-positive rate to expect right now.", NULL},
                                {"closed", object_closed, NULL, "Whether close() was called.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc,
                               "Window(length, *, fpr=1e-5, slides=False, capacity=0, growth=0, seed=None)\n\n"
                               "Was this key seen in the last `length`? Expired keys are removed by themselves."},
                              {Py_tp_new, window_new},
                              {Py_tp_dealloc, object_dealloc},
                              {Py_tp_repr, object_repr},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getters},
                              {Py_sq_contains, has},
                              {Py_sq_length, object_len},
                              {0, NULL}};

PyType_Spec window_spec = {"guira.Window", sizeof(struct object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};
