# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Tensors whose values follow from their index: `arange`, `linspace`, `logspace`, `eye`."""
import math

from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from libc.math cimport fma, pow

from cygrad.backend cimport Backend
from cygrad.dispatch.kernel_calls cimport fill_into
from cygrad.dispatch.raw cimport arange_into
from cygrad.dtype cimport DType, INT64, dtype_of, plain_of
from cygrad.ops.create.filled cimport clear, new_on
from cygrad.ops.create.placing cimport checked_dtype, finished
from cygrad.tensor cimport Tensor
from cygrad.view cimport data, make_view

from cygrad.devices import discovery
from cygrad.dispatch.allocation import empty_on
from cygrad.ops.declare.out_arguments import write_out
from cygrad.dtype import all_dtypes, get_default_dtype
from cygrad.dispatch.promotion import SCALAR_NAMES, check_scalar
from cygrad.errors import warn
from cygrad.ops.create.filled import dtype_for, full
from cygrad.ops.declare.op_forms import op

cdef fused Real:
    float
    double

cdef DType _int64 = dtype_of(INT64)
_float64 = [d for d in all_dtypes() if d.name == "float64"][0]


def _number(value):
    """A Python number for one of a tensor's or of NumPy's."""
    if PyLong_CheckExact(value) or PyFloat_CheckExact(value):
        return value
    if hasattr(value, "item"):
        found = value.item()                            # NumPy's bool counts as a float, as PyTorch's parser takes it
        return float(found) if type(found) is bool and not isinstance(value, Tensor) else found
    return value


def _bounds(name, start, end):
    """Both as Python numbers; tensors of several elements are refused."""
    ranks = [t.dim() if isinstance(t, Tensor) else 0 for t in (start, end)]
    if any(ranks):
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got start with {ranks[0]} "
                           f"dimension(s) and end with {ranks[1]} dimension(s).")
    return _number(start), _number(end)


def _check_range(name, start, end, step, dtype):
    """What `arange` and `range` refuse."""
    _need_numbers(name, dtype)
    for value in (start, end, step):
        if isinstance(value, complex):
            check_scalar(_float64, value)
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0 and start > end) or (step < 0 and start < end):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _need_numbers(name, dtype):
    if dtype.name == "bool" or dtype.is_complex:
        raise NotImplementedError(f'"{name}_cpu" not implemented for \'{SCALAR_NAMES[dtype.code]}\'')


cdef inline _finish(Tensor made, out, name, bint requires_grad, names, bint pin_memory):
    return finished(made if out is None else _written(made, out, name), requires_grad, names, pin_memory)


cdef _written(Tensor made, out, name):
    if name != "eye" and out.numel() == made.elements:      # it keeps its shape, whatever that is
        made = made.reshape(out.shape)
    elif name == "arange" and out.numel():
        warn(f"The number of elements in the out tensor of shape {list(out.shape)} is {out.numel()} which does not "
             f"match the computed number of elements {made.elements}. Note that this may occur as a result of "
             f"rounding error. The out tensor will be resized to a tensor of shape ({made.elements},).")
    if name != "eye" and isinstance(out, Tensor) and made.dtype is not plain_of((<Tensor>out).dtype):
        raise RuntimeError(f"dtype {SCALAR_NAMES[made.dtype.code]} does not match dtype of out parameter "
                           f"({SCALAR_NAMES[(<Tensor>out).dtype.code]})")
    return write_out(name, made, out)


