"""The p-norms as reductions of formulas (see `cygrad.dispatch.programs`), of one operand and of the difference of two.

`NORMS` has those of some p, `POWER_NORM` is that of any: (program, the same of a difference, reduction, finish). Its
formula takes p, its finish 1 / p; the other finishes take the count of elements, which they don't need.
"""
import math

from cygrad.dispatch.programs import program
from cygrad.ops.reduce.sums import MAX, MIN, SQUARE_SUM, SUM


def norm(formula, op, finish=None):
    if formula.__code__.co_argcount == 1:
        difference = program(lambda a, b: formula(a - b))
    else:
        difference = program(lambda a, b, p: formula(a - b, p))
    return program(formula), difference, (op,), finish and program(finish)


NORMS = {
    0: norm(lambda x: x.ne(0), SUM), 1: norm(lambda x: x.abs(), SUM),
    2: norm(lambda x: x, SQUARE_SUM, lambda total, n: total.sqrt()),
    3: norm(lambda x: x.abs().pow(3), SUM, lambda total, n: total.pow(1 / 3)),
    math.inf: norm(lambda x: x.abs(), MAX), -math.inf: norm(lambda x: x.abs(), MIN),
}
POWER_NORM = norm(lambda x, p: x.abs() ** p, SUM, lambda total, root: total ** root)
