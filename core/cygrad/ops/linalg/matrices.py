"""Ops that read or build parts of matrices: `trace`, `diag`, `tril`, `triu`, Vandermonde matrices."""
import functools

import cygrad
from cygrad.backend import BINARY, REDUCE
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.operands import select
from cygrad.dispatch.raw import binary_op, clone_dense, copy_, fill_, nonzero_op, reduce_dims
from cygrad.dtype import all_dtypes
from cygrad.ops.create.copying import triangle
from cygrad.ops.create.placing import finish
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg.added_products import writing
from cygrad.ops.linalg.composed_products import need_int, need_tensor, refused
from cygrad.ops.shape.views import wrap

DTYPES = {d.name: d for d in all_dtypes()}
BOOL, INT64 = DTYPES["bool"], DTYPES["int64"]
INT32 = DTYPES["int32"]
CPU = cygrad.device("cpu")
GE, LE = BINARY.index("ge"), BINARY.index("le")
SUM = REDUCE.index("sum")
TO_BOOL = 2                                             # the rule of comparisons (promotion.pxd)


@primitive(name="trace")
def _trace(self):
    dtype = self.dtype if self.is_floating_point() or self.is_complex() else INT64
    return reduce_dims(SUM, self.diagonal(), (0,), False, dtype)


@op
def trace(input):
    """Sum of the diagonal of a matrix; int64 for integers.

    Parameters
    ----------
    input : Tensor
        A matrix.

    Returns
    -------
    Tensor
        Without axes.

    Raises
    ------
    RuntimeError
        Unless the tensor has two axes.

    Examples
    --------
    >>> cygrad.trace(cygrad.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    need_tensor(input, "trace", "input", 1)
    if input.dtype is BOOL:
        raise refused("trace", BOOL)
    if input.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.dim()}")
    return _trace(input)


@primitive(name="diag_embed")
def _diag_embed(self, offset, dim1, dim2):
    size = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for d in sorted((dim1, dim2)):
        shape.insert(d, size)
    out = empty_near(self, shape)
    fill_(out, 0)
    copy_(out.diagonal(offset, dim1, dim2), self)
    return out


@op
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last axis of `input` on a diagonal and zeros elsewhere.

    Parameters
    ----------
    offset : int
        Which diagonal; above the main one if positive.
    dim1, dim2 : int
        Where the axes of the matrices come to lie in the result.

    Returns
    -------
    Tensor
        With one axis more.

    Examples
    --------
    >>> cygrad.diag_embed(cygrad.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    need_tensor(input, "diag_embed", "input", 1)
    first, second = wrap(dim1, input.dim() + 1), wrap(dim2, input.dim() + 1)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diag_embed(input, offset, first, second)


@primitive
def diagonal_copy(self, offset, dim1, dim2):
    return clone_dense(self.diagonal(offset, dim1, dim2))


@op(out="expected")
def diag(input, diagonal=0):
    """The diagonal of a matrix as a new vector; of a vector, the matrix with it on the diagonal.

    Parameters
    ----------
    diagonal : int
        Which diagonal; above the main one if positive.

    Returns
    -------
    Tensor
        One axis, or two.

    Raises
    ------
    RuntimeError
        For a tensor of no axes, or of more than two.

    Examples
    --------
    >>> cygrad.diag(cygrad.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    need_tensor(input, "diag", "input", 1)
    need_int(diagonal, "diag", "diagonal", 2)
    if input.dim() == 1:
        return _diag_embed(input, diagonal, 0, 1)
    if input.dim() == 2:
        return diagonal_copy(input, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.dim()}D")


@op
def diagflat(input, offset=0):
    """The matrix with the elements of `input`, in row-major order, on a diagonal.

    Parameters
    ----------
    offset : int
        Which diagonal; above the main one if positive.

    Returns
    -------
    Tensor
        A square matrix.

    Examples
    --------
    >>> cygrad.diagflat(cygrad.tensor([1, 2]), offset=1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    need_tensor(input, "diagflat", "input", 1)
    return diag(input.contiguous().view(-1), offset)


@functools.lru_cache(32)
def kept_mask(rows, columns, diagonal, compare, device):
    """Where a triangle keeps the elements of a matrix; small masks are kept for the next call."""
    row = cygrad.arange(diagonal, rows + diagonal, device=device).unsqueeze(1)
    return binary_op(compare, row, cygrad.arange(columns, device=device), TO_BOOL)


EXAMPLES = {"tril": "[[1., 0.],\n            [1., 1.]]", "triu": "[[1., 1.],\n            [0., 1.]]"}


def part(name, compare):
    """`tril` or `triu`: the primitive, and the public op."""
    @primitive(name=name)
    def raw(self, diagonal):
        found = triangle(self, diagonal, name == "tril")
        if found is not None:
            return found
        shape = self.shape
        rows, columns = shape[-2], shape[-1]
        make = kept_mask if rows * columns <= 4096 else kept_mask.__wrapped__
        return select(make(rows, columns, diagonal, compare, self.device), self.contiguous(), False)

    def public(input, diagonal=0):
        need_tensor(input, name, "input", 1)
        need_int(diagonal, name, "diagonal", 2)
        if input.dim() < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return raw(input, int(diagonal))
    public.__name__ = name
    side, other = ("below", "above") if name == "tril" else ("above", "below")
    public.__doc__ = f"""The matrices of `input` with zeros {other} a diagonal.

    Parameters
    ----------
    input : Tensor
        (..., n, m).
    diagonal : int
        What is on this diagonal and {side} it is kept; 0 is the main one, positive ones are above it.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Raises
    ------
    RuntimeError
        For fewer than two axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}(cygrad.ones(2, 2))
    tensor({EXAMPLES[name]})
    """
    return public


tril = part("tril", GE)
triu = part("triu", LE)


def zeroed(name, function):
    """The in-place form, which only writes zeros: places of the tensor may be in memory more than once."""
    written = writing(function)

    def inplace(self, diagonal=0):
        """In-place version of `{}`: writes the result into the tensor and returns it."""
        if self._tracked() or self.dim() < 2 or self.is_contiguous():
            return written(self, diagonal)
        need_int(diagonal, name + "_", "diagonal", 2)
        self._check_inplace()
        rows, columns = self.shape[-2:]
        for row in range(rows):
            end = min(max(row + int(diagonal), -1), columns)
            fill_(self[..., row, end + 1:] if name == "tril" else self[..., row, :max(end, 0)], 0)
        self._bump_version()
        return self
    inplace.__doc__ = inplace.__doc__.format(name)
    return inplace


for _function in (tril, triu):
    op(_function, inplace=zeroed(_function.__name__, _function), out="expected")


def place_of(device):
    """The device that a tensor is made on."""
    return cygrad.empty(0).device if device is None else cygrad.empty(0, device=device).device


def _places(name, row, col, offset, dtype, device, pin_memory, requires_grad):
    """The places that a triangle keeps, in row-major order."""
    if not type(row) is type(col) is type(offset) is int or row < 0 or col < 0:
        for position, (argument, value) in enumerate((("row", row), ("col", col)), 1):
            need_int(value, name, argument, position)
            if value < 0:
                raise RuntimeError(f"{argument} must be non-negative, got{value}")
        need_int(offset, name[:4], "diagonal", 2)
        row, col, offset = int(row), int(col), int(offset)
    place = place_of(device)
    if dtype not in (None, INT32, INT64):
        raise refused(name, dtype)
    make = kept_places if row * col <= 4096 else kept_places.__wrapped__
    found = clone_dense(make(name == "tril_indices", row, col, offset, CPU if place.type == "meta" else place))
    if place.type == "meta" or dtype is INT32:
        found = found.to(device=place, dtype=INT64 if dtype is None else dtype)
    return finish(found, requires_grad, None, pin_memory)


@functools.lru_cache(32)
def kept_places(lower, rows, columns, diagonal, device):
    """What a triangle keeps, a column for each place; those of small matrices are kept for the next call."""
    return nonzero_op(kept_mask.__wrapped__(rows, columns, diagonal, GE if lower else LE, device)).t()


@op(method=False)
def tril_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, pin_memory=False,
                 requires_grad=False):
    """The (2, count) row and column numbers of the elements of a matrix on and below a diagonal.

    Parameters
    ----------
    row, col : int
        The size of the matrix.
    offset : int
        Which diagonal; above the main one if positive.
    dtype : dtype, optional
        int64 (the default) or int32.

    Returns
    -------
    Tensor
        (2, count), in row-major order.

    Examples
    --------
    >>> cygrad.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _places("tril_indices", row, col, offset, dtype, device, pin_memory, requires_grad)


