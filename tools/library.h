/* The module that stands for a library: it finds, creates and runs the modules that are linked into it.
 *
 * incremental.py writes a C file for each library that defines what is named below and includes this one:
 *   LIBRARY    its name, such as "cygrad._compiled"
 *   INIT       its own initialisation, PyInit__compiled
 *   MODULES    {name, initialisation} of each module in it, sorted by name
 *   KERNELS    {name, function} of each kernel in it: loops for an instruction set, which the function puts into a table
 *
 * Imported, it stands first in sys.meta_path. A module is created when it is imported and not before (PEP 489: its
 * initialisation only returns the definition), and lies in sys.modules like any other; its __file__ is the library's.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    PyObject *(*init)(void);
} entry;

typedef struct {
    PyObject *spec_type, *origin;       /* importlib's ModuleSpec, and the library's path */
} state;

static const entry modules[] = {MODULES};
#define COUNT (sizeof modules / sizeof *modules)

static int compare(const void *name, const void *candidate) {
    return strcmp((const char *)name, ((const entry *)candidate)->name);
}

static const entry *found(const char *name) {
    size_t package = strrchr(LIBRARY, '.') - LIBRARY + 1;
    if (strncmp(name, LIBRARY, package))        /* most imports of a process are of other packages */
        return NULL;
    return (const entry *)bsearch(name, modules, COUNT, sizeof *modules, compare);
}

static PyObject *find_spec(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"fullname", "path", "target", NULL};
    const char *name;
    PyObject *path = NULL, *target = NULL, *positional, *keywords, *spec = NULL;
    state *own = (state *)PyModule_GetState(self);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|OO", names, &name, &path, &target))
        return NULL;
    if (!found(name))
        Py_RETURN_NONE;
    positional = Py_BuildValue("(sO)", name, self);
    keywords = Py_BuildValue("{sO}", "origin", own->origin);
    if (positional && keywords)
        spec = PyObject_Call(own->spec_type, positional, keywords);
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    if (spec && PyObject_SetAttrString(spec, "has_location", Py_True) < 0)
        Py_CLEAR(spec);
    return spec;
}

static PyObject *create_module(PyObject *self, PyObject *spec) {
    PyObject *definition, *module = NULL, *name = PyObject_GetAttrString(spec, "name");
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    const entry *one = text ? found(text) : NULL;
    if (one && (definition = one->init()))
        module = PyModule_FromDefAndSpec((PyModuleDef *)definition, spec);
    else if (text && !PyErr_Occurred())
        PyErr_Format(PyExc_ImportError, "%s has no module %s", LIBRARY, text);
    Py_XDECREF(name);
    return module;
}

static PyObject *exec_module(PyObject *self, PyObject *module) {
    PyModuleDef *definition = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
    if (definition && !PyModule_GetState(module) && PyModule_ExecDef(module, definition) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *names(PyObject *self, PyObject *unused) {
    PyObject *all = PyTuple_New(COUNT);
    for (size_t i = 0; all && i < COUNT; i++) {
        PyObject *name = PyUnicode_FromString(modules[i].name);
        if (!name)
            Py_CLEAR(all);
        else
            PyTuple_SET_ITEM(all, i, name);
    }
    return all;
}

static const struct {
    const char *name;
    void (*install)(void *table);
} all_kernels[] = {KERNELS {NULL, NULL}};

/* Fill a table by a kernel; 0 if the library has none of this name. */
int cygrad_install_kernel(const char *name, void *table) {
    for (size_t i = 0; all_kernels[i].name; i++)
        if (!strcmp(name, all_kernels[i].name)) {
            all_kernels[i].install(table);
            return 1;
        }
    return 0;
}

static PyObject *kernels(PyObject *self, PyObject *unused) {
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all && all_kernels[i].name; i++) {
        PyObject *name = PyUnicode_FromString(all_kernels[i].name);
        if (!name || PyList_Append(all, name) < 0)
            Py_CLEAR(all);
        Py_XDECREF(name);
    }
    return all;
}

static PyObject *get_filename(PyObject *self, PyObject *name) {
    return Py_NewRef(((state *)PyModule_GetState(self))->origin);
}

static PyObject *nothing(PyObject *self, PyObject *name) {
    Py_RETURN_NONE;
}

static PyObject *is_package(PyObject *self, PyObject *name) {
    Py_RETURN_FALSE;
}

static PyMethodDef methods[] = {
    {"find_spec", (PyCFunction)(void (*)(void))find_spec, METH_VARARGS | METH_KEYWORDS,
     "The spec of a module of this library, None for other names."},
    {"create_module", create_module, METH_O, "A new module for a spec."},
    {"exec_module", exec_module, METH_O, "Run a module that was created."},
    {"names", names, METH_NOARGS, "The names of the modules in this library."},
    {"kernels", kernels, METH_NOARGS, "The names of the kernels in this library."},
    {"get_filename", get_filename, METH_O, "The library's path."},
    {"get_code", nothing, METH_O, "None: there is machine code only."},
    {"get_source", nothing, METH_O, "None: there is machine code only."},
    {"is_package", is_package, METH_O, "False."},
    {NULL, NULL, 0, NULL},
};

static int take_place(PyObject *self) {
    state *own = (state *)PyModule_GetState(self);
    PyObject *finders = PySys_GetObject("meta_path"), *spec = PyObject_GetAttrString(self, "__spec__");
    if (!spec)
        return -1;
    own->spec_type = Py_NewRef((PyObject *)Py_TYPE(spec));
    own->origin = PyObject_GetAttrString(spec, "origin");
    Py_DECREF(spec);
    if (!own->origin)
        return -1;
    if (!finders || !PyList_Check(finders)) {
        PyErr_SetString(PyExc_ImportError, "sys.meta_path is no list");
        return -1;
    }
    return PyList_Insert(finders, 0, self);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    state *own = (state *)PyModule_GetState(self);
    Py_VISIT(own->spec_type);
    Py_VISIT(own->origin);
    return 0;
}

static int clear(PyObject *self) {
    state *own = (state *)PyModule_GetState(self);
    Py_CLEAR(own->spec_type);
    Py_CLEAR(own->origin);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)take_place}, {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, LIBRARY, "Modules that are linked together.", sizeof(state),
                                 methods, slots, traverse, clear, NULL};

PyMODINIT_FUNC INIT(void) {
    return PyModuleDef_Init(&definition);
}
