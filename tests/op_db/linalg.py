"""Products of matrices and linear algebra.

What is free up to a sign (svd, qr, eigh) is compared through what it must reconstruct.
"""

import numpy as np

from .samplers import calls
from .table import LINALG, SOME, ErrorSample, Op, Sample as S, T

PRODUCT = "a dot product's rounding depends on the order of its terms"
SOLVE = "rounding grows with the condition number"
OPS = []


def product(name, samples, **kwargs):
    kwargs.setdefault("dtypes", SOME)
    kwargs.setdefault("out", True)
    OPS.append(Op(name, samples, tolerance=8.0, reason=PRODUCT, **kwargs))


def solver(name, samples, **kwargs):
    kwargs.setdefault("dtypes", LINALG + ("int64", "bool"))
    kwargs.setdefault("method", False)
    OPS.append(Op(name, samples, tolerance=50.0, reason=SOLVE, **kwargs))


LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "offset")


def pairs(*shapes):
    """Both operands in every layout for the first pair of shapes; the others plain; dtypes that do not match."""

    def generate(make):
        first, second = shapes[0]
        for a in LAYOUTS:
            for b in LAYOUTS:
                yield S(make(*first, layout=fit(a, first)), make(*second, layout=fit(b, second)))
        for a, b in shapes[1:]:
            yield S(make(*a), make(*b))
        yield S(make(*first), make(*second, dtype="float64"))
        yield S(make(*first), make(*second, dtype="int64"))

    return generate


def fit(layout, shape):
    return "sliced" if layout == "transposed" and len(shape) < 2 else layout


