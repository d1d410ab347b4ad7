"""Exceptions of cygrad that PyTorch does not have, and the texts shared by several places.

Each says what was expected, what came and what to do; all derive from the type PyTorch raises in that situation.
"""
import sys
import warnings


class BackendError(RuntimeError):
    """Base of every error about finding, loading or using a backend."""


class BackendNotFound(BackendError):
    """No installed package provides a backend of this name."""


class BackendLoadError(BackendError):
    """A backend's package is installed but its module or class does not load."""


class BackendUnavailable(BackendError):
    """A backend loaded, but has no device that can be used."""


class FunctionLoadError(RuntimeError):
    """A package declares a function for `cygrad.functions` that does not load."""


class KernelBuildError(BackendError):
    """A device's compiler refused a kernel; the text ends with its log."""


class KernelMissing(BackendError, NotImplementedError):
    """A backend declined a call and CYGRAD_FALLBACK forbids the CPU."""


class DeviceMismatch(BackendError):
    """Operands of one op lie on different devices."""


class DtypeUnsupported(BackendError, TypeError):
    """A device has no elements of this dtype; it is never down-cast silently."""


class OutOfMemoryError(RuntimeError):
    """A device could not give the memory asked for."""


def warn(message, category=UserWarning):
    """Warn of the line that called the library, however deep in the library we are."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and is_own(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_warned, _always = set(), [False]


def warn_once(message, category=UserWarning):
    """`warn`, but only once in a process, unless `set_warn_always` says otherwise."""
    if not _always[0]:
        if message in _warned:
            return
        _warned.add(message)
    warn(message, category)


def set_warn_always(b, /):
    """Let warnings that come once in a process come every time.

    Parameters
    ----------
    b : bool
        Whether they do.

    Returns
    -------
    None
        It is so from now on.

    Raises
    ------
    RuntimeError
        If `b` is no bool.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_warn_always(False)
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always[0] = b


def is_warn_always_enabled():
    """Whether warnings that come once in a process come every time.

    Returns
    -------
    bool
        False unless `set_warn_always` was called.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_warn_always_enabled()
    False
    """
    return _always[0]


def is_own(module):
    """Whether a module is cygrad's own, or one of its backends'."""
    package = module.partition(".")[0]
    return package == "cygrad" or package.startswith("cygrad_")


def on_two_devices(op, first, second, names=("argument 1", "argument 2")):
    """The DeviceMismatch of two operands, in PyTorch's words with the operands' names after them."""
    from cygrad.tensor import as_tensor_view      # knot: it needs this module
    a, b = as_tensor_view(first).device, as_tensor_view(second).device
    return DeviceMismatch("Expected all tensors to be on the same device, but found at least two devices, "
                          f"{a} and {b}! ({f'in {op}: ' if op else ''}{names[0]} is on {a}, {names[1]} on {b}; "
                          "move one with .to())")


def wrong_answer(entry, answer):
    """The error for a backend whose kernel returned neither None nor NotImplemented."""
    return TypeError(f"the kernel {entry!r} returned {_brief(answer)}; a kernel writes its result into `out` and "
                     "returns None, or NotImplemented to decline")


def check_filled(backend, answer):
    """Raise where d2h returned bytes, whose place is the memoryview that it is given."""
    if isinstance(answer, (bytes, bytearray, memoryview)):
        raise TypeError(f"d2h of backend {backend.name!r} returned {_brief(answer)}; it writes into `host`, the "
                        "memoryview that it is given: host[:] = ...")


def _brief(value, most=80):
    """A value for a message, of which a tensor's elements are no part."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"a {type(value).__name__} of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


_KERNELS = {"left_shift": "lshift_cpu", "right_shift": "rshift_cpu", "floor_divide": "div_floor_cpu",
            "trunc_divide": "div_trunc_cpu", "pow": "pow", "square": "pow", "exp2": "exp2", "digamma": "digamma"}
_VML = ("floor", "ceil", "trunc", "round", "erf", "erfc", "erfinv", "lgamma", "exp", "expm1", "log", "log2", "log10",
        "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "tanh")
_WORDS = {"sign": "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
          "relu": "clamp is not supported for complex types"}


def not_implemented(op, dtype, pointwise=True):
    """The error for an op that has no kernel for a dtype (named as in `SCALAR_NAMES`), in PyTorch's words."""
    if dtype.startswith("Complex"):
        if op in ("floor", "ceil", "trunc"):
            return NotImplementedError(f"{op} is not supported for complex inputs")
        if op in _WORDS:
            return NotImplementedError(_WORDS[op])
    kernel = _KERNELS.get(op) or (f"{op}_vml_cpu" if op in _VML else f"{op}_cpu") if pointwise else op
    return NotImplementedError(f'"{kernel}" not implemented for \'{dtype}\'')


def report_unraisable(what, name):
    """Report an exception where none can be raised (in a destructor), the first of its kind."""
    error = sys.exc_info()[1]
    if (what, name, type(error)) not in _reported:
        _reported.add((what, name, type(error)))
        print(f"cygrad: {what} of backend {name!r} raised {error!r}; it must not, since nobody can catch it: the "
              "buffer counts as freed (said once)", file=sys.stderr)


_reported = set()
