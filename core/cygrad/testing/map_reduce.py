"""Cases of `map_reduce`: programs of two operands, reduced, with and without a program that finishes the results."""
from functools import partial

import numpy as np

from cygrad.backend import REDUCE
from cygrad.testing import reference
from cygrad.testing.operands import FLOATS, dense, numbers, reordered, repeated, result, sliced
from cygrad.testing.pointwise_programs import coded
from cygrad.testing.runner import Case, Key, Limit

# name: shape, axes kept (the first ones), layouts of both operands
LAYOUTS = {
    "all": ((33,), 0, dense, dense), "rows": ((9, 33), 1, dense, dense), "columns": ((9, 33), 1, reordered, reordered),
    "a number a row": ((9, 33), 1, dense, partial(repeated, axis=1)),
    "a number a row, long": ((3, 20011), 1, dense, partial(repeated, axis=1)),
    "a number a column": ((19, 700), 1, reordered, partial(repeated, axis=1)),
    "one row for all": ((9, 33), 1, dense, repeated), "both orders": ((70, 90), 0, dense, reordered),
    "both orders of rows": ((70, 90), 1, reordered, dense), "sliced": ((5, 6, 7), 1, sliced, sliced),
    "eight axes": ((2, 3, 2, 2, 2, 2, 2, 2), 3, reordered, sliced), "large": ((70001,), 0, dense, dense),
    "large strided": ((300, 401), 0, reordered, repeated), "many rows": ((3001, 5), 1, dense, dense),
    "long rows": ((3, 20011), 1, dense, dense), "long columns": ((3, 20011), 1, reordered, reordered),
    "two runs a row": ((4, 3, 2500), 1, dense, partial(repeated, axis=1)),
    "turned results": ((5, 6, 7), 2, dense, dense), "sliced results": ((5, 6, 7), 2, dense, sliced),
}
RESULTS = {"turned results": reordered, "sliced results": sliced}
DIFFERENCE = (("in", 0), ("in", 1), ("binary", "sub"))
SQUARE = (*DIFFERENCE, ("keep", 0), ("kept", 0), ("binary", "mul"), ("out", 0))
MEAN = (("in", 0), ("in", 1), ("binary", "div"), ("out", 0))
# name: program, reductions, finish, dtype of the results if not the operands'; a finish gets 7.0 after them
PROGRAMS = {
    "sum of squares": (SQUARE, ("sum",), None, None),
    "mean of squares": (SQUARE, ("sum",), MEAN, None),
    "two results": ((*DIFFERENCE, ("keep", 0), ("out", 0), ("kept", 0), ("unary", "abs"), ("out", 1)),
                    ("square_sum", "max"), None, None),
    "a result of two": ((*DIFFERENCE, ("unary", "abs"), ("keep", 0), ("out", 0), ("kept", 0), ("out", 1)),
                        ("square_sum", "sum"),
                        (("in", 0), ("in", 1), ("number", 3.0), ("binary", "mul"), ("binary", "add"), ("in", 2),
                         ("binary", "div"), ("unary", "sqrt"), ("out", 0)), None),
    "in a wider dtype": (SQUARE, ("sum",), None, {"float16": "float32", "bfloat16": "float32", "float32": "float64",
                                                  "float64": "float64"}),
    "a float32 beside 16 bits": (SQUARE, ("sum",), MEAN, None),
    "by where": ((("in", 0), ("in", 1), ("binary", "gt"), ("in", 0), ("in", 1), ("binary", "sub"), ("number", 0.5),
                  ("where",), ("out", 0)), ("sum",), None, None),
    "smallest": ((*DIFFERENCE, ("unary", "exp"), ("out", 0)), ("min",), (("in", 0), ("unary", "log"), ("out", 0)),
                 None),
    "count": ((("in", 0), ("in", 1), ("binary", "gt"), ("out", 0)), ("sum",), None, dict.fromkeys(FLOATS, "int64")),
    "any": ((("in", 0), ("number", 7.0), ("binary", "gt"), ("out", 0)), ("any",), None, dict.fromkeys(FLOATS, "bool")),
    "a number as input": ((("in", 0), ("in", 2), ("binary", "mul"), ("unary", "abs"), ("out", 0)), ("sum",), None,
                          None),
    "no step": ((("in", 1), ("out", 0)), ("square_sum",), None, None),
}


def _make(name, dtype, layout, rng):
    program, ops, finish, targets = PROGRAMS[name]
    shape, kept, first, second = LAYOUTS[layout]
    other = "float32" if "beside" in name and dtype != "float64" else dtype
    ins = (first(numbers(rng, shape, dtype), dtype), second(numbers(rng, shape, other), other))
    if ("in", 2) in program:
        ins = (*ins, 1.75)
    outs = tuple(result(shape[:kept], targets[dtype] if targets else dtype, RESULTS.get(layout, dense))
                 for _ in range(len(ops) if finish is None else 1))
    return (coded(program), ins, tuple(map(REDUCE.index, ops)), finish and coded(finish),
            (7.0,) if finish else (), outs)


def _drift(*args):
    """As for sums of squares (`cases.reduce_cases`)."""
    return 400 * sum(np.abs(x.astype(float)) for x in reference.map_reduce(*args))


def map_reduce_cases():
    for name in PROGRAMS:
        for dtype in FLOATS:
            for layout in LAYOUTS:
                yield Case(Key("map_reduce", name, dtype, layout), partial(_make, name, dtype, layout), (5,),
                           Limit(16, terms=_drift))