product("mm", pairs(((2, 3), (3, 4)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((17, 9), (9, 5)), ((2, 3), (2, 3)),
    ((2,), (2, 3)), ((1, 1), (1, 1))), errors=[
    ErrorSample(lambda m: m.mm(m.ones(2, 3), m.ones(2, 3)), "inner sizes differ"),
    ErrorSample(lambda m: m.mm(m.ones(3), m.ones(3, 2)), "not a matrix"),
    ErrorSample(lambda m: m.mm(m.ones(2, 3), m.ones(3, 2, dtype=m.float64)), "dtypes differ")])  # fmt: skip
product("bmm", pairs(((2, 2, 3), (2, 3, 4)), ((0, 2, 3), (0, 3, 2)), ((2, 2, 0), (2, 0, 3)), ((2, 2, 3), (3, 3, 4)),
    ((2, 3), (3, 2)), ((2, 2, 3), (2, 2, 3))), errors=[
    ErrorSample(lambda m: m.bmm(m.ones(2, 2, 3), m.ones(3, 3, 4)), "batches differ"),
    ErrorSample(lambda m: m.bmm(m.ones(2, 3), m.ones(3, 2)), "not batched")])  # fmt: skip
product("mv", pairs(((2, 3), (3,)), ((2, 0), (0,)), ((2, 3), (2,)), ((3,), (3,))), errors=[
    ErrorSample(lambda m: m.mv(m.ones(2, 3), m.ones(2)), "sizes differ")])  # fmt: skip
product("dot", pairs(((3,), (3,)), ((0,), (0,)), ((3,), (2,)), ((41,), (41,)), ((2, 2), (2, 2))), errors=[
    ErrorSample(lambda m: m.dot(m.ones(2), m.ones(3)), "sizes differ"),
    ErrorSample(lambda m: m.dot(m.ones(2, 2), m.ones(2, 2)), "not vectors")])  # fmt: skip
product("vdot", pairs(((3,), (3,)), ((0,), (0,)), ((3,), (2,))))
product("inner", pairs(((2, 3), (4, 3)), ((3,), (3,)), ((), (2, 3)), ((2, 3), (3,)), ((2, 3), (2,))))
for name in ("outer", "ger"):
    product(name, pairs(((3,), (4,)), ((0,), (2,)), ((2, 2), (2,))))
ranks = pairs(
    ((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2, 3), (3, 4)), ((2, 3), (2, 3, 4)),
    ((2, 2, 3), (3,)), ((3,), (2, 3, 4)),
    ((2, 1, 2, 3), (3, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((2, 2, 3), (2, 3, 4)), ((2, 1, 2, 3), (1, 3, 3, 2)),
    ((0, 2, 3), (3, 2)), ((2, 0), (0, 2)), ((2, 3), (2, 3)),
    ((), (2,)), ((2, 2, 3), (3, 3, 2)), ((0,), (0,)),
)  # fmt: skip
product("matmul", ranks, errors=[
    ErrorSample(lambda m: m.matmul(m.ones(2, 3), m.ones(2, 3)), "inner sizes differ"),
    ErrorSample(lambda m: m.matmul(m.ones(()), m.ones(2)), "0-d"),
    ErrorSample(lambda m: m.matmul(m.ones(3), m.ones(2)), "vectors of different sizes"),
    ErrorSample(lambda m: m.matmul(m.ones(2, 2, 3), m.ones(3, 3, 2)), "batches do not broadcast")])  # fmt: skip
product("x @ y", ranks, call=lambda m, a, b: a @ b, out=False)
product("tensordot", lambda make: [
    S(make(2, 3, 4), make(3, 4, 2)), S(make(2, 3), make(3, 4), 1), S(make(2, 3, 4), make(4, 3), dims=([1, 2], [1, 0])),
    S(make(2), make(3), dims=0)], method=False, out=True)  # fmt: skip
product("linalg.multi_dot", lambda make: [S([make(2, 3), make(3, 4), make(4, 2)]), S([make(3), make(3, 2)]),
    S([make(2, 3), make(3)])], method=False, dtypes=LINALG)
product("linalg.matrix_power", lambda make: [S(make(3, 3), n) for n in (0, 1, 2, 3, 5)] + [S(make(2, 2, 2), 2),
    S(make(2, 3), 2)], method=False, dtypes=LINALG)
product("matrix_power", lambda make: [S(make(3, 3), 3)], dtypes=LINALG, out=True)
product("linalg.vecdot", lambda make: [S(make(2, 3), make(2, 3)), S(make(2, 3), make(3), dim=-1)], method=False,
    dtypes=LINALG)


def scaled(*shapes, overlap=True):
    """input, a, b and the factors beta and alpha; the first input also broadcast and in other layouts.

    Without `overlap` the first input is never expanded: PyTorch's addmv_ and baddbmm_ would add to one element several
    times.
    """

    def generate(make):
        for x, a, b in shapes:
            for kwargs in ({}, {"beta": 2, "alpha": 3}, {"beta": 0}, {"beta": 0.5, "alpha": -1.5}):
                yield S(make(*x), make(*a), make(*b), **kwargs)
        x, a, b = shapes[0]
        for layout in ("transposed", "sliced", "expanded"):
            first = fit(layout, x) if overlap or layout != "expanded" else "contiguous"
            yield S(make(*x, layout=first), make(*a, layout=fit(layout, a)), make(*b, layout=fit(layout, b)))
        if make.is_float:
            yield S(make.of(np.full(x, np.nan)), make(*a), make(*b), beta=0).kink()

    return generate


product("addmm", scaled(((2, 4), (2, 3), (3, 4)), ((4,), (2, 3), (3, 4)), ((), (2, 3), (3, 4)),
    ((2, 1), (2, 3), (3, 4)), ((2, 4), (2, 0), (0, 4)), ((3, 4), (2, 3), (3, 4))),
        inplace=True)  # fmt: skip
product("addmv", scaled(((2,), (2, 3), (3,)), ((), (2, 3), (3,)), ((1,), (2, 3), (3,)), ((3,), (2, 3), (3,)),
    overlap=False), inplace=True)
product("addr", scaled(((2, 3), (2,), (3,)), ((3,), (2,), (3,)), ((2, 2), (2,), (3,))), inplace=True)
product("addbmm", scaled(((2, 4), (2, 2, 3), (2, 3, 4)), ((4,), (2, 2, 3), (2, 3, 4)), ((3, 4), (2, 2, 3), (2, 3, 4))),
    inplace=True)
product("baddbmm", scaled(((2, 2, 4), (2, 2, 3), (2, 3, 4)), ((2, 4), (2, 2, 3), (2, 3, 4)),
    ((), (2, 2, 3), (2, 3, 4)), ((3, 2, 4), (2, 2, 3), (2, 3, 4)), overlap=False), inplace=True)


def equations(make):
    for equation, *shapes in [
        ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij->ji", (2, 3)), ("ij", (2, 3)), ("ba", (2, 3)),
        ("ii->i", (3, 3)), ("ii", (3, 3)), ("ii->", (3, 3)),
        ("ij->", (2, 3)), ("ij->i", (2, 3)), ("i,j->ij", (2,), (3,)), ("i,i->", (3,), (3,)),
        ("bij,bjk->bik", (2, 2, 3), (2, 3, 4)), ("bij,jk->bik", (2, 2, 3), (3, 4)),
        ("...ij,...jk->...ik", (2, 2, 3), (3, 4)), ("...i->...", (2, 3)), ("i...->...i", (2, 3, 4)), ("...", (2, 3)),
        ("ijk,jk->i", (2, 3, 4), (3, 4)),
        ("ij,ij->ij", (2, 3), (2, 3)), ("ij,kj->ik", (2, 3), (4, 3)), ("bn,anm,bm->ba", (2, 3), (4, 3, 2), (2, 2)),
        (" i j , j k -> i k ", (2, 3), (3, 4)), ("Ij,jK->IK", (2, 3), (3, 4)),
        ("i,->i", (3,), ()), ("ij,j->ij", (2, 3), (1,)), (",->", (), ()), ("ijj->ij", (2, 3, 3)),
        ("ij,jk->ki", (2, 3), (3, 4)), ("ab,cd->abcd", (2, 1), (1, 3)),
        ("ij,jk->ik", (2, 3), (2, 3)), ("ij->ik", (2, 3)), ("ij", (2, 3, 4)), ("ij,jk->ii", (2, 3), (3, 4)),
        ("i1->i", (2, 3)), ("ij->jj", (2, 3)), ("ii->i", (2, 3)), ("", (2,)),
    ]:  # fmt: skip
        yield S(equation, *(make(*s) for s in shapes))
    yield S("ij,kj->ik", make(3, 2, layout="transposed"), make(3, 2, layout="expanded"))
    yield S("ij,jk->ik", [make(2, 3), make(3, 4)])


product("einsum", equations, method=False, out=False, errors=[
    ErrorSample(lambda m: m.einsum("ij,jk->ik", m.ones(2, 3), m.ones(4, 5)), "sizes differ"),
    ErrorSample(lambda m: m.einsum("ij,jk->ik", m.ones(2, 3)), "an operand is missing"),
    ErrorSample(lambda m: m.einsum("ij->iz", m.ones(2, 3)), "unknown output subscript"),
    ErrorSample(lambda m: m.einsum("ij", m.ones(2)), "rank differs from subscripts")])  # fmt: skip


def op(name, samples, **kwargs):
    kwargs.setdefault("dtypes", SOME)
    OPS.append(Op(name, samples, exact=True, **kwargs))


op("trace", calls(((3, 3),), ((2, 3),), ((3, 2),), ((0, 0),), ((3,),), ((2, 2, 2),)))
OPS[-1].exact, OPS[-1].tolerance, OPS[-1].reason = False, 4.0, PRODUCT
diagonals = [((3,),), ((3,), 1), ((3,), -2), ((3, 4),), ((3, 4), 1), ((3, 4), -1), ((3, 4), 5), ((0,),), ((),),
    ((2, 2, 2),)]
op("diag", calls(*diagonals), out=True)
op("diagflat", calls(((3,),), ((2, 2), 1), ((),)))
triangles = [((3, 4),), ((3, 4), 1), ((3, 4), -1), ((4, 3), 7), ((4, 3), -7), ((2, 3, 3),), ((0, 3),), ((3,),),
    ((3, 3), {"diagonal": -1})]
op("tril", calls(*triangles), out=True, inplace=True)
op("triu", calls(*triangles), out=True, inplace=True)
op("tril_indices", lambda make: [S(3, 4), S(3, 3, 1), S(4, 3, offset=-1), S(0, 3)], method=False, diff=False,
    dtypes=("int64",))
op("triu_indices", lambda make: [S(3, 4), S(3, 3, 1), S(4, 3, offset=-1), S(0, 3)], method=False, diff=False,
    dtypes=("int64",))
product("cross", lambda make: [
    S(make(3), make(3)), S(make(2, 3), make(2, 3)), S(make(3, 2), make(3, 2), 0), S(make(2, 3), make(3), dim=-1),
    S(make(2, 2), make(2, 2)), S(make(3, 4), make(3, 4), 1)])  # fmt: skip
product("linalg.cross", lambda make: [S(make(2, 3), make(2, 3)), S(make(3, 2), make(3, 2), dim=0),
    S(make(2, 3), make(1, 3)), S(make(2, 2), make(2, 2))], method=False)
product("kron", lambda make: [S(make(2, 3), make(3, 2)), S(make(2), make(3)), S(make(), make(2)),
    S(make(2, 2), make(3)), S(make(3, 2, layout="sliced"), make(2, 2))])  # PyTorch fails on transposed ones


# ---- solvers: well conditioned matrices, so that answers are determined ---------------------------------------


def square(make, *batch, n=3, layout="contiguous"):
    """Diagonally dominant."""
    base = make.numbers((*batch, n, n), make.dtype, -1, 1) + (0 if make.dtype == "bool" else (n + 1) * np.eye(n,
        dtype="int64"))
    t = T(base, (*batch, n, n), make.dtype)
    return transposed(t) if layout == "transposed" else t


def transposed(t):
    """The same recipe read through a transposed view."""
    return T(t.base, t.shape, t.dtype, "transposed")


def positive(make, *batch, n=3):
    """Symmetric (Hermitian) positive definite."""
    base = make.numbers((*batch, n, n), make.dtype, -1, 1)
    if make.dtype == "bool":
        return T(base, base.shape, make.dtype)
    base = base @ np.conj(np.swapaxes(base, -1, -2)) + (n + 1) * np.eye(n, dtype="int64")
    return T(base, base.shape, make.dtype)


def squares(make):
    yield S(square(make))
    yield S(square(make, layout="transposed"))
    yield S(square(make, 2))
    yield S(square(make, 2, 2, n=2))
    yield S(square(make, n=1))
    yield S(make(0, 0))
    yield S(make(2, 3))
    yield S(make(3))


def systems(make):
    for batch, rhs in [((), (3,)), ((), (3, 2)), ((2,), (2, 3, 2)), ((2,), (2, 3)), ((2,), (3, 2)), ((), (0,)),
        ((), (2, 3, 2))]:
        yield S(square(make, *batch), make(*rhs))
    yield S(square(make, layout="transposed"), make(3, 2, layout="transposed"))
    yield S(square(make), make(3, 2), left=True)
    yield S(square(make), make(2, 3), left=False)
    yield S(make(2, 3), make(2))


def singular(m):
    return m.zeros(2, 2)


for name in ("inverse", "linalg.inv"):
    solver(name, squares, method=name == "inverse", out=True, errors=[
        ErrorSample(lambda m: m.inverse(m.zeros(2, 2)), "singular"),
        ErrorSample(lambda m: m.inverse(m.ones(2, 3)), "not square")])  # fmt: skip
solver("det", squares, method=True)
solver("linalg.det", squares, out=True)
solver("logdet", squares, method=True)
solver("slogdet", squares, method=True)
solver("linalg.slogdet", squares, out=True)
solver("linalg.solve", systems, out=True, errors=[
    ErrorSample(lambda m: m.linalg.solve(singular(m), m.ones(2)), "singular"),
    ErrorSample(lambda m: m.linalg.solve(m.ones(2, 3), m.ones(2)), "not square"),
    ErrorSample(lambda m: m.linalg.solve(m.eye(2), m.ones(3)), "sizes differ")])  # fmt: skip
solver("linalg.solve_triangular", lambda make: [
    S(square(make), make(3, 2), upper=u, **k) for u in (True, False) for k in ({}, {"unitriangular": True})] + [
    S(square(make), make(2, 3), upper=True, left=False), S(square(make, 2), make(2, 3, 1), upper=False)],
    out=True)  # fmt: skip
for name in ("cholesky", "linalg.cholesky"):
    solver(name, lambda make: [S(positive(make)), S(positive(make, 2)), S(positive(make, n=1)),
        S(positive(make), upper=True), S(make(0, 0)), S(make(2, 3)), S(make(3))],
           method=name == "cholesky", out=True, gradcheck=False, errors=[
               ErrorSample(lambda m: m.linalg.cholesky(-m.eye(2)), "not positive definite")])  # fmt: skip
solver("cholesky_solve", lambda make: [S(make(3, 2), square(make)), S(make(3, 2), square(make), upper=True)],
    method=True, out=True, gradcheck=False)
solver("cholesky_inverse", lambda make: [S(positive(make)), S(positive(make), upper=True)], method=True, out=True,
    gradcheck=False)
solver("linalg.lu_factor", lambda make: [S(square(make)), S(square(make, 2))], out=False)
solver("linalg.lu", lambda make: [S(square(make)), S(square(make, 2)), S(make(3, 2, low=1)), S(make(2, 3, low=1))],
    out=False)
solver("linalg.matrix_exp", lambda make: [S(square(make)), S(make(2, 2, 2, low=-1, high=1))], also=["matrix_exp"])


def tall(make, *shape):
    """Full rank, with singular values apart from one another."""
    base = make.numbers(shape, make.dtype, -1, 1)
    if make.dtype != "bool":
        base = base + (2 + np.arange(shape[-1])) * np.eye(shape[-2], shape[-1], dtype="int64")
    return T(base, base.shape, make.dtype)


def rectangles(make, **kwargs):
    yield S(tall(make, 4, 3), **kwargs)
    yield S(tall(make, 3, 4), **kwargs)
    yield S(transposed(tall(make, 3, 3)), **kwargs)
    yield S(tall(make, 2, 3, 2), **kwargs)
    yield S(make(0, 3), **kwargs)
    yield S(make(3), **kwargs)


def qr(m, x, mode="reduced"):
    """Q R, R* R and the shapes: what the signs do not change."""
    q, r = m.linalg.qr(x, mode=mode)
    return q @ r, r.mH @ r, q.mH @ q, list(q.shape), list(r.shape)


def qr_r(m, x):
    q, r = m.linalg.qr(x, mode="r")
    return r.mH @ r, list(q.shape), list(r.shape)


def svd(m, x, full_matrices=True):
    u, s, vh = m.linalg.svd(x, full_matrices=full_matrices)
    k = s.shape[-1]
    unitary = u.mH @ u, vh @ vh.mH
    if full_matrices:  # these would depend on the signs of the columns that no singular value belongs to
        unitary = tuple(t.detach() for t in unitary)
    return s, (u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :], *unitary, list(u.shape), list(vh.shape)


def old_svd(m, x, some=True):
    u, s, v = m.svd(x, some)
    k = s.shape[-1]
    return s, (u[..., :k] * s.unsqueeze(-2)) @ v[..., :k].mH, list(u.shape), list(v.shape)


def eigh(m, x, UPLO="L"):
    values, vectors = m.linalg.eigh(x, UPLO)
    return values, (vectors * values.unsqueeze(-2)) @ vectors.mH, vectors.mH @ vectors


def in_order(m, values):
    """Complex numbers sorted, since no order of eigenvalues is promised."""
    ordered = sorted(values.reshape(-1).tolist(), key=lambda z: (round(z.real, 4), round(z.imag, 4)))
    return m.tensor(ordered, dtype=values.dtype)


def eig(m, x):
    values, vectors = m.linalg.eig(x)
    return (vectors * values.unsqueeze(-2)) @ m.linalg.inv(vectors)


def hermitian(make):
    yield S(positive(make))
    yield S(positive(make, 2))
    yield S(positive(make, n=1))
    yield S(make(0, 0))
    yield S(make(2, 3))


for mode in ("reduced", "complete"):
    solver(f"linalg.qr.{mode}", lambda make, mode=mode: rectangles(make, mode=mode), call=qr,
        gradcheck=mode == "reduced")
solver("linalg.qr.r", rectangles, call=qr_r, diff=False)
for full in (True, False):
    solver(f"linalg.svd.{'full' if full else 'reduced'}", lambda make, full=full: rectangles(make, full_matrices=full),
        call=svd, gradcheck=not full,
           gradgradcheck=False)  # fmt: skip
solver("svd", rectangles, call=old_svd, gradcheck=False)
solver("linalg.svdvals", rectangles, out=True)
solver("linalg.eigh", hermitian, call=eigh, gradcheck=False)
solver("linalg.eigh.upper", lambda make: hermitian(make), call=lambda m, x: eigh(m, x, "U"), gradcheck=False)
# Symmetric for every change of the input, as a difference quotient needs.
for name, function in [
    ("cholesky", lambda m, x: m.linalg.cholesky(x)), ("eigh", eigh), ("eigvalsh", lambda m, x: m.linalg.eigvalsh(x)),
    ("cholesky_solve", lambda m, x: m.cholesky_solve(x, m.linalg.cholesky(x))),
    ("cholesky_inverse", lambda m, x: m.cholesky_inverse(m.linalg.cholesky(x))),
]:  # fmt: skip
    solver(f"linalg.{name}.symmetric", hermitian, call=lambda m, x, f=function: f(m, (x + x.mH) / 2), dtypes=LINALG)
solver("linalg.eigvalsh", hermitian, out=True, gradcheck=False)
solver("linalg.eig", squares, call=eig, gradcheck=False)
solver("linalg.eigvals", squares, call=lambda m, x: in_order(m, m.linalg.eigvals(x)), diff=False)
for name in ("pinverse", "linalg.pinv"):
    solver(name, rectangles, method=name == "pinverse", out=name == "linalg.pinv", gradgradcheck=False)
solver("linalg.matrix_rank", lambda make: [S(tall(make, 4, 3)), S(make.of(np.ones((3, 3)))), S(make(2, 2, 2))],
    diff=False, out=False)
solver("linalg.cond", lambda make: [S(square(make)), S(square(make), 1), S(square(make), "fro")], out=False,
    gradcheck=False)


def least_squares(m, a, b):
    solution, residuals, rank, values = m.linalg.lstsq(a, b)
    return solution, residuals, list(rank.shape), list(values.shape)


solver("linalg.lstsq", lambda make: [
    S(tall(make, 4, 3), make(4, 2)), S(tall(make, 3, 3), make(3, 1)), S(tall(make, 2, 4, 2), make(2, 4, 1)),
    S(transposed(tall(make, 3, 3)), make(3, 2)),
    S(tall(make, 2, 3), make(2, 1)), S(tall(make, 4, 3), make(4)), S(tall(make, 4, 3), make(3, 1))],
    call=least_squares, errors=[
        ErrorSample(lambda m: m.linalg.lstsq(m.ones(3, 2), m.ones(2, 1)), "sizes differ")],
        gradgradcheck=False)  # fmt: skip


def matrix_norms(make):
    for ord_ in ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")):
        yield S(tall(make, 3, 3), ord_)
        yield S(tall(make, 2, 3, 2), ord_, dim=(1, 2), keepdim=True)
        yield S(tall(make, 2, 3, 2), ord_, (-1, -2))
    yield S(make(3), "fro")
    yield S(tall(make, 3, 3), 3)


solver("linalg.matrix_norm", matrix_norms, out=True, gradgradcheck=False)
solver("linalg.norm", lambda make: [S(tall(make, 3, 3), *a) for a in ((), ("fro",), ("nuc",), (2,), (1,))] + [
    S(make(5), *a) for a in ((), (1,), (3,), (float("inf"),))] + [S(make(2, 3), 2, 1),
    S(make(2, 3), None, (0, 1), True)],
    out=True, gradgradcheck=False)  # fmt: skip


# ------------------------------------------------------------------------- reflections, LDL, low rank

def reflections(make):
    """Vectors below a diagonal and their factors."""
    for shape, count in (((4, 3), 3), ((4, 3), 2), ((3, 3), 3), ((2, 4, 3), 3)):
        yield S(make(*shape, low=-1, high=1), make(*shape[:-2], count, low=-1, high=1))
    yield S(make(3, 4), make(3))
    yield S(make(4, 3), make(4))


def multiplied(make):
    for left in (True, False):
        for transpose in (True, False):
            other = make(4, 2, low=-1, high=1) if left else make(2, 4, low=-1, high=1)
            yield S(make(4, 3, low=-1, high=1), make(3, low=-1, high=1), other, left, transpose)
    yield S(make(2, 4, 3, low=-1, high=1), make(2, 3, low=-1, high=1), make(2, 4, 2))
    yield S(make(4, 3), make(3), make(3, 2))


def drawn(m, name, a, q):
    """What the signs of singular vectors do not change."""
    m.manual_seed(5)
    u, s, v = getattr(m, name)(a, q)
    return s, (u * s.to(u.dtype).unsqueeze(-2)) @ v.mH


def few_pairs(m, a, b=None, **options):
    """What the signs of eigenvectors do not change, of a symmetric matrix with eigenvalues far from each other."""
    size = a.shape[-1]
    a = (a + a.mT) / 20 + m.arange(1, size + 1, dtype=a.dtype).diag()
    b = b if b is None else (b @ b.mT).detach() + m.eye(size, dtype=b.dtype)
    m.manual_seed(5)
    values, vectors = m.lobpcg(a, B=b, tol=1e-12, **options)
    return values, (vectors * values.unsqueeze(-2)) @ vectors.mT


solver("geqrf", rectangles, method=True, diff=False)
OPS.append(Op("lobpcg", lambda make: [
    S(tall(make, 5, 5)), S(tall(make, 2, 6, 6), k=2, largest=False), S(tall(make, 6, 6), tall(make, 6, 6), k=2),
    S(tall(make, 6, 6), X=tall(make, 6, 2)), S(tall(make, 12, 12), k=3, n=4)],
    call=few_pairs, dtypes=("float64",), method=False, tolerance=1e4, reason="an iteration that ends at a residual"))
solver("linalg.householder_product", reflections, dtypes=LINALG, out=True, also=("orgqr",))
solver("ormqr", multiplied, dtypes=LINALG, out=True, method=True)
solver("linalg.ldl_factor", hermitian, diff=False, dtypes=LINALG)
solver("linalg.ldl_factor_ex", hermitian, diff=False, dtypes=LINALG)
solver("linalg.ldl_solve", lambda make: [S(make(3, 3), make(2, 3), make(3, 1)), S(square(make), make(3, 2))],
    call=lambda m, a, *rest: m.linalg.ldl_solve(*m.linalg.ldl_factor((a + a.mT) / 2), rest[-1]), diff=False,
    dtypes=LINALG)
for name in ("svd_lowrank", "pca_lowrank"):
    solver(name, lambda make: [S(tall(make, 6, 4), 2), S(tall(make, 4, 6), 2), S(tall(make, 2, 5, 4), 3)],
        call=lambda m, a, q, name=name: drawn(m, name, a, q), dtypes=LINALG, gradgradcheck=False)