@op(method=False)
def triu_indices(row, col, offset=0, *, dtype=None, device=None, layout=None, pin_memory=False,
                 requires_grad=False):
    """The (2, count) row and column numbers of the elements of a matrix on and above a diagonal.

    Parameters
    ----------
    row, col : int
        The size of the matrix.
    offset : int
        Which diagonal; above the main one if positive.
    dtype : dtype, optional
        int64 (the default) or int32.

    Returns
    -------
    Tensor
        (2, count), in row-major order.

    Examples
    --------
    >>> cygrad.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return _places("triu_indices", row, col, offset, dtype, device, pin_memory, requires_grad)


@op(method=False)
def vander(x, N=None, increasing=False):
    """Vandermonde matrix: powers of the elements of a vector, one column for each.

    Parameters
    ----------
    x : Tensor
        (n).
    N : int, optional
        Number of columns; n by default.
    increasing : bool
        Whether powers rise from left to right.

    Returns
    -------
    Tensor
        (n, N).

    Examples
    --------
    >>> cygrad.vander(cygrad.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    need_tensor(x, "vander", "x", 1)
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = len(x) if N is None else N
    if columns < 0:
        raise RuntimeError(f"N must be non-negative, got {columns}")
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(INT64)
    found = x.new_empty((len(x), columns))          # written to in place, as PyTorch's graph of it shows
    if columns:
        found.select(1, 0).fill_(1)
    if columns > 1:
        part = found.narrow(1, 1, columns - 1)
        part.copy_(x.unsqueeze(1))
        part.copy_(part.cumprod(1))
    return found if increasing else found.flip(1)


def powers(x, columns):
    """x**0, x**1, ... along a new last axis."""
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(INT64)
    ones = cygrad.ones_like(x).unsqueeze(-1)
    if columns <= 1:
        return ones[..., :columns]
    return cygrad.cat([ones, x.unsqueeze(-1).expand(*x.shape, columns - 1).cumprod(-1)], -1)
