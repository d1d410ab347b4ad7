# distutils: extra_compile_args = -Os
"""The protocol of `__torch_function__`: which calls are handed to a type's or a mode's own function, and how.

A type overrides ops if it has `__torch_function__` and is not Tensor itself; Parameter and others say by
`disabled_torch_function` that they don't. Ops ask where they look at the types of their arguments anyway: of an object
that is exactly a Tensor, a number or another of Python's own types nothing more is asked. Modes (`TorchFunctionMode`)
are counted in one variable of all threads, each thread has its own stack of them.

What Tensor's own `__torch_function__` does (`as_subclass_too`) is what subclasses inherit: the op runs as on plain
tensors, and its results become instances of the subclass. `called_keeping` does the same at less cost, for a subclass
that adds no fields and wants no node of its own in the graph.
"""
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

from cygrad.tensors.operators cimport NEG

import functools
from _thread import get_ident

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define CYGRAD_THREAD_LOCAL __declspec(thread)
    #else
    #define CYGRAD_THREAD_LOCAL __thread
    #endif
    static CYGRAD_THREAD_LOCAL int cygrad_functions_off = 0;     /* 1: those of types; 2: those of modes, too */
    static PyObject *cygrad_protocol = NULL;                     /* "__torch_function__" */

    static PyTypeObject *cygrad_last = NULL;                     /* the last type that was asked for, as it was then */
    static unsigned int cygrad_last_version = 0;
    static PyObject *cygrad_last_found = NULL;

    /* A type's function, borrowed; NULL where there is none. Parameters ask often, one after the other. */
    static PyObject *cygrad_protocol_of(PyObject *object) {
        PyTypeObject *type = Py_TYPE(object);
        if (type != cygrad_last || type->tp_version_tag != cygrad_last_version || cygrad_last_version == 0) {
            cygrad_last_found = _PyType_Lookup(type, cygrad_protocol);
            cygrad_last = type;
            cygrad_last_version = type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG ? type->tp_version_tag : 0;
        }
        return cygrad_last_found;
    }
    """
    int cygrad_functions_off
    PyObject *cygrad_protocol
    PyObject *cygrad_protocol_of(PyObject *) noexcept

cdef str PROTOCOL = "__torch_function__"
cygrad_protocol = <PyObject *>PROTOCOL
cdef dict stacks = {}               # a thread's number: its modes, the innermost last
cdef object without_wrapping = None


class _Disabled:
    """What a type has as its `__torch_function__` that wants to be taken for a plain tensor."""

    def __call__(self, func, types, args=(), kwargs=None):
        before = set_functions_off(1)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            set_functions_off(before)

    def __repr__(self):
        return "<built-in function _disabled_torch_function_impl>"

    def __reduce__(self):
        return "disabled_torch_function"


disabled_torch_function = _Disabled()
cdef PyObject *disabled = <PyObject *>disabled_torch_function


# ------------------------------------------------------------------------- questions

cdef bint is_overridden(PyObject *value) noexcept:
    """The same as `overridden`, of an object that is not exactly a Tensor."""
    if cygrad_functions_off:
        return False
    cdef PyObject *found = cygrad_protocol_of(value)
    return found != NULL and found != disabled


cdef bint mode_here() noexcept:
    """Whether this thread is in a mode of functions."""
    if cygrad_functions_off == 2:
        return False
    return bool(stacks.get(get_ident()))


cdef bint watched(PyObject *tensor) noexcept:
    """The same as `is_watched`, where it is not known at once."""
    return tensor.ob_type != tensor_type and is_overridden(tensor) or function_modes and mode_here()


cdef bint pair_watched(PyObject *x, PyObject *y) noexcept:
    """The same as `pair_is_watched`, where it is not known at once."""
    return (x.ob_type != tensor_type and is_overridden(x) or y.ob_type != tensor_type and is_overridden(y)
            or function_modes and mode_here())


cdef int functions_off(int how) noexcept:
    """Set which functions this thread calls no more (0: none, 1: those of types, 2: all); returns what was set."""
    global cygrad_functions_off
    cdef int before = cygrad_functions_off
    cygrad_functions_off = how
    return before


def set_functions_off(int how):
    """Set which functions this thread calls no more (0: none, 1: those of types, 2: all); returns what was set."""
    return functions_off(how)


def functions_are_off():
    """Which functions this thread doesn't call: 0, 1 or 2, as above."""
    return <int>cygrad_functions_off


class DisableTorchFunctionSubclass:
    """In a `with` block of this thread no call goes to `__torch_function__` of a type; modes go on."""

    _off = 1

    def __enter__(self):
        self._before = set_functions_off(max(self._off, functions_are_off()))

    def __exit__(self, *error):
        set_functions_off(self._before)


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """In a `with` block of this thread no call goes to `__torch_function__`, neither of a type nor of a mode."""

    _off = 2


