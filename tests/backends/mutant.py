"""What mutants are made of: see `mutants`."""
from dataclasses import dataclass

import numpy as np
from cygrad.backend import BINARY, UNARY
from mirror import Mirror, array, load, scratch, store

FLOATS = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True)
class Mutant:
    """A broken backend: its family and name, the entries whose cases fail, the methods that are wrong."""

    family: str
    name: str
    entries: tuple
    methods: dict

    def __str__(self):
        return f"{self.family}: {self.name}"

    def backend(self):
        """A new one."""
        return type("Broken", (Mirror,), dict(self.methods))()


def raw(view):
    """The bytes of a View's elements, as unsigned integers."""
    found = array(view)
    return found.view(f"u{found.dtype.itemsize}") if found.dtype.itemsize <= 8 else found


def right(entry, self, *args):
    """What a conforming backend does."""
    return getattr(Mirror, entry)(self, *args)


def spoiled(entry, spoil, when=lambda *args: True):
    """{entry: a kernel that is right, and then spoils something}; `spoil` gets the arguments."""
    def kernel(self, *args):
        answer = right(entry, self, *args)
        if answer is None and when(*args):
            return spoil(*args)
        return answer
    return {entry: kernel}


def computed(entry, formula, when):
    """{entry: a kernel that computes `formula` of loaded inputs where `when` says so}; the last argument is out."""
    def kernel(self, *args):
        if not when(*args):
            return right(entry, self, *args)
        with np.errstate(all="ignore"):
            store(args[-1], formula(*[load(a) for a in args if hasattr(a, "stride")][:-1]))
    return {entry: kernel}


def is_op(table, name, kinds=None):
    """Whether a call is of this op, and its first operand's dtype is among `kinds`."""
    return lambda op, a, *rest: table[op] == name and (kinds is None or a.dtype.name in kinds)


def of_unary(name, what, formula, kinds=None):
    """(name, entries, methods) of a backend whose `name` in `unary` computes a formula, in these dtypes."""
    return f"unary {name} {what}", ("unary",), computed("unary", formula, is_op(UNARY, name, kinds))


def of_binary(name, what, formula, kinds=None):
    return f"binary {name} {what}", ("binary",), computed("binary", formula, is_op(BINARY, name, kinds))


def given(entry, change, when=lambda *args: True):
    """{entry: the right kernel, which gets other arguments where `when` says so}."""
    return {entry: lambda self, *args: right(entry, self, *(change(*args) if when(*args) else args))}


def dense(*args):
    """Whether all Views are contiguous."""
    return all(a.is_contiguous() for a in args if hasattr(a, "stride"))


INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
COMPLEX = ("complex64", "complex128")


# ------------------------------------------------------------------ kernels that are wrong in a part

def flat(view):
    """The elements of a dense View, one after another."""
    return array(view).reshape(-1)


def lost(entry, when, part, out=-1):
    """A kernel that leaves a part of args[out] as it was; `part` is what is indexed with, or a function of args."""
    def kernel(self, *args):
        if not when(*args):
            return right(entry, self, *args)
        where = part(*args) if callable(part) else part
        before = array(args[out])[where].copy()
        answer = right(entry, self, *args)
        array(args[out])[where] = before
        return answer
    return {entry: kernel}


def spoilt(entry, when, spoil):
    """A kernel that is right, and then spoils what it wrote; `spoiled` whose answer stays."""
    def quietly(*args):
        with np.errstate(all="ignore"):
            spoil(*args)
    return spoiled(entry, quietly, when)


def reading(entry, when, *changes):
    """A kernel that takes args[i] for something else: `changes` are (i, a function of the args that gives elements)."""
    def kernel(self, *args):
        if not when(*args):
            return right(entry, self, *args)
        given = list(args)
        for i, change in changes:
            found = change(*args)
            if hasattr(args[i], "stride"):
                made = scratch(self, args[i], found.shape, args[i].dtype.name)
                array(made)[...] = found
                found = made
            given[i] = found
        return right(entry, self, *given)
    return {entry: kernel}


def op(table, *names):
    return lambda code, *rest: table[code] in names


def kinds(view, *names):
    return view.dtype.name in names


def bytes_off(view, unit):
    return view.storage_offset() * view.element_size() % unit


def row_length(a, out):
    return int(np.prod(a.shape[out.ndim:]))


# ------------------------------------------------------------------ families as tables

def table(*rows):
    """A family: rows of a name, an entry (or the entries of which one must fail) and what makes the methods of it."""
    for name, entry, make, *rest in rows:
        entries = entry if isinstance(entry, tuple) else (entry,)
        yield name, entries, make(entries[0], *rest) if callable(make) else make


def instead(entry, when, values):
    """A kernel that writes `values`, which get the call's arguments, where `when` says so."""
    def kernel(self, *args):
        if not when(*args):
            return right(entry, self, *args)
        with np.errstate(all="ignore"):
            store(args[-1], values(*args))
    return {entry: kernel}


def in_a_row(view):
    """What lies in memory from a View's first element on, one after another, in its shape."""
    size = view.element_size()
    found = np.frombuffer(view.buffer, array(view).dtype, min(view.numel(), view.buffer.size // size -
                                                              view.storage_offset()), view.storage_offset() * size)
    return np.resize(found, view.shape)


def from_the_start(view):
    """The elements that a View would have without its offset."""
    size = view.element_size()
    return np.ndarray(view.shape, array(view).dtype, view.buffer, 0, [step * size for step in view.stride()])


def but(entry, when, places, value):
    """A kernel that is right but at `places`, which get what the call's Views hold before; there `value` stands."""
    def kernel(self, *args):
        if not when(*args):
            return right(entry, self, *args)
        with np.errstate(all="ignore"):
            operands = [load(a) for a in args[:-1] if hasattr(a, "stride")]
            chosen = places(*operands)
            wrong = value(*operands) if callable(value) else value
        answer = right(entry, self, *args)
        if answer is None and np.any(chosen):
            found = load(args[-1])
            store(args[-1], np.where(chosen, wrong, found))
        return answer
    return {entry: kernel}
