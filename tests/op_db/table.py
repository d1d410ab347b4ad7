"""What a row of the table is: an op, the samples it is tried on, and the recipes that tensors are made from.

A sample holds recipes, not tensors, and draws its numbers from NumPy, so that two modules (or one module on two
devices) are given the same bits. Nothing here imports a tensor library: ``Sample.build(m)`` makes the tensors with the
module it is given.
"""

import zlib
from dataclasses import dataclass
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

HALF = ("float16", "bfloat16")
REAL = ("float32", "float64")
FLOATS = HALF + REAL
COMPLEX = ("complex64", "complex128")
UNSIGNED = ("uint8",)
SIGNED = ("int8", "int16", "int32", "int64")
INTS = UNSIGNED + SIGNED
HALF_COMPLEX = ("complex32",)                       # PyTorch has few ops of it: parity/test_small_dtypes_parity.py
FLOATS_OF_8_BITS = tuple("float8_" + name for name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu"))
WIDE_UNSIGNED = ("uint16", "uint32", "uint64")      # PyTorch has few ops of these: tests/parity/test_unsigned_parity.py
ALL = ("bool",) + INTS + FLOATS + COMPLEX
SOME = ("bool", "uint8", "int32", "int64", "bfloat16", "float32", "float64", "complex64")
LINALG = REAL + COMPLEX
DIFFERENTIABLE = FLOATS + COMPLEX

# Relative and absolute tolerance by dtype: a few units in the last place, as two libraries' exp or sum differ by that.
TOLERANCE = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (2e-6, 1e-6),
    "float64": (1e-12, 1e-13),
    "complex32": (4e-3, 2e-3),
    "complex64": (4e-6, 2e-6),
    "complex128": (2e-12, 2e-13),
}

# name -> (shape of the base tensor for a wanted shape, how the base becomes the wanted tensor)
LAYOUTS = {
    "contiguous": (lambda s: s, lambda t, s: t),
    "transposed": (lambda s: s[:-2] + (s[-1], s[-2]), lambda t, s: t.transpose(-1, -2)),
    "permuted": (lambda s: s[::-1], lambda t, s: t.permute(tuple(range(len(s)))[::-1])),
    "sliced": (lambda s: s[:-1] + (2 * s[-1],), lambda t, s: t[..., ::2]),
    "offset": (lambda s: (s[0] + 1,) + s[1:], lambda t, s: t[1:]),
    "expanded": (lambda s: (1,) + s[1:], lambda t, s: t.expand(s)),
    "expanded_last": (lambda s: s[:-1] + (1,), lambda t, s: t.expand(s)),
    "expanded_scalar": (lambda s: (), lambda t, s: t.expand(s)),
}


class T:
    """A recipe for one tensor: the numbers of its base, and the layout that turns the base into it."""

    def __init__(self, base, shape, dtype, layout="contiguous", grad=True):
        self.base, self.shape, self.dtype, self.layout = base, shape, dtype, layout
        self.grad = grad and dtype in DIFFERENTIABLE

    def leaf(self, m, device=None):
        """The base tensor in module ``m``."""
        kwargs = {"dtype": getattr(m, self.dtype)}
        if device is not None:
            kwargs["device"] = device
        if self.base.size == 0:
            return m.empty(self.base.shape, **kwargs)
        return m.tensor(self.base.tolist(), **kwargs)

    def view(self, leaf):
        """The tensor, as a view of the base that :meth:`leaf` made."""
        return LAYOUTS[self.layout][1](leaf, self.shape)

    def __repr__(self):
        layout = "" if self.layout == "contiguous" else ":" + self.layout
        return f"{self.dtype}{list(self.shape)}{layout}"


