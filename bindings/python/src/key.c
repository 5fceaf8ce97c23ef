/* Keys: how a Python object becomes a byte string. The same for single keys, batches and all types.
 *
 *     str                    its UTF-8 bytes
 *     bytes, bytearray, ...  the bytes of any contiguous buffer
 *     int                    8 bytes, little-endian, modulo 2^64; from -2^63 to 2^64 - 1 */
#include "binding.h"

#include <string.h>

static bool key_of_int(PyObject *from, struct key *key) {
    int overflow;
    long long small = PyLong_AsLongLongAndOverflow(from, &overflow);
    if (small == -1 && overflow == 0 && PyErr_Occurred()) return false;
    key->number = (uint64_t)small;
    if (overflow > 0) key->number = PyLong_AsUnsignedLongLong(from);
    if (overflow < 0 || (overflow > 0 && PyErr_Occurred())) {
        PyErr_SetString(PyExc_OverflowError, "an int as a key must be from -2**63 to 2**64 - 1");
        return false;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    key->number = __builtin_bswap64(key->number);
#endif
    key->bytes = &key->number;
    key->len = 8;
    return true;
}

static bool refuse(PyObject *from) {
    PyObject *name = PyType_GetName(Py_TYPE(from));
    if (name != NULL) PyErr_Format(PyExc_TypeError, "a key must be str, bytes or int, not %U", name);
    Py_XDECREF(name);
    return false;
}

/* Numbers of NumPy have a buffer without dimensions. Their bytes are no key: 1.5 would be one, and 1 another. */
static bool key_of_buffer(PyObject *from, struct key *key) {
    if (PyObject_GetBuffer(from, &key->view, PyBUF_ND) != 0) return false;
    if (key->view.ndim == 0) {
        PyBuffer_Release(&key->view);
        return refuse(from);
    }
    key->bytes = key->view.buf;
    key->len = (size_t)key->view.len;
    return true;
}

/* Integers of other types, such as those of NumPy, have __index__; its arrays have it too, but cannot do it. */
static bool key_of_index(PyObject *from, struct key *key) {
    PyObject *number = PyNumber_Index(from);
    if (number == NULL && PyErr_ExceptionMatches(PyExc_TypeError) && PyObject_CheckBuffer(from)) {
        PyErr_Clear();
        return key_of_buffer(from, key);
    }
    if (number == NULL) return false;
    bool ok = key_of_int(number, key);
    Py_DECREF(number);
    return ok;
}

bool key_get(PyObject *from, struct key *key) {
    Py_ssize_t len;
    key->view.obj = NULL;
    if (PyUnicode_Check(from)) {
        key->bytes = PyUnicode_AsUTF8AndSize(from, &len);
        key->len = (size_t)len;
        return key->bytes != NULL;
    }
    if (PyLong_Check(from)) return key_of_int(from, key);
    if (PyIndex_Check(from)) return key_of_index(from, key);
    return PyObject_CheckBuffer(from) ? key_of_buffer(from, key) : refuse(from);
}
