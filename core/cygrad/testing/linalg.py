"""Cases of the matrix entries: matmul, addmm and the routines of linear algebra.

Factorisations are not unique: what is compared is what they must satisfy, see `DERIVED`.
"""
from functools import partial

import numpy as np

from cygrad.testing import sizes
from cygrad.testing.operands import COMPLEX, FLOATS, INTEGERS, dense, numbers, reordered, repeated, result, sliced
from cygrad.testing.runner import EXACT, Case, Key, Limit

# name: (B, M, K, N), layouts of a, b and the result
PRODUCTS = {
    "dense": ((3, 4, 5, 6), dense, dense, dense), "one": ((1, 1, 1, 1), dense, dense, dense),
    "row": ((1, 1, 33, 17), dense, dense, dense), "column": ((1, 17, 33, 1), dense, dense, dense),
    "outer": ((2, 9, 1, 7), dense, dense, dense), "transposed a": ((2, 9, 10, 11), reordered, dense, dense),
    "transposed b": ((2, 9, 10, 11), dense, reordered, dense), "sliced": ((2, 9, 10, 11), sliced, sliced, dense),
    "sliced result": ((2, 9, 10, 11), dense, dense, sliced), "one a for all": ((4, 5, 6, 7), repeated, dense, dense),
    "one b for all": ((4, 5, 6, 7), dense, repeated, dense), "one of each": ((4, 5, 6, 7), repeated, repeated, dense),
    "odd": ((1, 37, 65, 41), dense, dense, dense),
    "large": ((1, 131, 150, 142), dense, dense, dense), "long": ((1, 2, 20011, 3), dense, dense, dense),
    "longer": ((1, 1, 70001, 2), dense, dense, dense),
    "many": ((65540, 1, 2, 1), dense, dense, dense),
    "offsets": ((2, 9, 10, 11), partial(dense, offset=3), partial(dense, offset=5), partial(dense, offset=7)),
}


def _make_matmul(dtype, layout, rng):
    (batch, m, k, n), put_a, put_b, put_out = PRODUCTS[layout]
    a, b = numbers(rng, (batch, m, k), dtype), numbers(rng, (batch, k, n), dtype)
    if dtype in INTEGERS and layout in ("odd", "dense", "sliced"):            # sums that wrap
        a, b = (rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, x.shape, dtype) for x in (a, b))
    return put_a(a, dtype), put_b(b, dtype), result((batch, m, n), dtype, put_out)


def _moduli(a, b, out):
    a, b = (np.abs(x.astype(complex if x.dtype.kind == "c" else float)) for x in (a, b))
    return 2 * (a @ b)


def matmul_cases():
    for dtype in INTEGERS + FLOATS + COMPLEX:
        for layout in PRODUCTS:
            if layout not in ("long", "longer") or dtype not in INTEGERS[:3]:
                yield Case(Key("matmul", "", dtype, layout), partial(_make_matmul, dtype, layout), (2,),
                           Limit(1, terms=_moduli) if dtype not in INTEGERS else EXACT)
    yield from sizes.product_cases(Limit(1, terms=_moduli))


# name: bias layout, layouts of a, b and the result, beta, alpha, value of the bias
SUMS = {
    "dense": (dense, dense, dense, dense, 1, 1), "one bias for all": (repeated, dense, reordered, dense, 1, 1),
    "factors": (dense, reordered, dense, dense, 2, 3), "sliced": (sliced, sliced, sliced, dense, 1, 2),
    "NaN bias times 0": (dense, dense, dense, dense, 0, 1), "into the bias": (dense, dense, dense, None, 2, 1),
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


def _moduli_of_addmm(bias, a, b, beta, alpha, out):
    bias = 0 if beta == 0 else np.abs(bias.astype(complex if bias.dtype.kind == "c" else float))
    return alpha * _moduli(a, b, out) + 2 * abs(beta) * bias


def addmm_cases():
    for dtype in ("int64", *FLOATS, *COMPLEX):
        for layout in SUMS:
            for shape in ((7, 9, 11), (64, 32, 48), (66, 70, 90)):
                yield Case(Key("addmm", f"{shape[0]} rows", dtype, layout),
                           partial(_make_addmm, dtype, layout, shape), (5,),
                           Limit(2, terms=_moduli_of_addmm) if dtype != "int64" else EXACT)


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
    "lstsq": lambda ins, outs, options: outs[:2],
    "triangular_solve": lambda ins, outs, options: outs,
}


def _derive(routine, ins, outs, options):
    return DERIVED[routine](ins, outs, options)


def _complex_of(dtype):
    return {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)


def _real_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


