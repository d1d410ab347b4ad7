"""Cases of `linalg`'s factors L and D of symmetric and hermitian matrices: with blocks of one and of two, and swaps."""
from functools import partial

import numpy as np

from cygrad.testing.operands import COMPLEX, dense, numbers, reordered, result, sliced
from cygrad.testing.runner import Case, Key, Limit

LAYOUTS = {"dense": dense, "sliced": sliced, "column-major": reordered}
SHAPES = {"": (2, 7, 3), "one": (1, 1, 1), "large": (1, 75, 4)}         # matrices, rows, columns of what is solved


def _turned(x, hermitian):
    return x.conj().T if hermitian else x.T


def product(packed, pivots, hermitian):
    """The matrix of LAPACK's factors (n, n): P1 L1 P2 L2 ... D ...; a pivot below 0 says that a block has two rows."""
    n, blocks, k = len(packed), [], 0
    while k < n:
        blocks.append((k, 1 if pivots[k] > 0 else 2))
        k += blocks[-1][1]
    found = np.zeros_like(packed)
    for k, size in blocks:
        block = np.tril(packed[k:k + size, k:k + size])
        lower = np.tril(block, -1)
        found[k:k + size, k:k + size] = np.diag(np.diag(block)) + lower + _turned(lower, hermitian)
    if hermitian:
        np.fill_diagonal(found, np.diag(found).real)
    for k, size in reversed(blocks):
        factor = np.eye(n, dtype=packed.dtype)
        factor[k + size:, k:k + size] = packed[k + size:, k:k + size]
        row, other = k + size - 1, abs(int(pivots[k])) - 1
        factor[[row, other]] = factor[[other, row]]
        found = factor @ found @ _turned(factor, hermitian)
    return found


def factors(a, hermitian):
    """Factors of the lower triangle of a matrix in blocks of two without a swap: (packed, pivots)."""
    n = len(a)
    rest = np.tril(a) + _turned(np.tril(a, -1), hermitian)
    if hermitian:
        np.fill_diagonal(rest, np.diag(rest).real)
    packed, pivots = np.tril(rest), np.arange(1, n + 1)
    for k in range(0, n, 2):
        end = min(k + 2, n)
        block = rest[k:end, k:end].copy()
        below = rest[end:, k:end] @ np.linalg.inv(block)
        packed[k:end, k:end], packed[end:, k:end] = np.tril(block), below
        rest[end:, end:] -= below @ block @ _turned(below, hermitian)
        pivots[k:end] = -end if end - k == 2 else end
    return packed, pivots


def _symmetric(rng, batch, n, dtype):
    """Matrices whose diagonal is small in every other pair of rows: these need blocks of two."""
    a = numbers(rng, (batch, n, n), dtype, 0.3)
    for k in range(0, n - 1, 2):
        a[:, k + 1, k] += 5 + k
        if k % 4 == 0:
            a[:, [k, k + 1], [k, k + 1]] *= 0.1
        else:
            a[:, [k, k + 1], [k, k + 1]] += 20 + 2 * k
    a[:, -1, -1] += 9
    return a


def _make_ldl(hermitian, dtype, size, put, rng):
    batch, n, _ = SHAPES[size]
    outs = result((batch, n, n), dtype), result((batch, n), "int32"), result((batch,), "int32")
    return "ldl", (put(_symmetric(rng, batch, n, dtype), dtype),), outs, {"hermitian": hermitian}


def _make_solve(hermitian, dtype, size, put, rng):
    """Factors as none of ours would choose them: blocks of one and of two, each with a swap."""
    batch, n, columns = SHAPES[size]
    packed = numbers(rng, (batch, n, n), dtype, 0.3) / n
    pivots, k = np.zeros((batch, 1, n), "int32"), 0
    while k < n:
        two = k % 3 == 1 and k + 1 < n
        packed[:, k, k] = 0.5 if two else 2 + k % 5
        swap = rng.integers(k + two, n, batch) + 1
        pivots[:, 0, k] = -swap if two else swap
        if two:
            packed[:, k + 1, k], packed[:, k + 1, k + 1], pivots[:, 0, k + 1] = 3, 0.25, -swap
        k += 1 + two
    b = numbers(rng, (batch, n, columns), dtype, 1.0)
    return ("ldl_solve", (put(packed, dtype), dense(pivots, "int32"), put(b, dtype)),
            (result((batch, n, columns), dtype),), {"hermitian": hermitian})


def _products(routine, ins, outs, options):
    packed, pivots, info = outs
    return np.stack([product(each, swaps, options["hermitian"]) for each, swaps in zip(packed, pivots)]), info


def _factored(routine, ins, outs, options):
    made = [factors(a, options["hermitian"]) for a in ins[0].astype(complex)]
    packed, pivots = map(np.stack, zip(*made))
    return packed, pivots, np.zeros(len(made), "int32")


def _solved(routine, ins, outs, options):
    packed, pivots, b = ins
    found = [np.linalg.solve(product(each.astype(complex), swaps[0], options["hermitian"]), right)
             for each, swaps, right in zip(packed, pivots, b)]
    return np.stack(found)


def ldl_cases():
    for hermitian, word in ((False, "symmetric"), (True, "hermitian")):
        for dtype in COMPLEX if hermitian else ("float32", "float64", *COMPLEX):
            for layout in (*LAYOUTS, "one", "large"):
                size, put = ("", LAYOUTS[layout]) if layout in LAYOUTS else (layout, dense)
                limit = Limit(200, floor=200 if layout == "large" else 20)
                yield Case(Key("linalg", f"ldl {word}", dtype, layout), partial(_make_ldl, hermitian, dtype, size, put),
                           (2,), limit, derived=_products, formula=_factored)
                yield Case(Key("linalg", f"ldl_solve {word}", dtype, layout),
                           partial(_make_solve, hermitian, dtype, size, put), (2,), limit, formula=_solved)
