"""Runs a row of the table on PyTorch and on the module under test and says where they differ.

A *kind* is one aspect (value, strides, gradient, ...): each is a function that takes a module, an op and a sample and
returns plain Python data or raises. Two outcomes are then compared by :func:`difference`.
"""

import builtins
import re
import types

import numpy as np
from op_db import COMPLEX, FLOATS, HALF, TOLERANCE, T, tensors_of
from op_db.table import HALF_COMPLEX, Attr


class Array:
    """A tensor's dtype, shape and numbers, out of any module."""

    def __init__(self, tensor):
        self.dtype = str(tensor.dtype).split(".")[-1]
        self.shape = tuple(tensor.shape)
        self.requires_grad = bool(tensor.requires_grad)
        numbers = np.array(tensor.detach().tolist()) if tensor.numel() else np.empty(self.shape)
        self.numbers = numbers.reshape(self.shape)

    def __repr__(self):
        grad = ", requires_grad" if self.requires_grad else ""
        return f"{self.dtype}{list(self.shape)}{grad} {self.numbers.tolist()}"


class Error:
    """The exception that a call raised."""

    def __init__(self, exception):
        kinds = [kind.__name__ for kind in type(exception).__mro__]      # ours may be subclasses of PyTorch's
        self.type = next((name for name in kinds if hasattr(builtins, name)), kinds[0])
        self.text = str(exception)
        self.backward = isinstance(exception, BackwardFailed)

    def __repr__(self):
        return f"{self.type}: {self.text[:200]}"