def any_overridden(values):
    """Whether a call with these arguments is somebody else's: of one's type, or of a mode."""
    if function_modes and mode_here():
        return True
    for value in values:
        if overridden(value):
            return True
    return False


def any_in_call(tuple args, dict kwargs):
    """The same of a call's arguments, and of what is in lists and tuples among them."""
    if function_modes and mode_here():
        return True
    return overridden_among(args) or (kwargs and overridden_among(kwargs.values()))


cdef bint overridden_among(object values) except -1:
    for value in values:
        if (any_overridden(value) if type(value) is tuple or type(value) is list else overridden(value)):
            return True
    return False


cdef list overriding(values):
    """Those of the arguments whose types override, one of each type, subclasses before their bases."""
    found = []
    for value in values:
        if not overridden(value) or any([type(each) is type(value) for each in found]):
            continue
        for i in range(len(found)):
            if issubclass(type(value), type(found[i])):
                found.insert(i, value)
                break
        else:
            found.append(value)
    return found


def overriding_arguments(values):
    """Those of the arguments whose types override, one of each type, subclasses before their bases."""
    return overriding(values)


def flattened(args, kwargs):
    """The arguments of a call, and what is in its lists and tuples: where overriding types are looked for."""
    cdef list found = []
    for value in (*args, *kwargs.values()) if kwargs else args:
        if type(value) is tuple or type(value) is list:
            found.extend(value)
        else:
            found.append(value)
    return found


# ---------------------------------------------------------------------------- modes

def modes_here():
    """This thread's stack of modes; the innermost is the last."""
    return stacks.setdefault(get_ident(), [])


def push_mode(mode):
    """Enter a mode."""
    global function_modes
    from cygrad.autograd.modes import count_interceptions      # knot: its package needs Tensor, which needs this module
    modes_here().append(mode)
    function_modes += 1
    count_interceptions(1)


def pop_mode():
    """Leave the innermost mode, and return it."""
    global function_modes
    from cygrad.autograd.modes import count_interceptions      # knot: its package needs Tensor, which needs this module
    mode = modes_here().pop()
    function_modes -= 1
    count_interceptions(-1)
    if not modes_here():
        del stacks[get_ident()]
    return mode


# ---------------------------------------------------------------------------- calls

cdef object hand_over(object function, tuple values, tuple args, dict kwargs):
    """The call ``function(*args, **kwargs)`` by a mode's function or by those of the types among `values`."""
    cdef list found = overriding(values)
    types = tuple([type(value) for value in found])
    arguments = (function, types, args, kwargs) if kwargs else (function, types, args)
    if function_modes and mode_here():
        mode = pop_mode()           # inside its function, calls are the next one's
        try:
            result = mode.__torch_function__(*arguments)
        finally:
            push_mode(mode)
        if result is not NotImplemented:
            return result
    for value in found:
        result = value.__torch_function__(*arguments)
        if result is not NotImplemented:
            return result
    raise TypeError(f"Multiple dispatch failed for '{full_name(function)}'; all __torch_function__ handlers returned "
                    "NotImplemented:\n\n" + "".join([f"  - tensor subclass {kind}\n" for kind in types])
                    + "\nFor more information, try re-running with TORCH_LOGS=not_implemented")


def hand_over_call(function, args, kwargs):
    """The call of a function by a mode's function, or by those of the types of its arguments."""
    return hand_over(function, tuple(flattened(args, kwargs)), args, kwargs)


cdef object hand_over_named(str name, tuple args):
    """A call of the method or, with ".__get__" behind its name, of the getter of Tensor."""
    name, _, part = name.partition(".")
    function = getattr(<object><PyObject *>tensor_type, name)
    return hand_over(getattr(function, part) if part else function, args, args, None)


cdef object hand_over_key(object tensor, object key):
    """``tensor[key]``."""
    return hand_over_named("__getitem__", (tensor, key))


cdef object hand_over_method(str name, object tensor):
    """A call of a method of Tensor without arguments."""
    return hand_over_named(name, (tensor,))


# By which methods calls of `__torch_function__` know the operators: as PyTorch names them.
cdef tuple METHODS = ("add", "sub", "mul", "div", "__floordiv__", "remainder", "__and__", "__or__", "__xor__",
                      "__lshift__", "__rshift__", "lt", "le", "__eq__", "ne", "gt", "ge", "neg", "abs", "__invert__")
cdef tuple REVERSED = ("add", "__rsub__", "mul", "__rdiv__", "__rfloordiv__", "__rmod__", "__rand__", "__ror__",
                       "__rxor__", "__rlshift__", "__rrshift__")
cdef tuple IN_PLACE = ("add_", "sub_", "mul_", "__idiv__", "floor_divide_", "remainder_", "__iand__", "__ior__",
                       "__ixor__", "__ilshift__", "__irshift__")


