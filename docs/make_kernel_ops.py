"""Write docs/kernel-ops.md: what each op of the kernel interface means, for which dtypes, and how exact it must be.

The ops are the contract's (`cygrad.backend`), dtypes and accuracy those of the conformance suite, which tests it all;
meanings and edge cases stand here. `python docs/make_kernel_ops.py`; a test compares the page with what this makes.
"""
from pathlib import Path

from cygrad.backend import ARGREDUCE, BINARY, CELLS, POOL, RANDOM, REDUCE, SAMPLING, SCAN, SCATTER, UNARY
from cygrad.testing.operands import BOOL, COMPLEX, EVERY, FLOATS, INTEGERS, REAL
from cygrad.testing.pointwise import BINARY_TABLE, UNARY_TABLE, UNSIGNED

PAGE = Path(__file__).with_name("kernel-ops.md")
GROUPS = {EVERY: "all", INTEGERS + FLOATS + COMPLEX: "numbers", FLOATS + COMPLEX: "floats, complex",
          INTEGERS + FLOATS: "integers, floats", BOOL + INTEGERS + FLOATS: "bool, integers, floats",
          BOOL + INTEGERS: "bool, integers", FLOATS: "floats", INTEGERS: "integers", COMPLEX: "complex", REAL: "real",
          ("float32", "float64"): "float32, float64"}

# op: (meaning, edge cases)
UNARY_MEANINGS = {
    "neg": ("-a", "unsigned and smallest integers wrap; -(0) is -0"),
    "abs": ("modulus", "the smallest integer stays; abs(-0) is 0; complex: the real dtype"),
    "sign": ("-1, 0 or 1", "of NaN: 0"), "exp": ("e^a", "exp(-inf) = 0"), "exp2": ("2^a", ""),
    "expm1": ("e^a - 1", "exact near 0"), "log": ("natural logarithm", "log(0) = -inf, log(a < 0) = NaN"),
    "log2": ("logarithm to base 2", "as log"), "log10": ("logarithm to base 10", "as log"),
    "log1p": ("log(1 + a)", "exact near 0; log1p(-1) = -inf"), "sqrt": ("square root", "sqrt(-0) = -0; of a < 0: NaN"),
    "rsqrt": ("1 / sqrt(a)", "rsqrt(0) = inf; of a < 0: NaN"), "reciprocal": ("1 / a", "1 / -0 = -inf"),
    "square": ("a * a", "integers wrap"),
    "sin": ("sine", "sin(-0) = -0; of inf: NaN; large ones are reduced exactly"),
    "cos": ("cosine", "of inf: NaN"), "tan": ("tangent", "of inf: NaN"), "asin": ("arc sine", "beyond -1 to 1: NaN"),
    "acos": ("arc cosine", "beyond -1 to 1: NaN"), "atan": ("arc tangent", "atan(inf) = pi / 2"),
    "sinh": ("hyperbolic sine", ""), "cosh": ("hyperbolic cosine", ""), "tanh": ("hyperbolic tangent", "tanh(inf) = 1"),
    "asinh": ("its inverse", "odd: exact for large negative numbers"), "acosh": ("its inverse", "of a < 1: NaN"),
    "atanh": ("its inverse", "atanh(1) = inf; beyond: NaN"), "erf": ("error function", "erf(inf) = 1"),
    "erfc": ("1 - erf(a)", "exact where erf is near 1"), "erfinv": ("inverse of erf", "erfinv(1) = inf; beyond: NaN"),
    "lgamma": ("log(abs(gamma(a)))", "at 0, -1, -2, ...: inf"),
    "digamma": ("its derivative", "digamma(0) = -inf, digamma(-0) = inf, at -1, -2, ...: NaN"),
    "sigmoid": ("1 / (1 + e^-a)", "no overflow on either side"), "relu": ("max(a, 0)", "of NaN: NaN"),
    "floor": ("next integer below", "keeps -0"), "ceil": ("next integer above", "ceil(-0.5) = -0"),
    "trunc": ("without its fraction", "trunc(-0.5) = -0"),
    "round": ("to the nearest integer", "half to even; round(-0.5) = -0"),
    "logical_not": ("a == 0, as bool", "of NaN: False"), "bitwise_not": ("all bits turned", "bool: not"),
    "isnan": ("a != a, as bool", "complex: of either part"), "isinf": ("whether a is inf or -inf, as bool", ""),
    "isfinite": ("whether a is neither NaN nor infinite, as bool", ""), "conj": ("conjugate", ""),
    "angle": ("argument of a number", "real: 0 or pi, NaN of NaN; complex: the real dtype"),
}
POWERS = ("pow(NaN, 0) = pow(1, NaN) = 1; integers wrap; to a power below 0 they are 1, -1 or 0; with the numbers 0.5 "
          "and -0.5 a root or not, which differ at -0 and -inf")
