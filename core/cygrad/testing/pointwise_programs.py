"""Cases of `elementwise`: programs of floats in every layout; beside them what else programs are made of.

That is every op, whole and complex numbers, truth values, several kept values, operands and results.
"""
from functools import cache, partial

import numpy as np

from cygrad.backend import BINARY, UNARY
from cygrad.testing import sizes
from cygrad.testing.operands import BOOL, COMPLEX, FLOATS, INTEGERS, dense, numbers, reordered, result, special
from cygrad.testing.pointwise import (ALIASED, BINARY_TABLE, DIVISIONS, LAYOUTS, PREDICATES, UNARY_TABLE, layouts_for,
                                      result_of)
from cygrad.testing.runner import EXACT, Case, Key, Limit

PROGRAMS = {
    "exp of a product": (("in", 0), ("in", 1), ("binary", "mul"), ("number", 1.0), ("binary", "add"), ("unary", "exp"),
                       ("out", 0)),
    "relu by where": (("in", 0), ("number", 0.0), ("binary", "gt"), ("in", 0), ("number", 0.0), ("where",), ("out", 0)),
    "two results": (("in", 0), ("in", 1), ("binary", "sub"), ("out", 0), ("in", 0), ("unary", "isnan"),
                    ("unary", "logical_not"), ("in", 1), ("in", 0), ("where",), ("out", 1)),
    "a kept value": (("in", 0), ("unary", "tanh"), ("keep", 0), ("kept", 0), ("binary", "mul"), ("kept", 0),
                     ("binary", "add"), ("out", 0)),
    "a number as input": (("in", 0), ("in", 2), ("binary", "mul"), ("in", 1), ("binary", "add"), ("out", 0)),
    "a truth value as number": (("in", 0), ("in", 1), ("binary", "gt"), ("in", 0), ("binary", "mul"), ("out", 0)),
    "three operands": (("in", 0), ("in", 1), ("in", "third"), ("number", 0.5), ("binary", "mul"), ("binary", "mul"),
                       ("binary", "add"), ("out", 0)),
    "a mask": (("in", "mask"), ("in", 0), ("in", 1), ("where",), ("out", 0)),
    "GELU": (("in", 0), ("number", 0.5), ("binary", "mul"), ("in", 0), ("number", 0.5**0.5), ("binary", "mul"),
             ("unary", "erf"), ("number", 1.0), ("binary", "add"), ("binary", "mul"), ("out", 0)),
}


@cache
def coded(program):
    """The program as a kernel gets it: one tuple however often it runs."""
    tables = {"unary": UNARY, "binary": BINARY}
    return tuple((kind, tables[kind].index(rest[0])) if kind in tables else
                 (kind, 2) if rest and rest[0] in ("third", "mask") else (kind, *rest) for kind, *rest in program)


def _make_program(program, dtype, layout, rng):
    shape, (first, second, other), last = LAYOUTS[layout]
    more = {"third": lambda: other(numbers(rng, shape, dtype, 1.0), dtype), 2: lambda: float(rng.choice([1.75, 0.5])),
            "mask": lambda: other(numbers(rng, shape, "bool"), "bool")}
    names = [name for name in more if ("in", name) in program]
    results = 1 + max(step[1] for step in program if step[0] == "out")
    ins = [put(numbers(rng, shape, dtype, 1.0), dtype) for put in (first, second)]
    ins, out = result_of(shape, dtype, last, ins, ins[0].values)
    outs = (out, *(result(shape, dtype, dense if last in ALIASED else last) for _ in range(results - 1)))
    return coded(program), (*ins, *(more[name]() for name in names)), outs


# Programs that keep several values, of several operands and results; the last of these says which ones are bool.
MANIFOLD = {
    "kept values": ((("in", 0), ("unary", "sin"), ("keep", 0), ("in", 1), ("unary", "cos"), ("keep", 1),
                     ("binary", "mul"), ("keep", 2), ("kept", 0), ("binary", "add"), ("kept", 1), ("kept", 2),
                     ("binary", "sub"),
                     ("keep", 3), ("binary", "mul"), ("kept", 2), ("binary", "add"), ("kept", 3), ("binary", "sub"),
                     ("out", 0)), 2, (False,)),
    "operands": ((("in", 0), ("in", 1), ("binary", "sub"), ("in", 2), ("binary", "mul"), ("in", 3), ("binary", "sub"),
                  ("in", 4), ("binary", "mul"), ("in", 5), ("binary", "sub"), ("out", 0)), 6, (False,)),
    "results": ((("in", 0), ("in", 1), ("binary", "sub"), ("keep", 0), ("out", 0), ("in", 0), ("in", 1),
                 ("binary", "lt"), ("out", 1), ("kept", 0), ("in", 1), ("binary", "mul"), ("out", 2), ("kept", 0),
                 ("in", 0), ("binary", "mul"), ("out", 3)), 2, (False, True, False, False)),
}
# Of other dtypes than floats.
WHOLE = (("in", 0), ("in", 1), ("binary", "maximum"), ("number", 3), ("binary", "add"), ("keep", 0), ("in", 0),
         ("binary", "mul"), ("out", 0), ("kept", 0), ("in", 1), ("binary", "le"), ("out", 1))
