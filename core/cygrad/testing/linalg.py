"""Cases of the matrix entries: matmul, addmm and the routines of linear algebra.

Factorisations are not unique: what is compared is what they must satisfy, see `DERIVED`.
"""
from functools import partial

import numpy as np

from cygrad.testing import ldl_factors, sizes
from cygrad.testing.operands import (COMPLEX, FLOATS, INTEGERS, dense, dense_strides, gapped, laid_out, numbers,
                                     overlapping, reordered, repeated, result, sliced, turned)
from cygrad.testing.runner import EXACT, Case, Key, Limit

# name: (B, M, K, N), layouts of a, b and the result
PRODUCTS = {
    "dense": ((3, 4, 5, 6), dense, dense, dense), "one": ((1, 1, 1, 1), dense, dense, dense),
    "row": ((1, 1, 33, 17), dense, dense, dense), "column": ((1, 17, 33, 1), dense, dense, dense),
    "outer": ((2, 9, 1, 7), dense, dense, dense), "transposed a": ((2, 9, 10, 11), reordered, dense, dense),
    "transposed b": ((2, 9, 10, 11), dense, reordered, dense), "sliced": ((2, 9, 10, 11), sliced, sliced, dense),
    "sliced result": ((2, 9, 10, 11), dense, dense, sliced), "one a for all": ((4, 5, 6, 7), repeated, dense, dense),
    "one b for all": ((4, 5, 6, 7), dense, repeated, dense), "one of each": ((4, 5, 6, 7), repeated, repeated, dense),
    "both transposed": ((2, 41, 37, 39), reordered, reordered, dense),
    "odd": ((1, 37, 65, 41), dense, dense, dense),
    "large": ((1, 131, 150, 142), dense, dense, dense), "long": ((1, 2, 20011, 3), dense, dense, dense),
    "longer": ((1, 1, 70001, 2), dense, dense, dense),
    "many": ((65540, 1, 2, 1), dense, dense, dense),
    "offsets": ((2, 9, 10, 11), partial(dense, offset=3), partial(dense, offset=5), partial(dense, offset=7)),
}




def columns(values, dtype):
    """Each matrix column-major, with gaps between its columns."""
    step = dense_strides((*np.shape(values)[::2], np.shape(values)[1] + 3))
    return laid_out(values, dtype, (step[0], 1, step[1]), 4)


def heads(values, dtype):
    """Rows of the matrices take turns: a row of the first, of the second, ..., as heads of attention lie."""
    batch, _, width = np.shape(values)
    return laid_out(values, dtype, (width, batch * width, 1), 1)


# What libraries know as leading dimensions, transposition and strides of batches; in some dtypes.
DESCRIBED = {
    "gaps in a": (gapped, dense, dense), "gaps in b": (dense, gapped, dense),
    "gaps in the result": (dense, dense, gapped),
    "both column-major": (columns, columns, dense), "column-major result": (dense, dense, columns),
    "a column-major, gaps in b": (columns, gapped, gapped), "heads": (heads, heads, heads),
    "turned": (turned, dense, turned), "b turned": (gapped, turned, dense),
    "overlapping rows": (overlapping, overlapping, dense),
}


def _make_matmul(dtype, layout, rng):
    (batch, m, k, n), put_a, put_b, put_out = PRODUCTS.get(layout) or ((3, 9, 10, 11), *DESCRIBED[layout])
    a, b = numbers(rng, (batch, m, k), dtype), numbers(rng, (batch, k, n), dtype)
    if dtype in INTEGERS and layout in ("odd", "dense", "sliced"):            # sums that wrap
        a, b = (rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, x.shape, dtype) for x in (a, b))
    return put_a(a, dtype), put_b(b, dtype), result((batch, m, n), dtype, put_out)


def _with_infinities(rng, shape, dtype):
    """Two factors whose products with 0 are NaN, and a row, or column, that a NaN or an infinity fills."""
    batch, m, k, n = shape
    a, b = np.array(numbers(rng, (batch, m, k), dtype)), np.array(numbers(rng, (batch, k, n), dtype))
    a[0, 0, -1], a[-1, 1, 0], a[-1, -1, 1] = np.inf, np.nan, -np.inf
    a[0, 2], b[0, 1, -1], b[-1, 1, 0], b[-1, 1, 1] = 0, np.inf, 0, -1
    return a, b


def _make_infinite_product(dtype, rng):
    a, b = _with_infinities(rng, (2, 9, 10, 11), dtype)
    return dense(a, dtype), dense(b, dtype), result((2, 9, 11), dtype)


