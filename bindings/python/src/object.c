/* What all types share: the life of an object, waiting for batches of other threads, exceptions, files. */
#include "binding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------------------------- waiting */

static bool is_open(const struct object *o) {
    if (o->f == NULL) PyErr_SetString(PyExc_ValueError, "the filter was closed");
    return o->f != NULL;
}

/* Waits a little without the GIL. Batches of a million keys take milliseconds, and few threads wait for one another. */
static bool wait_a_little(void) {
    Py_BEGIN_ALLOW_THREADS nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    Py_END_ALLOW_THREADS return PyErr_CheckSignals() == 0;
}

bool enter_shared(struct object *o) {
    while (o->writer || o->waiting > 0)
        if (!wait_a_little()) return false;
    if (!is_open(o)) return false;
    o->readers++;
    return true;
}

bool enter_exclusive(struct object *o) {
    bool go_on = true;
    o->waiting++;
    while (go_on && (o->writer || o->readers > 0)) go_on = wait_a_little();
    o->waiting--;
    if (!go_on || !is_open(o)) return false;
    o->writer = true;
    return true;
}

bool enter_change(struct object *o) { return o->calls->concurrent ? enter_shared(o) : enter_exclusive(o); }
void leave_shared(struct object *o) { o->readers--; }
void leave_exclusive(struct object *o) { o->writer = false; }
void leave_change(struct object *o) {
    if (o->calls->concurrent) leave_shared(o);
    else leave_exclusive(o);
}

bool wait_for_lookup(struct object *o) {
    bool ok = enter_shared(o);
    if (ok) leave_shared(o);
    return ok;
}

bool wait_for_change(struct object *o) {
    bool ok = enter_change(o);
    if (ok) leave_change(o);
    return ok;
}

/* ---------------------------------------------------------------------------------------------------------- exceptions */

static int errno_of(guira_status s) {
    switch (s) {
    case GUIRA_ENOENT: return ENOENT;
    case GUIRA_EACCES: return EACCES;
    case GUIRA_ENOSPC: return ENOSPC;
    case GUIRA_EIO: return EIO;
    default: return 0;
    }
}

static PyObject *exception_of(PyTypeObject *type, guira_status s) {
    const struct state *state = PyType_GetModuleState(type);
    switch (s) {
    case GUIRA_EINVAL:
    case GUIRA_ELIMIT: return PyExc_ValueError;
    case GUIRA_EFULL:
    case GUIRA_EDUPLICATE: return state->full_error;
    case GUIRA_EFORMAT:
    case GUIRA_ECORRUPT: return state->format_error;
    case GUIRA_EUNSUPPORTED: return state->unsupported_error;
    default: return state->error;
    }
}

static PyObject *raise_errno(int code, PyObject *path) {
    PyObject *arguments =
        path == NULL ? Py_BuildValue("(is)", code, strerror(code)) : Py_BuildValue("(isO)", code, strerror(code), path);
    if (arguments != NULL) PyErr_SetObject(PyExc_OSError, arguments); /* becomes FileNotFoundError and so on */
    Py_XDECREF(arguments);
    return NULL;
}

PyObject *raise_status(PyTypeObject *type, guira_status s, PyObject *path) {
    if (s == GUIRA_ENOMEM) return PyErr_NoMemory();
    if (errno_of(s) != 0) return raise_errno(errno_of(s), path);
    if (path == NULL) PyErr_SetString(exception_of(type, s), guira_strerror(s));
    else PyErr_Format(exception_of(type, s), "%S: %s", path, guira_strerror(s));
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- life, basics */

PyObject *object_make(PyTypeObject *type, const struct calls *calls, void *f) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct object *o = object_of(alloc(type, 0));
    if (o == NULL) {
        calls->destroy(f);
        return NULL;
    }
    o->f = f;
    o->calls = calls;
    return (PyObject *)o;
}

/* A thread that runs a call holds a reference, so no batch is running. */
void object_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (object_of(self)->f != NULL) object_of(self)->calls->destroy(object_of(self)->f);
    release(self);
    Py_DECREF(type);
}

PyObject *object_close(PyObject *self, PyObject *none) {
    struct object *o = object_of(self);
    (void)none;
    if (o->f == NULL) Py_RETURN_NONE;
    if (!enter_exclusive(o)) return NULL;
    o->calls->destroy(o->f);
    o->f = NULL;
    leave_exclusive(o);
    Py_RETURN_NONE;
}

PyObject *object_enter(PyObject *self, PyObject *none) {
    (void)none;
    if (!is_open(object_of(self))) return NULL;
    return Py_NewRef(self);
}

