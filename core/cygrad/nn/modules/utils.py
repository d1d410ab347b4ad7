"""Sizes given as one number or several, and what modules say of them."""
from collections.abc import Iterable
from itertools import repeat


def ntuple(length, name):
    """A function from a number, or an iterable of numbers, to a tuple; a number is repeated."""
    def parse(given):
        return tuple(given) if isinstance(given, Iterable) else tuple(repeat(given, length))
    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (ntuple(length, name) for length, name in (
    (1, "_single"), (2, "_pair"), (3, "_triple"), (4, "_quadruple")))
_sextuple = ntuple(6, "_sextuple")