@op(method=False)
def arange(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False,
           pin_memory=False, names=None):
    """The numbers start, start + step, ... below `end`.

    Parameters
    ----------
    start : number
        0 when only the end is given.
    end : number
        Not included.
    step : number
        From one to the next; not 0.
    dtype : dtype, optional
        int64 if all are integers, else the default float dtype.

    Returns
    -------
    Tensor
        One axis of ceil((end - start) / step) elements.

    Raises
    ------
    RuntimeError
        For a step of 0, or of the wrong sign.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(1, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
    cdef Tensor counted
    cdef Py_ssize_t n
    if end is None:
        if PyLong_CheckExact(start) and start >= 0 and step == 1 and out is None and dtype is None:
            n = start                                   # the commonest call: 0, 1, ... n - 1
            counted = new_on(device, _int64, 1, &n)
            arange_into(counted, 0, 1)
            return _finish(counted, None, "arange", requires_grad, names, pin_memory)
        start, end = 0, start
    start, end, step = _number(start), _number(end), _number(step)
    if dtype is None:
        dtype = out.dtype if out is not None else (
            _int64 if all([isinstance(v, int) for v in (start, end, step)]) else get_default_dtype())
    _check_range("arange", start, end, step, dtype)
    count = math.ceil((end - start) / step)
    if not dtype.is_floating_point:
        if dtype is _int64:
            if int(step) == 0:
                raise ValueError("step must be nonzero")
            count = -((int(start) - int(end)) // int(step))
        start, step = int(start), int(step)
    backend, index = discovery.resolve(device if device is not None or out is None else out.device)
    made = empty_on(backend, index, dtype, (count,))
    arange_into(made, start, step)
    return _finish(made, out, "arange", requires_grad, names, pin_memory)


@op(method=False, name="range")
def inclusive_range(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The numbers start, start + step, ... up to `end`, which is one of them; deprecated in favour of `arange`.

    Parameters
    ----------
    start, end : number
        The first, and the greatest (least) that there may be.
    step : number
        From one to the next; not 0.
    dtype : dtype, optional
        The default float dtype when omitted.

    Returns
    -------
    Tensor
        One axis of floor((end - start) / step) + 1 elements.

    Raises
    ------
    RuntimeError
        For a step of 0, or of the wrong sign.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.arange(1, 4)                     # `range` would warn, and give the 4, too
    tensor([1, 2, 3])
    """
    warn("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
         "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).")
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    start, end, step = _number(start), _number(end), _number(step)
    dtype = dtype or (out.dtype if out is not None else get_default_dtype())
    _check_range("range", start, end, step, dtype)
    if not dtype.is_floating_point:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")
    count = math.floor((end - start) / step) + 1
    backend, index = discovery.resolve(device if device is not None or out is None else out.device)
    made = empty_on(backend, index, dtype, (count,))
    arange_into(made, start, step)
    return _finish(made, out, "range", requires_grad, None, False)


cdef void spaced(Real start, Real end, Real *out, Py_ssize_t n) noexcept nogil:
    """Numbers from start to end, counted from the start in the lower half and from the end in the upper.

    Multiply-adds are rounded once, as in PyTorch's kernel.
    """
    cdef Py_ssize_t i
    cdef Real step = (end - start) / <Real>(n - 1) if n > 1 else 0
    for i in range(n):
        if i < n // 2 or n == 1:
            out[i] = <Real>fma(step, <Real>i, start)
        else:
            out[i] = <Real>fma(-step, <Real>(n - 1 - i), end)


cdef void powers(double start, double end, double width, double base, Real *out, Py_ssize_t n) noexcept nogil:
    """`base` to the powers of such numbers, `width` from end to end; here PyTorch rounds products and sums."""
    cdef Py_ssize_t i
    cdef double product, step = width / <double>(n - 1) if n > 1 else 0
    for i in range(n):
        if i < n // 2 or n == 1:
            product = step * <double>i
            out[i] = <Real>pow(base, start + product)
        else:
            product = step * <double>(n - 1 - i)
            out[i] = <Real>pow(base, end - product)


cdef Tensor _spaced_on_host(double start, double end, Py_ssize_t n, DType dtype, device, base):
    """Float32 or float64 numbers, or `base` to the powers of them; None where memory is not the host's."""
    cdef Tensor made = new_on(device, dtype, 1, &n)
    cdef double raised = 0 if base is None else base
    cdef bint plain = base is None, single = dtype.itemsize == 4
    if not (<Backend>made.memory.backend).host_memory:
        return None
    with nogil:
        if plain and single:
            spaced[float](<float>start, <float>end, <float *>data(made), n)
        elif plain:
            spaced[double](start, end, <double *>data(made), n)
        elif single:
            powers[float](<float>start, <float>end, <float>end - <float>start, raised, <float *>data(made), n)
        else:
            powers[double](start, end, end - start, raised, <double *>data(made), n)
    return made


def _line(start, end, steps, dtype, device, base=None):
    """`steps` numbers from start to end, or `base` to the powers of them."""
    if dtype.is_floating_point and steps > 1:
        check_scalar(dtype, start)
        check_scalar(dtype, end)
    if dtype.name in ("float32", "float64"):
        made = _spaced_on_host(start, end, steps, dtype, device, base)
        if made is not None:
            return made
    from cygrad.ops.create.composed_lines import line       # start-up time
    return line(arange(steps, device=device), start, end, steps, dtype, base)