cdef object hand_over_pair(int operator, object x, object y):
    """An operator that an operand's type, or a mode, has its own way to do; x may be what stands left of a tensor."""
    try:
        if isinstance(x, <object><PyObject *>tensor_type):
            return hand_over_named(METHODS[operator], (x,) if y is None and operator >= NEG else (x, y))
        return hand_over_named(REVERSED[operator], (y, x))
    except TypeError:
        return NotImplemented


cdef object hand_over_inplace(int operator, object x, object y):
    """The same of an operator that writes into x."""
    return hand_over_named(IN_PLACE[operator], (x, y))


def overridable(method):
    """Decorator: a method of Tensor that is no op, but may be overridden, too."""
    @functools.wraps(method)
    def asking(self, *args, **kwargs):
        if is_watched(self):
            return hand_over(asking, (self,), (self, *args), kwargs or None)
        return method(self, *args, **kwargs)
    return asking


cdef str full_name(function):
    name = getattr(function, "__name__", repr(function))
    method = getattr(function, "method", type(function).__name__ == "method_descriptor")
    return f"torch._C.TensorBase.{name}" if method else f"torch.{name}"


def as_subclass_too(cls, func, types, args, kwargs):
    """What Tensor's `__torch_function__` does: the op on plain tensors, its results made instances of `cls`."""
    global without_wrapping
    for kind in types:
        if not issubclass(cls, kind):
            return NotImplemented
    if without_wrapping is None:
        without_wrapping = [getattr(<object><PyObject *>tensor_type, name).__get__ for name in ("_base", "grad")]
    before = functions_off(1)
    try:
        found = func(*args, **kwargs) if kwargs else func(*args)
        return found if func in without_wrapping else converted(found, cls)
    finally:
        functions_off(before)


cdef object converted(object found, cls):
    """A result with its tensors as instances of a subclass: also those in tuples and lists."""
    if <PyTypeObject *>cls == tensor_type:
        return found
    if isinstance(found, <object><PyObject *>tensor_type):
        return found if isinstance(found, cls) else found.as_subclass(cls)
    if isinstance(found, (tuple, list)):
        return type(found)([converted(each, cls) for each in found])
    return found


# ------------------------------------------------------------ results of a subclass without fields

cdef extern from "Python.h":
    void Py_SET_TYPE(PyObject *, PyTypeObject *)
    Py_ssize_t Py_REFCNT(PyObject *)        # of a pointer, which counts nothing itself


def keeps_type(cls):
    """Decorator of a subclass without fields (`__slots__ = ()`): its instances' properties are plain tensors'."""
    global keeping_type
    if (<PyTypeObject *>cls).tp_basicsize != tensor_type.tp_basicsize or keeping_type != NULL:
        raise TypeError(f"{cls.__name__} has fields of its own, or another type keeps itself already")
    Py_INCREF(cls)
    keeping_type = <PyTypeObject *>cls
    return cls


def called_keeping(cls, function, tuple args, dict kwargs):
    """The call of a function as on plain tensors, those of its results that are such made instances of `cls`.

    A tensor that nobody else holds becomes one where it lies, of another it's a view. With an argument of a third type
    that overrides, the function runs as it is called.
    """
    cdef int before = cygrad_functions_off, off = before or 1
    cdef PyObject *each
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(args)):
        each = <PyObject *>PyTuple_GET_ITEM(args, i)
        if each.ob_type != tensor_type and each.ob_type != <PyTypeObject *>cls and is_overridden(each):
            off = before
    functions_off(off)
    try:
        found = function(*args, **kwargs) if kwargs else function(*args)
        return kept(<PyObject *>found, cls)
    finally:
        functions_off(before)


cdef object kept(PyObject *found, cls):
    """A result, which the caller holds once: a tensor, or tensors in a tuple or list."""
    cdef PyObject *each
    cdef Py_ssize_t i
    if found.ob_type == tensor_type:
        if Py_REFCNT(found) > 1:
            return (<object>found).as_subclass(cls)
        Py_INCREF(cls)                      # its instances count it; Tensor's don't
        Py_SET_TYPE(found, <PyTypeObject *>cls)
    elif isinstance(<object>found, tuple) and Py_REFCNT(found) == 1:
        for i in range(PyTuple_GET_SIZE(<tuple>found)):
            each = <PyObject *>PyTuple_GET_ITEM(<tuple>found, i)
            if each.ob_type == tensor_type and Py_REFCNT(each) == 1:
                Py_INCREF(cls)
                Py_SET_TYPE(each, <PyTypeObject *>cls)
            elif each.ob_type == tensor_type or isinstance(<object>each, (tuple, list)):
                return converted(<object>found, cls)
    elif isinstance(<object>found, (tuple, list)):
        return converted(<object>found, cls)
    return <object>found
