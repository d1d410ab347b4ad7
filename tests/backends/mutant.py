"""What mutants are made of: see `mutants`."""
from dataclasses import dataclass

import numpy as np
from mirror import Mirror, array, load, store

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


def dense(*args):
    """Whether all Views are contiguous."""
    return all(a.is_contiguous() for a in args if hasattr(a, "stride"))


INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
COMPLEX = ("complex64", "complex128")
