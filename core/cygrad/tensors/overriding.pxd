"""Whether a call is for somebody's `__torch_function__`: asked by ops, operators, methods and getters before they run."""
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE

cdef extern from "Python.h":
    PyTypeObject PyLong_Type, PyFloat_Type

cdef PyTypeObject *tensor_type      # Tensor itself, which overrides nothing
cdef int function_modes             # how many modes of functions are on, in all threads

cdef bint is_overridden(PyObject *value) noexcept
cdef bint mode_here() noexcept
cdef int functions_off(int how) noexcept
cdef object hand_over(object function, tuple values, tuple args, dict kwargs)
cdef object hand_over_named(str name, tuple args)

cdef inline bint overridden(object value) noexcept:
    """Whether a call with this argument goes to its type's `__torch_function__`."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    return (kind != tensor_type and kind != &PyFloat_Type and kind != &PyLong_Type
            and is_overridden(<PyObject *>value))

cdef inline bint is_watched(object tensor) noexcept:
    """Whether a call on a tensor is somebody else's: its type's, or that of a mode of functions."""
    return Py_TYPE(tensor) != tensor_type and is_overridden(<PyObject *>tensor) or function_modes and mode_here()

cdef inline bint pair_is_watched(object x, object y) noexcept:
    """The same of an operator's two operands."""
    return overridden(x) or overridden(y) or function_modes and mode_here()
