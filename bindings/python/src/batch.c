/* Many keys in one call. Keys are hashed first, with the GIL held if they are Python objects; then the library works on
 * the hashes without the GIL. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, SIGNAL_EVERY = 1 << 16 };

/* ------------------------------------------------------------------------------------------------------------ hashing */

static bool room_for(struct hashes *h, size_t n) {
    uint64_t *more = n <= SIZE_MAX / 8 ? (uint64_t *)realloc(h->hash, (n > 0 ? n : 1) * 8) : NULL;
    if (more == NULL) PyErr_NoMemory();
    else h->hash = more;
    return more != NULL;
}

void hashes_free(struct hashes *h) { free(h->hash); }

static bool hash_one(struct object *o, PyObject *from, uint64_t *out) {
    struct key key;
    if (!key_get(from, &key)) return false;
    /* The code of an iterator may have closed it; a batch of another thread may free the tables that hashing reads. */
    bool ok = lookup_is_free(o) || wait_for_lookup(o);
    if (ok) *out = o->calls->hash(o->f, key.bytes, key.len);
    key_done(&key);
    return ok;
}

static bool hashes_of_iterable(struct object *o, PyObject *keys, struct hashes *out) {
    PyObject *items = PyObject_GetIter(keys);
    if (items == NULL) return false;
    Py_ssize_t guess = PyObject_Size(keys);
    if (guess < 0) PyErr_Clear();                                                    /* an iterator has none */
    size_t room = guess < 0 ? CHUNK : guess > 1 << 20 ? 1 << 20 : (size_t)guess + 1; /* it may be wrong */
    bool ok = room_for(out, room);
    for (PyObject *item; ok && (item = PyIter_Next(items)) != NULL; Py_DECREF(item)) {
        if (out->n == room) ok = room_for(out, room *= 2);
        /* Python looks for signals in its own code only, and an iterator written in C may never end. */
        if (ok && out->n % SIGNAL_EVERY == 0) ok = PyErr_CheckSignals() == 0;
        if (ok) ok = hash_one(o, item, &out->hash[out->n]);
        out->n += ok;
    }
    Py_DECREF(items);
    return ok && !PyErr_Occurred();
}

/* Whether the elements are 64-bit integers in the order of this machine, in one piece. */
static bool is_array_of_64_bits(const Py_buffer *v) {
    if (v->ndim != 1 || v->itemsize != 8 || v->format == NULL) return false;
    const char *type = v->format;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const char *own_order = "@=<";
#else
    const char *own_order = "@=>";
#endif
    if (*type != 0 && strchr(own_order, *type) != NULL) type++;
    return strlen(type) == 1 && strchr("qQlLnN", *type) != NULL;
}

/* A number is the key of its eight bytes, the lowest first. */
static void hash_numbers(struct object *o, const uint64_t *from, size_t n, uint64_t *to) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < n; i++) {
        uint64_t key = __builtin_bswap64(from[i]);
        to[i] = o->calls->hash(o->f, &key, 8);
    }
#else
    (void)o->calls->hash_many(o->f, from, 8, n, to); /* no argument is NULL */
#endif
}

static bool hashes_of_array(struct object *o, const Py_buffer *v, struct hashes *out) {
    size_t n = (size_t)v->len / 8;
    if (!room_for(out, n) || !enter_shared(o)) return false;
    Py_BEGIN_ALLOW_THREADS hash_numbers(o, v->buf, n, out->hash);
    Py_END_ALLOW_THREADS leave_shared(o);
    out->n = n;
    return true;
}

/* 1: it is an array, and v is to be released. 0: it is none. -1: an exception is set. */
static int array_get(PyObject *keys, Py_buffer *v) {
    if (PyUnicode_Check(keys) || PyBytes_Check(keys) || PyByteArray_Check(keys)) {
        PyErr_SetString(PyExc_TypeError, "keys must be an iterable of keys or an array of 64-bit integers; "
                                         "this is a single key");
        return -1;
    }
    if (!PyObject_CheckBuffer(keys)) return 0;
    if (PyObject_GetBuffer(keys, v, PyBUF_FORMAT | PyBUF_ND) != 0) {
        PyErr_Clear(); /* not contiguous, or a type that has no buffer: go through it item by item */
        return 0;
    }
    if (is_array_of_64_bits(v)) return 1;
    bool loose = v->ndim != 1;
    PyBuffer_Release(v);
    if (!loose) return 0;
    PyErr_SetString(PyExc_TypeError, "an array of keys must have one dimension");
    return -1;
}

bool hashes_get(struct object *o, PyObject *keys, struct hashes *out) {
    Py_buffer v;
    *out = (struct hashes){NULL, 0};
    int array = array_get(keys, &v);
    if (array < 0) return false;
    bool ok = array > 0 ? hashes_of_array(o, &v, out) : hashes_of_iterable(o, keys, out);
    if (array > 0) PyBuffer_Release(&v);
    if (!ok) hashes_free(out);
    return ok;
}

/* ---------------------------------------------------------------------------------------------------------- operations */