PARTS = (("in", 0), ("in", 1), ("binary", "mul"), ("number", 0.5), ("binary", "mul"), ("in", 0), ("binary", "add"),
         ("out", 0), ("in", 0), ("in", 1), ("binary", "eq"), ("out", 1))
TRUTHS = (("in", 0), ("in", 1), ("binary", "logical_or"), ("keep", 0), ("out", 0), ("kept", 0), ("in", 1),
          ("binary", "logical_xor"), ("unary", "logical_not"), ("out", 1))
# As another one, but for its number.
ANOTHER_NUMBER = tuple(("number", 0.25) if step[0] == "number" else step for step in PROGRAMS["relu by where"])
AT_ONCE = 7             # ops in a program, of which each has a result


def _make_manifold(program, count, booleans, dtype, rng):
    shape = (9, 14)
    values = [numbers(rng, shape, dtype, 1.0) for _ in range(count)]
    if dtype in INTEGERS:                                       # of any size: sums and products wrap
        some = rng.random(shape) < 0.4
        values = [np.where(some, rng.choice(special(dtype), shape), x).astype(x.dtype) for x in values]
    puts = (dense, reordered) * count
    return (coded(program), tuple(put(x, dtype) for put, x in zip(puts, values)),
            tuple(result(shape, "bool" if boolean else dtype) for boolean in booleans))


def _program_of_ops(kind, ops):
    operands = (("in", 0), ("in", 1)) if kind == "binary" else (("in", 0),)
    steps = [(*operands, (kind, op), ("out", j)) for j, op in enumerate(ops)]
    return sum(steps, ()), len(operands), tuple(op in PREDICATES for op in ops)


def _manifold_cases():
    for name, made in MANIFOLD.items():
        for dtype in FLOATS:
            yield Case(Key("elementwise", name, dtype, "several"), partial(_make_manifold, *made, dtype), (2,),
                       Limit(16, floor=16))
    yield Case(Key("elementwise", "another number", "float32", "several"),
               partial(_make_manifold, ANOTHER_NUMBER, 2, (False,), "float32"), (2,))
    for name, program, dtypes, limit in (("whole", WHOLE, INTEGERS, EXACT), ("truths", TRUTHS, BOOL, EXACT),
                                         ("complex", PARTS, COMPLEX, Limit(8, floor=4))):
        for dtype in dtypes:
            booleans = (dtype == "bool", True)
            yield Case(Key("elementwise", name, dtype, "several"), partial(_make_manifold, program, 2, booleans, dtype),
                       (2,), limit)
    for kind, table in (("unary", UNARY_TABLE), ("binary", BINARY_TABLE)):
        for dtype in ("float32", "int32"):
            ops = [op for op, (dtypes, _) in table.items() if dtype in dtypes and not (
                dtype == "int32" and op in (*DIVISIONS, "pow", "gcd", "lcm", "left_shift", "right_shift"))]
            for first in range(0, len(ops), AT_ONCE):
                some = ops[first:first + AT_ONCE]
                yield Case(Key("elementwise", f"{some[0]} to {some[-1]}", dtype, "several"),
                           partial(_make_manifold, *_program_of_ops(kind, some), dtype), (2,),
                           Limit(64, floor=4) if dtype == "float32" else EXACT)


def elementwise_cases():
    for name, program in PROGRAMS.items():
        for dtype in FLOATS:
            for layout in layouts_for(True, 2):
                yield Case(Key("elementwise", name, dtype, layout), partial(_make_program, program, dtype, layout),
                           (2,), Limit(16, floor=4))
    yield from _manifold_cases()
    yield from sizes.pointwise_cases("elementwise")