def _dtype_of(start, end):
    """The default dtype of floats, or of complex numbers if one of the ends is one."""
    dtype = get_default_dtype()
    return dtype.to_complex() if isinstance(start, complex) or isinstance(end, complex) else dtype


def _need_complex(name, dtype, start, end):
    found = _dtype_of(start, end)
    if found.is_complex and not dtype.is_complex:
        kind = "double" if found.itemsize == 16 else "float"
        raise RuntimeError(f"torch.{name}(): inferred dtype c10::complex<{kind}> can't be safely cast to passed dtype "
                           f"{SCALAR_NAMES[dtype.code]}")


def _whole_ends(start, end, steps, dtype):
    """Both ends as integers of a dtype that must be able to hold them, if there is anything between them."""
    if not steps:
        return 0, 0
    for value in (start, end):
        check_scalar(dtype, value)
    span = 1 << 8 * dtype.itemsize if dtype.name.startswith("uint") else 0
    return [int(value) % span if span else int(value) for value in (start, end)]       # below 0 as they wrap around


@op(method=False)
def linspace(start, end, steps=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False, names=None):
    """`steps` numbers evenly spaced from `start` to `end`, both included.

    Parameters
    ----------
    start, end : number or 0-d Tensor
        The first and the last.
    steps : int
        How many; not negative.
    dtype : dtype, optional
        The default float dtype when omitted.

    Returns
    -------
    Tensor
        One axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    start, end = _bounds("linspace", start, end)
    if steps is None:
        raise TypeError("linspace() received an invalid combination of arguments - got "
                        f"({type(start).__name__}, {type(end).__name__}), but expected start, end and steps")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is None:
        dtype = out.dtype if out is not None else _dtype_of(start, end)
    _need_complex("linspace", dtype, start, end)
    if dtype.name == "bool" and steps > 1:
        raise NotImplementedError('"linspace_cpu" not implemented for \'Bool\'')
    if dtype.is_floating_point or dtype.is_complex:
        made = _line(start, end, steps, dtype, device)
    elif steps == 1:                                    # nobody looks at the end
        made = full((1,), start, dtype=dtype, device=device)
    else:
        start, end = _whole_ends(start, end, steps, dtype)
        made = _line(float(start), float(end), steps, _float64, device).to(dtype)
    return _finish(made, out, "linspace", requires_grad, names, pin_memory)


@op(method=False)
def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False, names=None):
    """`base` to the powers of `steps` numbers evenly spaced from `start` to `end`.

    Parameters
    ----------
    start, end : number or 0-d Tensor
        The first and the last exponent.
    steps : int
        How many; not negative.
    base : float
        What is raised to them.
    dtype : dtype, optional
        The default float dtype when omitted.

    Returns
    -------
    Tensor
        One axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    start, end = _bounds("logspace", start, end)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = dtype or (out.dtype if out is not None else _dtype_of(start, end))
    _need_complex("logspace", dtype, start, end)
    if dtype.name == "bool" and steps > 1:
        raise NotImplementedError('"logspace_cpu" not implemented for \'Bool\'')
    working = dtype if dtype.is_complex or (dtype.is_floating_point and steps != 1) else _float64
    if working is not dtype and steps != 1:
        start, end = _whole_ends(start, end, steps, dtype)
    made = _line(start, end, steps, working, device, float(base)).to(dtype)
    return _finish(made, out, "logspace", requires_grad, names, pin_memory)


@op(method=False)
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
        names=None):
    """An n by m matrix (square unless m is given) with ones on the diagonal.

    Parameters
    ----------
    n : int
        Number of rows.
    m : int, optional
        Number of columns; n when omitted.
    dtype : dtype, optional
        The default float dtype when omitted.

    Returns
    -------
    Tensor
        (n, m).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if n < 0 or (m is not None and m < 0):
        raise RuntimeError(f"n must be greater or equal to 0, got {n}" if n < 0
                           else f"m must be greater or equal to 0, got {m}")
    cdef Py_ssize_t[2] sizes = [n, n if m is None else m]
    cdef Tensor made = new_on(device, checked_dtype(dtype_for(dtype, out), "eye"), 2, sizes)
    cdef Py_ssize_t count = min(sizes[0], sizes[1]), step = sizes[1] + 1
    clear(made)
    fill_into(make_view(made.memory, made.dtype, 0, 1, &count, &step), 1)
    return _finish(made, out, "eye", requires_grad, names, pin_memory)