/* NumPy is not needed: if keys is one of its arrays, it is loaded already. */
static PyObject *numpy_of(PyObject *keys) {
    PyObject *name = PyUnicode_InternFromString("numpy");
    PyObject *numpy = name == NULL ? NULL : PyImport_GetModule(name);
    Py_XDECREF(name);
    if (numpy == NULL) return NULL;
    PyObject *type = attribute(numpy, "ndarray");
    int is = type == NULL ? -1 : PyObject_IsInstance(keys, type);
    Py_XDECREF(type);
    if (is > 0) return numpy;
    Py_DECREF(numpy);
    return NULL;
}

PyObject *answers(PyObject *keys, PyObject *bytes) {
    PyObject *numpy = numpy_of(keys), *result = NULL;
    if (numpy != NULL) {
        PyObject *view = attribute(numpy, "frombuffer");
        if (view != NULL) result = PyObject_CallFunction(view, "Os", bytes, "?");
        Py_XDECREF(view);
    } else if (!PyErr_Occurred()) {
        result = PyBytes_FromObject(bytes);
    }
    Py_XDECREF(numpy);
    Py_DECREF(bytes);
    return result;
}

PyObject *batch_contains(struct object *o, PyObject *keys) {
    struct hashes h;
    if (!hashes_get(o, keys, &h)) return NULL;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)h.n);
    if (bytes == NULL || !enter_shared(o)) {
        Py_XDECREF(bytes);
        hashes_free(&h);
        return NULL;
    }
    bool *out = (bool *)PyByteArray_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS o->calls->contains_many(o->f, h.hash, h.n, out);
    Py_END_ALLOW_THREADS leave_shared(o);
    hashes_free(&h);
    return answers(keys, bytes);
}

typedef size_t many_fn(void *f, const uint64_t *hash, size_t n, guira_status *out);

/* How many succeeded; *first is the first failure that is not `harmless`. numbers: NULL, or the keys, which are hashed in parts
 * that stay in the cache: all hashes of a million keys at once took a tenth of the time of inserting them. */
static size_t change_many(struct object *o, many_fn *many, const struct hashes *h, const uint64_t *numbers,
                          guira_status harmless, guira_status *first) {
    guira_status status[CHUNK];
    uint64_t hashed[CHUNK];
    size_t done = 0;
    *first = GUIRA_OK;
    for (size_t i = 0; i < h->n && *first == GUIRA_OK; i += CHUNK) {
        size_t n = h->n - i < CHUNK ? h->n - i : CHUNK;
        if (numbers != NULL) hash_numbers(o, numbers + i, n, hashed);
        size_t some = many(o->f, numbers != NULL ? hashed : h->hash + i, n, status);
        done += some;
        for (size_t j = 0; some < n && j < n && *first == GUIRA_OK; j++)
            if (status[j] != GUIRA_OK && status[j] != harmless) *first = status[j];
    }
    return done;
}

static bool change_hashed(struct object *o, const struct hashes *h, const uint64_t *numbers, many_fn *many,
                          guira_status harmless, size_t *done) {
    guira_status first;
    if (!enter_change(o)) return false;
    Py_BEGIN_ALLOW_THREADS *done = change_many(o, many, h, numbers, harmless, &first);
    Py_END_ALLOW_THREADS leave_change(o);
    if (first != GUIRA_OK) raise_status(Py_TYPE((PyObject *)o), first, NULL);
    return first == GUIRA_OK;
}

static bool change_all(struct object *o, PyObject *keys, many_fn *many, guira_status harmless, size_t *done) {
    Py_buffer v;
    struct hashes h = {NULL, 0};
    int array = array_get(keys, &v);
    if (array < 0) return false;
    if (array > 0) h.n = (size_t)v.len / 8;
    bool ok = (array > 0 || hashes_of_iterable(o, keys, &h)) &&
              change_hashed(o, &h, array > 0 ? (const uint64_t *)v.buf : NULL, many, harmless, done);
    if (array > 0) PyBuffer_Release(&v);
    hashes_free(&h);
    return ok;
}

/* How many keys there will be, if that is certain: __len__ of other types may say anything. */
static size_t known_length(PyObject *keys) {
    Py_buffer v;
    if (PyList_CheckExact(keys) || PyTuple_CheckExact(keys) || PyAnySet_CheckExact(keys) || PyDict_CheckExact(keys))
        return (size_t)PyObject_Size(keys);
    int array = PyObject_CheckBuffer(keys) ? array_get(keys, &v) : 0;
    if (array < 0) PyErr_Clear(); /* it is reported later */
    if (array <= 0) return 0;
    size_t n = (size_t)v.len / 8;
    PyBuffer_Release(&v);
    return n;
}

/* Before the keys are hashed: small filters, which hold less, take 20 ns more for each hash. */
static bool make_room(struct object *o, size_t n) {
    if (n == 0 || o->calls->expect == NULL || !change_is_free(o)) return false;
    return o->calls->expect(o->f, n);
}

PyObject *batch_insert(struct object *o, PyObject *keys) {
    size_t done;
    bool room = make_room(o, known_length(keys));
    bool ok = change_all(o, keys, o->calls->insert_many, GUIRA_OK, &done);
    if (room && change_is_free(o)) o->calls->settle(o->f);
    if (!ok) return NULL;
    Py_RETURN_NONE;
}

PyObject *batch_remove(struct object *o, PyObject *keys) {
    size_t done;
    if (!change_all(o, keys, o->calls->remove_many, GUIRA_ENOTFOUND, &done)) return NULL;
    return PyLong_FromSize_t(done);
}