def _make_infinite_sum(dtype, rng):
    a, b = (x[0] for x in _with_infinities(rng, (1, 9, 10, 11), dtype))
    bias = np.array(numbers(rng, (9, 11), dtype))
    bias[3, 4:7] = np.inf, -np.inf, np.nan
    return dense(bias, dtype), dense(a, dtype), dense(b, dtype), 1.0, 1.0, result((9, 11), dtype)


def moduli(a, b, out):
    a, b = (np.abs(x.astype(complex if x.dtype.kind == "c" else float)) for x in (a, b))
    return 2 * (a @ b)


def matmul_cases():
    for dtype in INTEGERS + FLOATS + COMPLEX:
        for layout in PRODUCTS:
            if layout not in ("long", "longer") or dtype not in INTEGERS[:3]:
                yield Case(Key("matmul", "", dtype, layout), partial(_make_matmul, dtype, layout), (2,),
                           Limit(1, terms=moduli) if dtype not in INTEGERS else EXACT)
    for dtype in ("float32", "float64", "complex64", "int64", "float16"):
        for layout in DESCRIBED:
            yield Case(Key("matmul", "described", dtype, layout), partial(_make_matmul, dtype, layout), (2,),
                       Limit(1, terms=moduli) if dtype != "int64" else EXACT)
    for dtype in FLOATS:
        yield Case(Key("matmul", "infinities", dtype, "dense"), partial(_make_infinite_product, dtype), (2,),
                   Limit(1, terms=moduli))
    yield from sizes.product_cases(Limit(1, terms=moduli))


# name: bias layout, layouts of a, b and the result, beta, alpha, value of the bias
SUMS = {
    "dense": (dense, dense, dense, dense, 1, 1), "one bias for all": (repeated, dense, reordered, dense, 1, 1),
    "factors": (dense, reordered, dense, dense, 2, 3), "sliced": (sliced, sliced, sliced, dense, 1, 2),
    "NaN bias times 0": (dense, dense, dense, dense, 0, 1), "into the bias": (dense, dense, dense, None, 2, 1),
    "fractions": (dense, dense, dense, dense, -0.5, 1.25), "minus the product": (dense, gapped, dense, sliced, 1, -1),
    "no product": (dense, dense, gapped, gapped, 1.5, 0),
    "one bias a row": (partial(repeated, axis=1), dense, gapped, reordered, 2.5, 1),
}


def _make_addmm(dtype, layout, shape, rng):
    put_bias, put_a, put_b, put_out, beta, alpha = SUMS[layout]
    m, k, n = shape
    bias = numbers(rng, (m, n), dtype)
    if beta == 0 and dtype not in INTEGERS:
        bias = np.full_like(bias, np.nan)
    a, b = numbers(rng, (m, k), dtype), numbers(rng, (k, n), dtype)
    bias = put_bias(bias, dtype)
    out = bias if put_out is None else result((m, n), dtype, put_out)
    return bias, put_a(a, dtype), put_b(b, dtype), float(beta), float(alpha), out


def moduli_of_addmm(bias, a, b, beta, alpha, out):
    bias = 0 if beta == 0 else np.abs(bias.astype(complex if bias.dtype.kind == "c" else float))
    return abs(alpha) * moduli(a, b, out) + 2 * abs(beta) * bias


def addmm_cases():
    for dtype in ("int64", *FLOATS, *COMPLEX):
        for layout in SUMS:
            for shape in ((7, 9, 11), (64, 32, 48), (66, 70, 90)):
                yield Case(Key("addmm", f"{shape[0]} rows", dtype, layout),
                           partial(_make_addmm, dtype, layout, shape), (5,),
                           Limit(2, terms=moduli_of_addmm) if dtype != "int64" else EXACT)
    for dtype in FLOATS:
        yield Case(Key("addmm", "infinities", dtype, "dense"), partial(_make_infinite_sum, dtype), (5,),
                   Limit(2, terms=moduli_of_addmm))


# ----------------------------------------------------------- linear algebra

def _permuted(lu, pivots):
    """P @ L @ U of a compact factorisation (n, n) and LAPACK's row swaps."""
    found = np.empty_like(lu)
    for i in range(len(lu)):
        product = (np.tril(lu[i], -1) + np.eye(lu.shape[1], dtype=lu.dtype)) @ np.triu(lu[i])
        for row in reversed(range(pivots.shape[1])):
            other = int(pivots[i, row]) - 1
            product[[row, other]] = product[[other, row]]
        found[i] = product
    return found


