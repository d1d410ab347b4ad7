"""Names of products: the axes that are multiplied and summed are gone, the others stay, each operand's in its place."""
from cygrad.named_tensors.names import matmul, position, unified, unify
from cygrad.named_tensors.rules.helpers import rule, without
from cygrad.ops.linalg.einsum import plan_of, read_arguments
from cygrad.ops.shape.views import wrap


@rule("matmul mm mv dot vdot bmm chain_matmul linalg_multi_dot")
def contracts(call):
    """The axes that are multiplied are gone."""
    found = call.names
    for other in call.tensors[1:]:
        found = matmul(found, other.names)
    return found


@rule("addmm addmv baddbmm")
def adds_product(call):
    added, a, b = call.tensors[:3]
    return unify(matmul(a.names, b.names), added.names)


@rule("addbmm")
def adds_summed_product(call):
    added, a, b = call.tensors[:3]
    return unify(matmul(a.names, b.names)[1:], added.names)


@rule("outer")
def multiplies_all(call):
    return call.tensors[0].names + call.tensors[1].names


@rule("addr")
def adds_outer(call):
    return unify(call.tensors[1].names + call.tensors[2].names, call.names)


@rule("inner")
def inner(call):
    a, b = (t.names for t in call.tensors[:2])
    return (a or b)[:] if not (a and b) else a[:-1] + b[:-1]


@rule("linalg_vecdot")
def contracts_last(call):
    found = unified(call.tensors)
    return without(found, {wrap(-1 if call["dim"] is None else call["dim"], len(found))})


@rule("linalg_solve linalg_solve_triangular")
def solves(call):
    """A x = b: x goes into A's columns."""
    a, b = call.tensors[:2]
    if b.dim() == 1 or call.op == "linalg_solve" and a.dim() - 1 == b.dim() and b.shape == a.shape[:-1]:
        return unify(a.names[:-2], b.names[:-1]) + a.names[-1:]
    batch = unify(a.names[:-2], b.names[:-2])
    return batch + (a.names[-1:] + b.names[-1:] if call["left"] else b.names[-2:-1] + a.names[-2:-1])


@rule("cdist")
def pairs_rows(call):
    """A number for each row of the one and each row of the other."""
    a, b = (t.names for t in call.tensors[:2])
    return unify(a[:-2], b[:-2]) + a[-2:-1] + b[-2:-1]


@rule("pdist")
def pairs_own_rows(call):
    """The result has an axis of pairs of rows, for which no name of the input is right."""


@rule("einsum")
def sums_products(call):
    """Each subscript has one name in all operands."""
    equation, operands = read_arguments(tuple(call.args))
    plan, found = plan_of(equation, *[t.dim() for t in operands]), {}
    for letters, t in zip(plan.letters, operands):
        for letter, dim in letters:
            found[letter] = unify((found.get(letter),), (t.names[dim],), "contract")[0]
    return tuple(found[letter] for letter in plan.output)


@rule("tensordot")
def contracts_several(call):
    a, b = call.tensors[:2]
    dims = call["dims"]
    if isinstance(dims, int):
        first, second = range(a.dim() - dims, a.dim()), range(dims)
    else:
        first, second = ((each if isinstance(each, (tuple, list)) else (each,)) for each in dims)
        first, second = ([position(t, dim) if isinstance(dim, str) else wrap(dim, t.dim()) for dim in chosen]
                         for t, chosen in ((a, first), (b, second)))
        call["dims"] = (first, second)
    return without(a.names, set(first)) + without(b.names, set(second))
