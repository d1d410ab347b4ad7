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
RUBBISH = 0xFF                            # the bytes between, before and after elements: NaN, -1, no truth value
PERIOD = 1009                             # values repeat after so many; a prime, so a wrong walk meets another one
ALL_ONES = np.array(2**63 - 1).view("float64")[()]      # a NaN that rounding up as a number would make a 0
AFTER = 40                                # elements of it behind the last one, so that what reads or writes on is seen


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
    return np.where(np.isnan(values), bits >> 16 | 0x40, rounded).astype("uint16")


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

    def place(self, backend, index, placed=None):
        """A View of a copy of the operand on a device.

        `placed` remembers what was copied, {id of the memory: a View of all of it}: operands that share their memory
        share it there, too.
        """
        placed = {} if placed is None else placed
        whole = placed.get(id(self.memory))
        if whole is None:
            whole = placed[id(self.memory)] = empty_on(backend, index, DTYPES[self.dtype], (self.memory.size,))
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


def laid_out(values, dtype, strides, offset=0, elements=0):
    """An operand with these strides in memory of `elements` and more that holds rubbish everywhere else."""
    values, strides = np.asarray(values), tuple(strides)
    last = offset + sum((size - 1) * stride for size, stride in zip(values.shape, strides))
    memory = np.full((max(last + 1, elements) + AFTER) * storage_type(dtype).itemsize, RUBBISH, "uint8")
    operand = Operand(dtype, memory.view(storage_type(dtype)), values.shape, strides, offset)
    window(operand, operand.memory)[...] = stored(values, dtype)
    return operand


def dense(values, dtype, offset=0):
    """Row-major, from the start of its storage, or from `offset` on."""
    return laid_out(values, dtype, dense_strides(np.shape(values)), offset)


def reordered(values, dtype):
    """Column-major: the axes reversed in memory."""
    return laid_out(values, dtype, reversed(dense_strides(np.shape(values)[::-1])))


def turned(values, dtype):
    """The first axis is the last in memory, the others keep their order."""
    shape = np.shape(values)
    return laid_out(values, dtype, [dense_strides((*shape[1:], shape[0]))[d - 1] for d in range(len(shape))], 1)


def overlapping(values, dtype):
    """Rows that begin three elements after each other, as windows that slide: the values are what is left of them."""
    shape = np.shape(values)
    return laid_out(values, dtype, (*(3 * step for step in dense_strides(shape[:-1])), 1), 2)


def inner_turned(values, dtype):
    """The last two axes exchanged in memory."""
    shape = np.shape(values)
    steps = dense_strides((*shape[:-2], *shape[:-3:-1]))
    return laid_out(values, dtype, (*steps[:-2], *steps[:-3:-1]))


def channels_last(values, dtype):
    """The second axis is the last in memory."""
    n, c, *inner = np.shape(values)
    steps = dense_strides((n, *inner, c))
    return laid_out(values, dtype, (steps[0], 1, *steps[1:-1]))


def sliced(values, dtype):
    """With gaps between the elements, before the first and after the last."""
    wide = tuple(2 * size + 1 for size in np.shape(values))
    return laid_out(values, dtype, [2 * stride for stride in dense_strides(wide)], 3)


def gapped(values, dtype):
    """Rows without gaps, with gaps between them."""
    shape = np.shape(values)
    return laid_out(values, dtype, dense_strides((*shape[:-1], shape[-1] + 7)), 2)


def beside(values, dtype, between=False):
    """(operand, result) in one run of memory: one behind the other, or their elements taking turns (`between`)."""
    shape, count = np.shape(values), np.size(values)
    strides = [(1 + between) * stride for stride in dense_strides(shape)]
    operand = laid_out(values, dtype, strides, elements=2 * count)
    return operand, Operand(dtype, operand.memory, shape, tuple(strides), 1 if between else count)