BINARY_MEANINGS = {
    "add": ("a + b", "integers wrap; bool: or"), "sub": ("a - b", "integers wrap"),
    "mul": ("a * b", "integers wrap; bool: and"),
    "div": ("a / b", "a / 0 is inf, -inf or NaN"),
    "floor_divide": ("floor(a / b)", "integers: by 0 raises; floats: (a - remainder) / b, by 0 as div"),
    "trunc_divide": ("trunc(a / b)", "integers: by 0 raises"),
    "remainder": ("a - floor(a / b) * b", "sign of b; integers: by 0 raises; floats: by 0 NaN"),
    "fmod": ("a - trunc(a / b) * b", "sign of a; integers: by 0 raises; floats: by 0 NaN"),
    "pow": ("a^b", POWERS),
    "maximum": ("the larger", "NaN if either is; of 0 and -0 either"), "minimum": ("the smaller", "as maximum"),
    "fmax": ("the larger", "the other one, if one is NaN"), "fmin": ("the smaller", "as fmax"),
    "atan2": ("angle of the point (b, a)", "signs of zeros count: atan2(-0, -1) = -pi"),
    "hypot": ("sqrt(a^2 + b^2)", "no overflow in between; inf if either is, even with NaN"),
    "copysign": ("abs(a) with b's sign", "the sign of -0 counts"),
    "nextafter": ("the number next to a towards b", "b itself, if they are equal: of 0 and -0, too"),
    "gcd": ("greatest common divisor", "not negative; gcd(0, 0) = 0"), "lcm": ("least common multiple", "of 0: 0"),
    "bitwise_and": ("and of bits", ""), "bitwise_or": ("or of bits", ""), "bitwise_xor": ("exclusive or of bits", ""),
    "left_shift": ("a * 2^b", "by the width of the dtype or more, or by less than 0: 0"),
    "right_shift": ("a / 2^b, rounded down", "by the width or more, or by less than 0: 0, or -1 for a < 0"),
    "eq": ("a == b", "NaN equals nothing, 0 equals -0"), "ne": ("a != b", "of NaN: True"),
    "lt": ("a < b", "of NaN: False; int64 exactly"), "le": ("a <= b", "as lt"), "gt": ("a > b", "as lt"),
    "ge": ("a >= b", "as lt"), "logical_and": ("both are not 0", "NaN is true; no product: it may be 0"),
    "logical_or": ("one is not 0", "NaN is true"), "logical_xor": ("exactly one is not 0", "NaN is true"),
}
SUMS = ("in pairs, blocks or a wider dtype: a plain running sum of 17 million ones in float32 is wrong; 16-bit "
        "floats in float32; integers wrap in out's dtype, to which they are converted first")
