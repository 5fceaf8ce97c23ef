/* The module guira._guira: types, exceptions, plan(). All state belongs to the module, so every interpreter has its own. */
#include "binding.h"

static PyObject *plan_row(const guira_plan_row *r) {
    return Py_BuildValue("{ss sI sK sK sd sd sO sO sO}", "kind", r->name, "slot_bits", r->bits, "buckets",
                         (unsigned long long)r->buckets, "bytes", (unsigned long long)r->bytes, "fpr", r->fpr,
                         "bits_per_item", r->bits_per_item, "meets", r->meets ? Py_True : Py_False, "grows",
                         r->grows ? Py_True : Py_False, "removes", r->removes ? Py_True : Py_False);
}

static PyObject *plan(PyObject *self, PyObject *args, PyObject *kw) {
    static char *names[] = {"items", "fpr", "growth", NULL};
    guira_plan_row rows[GUIRA_PLAN_ROWS] = {{.size = sizeof *rows}};
    PyObject *number, *list;
    uint64_t items;
    double fpr, growth = 0;
    size_t smallest;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "Od|d:plan", names, &number, &fpr, &growth)) return NULL;
    if (!u64_get(number, "items", &items)) return NULL;
    if (guira_plan(items, fpr, growth, rows, &smallest) != GUIRA_OK) {
        PyErr_SetString(PyExc_ValueError, "items must be from 1 to 2**48, fpr between 0 and 1, growth 0 or at least 1");
        return NULL;
    }
    list = PyList_New(0);
    for (int i = 0; list != NULL && i < GUIRA_PLAN_ROWS; i++) {
        PyObject *row = plan_row(&rows[i]);
        if (row == NULL || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"plan", (PyCFunction)(void (*)(void))plan, METH_VARARGS | METH_KEYWORDS,
     "plan(items, fpr, growth=0) -> list of dict\n\nWhat each kind of filter costs, with a Bloom filter beside it."},
    {NULL, NULL, 0, NULL}};

/* base: borrowed, NULL: Exception. */
static PyObject *add_exception(PyObject *m, const char *full, const char *name, const char *text, PyObject *base) {
    PyObject *e = PyErr_NewExceptionWithDoc(full, text, base, NULL);
    if (e != NULL && PyModule_AddObjectRef(m, name, e) != 0) Py_CLEAR(e);
    return e;
}

static bool add_exceptions(PyObject *m, struct state *s) {
    s->error = add_exception(m, "guira.Error", "Error", "An operation failed.", NULL);
    if (s->error == NULL) return false;
    s->full_error =
        add_exception(m, "guira.FullError", "FullError", "A filter that does not grow has no room.", s->error);
    s->unsupported_error =
        add_exception(m, "guira.UnsupportedError", "UnsupportedError",
                      "The filter is mapped, and cannot be changed, or its kind cannot do that.", s->error);
    PyObject *both = PyTuple_Pack(2, s->error, PyExc_ValueError);
    if (both == NULL) return false;
    s->format_error =
        add_exception(m, "guira.FormatError", "FormatError", "Not a file of this type, or one that is corrupt.", both);
    Py_DECREF(both);
    return s->full_error != NULL && s->unsupported_error != NULL && s->format_error != NULL;
}

static PyObject *add_type(PyObject *m, PyType_Spec *spec) {
    PyObject *type = PyType_FromModuleAndSpec(m, spec, NULL);
    if (type != NULL && PyModule_AddType(m, (PyTypeObject *)type) != 0) Py_CLEAR(type);
    return type;
}

static int module_exec(PyObject *m) {
    struct state *s = PyModule_GetState(m);
    if (!add_exceptions(m, s)) return -1;
    s->filter_type = add_type(m, &filter_spec);
    s->shared_type = s->filter_type == NULL ? NULL : add_type(m, &shared_spec);
    s->window_type = s->shared_type == NULL ? NULL : add_type(m, &window_spec);
    if (s->window_type == NULL) return -1;
    if (PyModule_AddObjectRef(m, "has_shared", GUIRA_PYTHON_SHARED ? Py_True : Py_False) != 0) return -1;
    return PyModule_AddStringConstant(m, "__version__", guira_version());
}

static int module_traverse(PyObject *m, visitproc visit, void *arg) {
    struct state *s = PyModule_GetState(m);
    Py_VISIT(s->error);
    Py_VISIT(s->full_error);
    Py_VISIT(s->format_error);
    Py_VISIT(s->unsupported_error);
    Py_VISIT(s->filter_type);
    Py_VISIT(s->shared_type);
    Py_VISIT(s->window_type);
    return 0;
}

static int module_clear(PyObject *m) {
    struct state *s = PyModule_GetState(m);
    Py_CLEAR(s->error);
    Py_CLEAR(s->full_error);
    Py_CLEAR(s->format_error);
    Py_CLEAR(s->unsupported_error);
    Py_CLEAR(s->filter_type);
    Py_CLEAR(s->shared_type);
    Py_CLEAR(s->window_type);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "guira._guira", NULL,
                                        sizeof(struct state),  methods,        slots,
                                        module_traverse,       module_clear,   NULL};

PyMODINIT_FUNC PyInit__guira(void) { return PyModuleDef_Init(&definition); }