# name: routine, rows and columns of a, shapes of the results after the batch axis and their dtypes, options
M, N, K = 7, 5, 3
_SOLVED, _FACTOR = [((N, K), str), ((), "int32")], [((N, N), str), ((), "int32")]
_EIGEN = [((N,), _real_of), ((N, N), str), ((), "int32")]
ROUTINES = {
    "solve": ("solve", N, N, _SOLVED, {}),
    "inverse": ("inverse", N, N, _FACTOR, {}),
    "lu": ("lu", N, N, [((N, N), str), ((N,), "int32"), ((), "int32")], {}),
    "cholesky": ("cholesky", N, N, _FACTOR, {"upper": False}),
    "cholesky upper": ("cholesky", N, N, _FACTOR, {"upper": True}),
    "qr": ("qr", N, N, [((N, N), str), ((N, N), str)], {"complete": False}),
    "qr of tall": ("qr", M, N, [((M, N), str), ((N, N), str)], {"complete": False}),
    "qr complete": ("qr", M, N, [((M, M), str), ((M, N), str)], {"complete": True}),
    "eigh": ("eigh", N, N, _EIGEN, {"upper": False}),
    "eigh upper": ("eigh", N, N, _EIGEN, {"upper": True}),
    "svd": ("svd", N, N, [((N, N), str), ((N,), _real_of), ((N, N), str), ((), "int32")], {"full_matrices": False}),
    "svd of tall": ("svd", M, N, [((M, N), str), ((N,), _real_of), ((N, N), str), ((), "int32")],
                    {"full_matrices": False}),
    "svd full": ("svd", M, N, [((M, M), str), ((N,), _real_of), ((N, N), str), ((), "int32")],
                 {"full_matrices": True}),
    "eig": ("eig", N, N, [((N,), _complex_of), ((N, N), _complex_of), ((), "int32")], {}),
    "lstsq": ("lstsq", N, N, _SOLVED, {"driver": "gelsd", "rcond": -1.0}),
    **{f"triangular_solve{' upper' * upper}{' transposed' * transpose}{' unit' * unit}":
       ("triangular_solve", N, N, [((N, K), str)], {"upper": upper, "transpose": transpose, "unit": unit})
       for upper in (True, False) for transpose in (False, True) for unit in (False, True)},
}
# What has no result: which routine, and the code that it gives. Of the matrices, the first is as it should be.
REFUSED = {"solve": ("solve", 3), "inverse": ("inverse", 3), "lu": ("lu", 3), "cholesky": ("cholesky", 4)}


def _matrices(routine, rows, columns, dtype, options, rng):
    a = numbers(rng, (2, rows, columns), dtype, 0.3)
    a = a + 2 * np.diag(np.arange(1, max(rows, columns) + 1))[:rows, :columns]
    if routine in ("cholesky", "eigh"):
        a = (a + _adjoint(a)) / 2 + (4 * np.eye(N) if routine == "cholesky" else 0)
    unread = {"cholesky": np.triu if options.get("upper") is False else np.tril,
              "eigh": np.triu if options.get("upper") is False else np.tril}.get(routine)
    if routine == "triangular_solve":
        unread = np.tril if options["upper"] else np.triu
    if unread is not None:                                     # the other triangle holds something else
        a = a + 50 * unread(np.ones((rows, columns)), -1 if unread is np.tril else 1)
    if options.get("unit"):
        a = a / 10
    return a


def _make_linalg(name, dtype, put, put_out, rng, spoil=None):
    routine, rows, columns, outs, options = ROUTINES[name]
    a = _matrices(routine, rows, columns, dtype, options, rng)
    if spoil is not None:
        spoil(a)
    ins = [put(a, dtype)]
    if routine in ("solve", "lstsq", "triangular_solve"):
        ins.append(put(numbers(rng, (2, N, K), dtype), dtype))
    made = []
    for shape, kind in outs:
        out_dtype = kind if isinstance(kind, str) else kind(dtype)
        made.append(_batch(shape, out_dtype, put_out if len(shape) == 2 else dense))
    return routine, tuple(ins), tuple(made), dict(options)


def _batch(shape, dtype, put):
    """Results of two matrices, each row- or column-major."""
    out = result((2, *shape), dtype)
    if put is reordered:
        out.strides = (out.strides[0], 1, shape[0])
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
    for name in ROUTINES:
        for dtype in ("float32", "float64", *COMPLEX):
            for layout, put, put_out in layouts:
                yield Case(Key("linalg", name, dtype, layout), partial(_make_linalg, name, dtype, put, put_out), (2,),
                           Limit(200, floor=4), derived=_derive)
    for name, (routine, code) in REFUSED.items():
        spoil = _not_positive if routine == "cholesky" else _singular
        for dtype in ("float32", "float64", *COMPLEX):
            yield Case(Key("linalg", f"{name} refuses", dtype, "dense"),
                       partial(_make_linalg, name, dtype, dense, dense, spoil=spoil), (2,), derived=_codes,
                       formula=partial(_refusal, code))