REST = {
    "reduce": (REDUCE, {
        "sum": ("sum", SUMS),
        "prod": ("product", "as sum"), "max": ("largest", "NaN if there is one; -inf counts"),
        "min": ("smallest", "NaN if there is one"), "any": ("whether one is not 0", "NaN, 0.25, subnormals are true"),
        "all": ("whether all are not 0", "NaN is true"),
        "square_sum": ("sum of squares", "floats; composed from sum")}),
    "argreduce": (ARGREDUCE, {"argmax": ("place of the largest", "the first of equals; the first NaN, if any"),
                              "argmin": ("place of the smallest", "as argmax")}),
    "scan": (SCAN, {"cumsum": ("running sums", "as sum"), "cumprod": ("running products", "as sum"),
                    "cummax": ("running maximum and its place", "the last of equals; from a NaN on the last NaN"),
                    "cummin": ("running minimum and its place", "as cummax")}),
    "scatter": (SCATTER, {"set": ("src replaces", "the last of several writes wins, in the order of the index"),
                          "add": ("src is added", "every one of several counts; 16-bit sums may be rounded after each"),
                          "prod": ("src multiplies", "every one counts"), "max": ("the larger stays", "NaN wins"),
                          "min": ("the smaller stays", "NaN wins")}),
    "random": (RANDOM, {"uniform": ("numbers from a to b", "b only where 16 bits round to it"),
                        "normal": ("mean a, deviation b", "in pairs"),
                        "integers": ("whole numbers from a to b - 1", "word % (b - a)")}),
    "pool": (POOL, {"max": ("largest of a box, and its place", "the first of equals, the last NaN"),
                    "sum": ("sum of a box", "0 of an empty one"),
                    "mean": ("mean of a box", "integers lose the fraction")}),
    "grid_sample": (SAMPLING, {"nearest": ("the place next to a point", "half to even"),
                               "linear": ("the two places around it, along each axis", "by how near they are"),
                               "cubic": ("the four around it", "images alone")}),
    "recurrent": (CELLS, dict.fromkeys(CELLS, ("see `Backend.recurrent`", ""))),
}
HEAD = """# Ops of the kernel interface

Made by `docs/make_kernel_ops.py` from the contract and the conformance suite, which tests all of it. *ulps*: units in
the last place that a result may be off; 0 is exact. 16-bit floats are computed in float32 and rounded once, to
nearest (1 ulp where float32 has any, of few results), and a float64 becomes one by way of float32; a complex result is
judged by its modulus. Where *-0* says no, either zero will do.

What holds for all: integers wrap; bytes of bool are 0 and 1, and no others are written; what `out` held before is never
read, but by `scatter`, and by `addmm` where `bias` is `out`; nothing is written outside of `out`'s elements; an op is
declined before anything is written. Of `out` and an input as one view, an element is read before it is written.
Subnormal numbers are numbers, as operands and, where a result is exact, as results; NaN is NaN whatever its sign and
its bits.

Threads: entries are called by any thread of the host, several at once, each with operands of its own. Memory: a buffer
may be freed when a call that used it has returned, even if the device has not run it yet; so work that is still queued
keeps what it needs, and lets go of it when it is done. Views are the core's: none may be kept after a call. `alloc`
raises MemoryError where there is not enough; the core then gives up the call, with nothing changed.

`CYGRAD_BACKEND=auto` takes cuda, then opencl, then other backends by name, the first one with a device, else the CPU.
`CYGRAD_FALLBACK` is warn, silent or error; other words are refused when a device is opened.
"""


def row(op, meaning, edge, dtypes, ulps, signed):
    """A line of a table."""
    return f"| `{op}` | {meaning} | {edge} | {dtypes} | {ulps} | {signed} |"


def pointwise(names, table, meanings):
    """The table of `unary` or `binary`."""
    lines = ["| op | meaning | edge cases | dtypes | ulps | -0 |", "|---|---|---|---|--:|---|"]
    for op in names:
        dtypes, limit = table[op]
        lines.append(row(op, *meanings[op], GROUPS[dtypes], f"{limit.ulps:g}", "no" if op in UNSIGNED else "yes"))
    return lines


def page():
    """The page's text."""
    lines = [HEAD, "## unary(op, a, out)", "", *pointwise(UNARY, UNARY_TABLE, UNARY_MEANINGS), "",
             "## binary(op, a, b, out), binary_scalar(op, a, x, swapped, out)", "",
             "A Python number `x` is rounded to a's dtype as a whole: 0.1 beside float64 is float64's.", "",
             *pointwise(BINARY, BINARY_TABLE, BINARY_MEANINGS)]
    for entry, (names, meanings) in REST.items():
        lines += ["", f"## {entry}", "", "| op | meaning | edge cases |", "|---|---|---|"]
        lines += [f"| `{op}` | {meanings[op][0]} | {meanings[op][1]} |" for op in names]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
