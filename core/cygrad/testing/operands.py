"""Operands of a case: values of every dtype in NumPy, and where they lie in memory.

NumPy has no bfloat16: its elements are stored as uint16 and computed with as float32. `stored` and `plain` convert
between what lies in memory and what one can compute with.
"""
from dataclasses import dataclass

import numpy as np

from cygrad.dispatch.allocation import empty_on
from cygrad.dtype import all_dtypes

DTYPES = {dtype.name: dtype for dtype in all_dtypes()}
BOOL = ("bool",)
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
REAL = BOOL + INTEGERS + FLOATS
EVERY = REAL + COMPLEX
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52,
           "complex64": 2.0**-23, "complex128": 2.0**-52}
GAP = 0x5A                                # what lies between the elements of an operand, byte by byte


def storage_type(dtype):
    """The NumPy dtype in which elements lie in memory."""
    return np.dtype("uint16" if dtype == "bfloat16" else dtype)


def stored(values, dtype):
    """`values`, rounded to `dtype` (floats to nearest even), as they lie in memory."""
    values = np.asarray(values)
    if dtype != "bfloat16":
        with np.errstate(all="ignore"):
            return values.astype(storage_type(dtype))
    with np.errstate(all="ignore"):
        bits = values.astype("float32").view("uint32")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype("uint16")


def plain(memory, dtype):
    """What lies in memory as an array to compute with."""
    if dtype != "bfloat16":
        return memory
    return (memory.astype("uint32") << 16).view("float32")


def rounded(values, dtype):
    """`values` as an element of `dtype` would hold them."""
    return plain(stored(values, dtype), dtype)


@dataclass(eq=False)
class Operand:
    """A strided window on a run of elements; one object given twice to an entry is one View given twice.

    Attributes
    ----------
    dtype : str
    memory : ndarray
        All elements of the storage in one row, as they lie in memory.
    shape, strides : tuple of int
        Strides count elements.
    offset : int
    """

    dtype: str
    memory: np.ndarray
    shape: tuple
    strides: tuple
    offset: int = 0

    @property
    def values(self):
        """The elements, to compute with."""
        return plain(window(self, self.memory).copy(), self.dtype)

    def place(self, backend, index):
        """A View of a copy of the operand on a device."""
        whole = empty_on(backend, index, DTYPES[self.dtype], (self.memory.size,))
        backend.h2d(memoryview(self.memory).cast("B").toreadonly(), whole._storage(), 0)
        return whole.as_strided(self.shape, self.strides, self.offset)

    def fetch(self, view):
        """All elements of the storage behind a View that `place` made."""
        memory = np.empty_like(self.memory)
        view._backend().d2h(view._storage(), 0, memoryview(memory).cast("B"))
        return memory

    def __str__(self):
        return f"{self.dtype} {self.shape}, strides {self.strides}, offset {self.offset}"


def window(operand, memory):
    """The operand's elements in `memory`."""
    strides = [stride * memory.itemsize for stride in operand.strides]
    return np.lib.stride_tricks.as_strided(memory[operand.offset:], operand.shape, strides)


# ------------------------------------------------------------------ layouts

def dense_strides(shape):
    """Row-major strides."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def dense(values, dtype):
    """Row-major, from the start of its storage."""
    values = np.asarray(values)
    return Operand(dtype, np.ascontiguousarray(stored(values, dtype)).reshape(-1), values.shape,
                   dense_strides(values.shape))


def reordered(values, dtype):
    """Column-major: the axes reversed in memory."""
    values = np.asarray(values)
    strides = tuple(reversed(dense_strides(values.shape[::-1])))
    return Operand(dtype, np.ascontiguousarray(stored(values, dtype).T).reshape(-1), values.shape, strides)


def sliced(values, dtype):
    """With gaps between the elements, before the first and after the last."""
    values = np.asarray(values)
    wide = tuple(2 * size + 1 for size in values.shape)
    strides = tuple(2 * stride for stride in dense_strides(wide))
    elements = int(np.prod(wide)) + 3
    memory = np.full(elements * storage_type(dtype).itemsize, GAP if dtype != "bool" else 1, "uint8")
    operand = Operand(dtype, memory.view(storage_type(dtype)), values.shape, strides, 3)
    window(operand, operand.memory)[...] = stored(values, dtype)
    return operand


def repeated(values, dtype, axis=0):
    """Broadcast: the elements at the start of `axis` stand for all of it, with stride 0."""
    values = np.asarray(values)
    first = values.take([0], axis)
    operand = dense(first, dtype)
    strides = list(operand.strides)
    strides[axis] = 0
    return Operand(dtype, operand.memory, values.shape, tuple(strides))


def result(shape, dtype, layout=dense):
    """An operand to be written to; what it holds before is rubbish."""
    rubbish = np.full(int(np.prod(shape)) * storage_type(dtype).itemsize, GAP if dtype != "bool" else 1, "uint8")
    return layout(plain(rubbish.view(storage_type(dtype)), dtype).reshape(shape), dtype)


# ------------------------------------------------------------------- values

def numbers(rng, shape, dtype, scale=3.0):
    """Ordinary values: normal floats, integers of a few digits, coins."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype in INTEGERS:
        return rng.integers(0 if dtype == "uint8" else -9, 10, shape).astype(dtype)
    values = rng.standard_normal(shape) * scale
    if dtype in COMPLEX:
        values = values + 1j * rng.standard_normal(shape) * scale
    return rounded(values, dtype)


def with_extremes(rng, shape, dtype):
    """`numbers`, some of them replaced by what is special about a dtype: NaN, infinities, zeros, the largest."""
    values = np.array(numbers(rng, shape, dtype))
    if dtype in FLOATS:
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5]
    elif dtype in INTEGERS:
        limits = np.iinfo(dtype)
        special = [limits.min, limits.max, 0, 1]
    else:
        return values
    flat = values.reshape(-1)
    places = rng.permutation(flat.size)[:min(len(special), flat.size // 2)]
    flat[places] = np.array(special[:len(places)], values.dtype)
    return flat.reshape(shape)
