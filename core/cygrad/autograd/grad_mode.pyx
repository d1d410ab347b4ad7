# distutils: extra_compile_args = -Os
"""Switches of gradient recording: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

Each is a context manager and a decorator over the thread's flags in `modes`, and an extension type, so that a `with`
block costs three calls of C. Nothing here knows of tensors.
"""

import threading

cimport cython

from cygrad.autograd.forward_levels cimport without_reverse
from cygrad.autograd.modes cimport enter_inference, inference_enabled, set_grad_enabled as set_mode

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_multithreading_enabled"]

cdef extern from *:
    """
    /* `Class(function)` decorates the function with `Class()`: then the call makes no instance of the class. */
    static newfunc cygrad_make_instance;

    static PyObject *cygrad_make_or_decorate(PyTypeObject *type, PyObject *args, PyObject *keywords) {
        PyObject *function = Py_None, *context, *made, *name;
        int takes_mode = type->tp_init != PyBaseObject_Type.tp_init;
        Py_ssize_t at = 0, count = PyTuple_GET_SIZE(args), words = keywords == NULL ? 0 : PyDict_GET_SIZE(keywords);
        if (count == 1 && words == 0) function = PyTuple_GET_ITEM(args, 0);
        else if (count == 0 && words == 1) {
            function = PyDict_GetItemString(keywords, takes_mode ? "mode" : "orig_func");
            if (function == NULL) function = Py_None;
        }
        if ((function == Py_None && !(takes_mode && count == 1)) || PyBool_Check(function)) {
            if (takes_mode || count + words == 0) return cygrad_make_instance(type, args, keywords);
            if (words != 0) {
                PyDict_Next(keywords, &at, &name, NULL);
                PyErr_Format(PyExc_TypeError, "%s.__new__() got an unexpected keyword argument %R",
                             strrchr(type->tp_name, '.') + 1, name);
            } else if (count == 1)
                PyErr_Format(PyExc_TypeError, "%s.__init__() takes 1 positional argument but 2 were given",
                             strrchr(type->tp_name, '.') + 1);
            else
                PyErr_Format(PyExc_TypeError, "%s.__new__() takes from 1 to 2 positional arguments but %zd were given",
                             strrchr(type->tp_name, '.') + 1, count + 1);
            return NULL;
        }
        context = PyObject_CallNoArgs((PyObject *)type);
        made = context == NULL ? NULL : PyObject_CallOneArg(context, function);
        Py_XDECREF(context);
        return made;
    }
    static void decorates_without_parentheses(PyObject *cls) {
        cygrad_make_instance = ((PyTypeObject *)cls)->tp_base->tp_new;      /* classes that add no fields */
        ((PyTypeObject *)cls)->tp_new = cygrad_make_or_decorate;
        ((PyTypeObject *)cls)->tp_vectorcall = NULL;                        /* which would go past it */
    }
    """
    void decorates_without_parentheses(object cls)


@cython.freelist(8)
@cython.auto_pickle(True)
cdef class _GradContext:
    """A context manager that also decorates functions and generator functions."""
    cdef readonly bint mode            # what the flag shall be
    cdef readonly bint prev            # what it was
    cdef bint inference_before

    def _clone(self):
        return type(self)()

    def __call__(self, function):
        """Return `function` wrapped so that it always runs inside this context."""
        from cygrad.autograd.context_decorators import decorated     # start-up time
        return decorated(type(self) if type(self) in (no_grad, enable_grad) else self._clone, function)


@cython.auto_pickle(True)
cdef class no_grad(_GradContext):
    """Do not record operations: results need no gradient, whatever their inputs need.

    Usable as ``with no_grad():``, ``@no_grad()`` and ``@no_grad``. The setting belongs to the current thread. Tensors
    made from data with ``requires_grad=True`` still require a gradient.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(2, requires_grad=True)
    >>> with cygrad.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __enter__(self):
        self.prev = set_mode(without_reverse())

    def __exit__(self, exc_type, exc_value, traceback):
        set_mode(self.prev)


@cython.auto_pickle(True)
cdef class enable_grad(_GradContext):
    """Record operations again inside a `no_grad` block; the counterpart of `no_grad`, used in the same ways."""

    def __enter__(self):
        self.prev = set_mode(True)

    def __exit__(self, exc_type, exc_value, traceback):
        set_mode(self.prev)


@cython.auto_pickle(True)
cdef class set_grad_enabled(_GradContext):
    """Switch recording on or off, at once; as a context manager, until the block ends.

    Parameters
    ----------
    mode : bool
        Whether operations are recorded.

    Raises
    ------
    TypeError
        If `mode` is no bool.
    """

    def __init__(self, mode):
        if mode is not True and mode is not False:
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.mode = mode
        self.prev = set_mode(True if mode else without_reverse())

    def __call__(self, function):
        set_mode(self.prev)     # a decorator acts when the function runs, not where it is defined
        return _GradContext.__call__(self, function)

    def __enter__(self):
        set_mode(True if self.mode else without_reverse())

    def __exit__(self, exc_type, exc_value, traceback):
        set_mode(self.prev)

    def _clone(self):
        return type(self)(self.mode)

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"


@cython.auto_pickle(True)
cdef class inference_mode(_GradContext):
    """Neither record operations nor track versions and views; stricter and cheaper than `no_grad`.

    Tensors made in this mode can't take part in a recorded operation afterwards.

    Parameters
    ----------
    mode : bool, default True
        False leaves inference mode, and switches recording on, inside a block that entered it. A function may stand
        here instead: ``@inference_mode`` decorates without parentheses.
    """

    def __init__(self, bint mode=True):
        self.mode = mode

    def __enter__(self):
        self.inference_before = inference_enabled()
        self.prev = set_mode(not self.mode)
        enter_inference(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        enter_inference(self.inference_before)
        set_mode(self.prev)

    def _clone(self):
        return type(self)(self.mode)


class set_multithreading_enabled:
    """Say whether a pass may use more threads than the one that began it: at once, and as a context manager.

    A pass here runs in the thread that began it, with several threads inside an op; the flag is kept for programs that
    ask for it.

    Parameters
    ----------
    mode : bool
        What `is_multithreading_enabled` returns in this thread.
    """

    def __init__(self, mode):
        self.prev = is_multithreading_enabled()
        self.mode = _threaded.flag = bool(mode)

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _threaded.flag = self.prev

    def clone(self):
        """Another of the same mode."""
        return type(self)(self.mode)


_threaded = threading.local()


def is_multithreading_enabled():
    """Whether passes that this thread begins may use other threads.

    Returns
    -------
    bool
        True unless `set_multithreading_enabled` was called.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.autograd.is_multithreading_enabled()
    True
    """
    return getattr(_threaded, "flag", True)


for _context in (no_grad, enable_grad, inference_mode):
    decorates_without_parentheses(_context)
