"""Freed objects kept whole for the next ones, and dicts that are made when they are needed.

`keep_whole(cls, blank, deep)` makes freed instances of a class wait as objects. `blank` is called with one that nobody
refers to any more, and makes it as it was when new; so neither is memory cleared nor are fields set to None again, and
one call does what the deallocators of the class and of its bases do. `whole_instance` makes an instance, or takes one
of these. Cython's `freelist` keeps bare memory, and of base classes only. `deep` is for classes whose instances may be
chained without end: to free a chain then needs no stack. The classes that a module gives must have the same fields and
the same `blank`. Neither way starts a collection of garbage: before Python 3.12 that ran at once, in the midst of an
op, and what it called (finalizers, `gc.callbacks`) could change the op's operands. Python's next container starts it.

What this relies on, by the headers of CPython 3.10 to 3.14: an object whose count is 0 is nobody's, and may get a count
and a type again as after `tp_alloc`; the collector's header of an untracked object is as when new, but for the mark of
a finalizer, which these classes have none of; objects made at run time are never immortal unless somebody made them so,
and those are never freed; a C variable's own reference counts, also where the interpreter's stack borrows (3.14).
Without a GIL (Py_GIL_DISABLED) counts are biased towards a thread: there nothing is kept.

`lazy_dict(cls, offset)` gives a class a dict for attributes at the pointer `offset` bytes into its instances, which is
made when the first one is set. A module can do this for one class, before it calls `keep_whole`.
"""

from cpython.object cimport PyObject

cdef extern from *:
    """
    #define references(o) Py_REFCNT(o)
    """
    Py_ssize_t references(PyObject *o)          # of a pointer: Cython would hold an object for the call, and count that

cdef extern from *:
    """
    #define CYGRAD_IDLE 256
    static PyObject *cygrad_idle[CYGRAD_IDLE];      /* guarded by the GIL */
    static int cygrad_idle_count = 0;
    static destructor cygrad_destroy = NULL;        /* what Cython made for the classes */
    static void (*cygrad_blank)(PyObject *) = NULL;
    static int cygrad_deep = 0;

    static inline void cygrad_put_away(PyObject *object, PyTypeObject *type) {
        if (type->tp_weaklistoffset > 0 && *(PyObject **)((char *)object + type->tp_weaklistoffset) != NULL)
            PyObject_ClearWeakRefs(object);
        if (cygrad_idle_count < CYGRAD_IDLE) {
            Py_SET_REFCNT(object, 1);               /* `blank` may count it, but not free it */
            cygrad_blank(object);
            Py_SET_REFCNT(object, 0);
        }
        if (cygrad_idle_count < CYGRAD_IDLE) cygrad_idle[cygrad_idle_count++] = object;
        else cygrad_destroy(object);
        if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
    }

    static void cygrad_retire(PyObject *object) {
        PyTypeObject *type = Py_TYPE(object);
        if (type->tp_dealloc != cygrad_retire) {    /* an instance of a subclass, whose own deallocator called */
            cygrad_destroy(object);
            return;
        }
        if (PyType_IS_GC(type)) PyObject_GC_UnTrack(object);
        if (!cygrad_deep) {
            cygrad_put_away(object, type);
            return;
        }
        Py_TRASHCAN_BEGIN(object, cygrad_retire)
        cygrad_put_away(object, type);
        Py_TRASHCAN_END
    }

    static void keep_whole(PyObject *cls, void *blank, int deep) {
    #ifndef Py_GIL_DISABLED
        PyTypeObject *type = (PyTypeObject *)cls, *base = type;
        while (base->tp_flags & Py_TPFLAGS_HEAPTYPE && base->tp_base != NULL) base = base->tp_base;
        if (cygrad_destroy == NULL) {
            cygrad_destroy = base->tp_dealloc;
            cygrad_blank = (void (*)(PyObject *))blank;
            cygrad_deep = deep;
        }
        /* CPython puts a dict or list of weak references that a subclass adds before the object, not into its size. */
        if (base->tp_dealloc == cygrad_destroy && type->tp_basicsize == base->tp_basicsize
                && type->tp_dictoffset == base->tp_dictoffset && type->tp_weaklistoffset == base->tp_weaklistoffset)
            type->tp_dealloc = cygrad_retire;
    #endif
    }

    static PyObject *whole_instance(PyObject *cls, PyObject *no_args) {
        PyTypeObject *type = (PyTypeObject *)cls;
        PyObject *object;
        if (cygrad_idle_count == 0 || type->tp_dealloc != cygrad_retire) {
            int collects = PyGC_Disable();
            object = type->tp_new(type, no_args, NULL);
            if (collects) PyGC_Enable();
            return object;
        }
        object = cygrad_idle[--cygrad_idle_count];
    #if defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS)
        PyObject_Init(object, type);
    #else
        Py_SET_TYPE(object, type);
        Py_SET_REFCNT(object, 1);
        if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_INCREF(type);
    #endif
        if (PyType_IS_GC(type)) PyObject_GC_Track(object);
        return object;
    }
    """
    void keep_whole(object cls, void *blank, bint deep)
    object whole_instance(object cls, tuple no_args)    # without `__init__`

cdef extern from *:
    """
    /* A dict for users' attributes that is made when the first one is set; Cython's `cdef dict __dict__` is made with
       the object, which takes as long as a small op. */
    static Py_ssize_t cygrad_attributes;                /* where in an object the pointer to the dict is */
    static traverseproc cygrad_base_traverse;
    static inquiry cygrad_base_clear;
    static destructor cygrad_base_dealloc;
    #define CYGRAD_ATTRIBUTES(o) (*(PyObject **)((char *)(o) + cygrad_attributes))

    static int cygrad_traverse(PyObject *o, visitproc visit, void *arg) {
        Py_VISIT(CYGRAD_ATTRIBUTES(o));
        return cygrad_base_traverse(o, visit, arg);
    }
    static int cygrad_clear(PyObject *o) {
        Py_CLEAR(CYGRAD_ATTRIBUTES(o));
        return cygrad_base_clear(o);
    }
    static void cygrad_dealloc(PyObject *o) {
        if (CYGRAD_ATTRIBUTES(o) != NULL) {
            PyObject_GC_UnTrack(o);
            PyObject_ClearWeakRefs(o);
            Py_CLEAR(CYGRAD_ATTRIBUTES(o));
        }
        cygrad_base_dealloc(o);
    }
    static void lazy_dict(PyObject *cls, Py_ssize_t offset) {
        PyTypeObject *type = (PyTypeObject *)cls;
        cygrad_attributes = type->tp_dictoffset = offset;
        cygrad_base_traverse = type->tp_traverse;
        cygrad_base_clear = type->tp_clear;
        cygrad_base_dealloc = type->tp_dealloc;
        type->tp_traverse = cygrad_traverse;
        type->tp_clear = cygrad_clear;
        type->tp_dealloc = cygrad_dealloc;
        PyType_Modified(type);
    }
    """
    void lazy_dict(object cls, Py_ssize_t offset)
    object PyObject_GenericGetDict(object, void *)      # for its property `__dict__`
