"""A backend for cygrad that computes with NumPy: every required entry of the kernel interface, in plain Python.

A buffer is an array of bytes; `array` lays a View's geometry over it. NumPy has no bfloat16, so `load` and `store`
convert it to float32 and back, and float16 as well: 16-bit floats are computed in float32 and rounded once.
"""
import math

import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCATTER, UNARY, Backend

TYPES = {name: np.dtype(name) for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32",
                                           "float64", "complex64", "complex128")}
TYPES["bfloat16"] = np.dtype("uint16")


# ---- memory as arrays

def array(view):
    """The elements of a View as they lie in memory."""
    dtype, size = TYPES[view.dtype.name], view.element_size()
    return np.ndarray(view.shape, dtype, view.buffer, view.storage_offset() * size, [s * size for s in view.stride()])


def load(view):
    """The elements of a View in a dtype to compute with."""
    name = view.dtype.name
    if name == "bfloat16":
        return (array(view).astype("uint32") << 16).view("float32")
    return array(view).astype("float32") if name == "float16" else array(view)


def store(out, values):
    """out[...] = values."""
    if out.dtype.name in ("float16", "bfloat16"):
        values = np.asarray(values).astype("float32")
        values = bfloat16(values) if out.dtype.name == "bfloat16" else values
    array(out)[...] = values


def bfloat16(values):
    """The upper halves of float32 values, rounded to nearest even."""
    bits = values.view("uint32")
    return np.where(np.isnan(values), 0x7FC0, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("uint16")


# ---- formulas; what is not listed is declined

def by_math(function):
    """A function of Python's math module for arrays of real numbers."""
    vector = np.vectorize(function, otypes=[float])
    return lambda x: vector(x) if x.dtype.kind == "f" else NotImplemented


def real_only(function):
    """Complex numbers are left to the CPU."""
    return lambda *x: NotImplemented if x[0].dtype.kind == "c" else function(*x)


def lgamma(x):
    return math.inf if x == -math.inf or x <= 0 and x == math.floor(x) else math.lgamma(x)


def angle(x):
    if x.dtype.kind == "c":
        return np.arctan2(x.imag, x.real)
    return np.where(np.isnan(x), x, np.where(x < 0, math.pi, 0))


def sign(x):
    return np.subtract(x > 0, x < 0, dtype="int8")


UNARY_OPS = {
    "neg": np.negative, "abs": np.abs, "sign": sign, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x, "square": np.square, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "erf": by_math(math.erf), "erfc": by_math(math.erfc),
    "lgamma": by_math(lgamma),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint, "logical_not": np.logical_not,
    "bitwise_not": np.invert, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "conj": np.conj,
    "angle": angle,
}
UNARY_OPS = [UNARY_OPS.get(name) for name in UNARY]


def integers(x):
    return x.dtype.kind in "iu"


def division(function):
    """Integers divided by zero raise; NumPy would only warn."""
    def divide(x, y):
        if integers(x) and not np.all(y):
            raise RuntimeError("ZeroDivisionError")
        return function(x, y)
    return divide


def trunc_divide(x, y):
    if not integers(x):
        return np.trunc(x / y)
    quotient = x // y
    return quotient + ((quotient < 0) & (quotient * y != x))


def power(x, y):
    """NumPy refuses integers to a power below 0: 1, -1 or 0."""
    if not integers(x):
        return np.power(x, y)
    below = np.where(x == 1, 1, np.where(x == -1, 1 - 2 * (y % 2), 0)).astype(x.dtype)
    return np.where(y < 0, below, np.power(x, np.maximum(y, 0)))


BINARY_OPS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide,
    "floor_divide": division(np.floor_divide), "trunc_divide": division(trunc_divide),
    "remainder": division(np.remainder), "fmod": division(np.fmod), "pow": real_only(power), "maximum": np.maximum,
    "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin, "atan2": np.arctan2, "hypot": np.hypot,
    "copysign": np.copysign, "nextafter": np.nextafter, "gcd": np.gcd, "lcm": np.lcm, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift,
    "right_shift": np.right_shift, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
BINARY_OPS = [BINARY_OPS.get(name) for name in BINARY]


def computed(function, out, *views):
    """Store function(*views) in out, or decline."""
    if function is None:
        return NotImplemented
    with np.errstate(all="ignore"):
        try:
            found = function(*map(load, views))
        except TypeError:                         # NumPy has no such loop
            return NotImplemented
        if found is NotImplemented:
            return NotImplemented
        store(out, found)


class NumPyBackend(Backend):
    """Computes with NumPy."""

    interface_version = 1

    # ---- devices and memory

    def device_count(self):
        return 1

    def alloc(self, index, nbytes):
        return np.empty(nbytes, "uint8")

    def h2d(self, host, storage, start):
        storage.buffer[start:start + len(host)] = host

    def d2h(self, storage, start, host):
        host[:] = storage.buffer[start:start + len(host)]

    def address(self, buffer):
        return buffer.ctypes.data

    # ---- kernels

    def fill(self, out, value):
        store(out, value)

    def copy(self, src, out):
        if src.dtype.is_complex and not out.dtype.is_complex and out.dtype.name != "bool":
            return computed(np.real, out, src)
        if src.dtype is out.dtype:
            array(out)[...] = array(src)
        else:
            return computed(np.asarray, out, src)

    def unary(self, op, a, out):
        return computed(UNARY_OPS[op], out, a)

    def binary(self, op, a, b, out):
        return computed(BINARY_OPS[op], out, a, b)

    def where(self, cond, a, b, out):
        array(out)[...] = np.where(array(cond), array(a), array(b))

    def reduce(self, op, a, out):
        name, x = REDUCE[op], load(a)
        axes = tuple(range(len(out.shape), len(a.shape)))
        if name in ("sum", "prod"):
            with np.errstate(all="ignore"):
                store(out, getattr(np, name)(x, axes, load(out).dtype))
        elif name == "square_sum":
            return NotImplemented                 # the core adds up the squares
        elif name in ("any", "all"):
            store(out, getattr(np, name)(x != 0, axes))
        else:
            store(out, getattr(np, name)(x, axes))

    def argreduce(self, op, a, out):
        store(out, getattr(np, ARGREDUCE[op])(load(a), -1))

    def matmul(self, a, b, out):
        return computed(np.matmul, out, a, b)

    def gather(self, src, index, dim, out):
        places = self._places(array(index), dim)
        array(out)[...] = array(src)[places]

    def scatter(self, mode, out, dim, index, src):
        places, name = self._places(array(index), dim), SCATTER[mode]
        if name == "set":
            array(out)[places] = array(src)
            return
        function = {"add": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name]
        if out.element_size() > 2 or not out.dtype.is_floating_point:
            function.at(array(out), places, array(src))         # in place: out may overlap itself
        elif out.is_contiguous():
            found = load(out)
            function.at(found, places, load(src))
            store(out, found)
        else:
            return NotImplemented

    @staticmethod
    def _places(index, dim):
        """NumPy's form of an index along one axis."""
        places = list(np.indices(index.shape, sparse=True))
        places[dim] = index
        return tuple(places)