def number(values, dtype):
    """The first element stands for all: every stride is 0."""
    operand = dense(np.asarray(values).reshape(-1)[:1], dtype)
    return Operand(dtype, operand.memory, np.shape(values), (0,) * np.ndim(values), 0)


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
    operand = layout(np.zeros(shape, storage_type("float32" if dtype == "bfloat16" else dtype)), dtype)
    operand.memory.view("uint8")[...] = RUBBISH
    return operand


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


def special(dtype):
    """What is special about a dtype, as an array: NaN of both signs, one of them all ones, infinities, zeros, the
    largest and the smallest, numbers whose squares are too large or too small, the last fractions, what narrower types
    can't hold.

    Of complex numbers those whose real or imaginary part is 0.
    """
    if dtype == "bool":
        return np.array([False, True])
    if dtype in COMPLEX:
        return np.array([0, 1, 1j, -1j, -1, 0.5, -0.25j, 2 - 1j], dtype)
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        wide = [x for x in (2, 3, 7, -2, -1, 100, 255, 256, 2**16, 2**24, 2**24 + 1, 2**32, 2**53, 2**53 + 1)
                if limits.min <= x <= limits.max]
        return np.array([limits.min, limits.max, 0, 1, limits.max - 1, *wide], dtype)
    near_one, whole = 1 + EPSILON[dtype], 1 / EPSILON[dtype]             # from `whole` on there are no fractions
    largest = {"float16": 65504.0, "bfloat16": 2.0**127, "float32": 2.0**127, "float64": 2.0**1023}[dtype]
    subnormal = {"float16": 2.0**-14, "float64": 2.0**-1022}.get(dtype, 2.0**-126) * np.array([EPSILON[dtype], 0.75])
    found = [ALL_ONES, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, near_one, largest, -largest,
             np.sqrt(largest) * 2, 1e-3, -0.25, 100.25, EPSILON[dtype] / 8, -np.nan, subnormal[0], -subnormal[1],
             3e-4 / np.sqrt(largest), whole + 1, whole / 2 + 0.5, -whole / 2 - 1.5, 0.5 - EPSILON[dtype] / 4,
             1 - 4 * EPSILON[dtype]]
    return rounded(np.array(found), dtype)


def ends(dtype):
    """The largest number of a dtype of floats, and the smallest above 0 of those that are `special`."""
    found = special(dtype)
    return 2.0**127 * (2 - EPSILON[dtype]) if dtype == "bfloat16" else np.finfo(dtype).max, found[found > 0].min()


def with_extremes(rng, shape, dtype, ties=False):
    """`numbers`, some of them replaced by what is special about a real dtype; with `ties`, some by their neighbours."""
    values = np.array(numbers(rng, shape, dtype))
    if dtype in COMPLEX + BOOL:
        return values
    flat = values.reshape(-1)
    if ties:
        flat[1:] = np.where(rng.random(flat.size - 1) < 0.3, flat[:-1], flat[1:])
        zeros = rng.random(flat.size) < (0.1 if dtype in FLOATS else 0)
        flat[zeros] = np.where(rng.random(int(zeros.sum())) < 0.5, 0.0, -0.0)
    extremes = special(dtype).astype(values.dtype)
    places = rng.permutation(flat.size)[:min(len(extremes), flat.size // 2)]
    flat[places] = extremes[:len(places)]
    return flat.reshape(shape)


def crossed(rng, shape, dtype, first, second):
    """Two arrays of a shape with two axes: where they are large enough, each of `first` meets each of `second`.

    In other shapes and beyond that `with_extremes`, a quarter of the elements equal.
    """
    a, b = with_extremes(rng, shape, dtype), with_extremes(rng, shape, dtype)
    b = np.where(rng.random(shape) < 0.25, a, b)
    if len(shape) == 2 and shape[0] >= len(first) and shape[1] >= len(second):
        a[:len(first), :len(second)] = first[:, None]
        b[:len(first), :len(second)] = second
    return a, b
