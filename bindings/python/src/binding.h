/* The Python extension guira._guira. It uses the public headers and the stable ABI of Python 3.11, the first that has the
 * buffer protocol.
 *
 *     module.c   the module, its exceptions, plan()         batch.c    many keys: from iterables and arrays
 *     key.c      str, bytes and int to a key                object.c   life of an object, files, what all types share
 *     filter.c   Filter and SharedFilter                    window.c   Window
 *
 * Filter, SharedFilter and Window are one struct: a pointer to what the library made, and a table of functions
 * (struct calls). The types cannot be subclassed, so the type of an object says all about it.
 *
 * THREADS. The GIL protects an object, except while a batch, a file or a union runs, which release the GIL. `readers` and
 * `writer` say which of these are running; they change only with the GIL held. A call that must not run beside them
 * waits, without the GIL, until they have ended: see enter_shared and enter_exclusive. No Python code runs in between, so
 * this cannot deadlock. */
#ifndef GUIRA_PYTHON_BINDING_H
#define GUIRA_PYTHON_BINDING_H

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "guira.h"
#include "guira_window.h"

/* What an object can do. NULL: its type cannot. Every `f` is what the library made. */
struct calls {
    void (*destroy)(void *f);
    uint64_t (*hash)(const void *f, const void *key, size_t len);
    guira_status (*hash_many)(const void *f, const void *keys, size_t size, size_t n, uint64_t *out);
    bool (*contains)(const void *f, const void *key, size_t len);
    guira_status (*insert)(void *f, const void *key, size_t len);
    guira_status (*insert_unique)(void *f, const void *key, size_t len);
    guira_status (*remove)(void *f, const void *key, size_t len);
    uint64_t (*count)(const void *f, const void *key, size_t len);
    size_t (*contains_many)(const void *f, const uint64_t *hash, size_t n, bool *out);
    size_t (*insert_many)(void *f, const uint64_t *hash, size_t n, guira_status *out);
    size_t (*remove_many)(void *f, const uint64_t *hash, size_t n, guira_status *out);
    guira_status (*reserve)(void *f, uint64_t items);
    bool (*expect)(void *f,
                   size_t more); /* before so many insertions; true: it made room. NULL: the type does without */
    void (*settle)(void *f);     /* after them, if it did */
    guira_status (*shrink_to_fit)(void *f);
    guira_status (*clear)(void *f);
    guira_status (*merge)(void *into, const void *from);
    guira_status (*unite)(void *into, const void *from);
    guira_status (*stats)(const void *f, guira_stats *out);
    guira_status (*validate)(const void *f, const char **reason);
    guira_status (*save)(const void *f, const char *path);
    guira_status (*load)(const char *path, void **out);
    guira_status (*save_to)(const void *f, guira_write_fn *write, void *to);
    guira_status (*load_from)(const void *bytes, size_t n, void **out);
    bool concurrent; /* changes may run beside lookups and other changes */
};

struct object {
    PyObject_HEAD void *f; /* NULL: closed */
    const struct calls *calls;
    unsigned readers; /* calls without the GIL that only need the object to stay */
    bool writer;      /* a call without the GIL that needs it alone */
    unsigned waiting; /* calls that wait to be the writer; new readers let them go first */
};

struct state {
    PyObject *error, *full_error, *format_error, *unsupported_error;
    PyObject *filter_type, *shared_type, *window_type;
};

/* --------------------------------------------------------------------------------------------------------------- key.c */

struct key {
    const void *bytes;
    size_t len;
    uint64_t number; /* where the bytes of an int are */
    Py_buffer view;  /* view.obj != NULL: to be released */
};

/* False: an exception is set. key_done() releases what key_get has taken. */
bool key_get(PyObject *from, struct key *key);

static inline void key_done(struct key *key) {
    if (key->view.obj != NULL) PyBuffer_Release(&key->view);
}

/* ------------------------------------------------------------------------------------------------------------- batch.c */

