"""Rules of products of matrices, and of linear algebra, which takes batches of matrices by itself."""
import cygrad
from cygrad.batching.rules.helpers import example, is_batched, ranked, rule, whole
from cygrad.batching.rules.reduce import raise_no_rule
from cygrad.batching.wrapping import batched


@rule("matmul mm bmm mv dot inner")
def products(level, op, x, y, **kwargs):
    check(op.op, x, y)
    if op.op == "inner" and (x.dim() == 0 or y.dim() == 0):
        return x * y
    if op.op == "inner" and y.dim() > 1:
        return cygrad.tensordot(x, y, ([-1], [-1]))
    if x.dim() == 1 and y.dim() == 1:
        return cygrad.matmul(whole(x, level).unsqueeze(1), whole(y, level).unsqueeze(-1)).squeeze(-1).squeeze(-1)
    if not is_batched(y, level) and x.dim() >= 1:
        return with_shared(x, y)
    if not is_batched(x, level) and x.dim() == 2 and y.dim() == 1:
        return cygrad.matmul(y.value, x.mT)
    rank = max(x.dim(), y.dim(), 2)
    a, b = matrix(x, level, rank, -2), matrix(y, level, rank, -1)
    found = cygrad.matmul(a, b)
    return found.squeeze(-2) if x.dim() == 1 else found.squeeze(-1) if y.dim() == 1 else found


def with_shared(x, y):
    """The product with a matrix, a vector or a batch of matrices that is the same for all examples."""
    if x.dim() == 1 and y.dim() <= 2:
        return cygrad.matmul(x.value, y)
    if x.dim() == 1:
        return cygrad.matmul(x.value.unsqueeze(1).view(-1, *(1,) * (y.dim() - 2), 1, x.shape[0]), y).squeeze(-2)
    if y.dim() > x.dim():
        value = x.value
        return cygrad.matmul(value.view(value.shape[0], *(1,) * (y.dim() - x.dim()), *value.shape[1:]), y)
    return cygrad.matmul(x.value, y)


def matrix(t, level, rank, vector):
    """An operand as a matrix behind its batch axes, as many of them as the other has."""
    if not is_batched(t, level):
        return t.unsqueeze(vector) if t.dim() == 1 else t
    if t.dim() == 1:
        t = batched(t.value.unsqueeze(vector), level)
    return ranked(t, level, rank)


def check(name, x, y):
    """What the rules would take and these ops refuse."""
    wanted = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), **dict.fromkeys(("dot", "vdot", "outer", "ger"), (1, 1))}
    if (x.dim(), y.dim()) != wanted[name] if name in wanted else name == "matmul" and not (x.dim() and y.dim()):
        a, b = [cygrad.empty(t.shape, dtype=t.dtype) for t in (x, y)]
        getattr(cygrad, name)(a, b)
        raise_no_rule()


@rule("vdot linalg_vecdot")
def inner_products(level, op, x, y, dim=-1):
    check(op.op, x, y)
    return (x.conj() * y).sum(dim)


@rule("outer ger")
def outer(level, op, x, y):
    check(op.op, x, y)
    return x.unsqueeze(-1) * y.unsqueeze(0)


@rule("addmm addmv baddbmm addr")
def scaled_sums(level, op, c, a, b, *, beta=1, alpha=1):
    product = cygrad.outer(a, b) if op.op == "addr" else cygrad.matmul(a, b)
    product = product if alpha == 1 else product * alpha
    return example(product if beta == 0 else (c if beta == 1 else c * beta) + product, level)


@rule("addbmm")
def summed_products(level, op, c, a, b, *, beta=1, alpha=1):
    product = cygrad.matmul(a, b).sum(0)
    product = product if alpha == 1 else product * alpha
    return example(product if beta == 0 else (c if beta == 1 else c * beta) + product, level)


@rule("tensordot")
def tensordot(level, op, x, y, dims=2):
    if isinstance(dims, int):
        dims = list(range(x.dim() - dims, x.dim())), list(range(dims))
    first, second = [[d % t.dim() for d in each] for each, t in zip(dims, (x, y))]
    rest, others = [[d for d in range(t.dim()) if d not in used] for t, used in ((x, first), (y, second))]
    shape = [x.shape[d] for d in rest] + [y.shape[d] for d in others]
    count = 1
    for d in first:
        count *= x.shape[d]
    a = x.permute([*rest, *first]).reshape((-1, count) if rest else (1, count))
    b = y.permute([*second, *others]).reshape((count, -1) if others else (count, 1))
    return cygrad.matmul(a, b).reshape(shape)


@rule("einsum")
def einsum(level, op, equation, *operands):
    if not isinstance(equation, str):
        raise_no_rule()
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    terms, _, result = equation.replace(" ", "").partition("->")
    if "..." in equation:
        raise_no_rule()
    if "->" not in equation:
        letters = [c for c in terms if c != ","]
        result = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    free = next(c for c in "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in equation)
    terms = ",".join(free + term if is_batched(t, level) else term for term, t in zip(terms.split(","), operands))
    values = [t.value if is_batched(t, level) else t for t in operands]
    return op(f"{terms}->{free}{result}", *values)


@rule("""
    inverse linalg_inv linalg_inv_ex det linalg_det logdet slogdet linalg_slogdet cholesky linalg_cholesky
    linalg_cholesky_ex cholesky_inverse linalg_lu_factor linalg_lu linalg_matrix_exp matrix_exp linalg_qr
    linalg_svd svd linalg_svdvals linalg_eigh linalg_eigvalsh linalg_eig linalg_eigvals pinverse linalg_pinv
    linalg_matrix_power matrix_power linalg_cond linalg_matrix_rank linalg_matrix_norm qr linalg_lu_factor_ex""")
def matrices(level, op, x, *args, **kwargs):
    if not is_batched(x, level):
        raise_no_rule()
    if x.dim() < 2:
        op(cygrad.empty(x.shape, dtype=x.dtype), *args, **kwargs)       # which says what is wrong
    if op.op == "linalg_matrix_norm":
        dims = args[1] if len(args) > 1 else kwargs.get("dim", (-2, -1))
        if any(d >= 0 for d in dims):
            raise_no_rule()
    return op(x.value, *args, **kwargs)


@rule("linalg_solve cholesky_solve linalg_solve_triangular")
def solves(level, op, a, b, *args, **kwargs):
    if op.op == "linalg_solve" and (b.dim() == 1 or b.dim() == a.dim() - 1 and b.shape == a.shape[:-1]):
        return cygrad.linalg.solve(a, b.unsqueeze(-1), *args, **kwargs).squeeze(-1)
    rank = max(a.dim(), b.dim())
    return op(*[ranked(batched(whole(t, level), level), level, rank) for t in (a, b)], *args, **kwargs)


@rule("cross linalg_cross")
def cross(level, op, x, y, dim=None):
    if dim is None:
        dim = -1 if op.op == "linalg_cross" else next((i for i, n in enumerate(x.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    rank = max(x.dim(), y.dim())
    dim = dim - rank if dim >= 0 else dim
    return cygrad.linalg.cross(*[ranked(batched(whole(t, level), level), level, rank) for t in (x, y)], dim=dim)