def _reflected(packed, factors):
    """Q @ R of Householder vectors below the diagonal and R above it."""
    found = np.triu(packed)
    for i in reversed(range(factors.shape[1])):
        v = np.where(np.arange(packed.shape[1]) < i, 0, packed[:, :, i])
        v[:, i] = 1
        found = found - factors[:, i, None, None] * v[:, :, None] * (v.conj()[:, None] @ found)
    return found


def _adjoint(x):
    return x.conj().swapaxes(-1, -2)


DERIVED = {
    "solve": lambda ins, outs, options: outs,
    "inverse": lambda ins, outs, options: outs,
    "lu": lambda ins, outs, options: (_permuted(*outs[:2]), outs[2]),
    "cholesky": lambda ins, outs, options: (_adjoint(outs[0]) @ outs[0] if options["upper"] else
                                            outs[0] @ _adjoint(outs[0]), outs[1]),
    "qr": lambda ins, outs, options: (outs[0] @ outs[1], _adjoint(outs[0]) @ outs[0], np.tril(outs[1], -1)),
    "eigh": lambda ins, outs, options: (outs[0], outs[1] * outs[0][:, None, :] @ _adjoint(outs[1]), outs[2]),
    "svd": lambda ins, outs, options: (outs[1], outs[0][..., :outs[1].shape[1]] * outs[1][:, None, :]
                                       @ outs[2][:, :outs[1].shape[1]], outs[3]),
    "eig": lambda ins, outs, options: (np.sort_complex(outs[0]),
                                       outs[1] * outs[0][:, None, :] @ np.linalg.inv(outs[1]), outs[2]),
    "lstsq": lambda ins, outs, options: outs,
    "geqrf": lambda ins, outs, options: (_reflected(*outs), np.abs(np.diagonal(outs[0], 0, 1, 2))),
    "triangular_solve": lambda ins, outs, options: outs,
}


def derive(routine, ins, outs, options):
    return DERIVED[routine](ins, outs, options)


def _complex_of(dtype):
    return {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)


def _real_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def routines(m, n, k):
    """{name: (routine, rows and columns of a, shapes of the results after the batch axis, their dtypes, options)}."""
    solved, factor = [((n, k), str), ((), "int32")], [((n, n), str), ((), "int32")]
    eigen = [((n,), _real_of), ((n, n), str), ((), "int32")]

    def svd(rows, columns, left, right, full):
        outs = [((rows, left), str), ((n,), _real_of), ((right, columns), str), ((), "int32")]
        return "svd", rows, columns, outs, {"full_matrices": full}

    def least_squares(driver, rows, columns):
        outs = [((columns, k), str), ((), "int32"), ((), "int64"), ((min(rows, columns),), _real_of)]
        return "lstsq", rows, columns, outs[:4 if driver == "gelsd" else 3], {"driver": driver, "rcond": -1.0}
    return {
        "solve": ("solve", n, n, solved, {}),
        "inverse": ("inverse", n, n, factor, {}),
        "lu": ("lu", n, n, [((n, n), str), ((n,), "int32"), ((), "int32")], {}),
        "cholesky": ("cholesky", n, n, factor, {"upper": False}),
        "cholesky upper": ("cholesky", n, n, factor, {"upper": True}),
        "qr": ("qr", n, n, [((n, n), str), ((n, n), str)], {"complete": False}),
        "qr of tall": ("qr", m, n, [((m, n), str), ((n, n), str)], {"complete": False}),
        "qr of wide": ("qr", n, m, [((n, n), str), ((n, m), str)], {"complete": False}),
        "qr complete": ("qr", m, n, [((m, m), str), ((m, n), str)], {"complete": True}),
        "geqrf": ("geqrf", n, n, [((n, n), str), ((n,), str)], {}),
        "geqrf of tall": ("geqrf", m, n, [((m, n), str), ((n,), str)], {}),
        "eigh": ("eigh", n, n, eigen, {"upper": False}),
        "eigh upper": ("eigh", n, n, eigen, {"upper": True}),
        "svd": svd(n, n, n, n, False), "svd of tall": svd(m, n, n, n, False), "svd of wide": svd(n, m, n, n, False),
        "svd full": svd(m, n, m, n, True), "svd of wide full": svd(n, m, n, m, True),
        "eig": ("eig", n, n, [((n,), _complex_of), ((n, n), _complex_of), ((), "int32")], {}),
        "lstsq": least_squares("gelsd", n, n), "lstsq of tall": least_squares("gelsd", m, n),
        "lstsq of wide": least_squares("gelsd", n, m), "lstsq by gelsy": least_squares("gelsy", m, n),
        **{f"triangular_solve{' upper' * upper}{' transposed' * transpose}{' unit' * unit}":
           ("triangular_solve", n, n, [((n, k), str)], {"upper": upper, "transpose": transpose, "unit": unit})
           for upper in (True, False) for transpose in (False, True) for unit in (False, True)},
    }


