"""Products made of the Cython ones: of vectors (`outer`, `cross`), over more axes, of several matrices (`multi_dot`).

A `@primitive` here is the op as autograd sees it: its forward runs unrecorded. Nothing is promoted in products that go
to a kernel; those that multiply elementwise (`outer`, `kron`) promote like `mul`.
"""
import functools

import cygrad
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.programs import program
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dispatch.raw import copy_, gather_op
from cygrad.dtype import all_dtypes
from cygrad.errors import warn_once
from cygrad.ops.declare.out_arguments import resize_output
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op, with_out
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.linalg.lapack import exact_out, need_float
from cygrad.ops.shape.broadcasting import broadcast_shapes, common_shape
from cygrad.ops.shape.views import unsafe_strided_view, wrap
from cygrad.tensor import Tensor

FEW = 4096          # elements
BOOL = next(d for d in all_dtypes() if d.name == "bool")


def need_tensor(value, name, argument, position):
    """Raise PyTorch's TypeError unless `value` is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not "
                        f"{type(value).__name__}")


def need_int(value, name, argument, position):
    """Raise PyTorch's TypeError unless `value` is an integer."""
    if isinstance(value, (float, str)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not "
                        f"{type(value).__name__}")


def name_of(t):
    """What messages call the dtype of a tensor."""
    return SCALAR_NAMES[t.dtype.code]