/* Hashes of many keys, in memory of its own. */
struct hashes {
    uint64_t *hash;
    size_t n;
};

/* keys: a one-dimensional array of 64-bit integers, or any iterable of keys. False: an exception is set. Afterwards the
 * object may have been closed by the code of an iterator. */
bool hashes_get(struct object *o, PyObject *keys, struct hashes *out);
void hashes_free(struct hashes *h);

PyObject *batch_contains(struct object *o, PyObject *keys);
PyObject *batch_insert(struct object *o, PyObject *keys);
PyObject *batch_remove(struct object *o, PyObject *keys);

/* The answers as a NumPy array of bool if keys is a NumPy array, else as bytes. Takes the reference to `bytes`, a
 * bytearray. */
PyObject *answers(PyObject *keys, PyObject *bytes);

/* ------------------------------------------------------------------------------------------------------------ object.c */

/* Between entering and leaving, the GIL may be released. False: closed, or interrupted by a signal; an exception is set. */
bool enter_shared(struct object *o);
bool enter_exclusive(struct object *o);
bool enter_change(struct object *o); /* shared if the type allows changes from several threads */
void leave_shared(struct object *o);
void leave_exclusive(struct object *o);
void leave_change(struct object *o);

/* The slow part of a call that keeps the GIL: waits for a batch of another thread. False: as above. */
bool wait_for_lookup(struct object *o);
bool wait_for_change(struct object *o);

/* Sets the exception of a status other than OK, and returns NULL. path: NULL, or the file it is about. */
PyObject *raise_status(PyTypeObject *type, guira_status s, PyObject *path);

/* A new object of the type that owns f, which is destroyed if there is no memory. */
PyObject *object_make(PyTypeObject *type, const struct calls *calls, void *f);
void object_dealloc(PyObject *self);

PyObject *object_close(PyObject *self, PyObject *none);
PyObject *object_enter(PyObject *self, PyObject *none);
PyObject *object_exit(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *object_save(PyObject *self, PyObject *path);
PyObject *object_to_bytes(PyObject *self, PyObject *none);
PyObject *object_reduce(PyObject *self, PyObject *none);
PyObject *object_copy(PyObject *self, PyObject *none); /* also __deepcopy__ */
PyObject *object_stats(PyObject *self, PyObject *none);
PyObject *object_validate(PyObject *self, PyObject *none);
PyObject *object_clear(PyObject *self, PyObject *none);
PyObject *object_repr(PyObject *self);
Py_ssize_t object_len(PyObject *self);
PyObject *object_bytes_held(PyObject *self, void *closure);
PyObject *object_fpr(PyObject *self, void *closure);
PyObject *object_closed(PyObject *self, void *closure);

/* load and from_bytes, for the functions of one type. */
PyObject *load_with(PyTypeObject *type, const struct calls *calls, PyObject *path,
                    guira_status (*load)(const char *path, void **out));
PyObject *from_bytes_with(PyTypeObject *type, const struct calls *calls, PyObject *bytes);

/* As PyObject_GetAttrString, with an interned name: Python's cache of attributes keeps every other name for long. */
PyObject *attribute(PyObject *of, const char *name);

/* A seed argument: None or 16 bytes. False: an exception is set. */
bool seed_get(PyObject *from, uint8_t seed[16]);

/* A number of items or a time: an int in 0 .. 2^64-1. False: an exception is set. */
bool u64_get(PyObject *from, const char *what, uint64_t *out);

static inline struct object *object_of(PyObject *self) { return (struct object *)(void *)self; }

/* Whether a single lookup, or a single change, may run at once: the GIL is held, and no batch is in the way. */
static inline bool lookup_is_free(const struct object *o) { return o->f != NULL && !o->writer; }
static inline bool change_is_free(const struct object *o) {
    return o->f != NULL && !o->writer && (o->readers == 0 || o->calls->concurrent);
}

/* -------------------------------------------------------------------------------------------------- filter.c, window.c */

extern PyType_Spec filter_spec, shared_spec, window_spec;

#endif