# name: the routines, how many matrices
ROUTINES = {"": (routines(7, 5, 3), 2), "blocks": (routines(75, 70, 9), 2), "one": (routines(6, 4, 1), 1)}
# What has no result: which routine, and the code that it gives. Of the matrices, the first is as it should be.
REFUSED = {"solve": ("solve", 3), "inverse": ("inverse", 3), "lu": ("lu", 3), "cholesky": ("cholesky", 4)}


def matrices(routine, batch, rows, columns, dtype, options, rng):
    a = numbers(rng, (batch, rows, columns), dtype, 0.3)
    a = a + 2 * np.diag(np.arange(1, max(rows, columns) + 1))[:rows, :columns]
    if routine in ("cholesky", "eigh"):
        a = (a + _adjoint(a)) / 2 + (4 * np.eye(rows) if routine == "cholesky" else 0)
    if routine in ("lu", "solve", "inverse"):                  # rows of which others are the pivots, in each its own
        a = np.stack([one[rng.permutation(rows)] for one in a])
    unread = {"cholesky": np.triu if options.get("upper") is False else np.tril,
              "eigh": np.triu if options.get("upper") is False else np.tril}.get(routine)
    if routine == "triangular_solve":
        unread = np.tril if options["upper"] else np.triu
    if unread is not None:                                     # the other triangle holds something else
        a = a + 50 * unread(np.ones((rows, columns)), -1 if unread is np.tril else 1)
    if options.get("unit"):
        a = a / 10
    return a


def _make_linalg(sizes_of, name, dtype, put, put_out, rng, spoil=None):
    found, batch = ROUTINES[sizes_of]
    routine, rows, columns, outs, options = found[name]
    a = matrices(routine, batch, rows, columns, dtype, options, rng)
    if spoil is not None:
        spoil(a)
    ins = [put(a, dtype)]
    if routine in ("solve", "lstsq", "triangular_solve"):
        ins.append(put(numbers(rng, (batch, rows, outs[0][0][1]), dtype), dtype))
    made = []
    for shape, kind in outs:
        out_dtype = kind if isinstance(kind, str) else kind(dtype)
        made.append(_batch((batch, *shape), out_dtype, put_out if len(shape) == 2 else dense))
    return routine, tuple(ins), tuple(made), dict(options)


def _batch(shape, dtype, put):
    """Results of some matrices, each row- or column-major."""
    out = result(shape, dtype)
    if put is reordered:
        out.strides = (out.strides[0], 1, shape[1])
    return out


def _singular(a):
    a[1, :, 2] = 0


def _not_positive(a):
    a[1, 3, 3] = -1


def _codes(routine, ins, outs, options):
    return outs[-1:]


def _refusal(code, routine, ins, outs, options):
    return *outs[:-1], np.array([0, code], "int32")


def linalg_cases():
    layouts = ("dense", dense, dense), ("sliced", sliced, dense), ("column-major", reordered, reordered)
    for sizes_of, (found, _) in ROUTINES.items():
        for name in found:
            for dtype in ("float32", "float64", *COMPLEX) if not sizes_of else ("float64", "complex64"):
                for layout, put, put_out in layouts if not sizes_of else layouts[:1]:
                    yield Case(Key("linalg", name, dtype, sizes_of or layout),
                               partial(_make_linalg, sizes_of, name, dtype, put, put_out), (2,),
                               Limit(200, floor=40 if sizes_of == "blocks" else 4), derived=derive)
    for name, (routine, code) in REFUSED.items():
        spoil = _not_positive if routine == "cholesky" else _singular
        for dtype in ("float32", "float64", *COMPLEX):
            yield Case(Key("linalg", f"{name} refuses", dtype, "dense"),
                       partial(_make_linalg, "", name, dtype, dense, dense, spoil=spoil), (2,), derived=_codes,
                       formula=partial(_refusal, code))
    yield from ldl_factors.ldl_cases()