@op(aliases=("ger",))
def outer(input, vec2, *, out=None):
    """The matrix of all products input[i] * vec2[j] of two vectors.

    Parameters
    ----------
    input, vec2 : Tensor
        (n,) and (m,).

    Returns
    -------
    Tensor
        (n, m), of the promoted dtype.

    Examples
    --------
    >>> cygrad.outer(cygrad.tensor([1, 2]), cygrad.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    need_tensor(input, "outer", "input", 1)
    need_tensor(vec2, "outer", "vec2", 2)
    for argument, value in (("self", input), ("vec2", vec2)):
        if value.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {argument}, but got {value.dim()}-D")
    column = input.reshape(input.shape[0], 1)
    return column * vec2 if out is None else cygrad.mul(column, vec2, out=out)


@op
def inner(input, other, *, out=None):
    """Sums of products over the last axes of both tensors; a plain product where one has no axes.

    Parameters
    ----------
    input, other : Tensor
        Their last axes are of one size.

    Returns
    -------
    Tensor
        Of shape ``input.shape[:-1] + other.shape[:-1]``.

    Examples
    --------
    >>> cygrad.inner(cygrad.tensor([1, 2]), cygrad.tensor([3, 4]))
    tensor(11)
    """
    need_tensor(input, "inner", "input", 1)
    need_tensor(other, "inner", "other", 2)
    if input.dim() == 0 or other.dim() == 0:
        return cygrad.mul(input, other, out=out)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(input.shape)} and {list(other.shape)}")
    if (out is None and input.dim() == other.dim() == 2 and input.dtype is other.dtype
            and not (input._tracked() or other._tracked())):
        shape = input.shape[0], other.shape[0]
        if shape != (1, 1):
            return input.mm(other.t()).view(shape)
    return tensordot(input, other, ([-1], [-1]), out=out)


def dot_dims(a, b, dims):
    """The axes that `tensordot` contracts, as two lists."""
    if isinstance(dims, Tensor):
        if dims.numel() > 1 and len(dims) != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {len(dims)}")
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (tuple, list)):
        first, second = dims
    elif isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
                           f"containing two lists, but got dims={dims}")
    need_tensor(a, "tensordot", "a", 1)
    need_tensor(b, "tensordot", "b", 2)
    for axes in (first, second):
        if not isinstance(axes, (tuple, list)) or not {*map(type, axes)} <= {int, bool}:
            raise TypeError(f"tensordot(): dims must be tuples of ints, not {type(axes).__name__}")
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    return list(first), list(second)


def contracted(a, b, dims):
    """`tensordot` without `out`."""
    first, second = dot_dims(a, b, dims)
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    wrapped = [wrap(d, a.dim()) for d in first], [wrap(d, b.dim()) for d in second]
    for d, e, i, j in zip(first, second, *wrapped):
        m, n = a.shape[i], b.shape[j]
        if n == 1 and m != 1:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif m == 1 and n != 1:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif m != n:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {m} in dim {d} and second has "
                               f"size {n} in dim {e}")
    first, second = wrapped
    rows = [i for i in range(a.dim()) if i not in first]
    columns = [j for j in range(b.dim()) if j not in second]
    shape = [a.shape[i] for i in rows] + [b.shape[j] for j in columns]
    inside = 1
    for i in first:
        inside *= a.shape[i]
    left, right = a.permute(rows + first), b.permute(second + columns)
    if all([n == 1 for n in shape]):
        if not (left.is_contiguous() and right.is_contiguous()):        # as PyTorch does it
            return (left.squeeze() * right.squeeze()).sum(dtype=a.dtype).view(shape)
        return cygrad.dot(*(t if t.dim() == 1 else t.reshape(inside) for t in (left, right))).view(shape)
    return left.reshape(count(a, rows), inside).mm(right.reshape(inside, count(b, columns))).reshape(shape)


contracted_into = with_out("tensordot", contracted, "expected")


@op(method=False)
def tensordot(a, b, dims=2, out=None):
    """Sum of products of two tensors over several axes at once.

    Parameters
    ----------
    a, b : Tensor
        Of one dtype.
    dims : int, or two lists of int
        Either the number of last axes of `a` and first axes of `b`, or the axes of `a` and those of `b`.
    out : Tensor, optional
        Takes the result.

    Returns
    -------
    Tensor
        The other axes of `a`, then those of `b`.

    Examples
    --------
    >>> cygrad.tensordot(cygrad.ones(2, 3, 4), cygrad.ones(4, 3), dims=([1, 2], [1, 0]))
    tensor([12., 12.])
    """
    return contracted(a, b, dims) if out is None else contracted_into(a, b, dims, out=out)


def count(t, dims):
    """Number of elements along these axes."""
    n = 1
    for d in dims:
        n *= t.shape[d]
    return n


@functools.lru_cache(64)
def blocks_of(m, n):
    """For the Kronecker product of tensors of these shapes: each with axes of size 1, the result, and it in blocks."""
    rank = max(len(m), len(n))
    m, n = [(1,) * (rank - len(each)) + tuple(each) for each in (m, n)]
    blocks = [size for pair in zip(m, n) for size in pair]
    return ([size for i in m for size in (i, 1)], [size for j in n for size in (1, j)],
            tuple([i * j for i, j in zip(m, n)]), blocks)


@op
def kron(input, other, *, out=None):
    """Kronecker product: each element of `input` times the whole of `other`, in blocks.

    Parameters
    ----------
    input, other : Tensor
        Any shapes; the shorter one gets axes of size 1 in front.

    Returns
    -------
    Tensor
        The sizes are multiplied, axis by axis.

    Examples
    --------
    >>> cygrad.kron(cygrad.eye(2), cygrad.tensor([[1., 2.]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    need_tensor(input, "kron", "input", 1)
    need_tensor(other, "kron", "other", 2)
    rows, columns, shape, blocks = blocks_of(input.shape, other.shape)
    first, second = unsafe_strided_view(input, rows), unsafe_strided_view(other, columns)
    if first is None or second is None:
        first, second = input.view(rows), other.view(columns)        # which says why it can't be
    if out is not None:
        if out.shape != shape:
            resize_output(out, shape)
        shown = unsafe_strided_view(out if out.requires_grad else out.data, blocks)    # its version stays, as there
        cygrad.mul(first, second, out=out.view(blocks) if shown is None else shown)
        return out
    found = first * second
    shown = unsafe_strided_view(found, shape)
    return found.view(shape) if shown is None else shown        # which says why it can't be


@op(method=False, out=True)
def chain_matmul(*matrices):
    """Product of matrices in the order of brackets that costs least; see `cygrad.linalg.multi_dot`.

    Parameters
    ----------
    *matrices : Tensor, or one sequence of them
        (n, m), (m, p), and so on.

    Returns
    -------
    Tensor
        (n, last).

    Examples
    --------
    >>> cygrad.chain_matmul(cygrad.ones(2, 3), cygrad.ones(3, 4), cygrad.ones(4, 1))
    tensor([[12.],
            [12.]])
    """
    warn_once("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
              "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
              "parameters.")
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for i, t in enumerate(matrices):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    for t in matrices:
        if t.dim() != 2:
            raise RuntimeError(f"Tensor dimension is {t.dim()}, expected 2 instead.")
    if len(matrices) == 1:
        return matrices[0].clone()
    from cygrad.linalg import multi_dot      # knot: it needs this module
    return multi_dot(matrices)


@primitive(name="linalg_cross")
def _cross(self, other, dim):
    size = self.shape
    if other.shape != size:
        size = common_shape((self, other))
        self, other = self.expand(size), other.expand(size)
    if dim + 1 < len(size) and self.numel() > FEW:          # long runs of memory, which need no places
        out = empty_near(self, size)
        a, b, parts = self.unbind(dim), other.unbind(dim), out.unbind(dim)
        for i in range(3):
            copy_(parts[i], minor(a[i - 2], b[i - 1], a[i - 1], b[i - 2]))
        return out
    after, before = neighbours(size, dim, self.device)
    return minor(gather_op(self, after, dim), gather_op(other, before, dim),
                 gather_op(self, before, dim), gather_op(other, after, dim))


MINOR = program(lambda a, b, c, d: a * b - c * d)


def minor(a, b, c, d):
    """a * b - c * d; of complex numbers without the op's factor, which would spread what is infinite."""
    return MINOR(a, b, c, d) if a.is_complex() else a * b - c * d


@functools.lru_cache(64)
def neighbours(size, dim, device):
    """For each of three places along an axis the one after it, and the one before it; the last is before the first."""
    row = [3 if i == dim else 1 for i in range(len(size))]
    return [cygrad.tensor(places, device=device).view(row).expand(size) for places in ((1, 2, 0), (2, 0, 1))]


def vector_product(input, other, dim=-1):
    """Cross product of the vectors of three elements along an axis; the other axes broadcast.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype and the same number of axes.
    dim : int
        The axis of size 3.
    """
    if type(input) is not Tensor or type(other) is not Tensor:
        need_tensor(input, "linalg_cross", "input", 1)
        need_tensor(other, "linalg_cross", "other", 2)
    shape, others = input.shape, other.shape
    if len(shape) != len(others):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    at = wrap(dim, len(shape))
    if shape[at] != 3 or others[at] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {shape[at]} and {others[at]}")
    if shape != others:
        broadcast_shapes(shape, others)
    if input.dtype is BOOL:
        raise refused("cross", BOOL)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"expected scalar type {name_of(input)} but found {name_of(other)}")
    return _cross(input, other, at)


@op(out="expected")
def cross(input, other, dim=None):
    """Cross product of the vectors of three elements along an axis.

    Parameters
    ----------
    input, other : Tensor
        Of one dtype and the same number of axes, which broadcast.
    dim : int, optional
        The axis of size 3; the first such axis of `input` by default.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        If the axis is not of size 3.

    Examples
    --------
    >>> cygrad.cross(cygrad.tensor([1., 0., 0.]), cygrad.tensor([0., 1., 0.]), dim=0)
    tensor([0., 0., 1.])
    """
    need_tensor(input, "cross", "input", 1)
    if dim is None:
        warn_once("Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
                  "explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree with "
                  "that of linalg.cross in a future release.")
        shape = input.shape
        if 3 not in shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = shape.index(3)
    return vector_product(input, other, dim)


def vecdot(x, y, *, dim=-1):
    """Inner products of vectors along an axis: the sums of conj(x) * y.

    Parameters
    ----------
    x, y : Tensor
        Of one floating-point or complex dtype; they broadcast.
    dim : int

    Returns
    -------
    Tensor
        Of the broadcast shape without the axis.

    Examples
    --------
    >>> cygrad.linalg.vecdot(cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([1., 1.]))
    tensor([3., 7.])
    """
    need_float(x, "linalg.vecdot", low=True)
    if x.dtype is not y.dtype:
        raise RuntimeError("linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
                           f"{SCALAR_NAMES[x.dtype.code]} and y of type {SCALAR_NAMES[y.dtype.code]} instead")
    if x.dim() == 1 and y.dim() == 1:
        return x.vdot(y)
    return ((x.conj() if x.is_complex() else x) * y).sum(dim)


vecdot = exact_out("linalg_vecdot", vecdot)


def multi_dot(tensors):
    """The product of several matrices, multiplied in the order that costs least.

    Parameters
    ----------
    tensors : sequence of Tensor
        Two or more matrices of one dtype; the first and the last may be vectors (a row and a column).

    Returns
    -------
    Tensor
        (n, last); without the axis of a first or last vector.

    Examples
    --------
    >>> cygrad.linalg.multi_dot([cygrad.ones(2, 3), cygrad.ones(3, 4), cygrad.ones(4)])
    tensor([12., 12.])
    """
    name = "multi_dot()"
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"{name}: expected at least 2 tensors but got {len(tensors)}")
    shapes, dtype = tuple([t.shape for t in tensors]), tensors[0].dtype
    for i, t in enumerate(tensors):
        if t.dtype is not dtype:
            check_ranks(name, shapes)
            raise RuntimeError(f"{name}: all tensors must have be the same dtype but tensor 0 is "
                               f"{C_TYPES[dtype.code]} and tensor {i} {C_TYPES[t.dtype.code]}")
    splits, made = order_of_products(name, shapes)
    if len(shapes[0]) == 1:
        tensors[0] = tensors[0].unsqueeze(0)
    if len(shapes[-1]) == 1:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    return chained(tensors, splits, 0, len(tensors) - 1).view(made)


multi_dot = exact_out("linalg_multi_dot", multi_dot)


def check_ranks(name, shapes):
    """All but the first and the last are matrices, which may be vectors."""
    for place, shape in (("first", shapes[0]), ("last", shapes[-1])):
        if not 1 <= len(shape) <= 2:
            raise RuntimeError(f"{name}: the {place} tensor must be 1D or 2D but got {len(shape)}D")
    for i, shape in enumerate(shapes[1:-1], 1):
        if len(shape) != 2:
            raise RuntimeError(f"{name}: tensor {i} must be 2D but got {len(shape)}D")


@functools.lru_cache(64)
def order_of_products(name, shapes):
    """(`cheapest_splits`, the shape of the result) of a product of matrices of these shapes, which are checked."""
    check_ranks(name, shapes)
    chain = list(map(tuple, shapes))
    if len(chain[0]) == 1:
        chain[0] = (1, *chain[0])
    if len(chain[-1]) == 1:
        chain[-1] = (*chain[-1], 1)
    for i in range(len(chain) - 1):
        if chain[i][1] != chain[i + 1][0]:
            raise RuntimeError(f"{name}: tensors {i} and {i + 1} with shapes {list(shapes[i])} and "
                               f"{list(shapes[i + 1])} cannot be multiplied")
    made = (*shapes[0][:-1], *shapes[-1][1:])
    return cheapest_splits([rows for rows, _ in chain] + [chain[-1][1]]), made


def cheapest_splits(sizes):
    """{(i, j): where to split the product of matrices i..j}; matrix i is (sizes[i], sizes[i + 1]).

    The dynamic programme of Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 14.2.
    """
    count = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], split[i, j] = min(options)
    return split


def chained(chain, split, i, j):
    if i == j:
        return chain[i]
    k = split[i, j]
    return chained(chain, split, i, k).mm(chained(chain, split, k + 1, j))