def plain(m, value):
    """A result as data that does not depend on the module it came from."""
    if isinstance(value, m.Tensor):
        return Array(value)
    if isinstance(value, str):
        return value.replace(m.__name__, "torch").replace("torch::autograd::", "")
    if isinstance(value, (bool, int, float, complex, type(None))):
        return value
    if isinstance(value, (m.dtype, m.device)):
        return str(value).split(".")[-1]
    if isinstance(value, dict):
        return {k: plain(m, v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(m, [value.dtype.name, value.shape, value.tolist()])
    if isinstance(value, (tuple, list)):
        names = [k for k, v in vars(type(value)).items() if isinstance(v, types.MemberDescriptorType)]
        if hasattr(value, "_fields"):
            names = value._fields
        items = [plain(m, v) for v in value]
        fields = {k: plain(m, getattr(value, k)) for k in sorted(names)} if not isinstance(value, m.Size) else {}
        return (type(value).__name__, items, fields)
    return type(value).__name__


def attempt(function, *args):
    """The result of a call, or the :class:`Error` it raised."""
    try:
        return function(*args)
    except Exception as error:  # every exception is an outcome here: it is compared by type, not swallowed
        return Error(error)


def difference(want, got, exact=False, factor=1.0, coarsest=None):
    """What differs between two outcomes of :func:`plain`, in words; None if nothing.

    ``coarsest``: a dtype that something was computed in on the way, so that no digits beyond its own can be expected.
    """
    if isinstance(want, Error) or isinstance(got, Error):
        if isinstance(want, Error) and isinstance(got, Error):
            return None if want.type == got.type else f"want {want!r}, got {got!r}"
        return f"want {want!r}, got {got!r}"
    if isinstance(want, Array) and isinstance(got, Array):
        return difference_of_arrays(want, got, exact, factor, coarsest)
    if isinstance(want, (tuple, list)) and isinstance(got, (tuple, list)):
        if len(want) != len(got):
            return f"want {len(want)} items, got {len(got)}: {want!r} {got!r}"
        for i, (w, g) in enumerate(zip(want, got)):
            if found := difference(w, g, exact, factor, coarsest):
                return f"[{i}] {found}"
        return None
    if isinstance(want, dict) and isinstance(got, dict):
        if sorted(want) != sorted(got):
            return f"want fields {sorted(want)}, got {sorted(got)}"
        found = ((k, difference(want[k], got[k], exact, factor, coarsest)) for k in want)
        return next((f".{k} {text}" for k, text in found if text), None)
    if type(want) is not type(got):
        return f"want {want!r}, got {got!r}"
    if isinstance(want, (float, complex)):
        return None if close(np.array(want), np.array(got), 1e-6, 1e-9).all() else f"want {want!r}, got {got!r}"
    return None if want == got else f"want {want!r}, got {got!r}"


def close(want, got, rtol, atol):
    if np.iscomplexobj(want) or np.iscomplexobj(got):
        # A complex number is judged by its distance where finite, part by part where not.
        want, got = np.asarray(want, complex), np.asarray(got, complex)
        finite = np.isfinite(want) & np.isfinite(got)
        apart = close(want.real, got.real, rtol, atol) & close(want.imag, got.imag, rtol, atol)
        with np.errstate(all="ignore"):
            return np.where(finite, np.abs(want - got) <= atol + rtol * np.abs(want), apart)
    with np.errstate(all="ignore"):
        same = (want == got) | (np.isnan(want) & np.isnan(got))
        return same | (np.abs(got - want) <= atol + rtol * np.abs(want))


def identical(want, got):
    """Equal, with the sign of zero."""
    if want.dtype.kind == "f" and got.dtype.kind == "f":
        return ((want == got) & (np.signbit(want) == np.signbit(got))) | (np.isnan(want) & np.isnan(got))
    return want == got


def difference_of_arrays(want, got, exact, factor, coarsest):
    if want.dtype != got.dtype:
        return f"want dtype {want.dtype}, got {got.dtype}"
    if want.shape != got.shape:
        return f"want shape {list(want.shape)}, got {list(got.shape)}"
    if want.requires_grad != got.requires_grad:
        return f"want requires_grad={want.requires_grad}, got {got.requires_grad}"
    if want.dtype in COMPLEX + HALF_COMPLEX or want.dtype in FLOATS and not exact:
        rtol, atol = max(TOLERANCE[want.dtype], TOLERANCE.get(coarsest, (0.0, 0.0)))
        same = close(want.numbers, got.numbers, rtol * factor, atol * factor)
    else:
        same = identical(want.numbers, got.numbers)
    if np.all(same):
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    count = int(np.sum(~same))
    return f"{count} of {same.size} differ, at {at}: want {want.numbers[at]!r}, got {got.numbers[at]!r} ({want.dtype})"


# ---- the kinds -------------------------------------------------------------------------------------------------------


def value(m, op, sample):
    """dtype, shape and numbers of the function form."""
    args, kwargs = sample.build(m)
    return plain(m, op.function(m)(*args, **kwargs))


def method(m, op, sample):
    """The same through the method."""
    args, kwargs = sample.build(m)
    return plain(m, getattr(args[0], op.short)(*args[1:], **kwargs))


def inplace(m, op, sample):
    """The in-place form: what is returned is the tensor itself, changed, and its version went up."""
    args, kwargs = sample.build(m)
    x = args[0]
    version, pointer = x._version, x.data_ptr()
    result = getattr(x, op.short + "_")(*args[1:], **kwargs)
    return ["is itself", result is x, "version", x._version > version, "same memory", x.data_ptr() == pointer,
        plain(m, x)]


OUT_IN_STEPS = {"kron", "matmul"}      # PyTorch writes their `out` through a view, or twice


def out(m, op, sample):
    """``out=`` given an empty tensor, one of the right shape that is not contiguous, and one of another dtype."""
    args, kwargs = sample.build(m)
    expected = tensors_of(m, op.function(m)(*args, **kwargs))
    report = []
    for prepare in (
        lambda t: m.empty(0, dtype=t.dtype),
        lambda t: m.zeros(tuple(t.shape) + (2,), dtype=t.dtype)[..., 0],
        lambda t: m.zeros(tuple(t.shape), dtype=m.complex64 if t.dtype == m.float64 else m.float64),
        lambda t: m.zeros(tuple(t.shape), dtype=m.bool),
    ):
        target = [prepare(t) for t in expected]
        given = target[0] if len(target) == 1 else tuple(target)
        result = attempt(lambda g=given: op.function(m)(*args, **kwargs, out=g))
        if isinstance(result, Error):
            report.append(result)
        else:
            report.append([all(r is t for r, t in zip(tensors_of(m, result), target)),
                [str(t.dtype).split(".")[-1] for t in target],
                [t._version for t in target if op.name not in OUT_IN_STEPS],
                plain(m, [as_precise(m, t, e) for t, e in zip(target, expected)])])
    return report


def as_precise(m, target, computed):
    """`target` in the dtype it was computed in, where that is the less precise one: its digits are worth no more."""
    tolerances = [TOLERANCE.get(str(t.dtype).split(".")[-1], (0.0,))[0] for t in (target, computed)]
    return target.to(computed.dtype) if tolerances[1] > tolerances[0] else target


def strides(m, op, sample):
    """Strides and offset of the result, and whether it is a view of an argument."""
    args, kwargs = sample.build(m)
    given = {t.untyped_storage().data_ptr() for t in tensors_of(m, args) if t.numel()}
    results = tensors_of(m, op.function(m)(*args, **kwargs))
    return [
        [tuple(t.stride()), t.storage_offset(),
        "view" if t.numel() and t.untyped_storage().data_ptr() in given else "own memory"]
        for t in results
    ]


def weights(m, tensor, i):
    """A fixed gradient for an output: no two entries alike, of its dtype."""
    numbers = np.cos(np.arange(tensor.numel()) * 0.7 + i).reshape(tuple(tensor.shape))
    weight = m.tensor(numbers.tolist(), dtype=tensor.dtype) if tensor.numel() else m.empty(tuple(tensor.shape),
        dtype=tensor.dtype)
    return weight * (1 - 0.5j) if tensor.is_complex() else weight


class BackwardFailed(Exception):
    """Forward went well, backward did not."""


def gradients_of(m, results, leaves):
    results = [t for t in results if t.requires_grad]
    try:
        m.autograd.backward(results, [weights(m, t, i) for i, t in enumerate(results)])
    except Exception as error:
        raise BackwardFailed(f"{type(error).__name__}: {error}") from error
    return [None if t.grad is None else Array(t.grad) for t in leaves.values()]


def grad(m, op, sample):
    """Which results require grad, and the gradients of all differentiable arguments."""
    leaves = sample.leaves(m, requires_grad=True)
    args, kwargs = sample.build(m, leaves)
    results = tensors_of(m, op.function(m)(*args, **kwargs))
    flags = [t.requires_grad for t in results]
    return flags, gradients_of(m, results, leaves) if any(flags) else []


def inplace_grad(m, op, sample):
    """The gradients through the in-place form."""
    leaves = sample.leaves(m, requires_grad=True)
    args, kwargs = sample.build(m, leaves)
    x = args[0].clone()
    getattr(x, op.short + "_")(*args[1:], **kwargs)
    return [x.requires_grad, gradients_of(m, [x], leaves) if x.requires_grad else []]


# All steps of a recurrent layer are one node here, in PyTorch one of oneDNN's or a graph of each step, by dtype.
ONE_NODE = {"lstm", "gru", "rnn_tanh", "rnn_relu"}


def grad_fn(m, op, sample):
    """The names of the grad functions."""
    leaves = sample.leaves(m, requires_grad=True)
    args, kwargs = sample.build(m, leaves)
    results = tensors_of(m, op.function(m)(*args, **kwargs))
    return [t.grad_fn and plain(m, t.grad_fn.name()) for t in results if t.numel()]


def refused(m, op, sample):
    """Only samples that PyTorch has no kernel for: an answer here is more than PyTorch gives. In no other kind."""
    return value(m, op, sample)


GRADIENT_DTYPES = ("float64", "float32", "complex128")
KINDS = {
    "value": (value, lambda op: True),
    "method": (method, lambda op: op.method),
    "inplace": (inplace, lambda op: op.inplace),
    "out": (out, lambda op: op.out),
    "strides": (strides, lambda op: op.strides),
    "grad": (grad, lambda op: True),
    "inplace_grad": (inplace_grad, lambda op: op.inplace and op.diff),
    "grad_fn": (grad_fn, lambda op: op.diff and op.name not in ONE_NODE),
    "refused": (refused, lambda op: True),
}


def dtypes_for(kind, op):
    if kind in ("grad", "inplace_grad"):
        return [d for d in op.dtypes if d in GRADIENT_DTYPES]
    if kind == "grad_fn":
        return [d for d in op.dtypes if d in ("float64", "complex128")]
    if kind == "strides":  # geometry does not depend on the dtype, but kernels of different width may
        real = op.strides == "real"
        return [d for d in op.dtypes if d in (("uint8", "float32") if real else ("uint8", "float32", "complex64"))]
    if kind == "out":
        return [d for d in op.dtypes if d in ("bool", "int64", "float16", "float32", "float64", "complex64")]
    return op.dtypes


def is_tensor_first(sample):
    return bool(sample.args) and isinstance(sample.args[0], T)


# PyTorch has not written these derivatives, or their formulas fail (a bool exponent); having them is no difference.
# Zeros that it never allocates (the gradient of sgn) have no numbers to compare.
GAP = re.compile(r"(the )?derivative for .* is not implemented|.*(a tensor with unallocated storage|'ComplexHalf')")


# A sample with two faults, of geometry and of dtype, may be refused for either.
GEOMETRY = re.compile(r"outputs with complex dtype|must match the (existing )?size|out of range|multiple times|"
                      r"match the broadcast|can't be cast")


def comparable(kind, sample, want, got):
    """False for outcomes on which PyTorch is no measure."""
    empty = any(0 in t.shape for t in sample.tensors)  # it asks for the dtype of some empty tensors, and not of others
    if isinstance(want, Error):
        if want.backward or GAP.match(want.text):
            return False
        if (want.type == "NotImplementedError") != (kind == "refused"):
            return False
        if isinstance(got, Error) and got.type == "NotImplementedError" and GEOMETRY.search(want.text):
            return False
        return not (kind == "refused" and (empty or has_no_elements(got)))
    if isinstance(got, Error) and got.type == "NotImplementedError" and empty:
        return False
    return kind != "refused"


def has_no_elements(outcome):
    """An empty tensor, or a tuple of nothing else."""
    if isinstance(outcome, Array):
        return outcome.numbers.size == 0
    return isinstance(outcome, (tuple, list)) and all(has_no_elements(item) for item in outcome[1])


def determined(sample, dtype):
    """No rounding is left to choose: real, and no 16-bit tensor meets a 0-d one, which PyTorch does not round first."""
    mixed = len({t.dtype for t in sample.tensors}) > 1
    return dtype not in COMPLEX and not (mixed and any(t.dtype in HALF for t in sample.tensors))


def coarsest_of(op, sample, kind):
    """The least precise dtype that the op computes this sample in, as far as its arguments tell."""
    names = [op.coarsest] if op.coarsest else []
    if "grad" in kind:
        names += [t.dtype for t in sample.tensors] + [a.name for a in sample.kwargs.values() if isinstance(a, Attr)]
    return max((name for name in names if name in TOLERANCE), key=TOLERANCE.get, default=None)


def check(oracle, module, op, kind, dtype):
    """Compare every sample: ``(how many were compared, [(sample, difference), ...])``."""
    function = KINDS[kind][0]
    compared, found = 0, []
    for sample in op.samples(dtype):
        if kind in ("method", "inplace", "inplace_grad") and not is_tensor_first(sample):
            continue
        want = attempt(function, oracle, op, sample)
        got = attempt(function, module, op, sample)
        if not comparable(kind, sample, want, got):
            continue
        compared += 1
        exact = op.exact and "grad" not in kind and determined(sample, dtype)
        text = difference(want, got, exact, op.tolerance, coarsest_of(op, sample, kind))
        if text:
            found.append((sample, text))
    return compared, found


def check_errors(oracle, module, op):
    """The bad inputs of an op: type and words of what is raised."""
    found = []
    for error in op.errors:
        want, got = attempt(error.call, oracle), attempt(error.call, module)
        if not isinstance(want, Error):
            found.append((error.note, f"the table is wrong: {oracle.__name__} does not raise"))
        elif not isinstance(got, Error) or want.type != got.type:
            found.append((error.note, f"want {want!r}, got {got!r}"))
        elif error.message and normal(want.text) != normal(got.text, module.__name__):
            found.append((error.note, f"want {normal(want.text)!r}, got {normal(got.text, module.__name__)!r}"))
    return len(op.errors), found


def normal(text, name="torch"):
    """An error's words, the module's own name read as ``torch``, without source lines and lists of overloads."""
    text = text.replace(name, "torch").replace("torch.Tensor", "Tensor")
    text = re.sub(r"\[enforce fail at .*?\] err == 0\. ", "", text)
    return re.split(r"\nException raised from|, but expected ", text)[0].strip().rstrip('"')
