"""`Called`, a type of objects that has a call and nothing else: the part of Module that runs `forward`, in C.

A call of a module in Python makes a tuple and a dict of its arguments, a bound method of `forward` and a frame, before
anything is computed; here `forward` is called with the caller's arguments as they are. It is looked for as Python
would: in the module's own dict, then in its class, by `__getattribute__` where a class has one. Where hooks are, or a
class has a `_call_impl` of its own, that runs. An error goes by way of a function that says which module it came from.

The type is made from slots, not as a `cdef class`: so it adds nothing to its instances, which may derive from any other
class as well, and are copied, pickled and made by `__new__` as objects of plain Python classes are.
"""
import sys

from cpython.object cimport PyObject, PyTypeObject, Py_TYPE
from cpython.ref cimport Py_DECREF, Py_INCREF

cdef extern from *:
    """
    /* What a class has under a name, borrowed; the look-up that Python's own calls of methods do. */
    #define cygrad_of_class(type, name) _PyType_Lookup(type, name)
    #define cygrad_is_function(found) PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR)
    #define cygrad_owned_result(reference) (reference)

    static PyObject *cygrad_callable_type(const char *name, const char *doc, ternaryfunc call) {
        PyType_Slot slots[] = {{Py_tp_call, (void *)call}, {Py_tp_doc, (void *)doc}, {0, NULL}};
        PyType_Spec spec = {name, sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        return PyType_FromSpec(&spec);
    }
    """
    ctypedef PyObject *(*ternaryfunc)(PyObject *, PyObject *, PyObject *)
    PyObject *of_class "cygrad_of_class"(PyTypeObject *, PyObject *)
    bint is_function "cygrad_is_function"(PyObject *)
    object owned "cygrad_owned_result"(PyObject *)         # a new reference; NULL raises the error that is set
    object callable_type "cygrad_callable_type"(const char *, const char *, ternaryfunc)

cdef extern from "Python.h":
    PyObject *PyObject_GenericGetDict(PyObject *, void *)
    PyObject *PyDict_GetItemWithError(PyObject *, PyObject *) noexcept
    void PyErr_Clear()
    void PyErr_Fetch(PyObject **, PyObject **, PyObject **)
    void PyErr_NormalizeException(PyObject **, PyObject **, PyObject **)
    void PyErr_Restore(PyObject *, PyObject *, PyObject *)
    Py_ssize_t PyTuple_GET_SIZE(PyObject *)
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t)
    PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *)
    PyObject *PyObject_VectorcallDict(PyObject *, PyObject *const *, size_t, PyObject *)
    const size_t PY_VECTORCALL_ARGUMENTS_OFFSET

cdef enum:
    FEW = 8             # arguments that are passed on without a tuple

cdef str FORWARD = sys.intern("forward"), IMPLEMENTATION = sys.intern("_call_impl")
cdef str GETATTRIBUTE = sys.intern("__getattribute__")
cdef PyObject *plain_getattribute = <PyObject *>object.__getattribute__
cdef PyObject *plain_implementation = NULL       # Module's `_call_impl`
cdef dict watched = None                         # not empty once there may be hooks
cdef object explain = None
cdef tuple explained_errors = ()


cdef object call(PyObject *self, PyObject *args, PyObject *kwargs):
    """What ``self(*args, **kwargs)`` runs."""
    cdef PyTypeObject *kind = Py_TYPE(<object>self)
    cdef PyObject *arguments[FEW + 2]
    cdef PyObject *function = NULL
    cdef PyObject *found
    cdef object forward = None
    cdef Py_ssize_t i, count = PyTuple_GET_SIZE(args)
    if watched or of_class(kind, <PyObject *>IMPLEMENTATION) != plain_implementation:
        forward = (<object>self)._call_impl
    elif count <= FEW:
        function = plain_forward(self, kind)
    if function is not NULL:
        arguments[1] = self
        for i in range(count):
            arguments[i + 2] = PyTuple_GET_ITEM(args, i)
        forward = <object>function              # kept: the class may change meanwhile
        found = PyObject_VectorcallDict(function, arguments + 1, (count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, kwargs)
    else:
        if forward is None:
            forward = (<object>self).forward
        found = PyObject_Call(<PyObject *>forward, args, kwargs)
    if found is NULL:
        explain_error(<object>self, <object>args, {} if kwargs is NULL else <object>kwargs)
    return owned(found)


cdef PyObject *plain_forward(PyObject *self, PyTypeObject *kind) noexcept:
    """The function that ``self.forward`` would bind, borrowed; NULL where it is something else."""
    cdef PyObject *function = of_class(kind, <PyObject *>FORWARD)
    cdef PyObject *own
    if (function is NULL or not is_function(function)
            or of_class(kind, <PyObject *>GETATTRIBUTE) != plain_getattribute):
        return NULL
    own = PyObject_GenericGetDict(self, NULL)
    if own is NULL:
        PyErr_Clear()
        return NULL
    if PyDict_GetItemWithError(own, <PyObject *>FORWARD) is not NULL:
        function = NULL
    Py_DECREF(<object>own)
    return function


cdef void explain_error(object self, tuple args, dict kwargs) noexcept:
    """Let the error that is set get a note of where it came from; it stays set."""
    cdef PyObject *kind = NULL
    cdef PyObject *error = NULL
    cdef PyObject *traceback = NULL
    PyErr_Fetch(&kind, &error, &traceback)
    PyErr_NormalizeException(&kind, &error, &traceback)
    if error is not NULL and isinstance(<object>error, explained_errors):
        try:
            explain(<object>error, self, args, kwargs)
        except BaseException:       # a module that cannot be described
            pass
    PyErr_Restore(kind, error, traceback)


Called = callable_type(b"cygrad.nn.modules.called.Called", b"The call of a module.", <ternaryfunc>call)


def settle(function, dict hooks not None, tuple errors not None, explanation):
    """Say what Module has, once there is the class.

    Parameters
    ----------
    function : function
        Its `_call_impl`; a class that has another is called by way of that.
    hooks : dict
        Not empty once there may be hooks.
    errors : tuple of type
        Errors to explain.
    explanation : callable
        Is called with the error, the module and its arguments.
    """
    global plain_implementation, watched, explained_errors, explain
    Py_INCREF(function)
    plain_implementation = <PyObject *>function
    watched, explained_errors, explain = hooks, errors, explanation