class Attr:
    """A recipe for ``m.name``: a dtype, ``m.strided``, ``m.inf``."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


class Lazy:
    """A recipe for whatever ``make(m)`` returns; ``text`` is how it shows in a label."""

    def __init__(self, make, text):
        self.make, self.text = make, text

    def __repr__(self):
        return self.text


def walk(value):
    """Every tensor recipe in nested tuples, lists and dicts, in order."""
    if isinstance(value, T):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from walk(item)
    elif isinstance(value, dict):
        yield from walk(list(value.values()))


class Sample:
    """Positional and keyword arguments of one call, as recipes.

    ``special`` marks samples at kinks, poles or nan, where a difference quotient means nothing.
    """

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs, self.special = args, kwargs, False

    def kink(self):
        self.special = True
        return self

    def with_kwargs(self, **kwargs):
        self.kwargs.update(kwargs)
        return self

    @property
    def tensors(self):
        return list(dict.fromkeys(walk([self.args, self.kwargs])))

    def leaves(self, m, device=None, requires_grad=False):
        """A base tensor for every recipe; those that can have a gradient ask for one if ``requires_grad``."""
        made = {t: t.leaf(m, device) for t in self.tensors}
        if requires_grad:
            for t, leaf in made.items():
                if t.grad:
                    leaf.requires_grad_()
        return made

    def build(self, m, leaves=None, device=None):
        """The arguments as module ``m`` takes them: ``(args, kwargs)``."""
        leaves = self.leaves(m, device) if leaves is None else leaves
        views = {}

        def real(value):
            if isinstance(value, T):
                if value not in views:
                    views[value] = value.view(leaves[value])
                return views[value]
            if isinstance(value, (tuple, list)):
                return type(value)(real(item) for item in value)
            if isinstance(value, dict):
                return {key: real(item) for key, item in value.items()}
            if isinstance(value, Attr):
                return getattr(m, value.name)
            if isinstance(value, Lazy):
                return value.make(m)
            return value

        return real(self.args), real(self.kwargs)

    def __repr__(self):
        parts = [repr(a) for a in self.args] + [f"{k}={v!r}" for k, v in self.kwargs.items()]
        return "(" + ", ".join(parts) + ")"


class Make:
    """What a sample generator is given: makes recipes of the dtype under test, the same ones for the same seed."""

    def __init__(self, dtype, seed):
        self.dtype = dtype
        self.random = np.random.default_rng(seed)
        self.D = Attr(dtype)

    def numbers(self, shape, dtype, low, high):
        if dtype == "bool":
            return self.random.random(shape) < 0.5
        if dtype in COMPLEX + HALF_COMPLEX:
            values = self.random.uniform(low, high, shape) + 1j * self.random.uniform(low, high, shape)
            return np.asarray(values).astype("complex64" if dtype in HALF_COMPLEX else dtype)
        if dtype in INTS + WIDE_UNSIGNED:
            low = max(int(np.ceil(low)), -128 if dtype in SIGNED else 0)
            return np.asarray(self.random.integers(low, max(int(high), low + 1), size=shape, endpoint=True))
        return np.asarray(self.random.uniform(low, high, shape)).astype("float64" if dtype == "float64" else "float32")

    def __call__(self, *shape, layout="contiguous", low=-4, high=4, dtype=None, grad=True, distinct=False):
        """A tensor of ``shape`` with entries in ``[low, high]``; ``distinct`` leaves no two entries equal."""
        dtype = dtype or self.dtype
        base_shape = LAYOUTS[layout][0](tuple(shape))
        if distinct and dtype != "bool":
            size = int(np.prod(base_shape))
            base = self.random.permutation(size).reshape(base_shape)
            if dtype not in INTS + WIDE_UNSIGNED:
                base = (base - size / 2) / 4
            elif dtype in SIGNED:
                base = base - size // 2
        else:
            base = self.numbers(base_shape, dtype, low, high)
        return T(base, tuple(shape), dtype, layout, grad)

    def of(self, values, dtype=None, grad=True):
        """A tensor of these very values."""
        base = np.asarray(values)
        return T(base, base.shape, dtype or self.dtype, grad=grad)

    def index(self, *shape, high, low=0, layout="contiguous", dtype="int64"):
        """Integers in ``[low, high)``."""
        base = np.asarray(self.random.integers(low, high, size=LAYOUTS[layout][0](tuple(shape))))
        return T(base, tuple(shape), dtype, layout, grad=False)

    def special(self):
        """The values at which elementwise functions go wrong, for the dtype under test."""
        return self.of(special_values(self.dtype))

    @property
    def is_float(self):
        return self.dtype in FLOATS

    @property
    def is_complex(self):
        return self.dtype in COMPLEX + HALF_COMPLEX

    @property
    def is_int(self):
        return self.dtype in INTS + WIDE_UNSIGNED


def special_values(dtype):
    if dtype == "bool":
        return [True, False]
    if dtype in COMPLEX + HALF_COMPLEX:
        return [0, 1, -1, 1j, -1j, 1 + 1j, -2 - 0.5j, 0.5 - 3j]
    if dtype in INTS + WIDE_UNSIGNED:
        info = np.iinfo(dtype)
        return [0, 1, 2, 3, info.max, info.max - 1, info.min] + ([-1, -2, info.min + 1] if dtype in SIGNED else [])
    huge = {"float16": 60000.0, "bfloat16": 1e38, "float32": 1e38, "float64": 1e300}[dtype]
    nan, inf = float("nan"), float("inf")
    return [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, huge, -huge, 1 / 1024]


@dataclass
class ErrorSample:
    """A call that must raise; ``message``: its words are PyTorch's too, not only its type."""

    call: Callable[[Any], Any]
    note: str
    message: bool = True


