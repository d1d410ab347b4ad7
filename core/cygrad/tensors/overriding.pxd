"""Whether a call is for somebody's `__torch_function__`: ops, operators, methods and getters ask before they run."""
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE

cdef extern from "Python.h":
    PyTypeObject PyLong_Type, PyFloat_Type

cdef extern from *:
    """
    /* So that the compiler lays out the usual way straight. */
    #if defined(__GNUC__)
    #define cygrad_rarely(condition) __builtin_expect(!!(condition), 0)
    #else
    #define cygrad_rarely(condition) (condition)
    #endif
    """
    bint cygrad_rarely(bint) noexcept

cdef PyTypeObject *tensor_type      # Tensor itself, which overrides nothing
cdef PyTypeObject *keeping_type     # whose instances' properties are plain tensors' (`keeps_type`)
cdef int function_modes             # how many modes of functions are on, in all threads

cdef bint is_overridden(PyObject *value) noexcept
cdef bint mode_here() noexcept
cdef bint watched(PyObject *tensor) noexcept
cdef bint pair_watched(PyObject *x, PyObject *y) noexcept
cdef int functions_off(int how) noexcept
cdef object hand_over(object function, tuple values, tuple args, dict kwargs)
cdef object hand_over_named(str name, tuple args)
cdef object hand_over_pair(int operator, object x, object y)
cdef object hand_over_inplace(int operator, object x, object y)
cdef object hand_over_key(object tensor, object key)
cdef object hand_over_method(str name, object tensor)

cdef inline bint overridden(object value) noexcept:
    """Whether a call with this argument goes to its type's `__torch_function__`."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    return (kind != tensor_type and kind != &PyFloat_Type and kind != &PyLong_Type
            and is_overridden(<PyObject *>value))

cdef inline bint is_usual(object value) noexcept:
    """Whether an operand is exactly a Tensor or one of Python's commonest numbers."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    return kind == tensor_type or kind == &PyFloat_Type or kind == &PyLong_Type

cdef inline bint is_watched(object tensor) noexcept:
    """Whether a call on a tensor is somebody else's: its type's, or that of a mode of functions."""
    return cygrad_rarely(Py_TYPE(tensor) != tensor_type or function_modes) and watched(<PyObject *>tensor)

cdef inline bint has_operators(object tensor) noexcept:
    """Whether a tensor's operators may be others than Tensor's, by which formulas are written."""
    return cygrad_rarely(Py_TYPE(tensor) == keeping_type)

cdef inline bint getter_is_watched(object tensor) noexcept:
    """The same of one of its properties."""
    return is_watched(tensor) and (Py_TYPE(tensor) != keeping_type or function_modes)

cdef inline bint pair_is_watched(object x, object y) noexcept:
    """The same of an operator's two operands."""
    return (cygrad_rarely(not is_usual(x) or not is_usual(y) or function_modes)
            and pair_watched(<PyObject *>x, <PyObject *>y))