PyObject *object_exit(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    (void)args;
    (void)n;
    return object_close(self, NULL);
}

PyObject *object_closed(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(object_of(self)->f == NULL);
}

PyObject *object_clear(PyObject *self, PyObject *none) {
    struct object *o = object_of(self);
    (void)none;
    if (!enter_change(o)) return NULL;
    guira_status s = o->calls->clear(o->f);
    leave_change(o);
    if (s != GUIRA_OK) return raise_status(Py_TYPE(self), s, NULL);
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------------------------------- figures */

static bool stats_get(PyObject *self, guira_stats *out) {
    struct object *o = object_of(self);
    *out = (guira_stats)GUIRA_STATS_INIT;
    if (!enter_shared(o)) return false;
    guira_status s = o->calls->stats(o->f, out);
    leave_shared(o);
    if (s != GUIRA_OK) raise_status(Py_TYPE(self), s, NULL);
    return s == GUIRA_OK;
}

Py_ssize_t object_len(PyObject *self) {
    guira_stats s;
    if (!stats_get(self, &s)) return -1;
    if (s.items <= (uint64_t)INT64_MAX) return (Py_ssize_t)s.items;
    PyErr_SetString(PyExc_OverflowError, "too many items for len(); use stats()");
    return -1;
}

PyObject *object_bytes_held(PyObject *self, void *closure) {
    guira_stats s;
    (void)closure;
    return stats_get(self, &s) ? PyLong_FromUnsignedLongLong(s.bytes) : NULL;
}

PyObject *object_fpr(PyObject *self, void *closure) {
    guira_stats s;
    (void)closure;
    return stats_get(self, &s) ? PyFloat_FromDouble(s.fpr) : NULL;
}

PyObject *object_stats(PyObject *self, PyObject *none) {
    guira_stats s;
    (void)none;
    if (!stats_get(self, &s)) return NULL;
    return Py_BuildValue("{sK sK sK sK sK sK sK sK sK sK sd sd sK sK sd}", "items", s.items, "slots", s.slots,
                         "buckets", s.buckets, "bytes", s.bytes, "stash", s.stash, "elders", s.elders, "kicks", s.kicks,
                         "failures", s.failures, "grows", s.grows, "shrinks", s.shrinks, "load", s.load, "fpr", s.fpr,
                         "evictions", s.evictions, "filters", s.filters, "fpr_kept", s.fpr_kept);
}

PyObject *object_repr(PyObject *self) {
    guira_stats s;
    char rate[32];
    PyObject *name = PyType_GetName(Py_TYPE(self)), *text = NULL;
    if (name == NULL) return NULL;
    if (object_of(self)->f == NULL) {
        text = PyUnicode_FromFormat("<guira.%U, closed>", name);
    } else if (stats_get(self, &s)) {
        PyOS_snprintf(rate, sizeof rate, "%.2g", s.fpr);
        text = PyUnicode_FromFormat("<guira.%U: %llu items, %llu bytes, fpr %s>", name, (unsigned long long)s.items,
                                    (unsigned long long)s.bytes, rate);
    }
    Py_DECREF(name);
    return text;
}

PyObject *object_validate(PyObject *self, PyObject *none) {
    struct object *o = object_of(self);
    const char *reason = NULL;
    guira_status s;
    (void)none;
    if (!enter_change(o)) return NULL;
    Py_BEGIN_ALLOW_THREADS s = o->calls->validate(o->f, &reason);
    Py_END_ALLOW_THREADS leave_change(o);
    if (s == GUIRA_OK) Py_RETURN_NONE;
    if (s == GUIRA_ECORRUPT && reason != NULL) {
        PyErr_SetString(exception_of(Py_TYPE(self), s), reason);
        return NULL;
    }
    return raise_status(Py_TYPE(self), s, NULL);
}

/* --------------------------------------------------------------------------------------------------------------- files */

PyObject *object_save(PyObject *self, PyObject *path) {
    struct object *o = object_of(self);
    PyObject *name;
    guira_status s;
    if (!PyUnicode_FSConverter(path, &name)) return NULL;
    bool entered = enter_shared(o);
    if (entered) {
        const char *text = PyBytes_AsString(name);
        Py_BEGIN_ALLOW_THREADS s = o->calls->save(o->f, text);
        Py_END_ALLOW_THREADS leave_shared(o);
        if (s != GUIRA_OK) raise_status(Py_TYPE(self), s, path);
    }
    Py_DECREF(name);
    if (!entered || s != GUIRA_OK) return NULL;
    Py_RETURN_NONE;
}

PyObject *load_with(PyTypeObject *type, const struct calls *calls, PyObject *path,
                    guira_status (*load)(const char *path, void **out)) {
    PyObject *name;
    void *f;
    guira_status s;
    if (!PyUnicode_FSConverter(path, &name)) return NULL;
    const char *text = PyBytes_AsString(name);
    Py_BEGIN_ALLOW_THREADS s = load(text, &f);
    Py_END_ALLOW_THREADS Py_DECREF(name);
    return s == GUIRA_OK ? object_make(type, calls, f) : raise_status(type, s, path);
}

/* Saved bytes, gathered in memory that does not belong to Python: the GIL is not held. */
struct gathered {
    char *bytes;
    size_t n, room;
};

static bool gather(void *to, const void *bytes, size_t n) {
    struct gathered *g = to;
    if (n > g->room - g->n) {
        size_t room = g->n + n + (g->n + n) / 2;
        char *more = realloc(g->bytes, room);
        if (more == NULL) return false;
        g->bytes = more;
        g->room = room;
    }
    memcpy(g->bytes + g->n, bytes, n);
    g->n += n;
    return true;
}

/* False: an exception is set, and there is nothing to free. */
static bool gather_all(struct object *o, struct gathered *g) {
    guira_status s;
    *g = (struct gathered){NULL, 0, 0};
    if (!enter_shared(o)) return false;
    Py_BEGIN_ALLOW_THREADS s = o->calls->save_to(o->f, gather, g);
    Py_END_ALLOW_THREADS leave_shared(o);
    if (s == GUIRA_OK) return true;
    free(g->bytes);
    raise_status(Py_TYPE((PyObject *)o), s == GUIRA_EIO ? GUIRA_ENOMEM : s, NULL);
    return false;
}

PyObject *object_to_bytes(PyObject *self, PyObject *none) {
    struct gathered g;
    (void)none;
    if (!gather_all(object_of(self), &g)) return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(g.bytes, (Py_ssize_t)g.n);
    free(g.bytes);
    return bytes;
}

static PyObject *from_memory(PyTypeObject *type, const struct calls *calls, const void *bytes, size_t n) {
    void *f;
    guira_status s;
    Py_BEGIN_ALLOW_THREADS s = calls->load_from(bytes, n, &f);
    Py_END_ALLOW_THREADS return s == GUIRA_OK ? object_make(type, calls, f) : raise_status(type, s, NULL);
}

PyObject *from_bytes_with(PyTypeObject *type, const struct calls *calls, PyObject *bytes) {
    Py_buffer v;
    if (PyObject_GetBuffer(bytes, &v, PyBUF_SIMPLE) != 0) return NULL;
    PyObject *o = from_memory(type, calls, v.buf != NULL ? v.buf : "", (size_t)v.len);
    PyBuffer_Release(&v);
    return o;
}

PyObject *object_reduce(PyObject *self, PyObject *none) {
    PyObject *make = attribute((PyObject *)Py_TYPE(self), "from_bytes");
    PyObject *bytes = make == NULL ? NULL : object_to_bytes(self, none);
    PyObject *result = bytes == NULL ? NULL : Py_BuildValue("(O(O))", make, bytes);
    Py_XDECREF(make);
    Py_XDECREF(bytes);
    return result;
}

PyObject *object_copy(PyObject *self, PyObject *none) {
    struct gathered g;
    (void)none;
    if (!gather_all(object_of(self), &g)) return NULL;
    PyObject *copy = from_memory(Py_TYPE(self), object_of(self)->calls, g.bytes, g.n);
    free(g.bytes);
    return copy;
}

PyObject *attribute(PyObject *of, const char *name) {
    PyObject *interned = PyUnicode_InternFromString(name);
    PyObject *value = interned == NULL ? NULL : PyObject_GetAttr(of, interned);
    Py_XDECREF(interned);
    return value;
}

/* ----------------------------------------------------------------------------------------------------------- arguments */

bool seed_get(PyObject *from, uint8_t seed[16]) {
    Py_buffer v;
    if (from == NULL || from == Py_None) return true;
    if (PyObject_GetBuffer(from, &v, PyBUF_SIMPLE) != 0) return false;
    bool ok = v.len == 16;
    if (ok) memcpy(seed, v.buf, 16);
    else PyErr_SetString(PyExc_ValueError, "seed must have 16 bytes");
    PyBuffer_Release(&v);
    return ok;
}

bool u64_get(PyObject *from, const char *what, uint64_t *out) {
    PyObject *number = PyNumber_Index(from);
    if (number == NULL) return false;
    *out = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    if (*out != (uint64_t)-1 || !PyErr_Occurred()) return true;
    PyErr_Format(PyExc_ValueError, "%s must be from 0 to 2**64 - 1", what);
    return false;
}