@dataclass
class Op:
    """One row. ``name`` is the path in the module (``linalg.solve``); method and in-place forms follow from it."""

    name: str
    samples_: Callable[[Make], Any]
    call: Callable | None = None  # call(m, *args, **kwargs) where the function form is not simply m.name
    method: bool = True
    inplace: bool = False
    out: bool = False
    diff: bool = True  # the result has a gradient for floating inputs
    dtypes: Sequence[str] = ALL
    exact: bool = False  # equal bit for bit in real dtypes, because IEEE 754 or copying leaves no choice
    tolerance: float = 1.0  # factor on TOLERANCE ...
    reason: str = ""  # ... and why it is needed
    errors: Sequence[ErrorSample] = ()
    gradcheck: bool = True
    gradgradcheck: bool = True
    reference: Callable | None = None  # the same function of NumPy arrays
    also: Sequence[str] = ()  # other paths at which the same function lives
    strides: Any = True  # strides and sharing are PyTorch's; "real": of real tensors (it conjugates lazily)
    coarsest: str | None = None  # a dtype that PyTorch computes in on the way, if less precise than the result's

    def __post_init__(self):
        assert self.tolerance == 1.0 or self.reason, f"{self.name}: a tolerance needs its reason"
        if self.call is not None:
            self.method = False

    def samples(self, dtype):
        """The samples of this op for ``dtype``, the same ones at every call."""
        return list(self.samples_(Make(dtype, zlib.crc32(f"{self.name}/{dtype}".encode()))))

    def function(self, m):
        """The function form in module ``m``: the first of the op's paths that exists."""
        if self.call is not None:
            return lambda *args, **kwargs: self.call(m, *args, **kwargs)
        for path in (self.name, *self.also):
            found = resolve(m, path)
            if found is not None:
                return found
        raise AttributeError(f"{m.__name__} has no {self.name}")

    @property
    def short(self):
        return self.name.rsplit(".", 1)[-1]


def resolve(m, path):
    """``m.a.b`` for the path ``a.b``, or None."""
    for part in path.split("."):
        m = getattr(m, part, None)
        if m is None:
            return None
    return m


def tensors_of(m, value):
    """Every tensor in an op's result, in order."""
    if isinstance(value, m.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in tensors_of(m, item)]
    return []
