"""Memory of freed objects kept for the next ones, for classes that Cython's `freelist` doesn't serve: subclasses.

`reuse_memory(cls)` makes a garbage-collected class, which adds nothing to the size of the others that the same module
gave, take its instances' memory from a list. Python subclasses of it have allocators of their own.
"""

cdef extern from *:
    """
    #include <string.h>

    #define CYGRAD_KEPT 256
    static PyObject *cygrad_kept[CYGRAD_KEPT];      /* guarded by the GIL */
    static int cygrad_kept_count = 0;
    static Py_ssize_t cygrad_kept_size = 0;         /* of each of them */

    static PyObject *cygrad_alloc(PyTypeObject *type, Py_ssize_t items) {
        PyObject *object;
        if (cygrad_kept_count == 0) return PyType_GenericAlloc(type, items);
        object = cygrad_kept[--cygrad_kept_count];
        memset((char *)object + sizeof(PyObject), 0, (size_t)cygrad_kept_size - sizeof(PyObject));
        object = PyObject_Init(object, type);
        PyObject_GC_Track(object);
        return object;
    }

    static void cygrad_free(void *object) {
        if (cygrad_kept_count < CYGRAD_KEPT) cygrad_kept[cygrad_kept_count++] = (PyObject *)object;
        else PyObject_GC_Del(object);
    }

    static void reuse_memory(PyObject *cls) {
    #ifndef Py_GIL_DISABLED
        PyTypeObject *type = (PyTypeObject *)cls;
        if (cygrad_kept_size == 0) cygrad_kept_size = type->tp_basicsize;
        if (type->tp_basicsize == cygrad_kept_size && type->tp_itemsize == 0 && type->tp_free == PyObject_GC_Del) {
            type->tp_alloc = cygrad_alloc;
            type->tp_free = cygrad_free;
        }
    #endif
    }
    """
    void reuse_memory(object cls)

cdef extern from *:
    """
    static PyObject *new_instance(PyObject *cls, PyObject *no_args) {
        return ((PyTypeObject *)cls)->tp_new((PyTypeObject *)cls, no_args, NULL);
    }
    """
    object new_instance(object cls, tuple no_args)      # without `__init__`, and without the cost of calling the class
