"""Products added to a third operand, beside `addmm`: `addmv`, `baddbmm`, `addbmm`, `addr`."""
import contextlib

import cygrad
from cygrad.backend import BINARY
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.lazy_views import laziness, made_lazy
from cygrad.dispatch.promotion import C_TYPES, result_type
from cygrad.dispatch.raw import binary_op, cast_to, in_order_of
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg import addmm, products
from cygrad.ops.linalg.addmm import add_scaled, check_numbers
from cygrad.ops.linalg.composed_products import BOOL, name_of, need_tensor, refused
from cygrad.ops.linalg.lapack import DTYPES, HALVES
from cygrad.ops.pointwise.lerp_and_addcmul import ADD_PRODUCT
from cygrad.ops.pointwise.single_kernel import check_writable, inplace_result
from cygrad.tensor import Tensor

FLOAT32 = DTYPES["float32"]
ADD, MUL = BINARY.index("add"), BINARY.index("mul")


def writing(function, shape=None):
    """The in-place form of `function`, whose derivative does not read the tensor it overwrites.

    `shape` gives the shape of the result from the other arguments, for a check before anything is computed.
    """
    def inplace(self, *args, **kwargs):
        if shape is not None:
            try:
                wanted = shape(*args, **kwargs)
            except IndexError:
                wanted = None
            if list(self.shape) != wanted:
                self._check_inplace()
                with contextlib.suppress(NotImplementedError):
                    function(self, *args, **kwargs)     # tells what else is wrong
                raise RuntimeError(f"Bad in-place call: input tensor size {list(self.shape)} and output tensor size "
                                   f"{wanted} should match")
        return inplace_result(self, function(self, *args, **kwargs))
    return inplace


def need_three(name, **operands):
    """Raise PyTorch's TypeError unless all are tensors."""
    for position, (argument, value) in enumerate(operands.items(), 1):
        need_tensor(value, name, argument, position)


def accumulated(self, product, factors, beta, alpha):
    """beta * self + alpha * product(*factors); 16-bit floats in float32, rounded once."""
    if self.dtype in HALVES:
        wide = [cast_to(t, FLOAT32) for t in factors]
        return cast_to(add_scaled(cast_to(self, FLOAT32), product(*wide), beta, alpha), self.dtype)
    return add_scaled(self, product(*factors), beta, alpha)


def rounded(dtype, *numbers):
    return [cygrad.tensor(number, dtype=dtype, device="cpu").item() for number in numbers]


@primitive(name="addmv")
def _addmv(self, mat, vec, beta, alpha):
    if mat.numel() == 0 and beta != 0:          # then PyTorch doesn't repeat the input
        return self * self.new_tensor(beta)
    if self.dtype in HALVES:        # rounded are the factors, the input's multiple and, by columns, the product's, too
        beta, alpha = rounded(self.dtype, beta, alpha)
        found = products.mv(cast_to(mat, FLOAT32), cast_to(vec, FLOAT32)) * alpha
        if mat.stride(0) == 1 and (mat.shape[1] == 1 or mat.stride(1) >= mat.shape[0]):
            found = cast_to(found, self.dtype)
        return cast_to(found if beta == 0 else self * beta + found, self.dtype)
    if alpha == 0 and self.is_floating_point():         # BLAS reads no factors then
        mat, vec = mat[:, :0], vec[:0]
    return accumulated(self, products.mv, (mat, vec), beta, alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1):
    """beta * input + alpha * (mat @ vec).

    Parameters
    ----------
    input : Tensor
        (n) or one element; not read where beta is 0.
    mat, vec : Tensor
        (n, m) and (m), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n).

    Examples
    --------
    >>> cygrad.addmv(cygrad.ones(2), cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([1., 1.]))
    tensor([4., 8.])
    """
    if not type(input) is type(mat) is type(vec) is Tensor:
        need_three("addmv", input=input, mat=mat, vec=vec)
    if mat.dim() != 2 or vec.dim() != 1 or input.dim() > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.dim()}, {mat.dim()}, {vec.dim()}")
    if mat.shape[1] != vec.shape[0] or input.numel() not in (1, mat.shape[0]):
        raise RuntimeError(f"size mismatch, got input ({input.size(0)}), mat ({mat.shape[0]}x"
                           f"{mat.shape[1]}), vec ({vec.shape[0]})")
    if not input.dtype is mat.dtype is vec.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {name_of(input)}, {name_of(mat)}, "
                           f"and {name_of(vec)}")
    return _addmv(input, mat, vec, beta, alpha)


@primitive(name="baddbmm")
def _baddbmm(self, batch1, batch2, beta, alpha):
    return accumulated(self, products.bmm, (batch1, batch2), beta, alpha)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * (batch1 @ batch2), matrix by matrix.

    Parameters
    ----------
    input : Tensor
        Broadcasts to (b, n, p); not read where beta is 0.
    batch1, batch2 : Tensor
        (b, n, m) and (b, m, p), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (b, n, p).

    Examples
    --------
    >>> cygrad.baddbmm(cygrad.ones(1, 2, 2), cygrad.ones(1, 2, 3), cygrad.ones(1, 3, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    if not type(input) is type(batch1) is type(batch2) is Tensor:
        need_three("baddbmm", input=input, batch1=batch1, batch2=batch2)
    input.expand(batch1.size(0), batch1.size(1), batch2.size(2))
    if batch1.dim() != 3 or batch2.dim() != 3:
        raise RuntimeError(f"batch{1 if batch1.dim() != 3 else 2} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0] or batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch1.shape[0]}, "
                           f"{batch1.shape[2]}] but got: [{batch2.shape[0]}, {batch2.shape[1]}].")
    if not input.dtype is batch1.dtype is batch2.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {C_TYPES[input.dtype.code]}, batch1: "
                           f"{C_TYPES[batch1.dtype.code]}, batch2: {C_TYPES[batch2.dtype.code]}")
    if input.dtype is BOOL and batch1.numel():
        raise refused("baddbmm", BOOL)
    return _baddbmm(input, batch1, batch2, beta, alpha)


@primitive(name="addbmm")
def _addbmm(self, batch1, batch2, beta, alpha):
    count, n, m = batch1.shape
    if self.dtype in HALVES:            # the sum is rounded after each product
        for a, b in zip(batch1, batch2):
            self, beta = addmm.addmm(self, a, b, beta=beta, alpha=alpha), 1
        return self
    wide = batch1.transpose(0, 1).reshape(n, count * m)
    return addmm.addmm(self, wide, batch2.reshape(count * m, batch2.shape[2]), beta=beta, alpha=alpha)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * the sum of the products batch1[i] @ batch2[i].

    Parameters
    ----------
    input : Tensor
        Broadcasts to (n, p); not read where beta is 0.
    batch1, batch2 : Tensor
        (b, n, m) and (b, m, p), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n, p).

    Examples
    --------
    >>> cygrad.addbmm(cygrad.zeros(2, 2), cygrad.ones(3, 2, 1), cygrad.ones(3, 1, 2))
    tensor([[3., 3.],
            [3., 3.]])
    """
    if not type(input) is type(batch1) is type(batch2) is Tensor:
        need_three("addbmm", input=input, batch1=batch1, batch2=batch2)
    input.expand(batch1.size(1), batch2.size(2))
    if batch1.dim() != 3 or batch2.dim() != 3:
        raise RuntimeError(f"batch{1 if batch1.dim() != 3 else 2} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError("batch1 and batch2 must have same number of batches, got "
                           f"{batch1.shape[0]} and {batch2.shape[0]}")
    if batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({batch1.shape[1]}x{batch1.shape[2]} and "
                           f"{batch2.shape[1]}x{batch2.shape[2]})")
    return _addbmm(input, batch1, batch2, beta, alpha)


def common_dtype(a, b, c):
    """The dtype that tensors promote to."""
    return a.dtype if a.dtype is b.dtype is c.dtype else result_type(a, b, c)


@primitive(name="addr")
def _addr(self, vec1, vec2, beta, alpha):
    self = self.expand(vec1.shape[0], vec2.shape[0])        # so that one number counts as a matrix of them
    dtype = common_dtype(self, vec1, vec2)
    x, y = cast_to(vec1, dtype).unsqueeze(1), cast_to(vec2, dtype)
    if dtype is BOOL:
        found = binary_op(MUL, x, y) & bool(alpha)
        return in_order_of(found | self if beta else found, self, x, y)
    if dtype in HALVES:             # each step is rounded, and so are the factors
        beta, alpha = rounded(dtype, beta, alpha)
    if dtype.is_complex:            # times 1, too: what is infinite reaches both parts
        found = x * alpha
        return found * y if beta == 0 else ADD_PRODUCT(cast_to(self, dtype) * beta, found, y)
    found = binary_op(MUL, x if alpha == 1 else x * alpha, y)
    if beta != 0:
        found = binary_op(ADD, self if beta == 1 else cast_to(self, dtype) * beta, found)
    return in_order_of(found, self, x, y)


def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """beta * input + alpha * (the outer product of vec1 and vec2).

    Parameters
    ----------
    input : Tensor
        Broadcasts to (n, m); not read where beta is 0.
    vec1, vec2 : Tensor
        (n) and (m); dtypes are promoted.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n, m).

    Examples
    --------
    >>> cygrad.addr(cygrad.zeros(2, 2), cygrad.tensor([1., 2.]), cygrad.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    if not type(input) is type(vec1) is type(vec2) is Tensor:
        need_three("addr", input=input, vec1=vec1, vec2=vec2)
    for argument, value in (("vec1", vec1), ("vec2", vec2)):
        if value.dim() != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {argument}, but got {value.dim()}-D")
    dtype = common_dtype(input.expand(vec1.shape[0], vec2.shape[0]), vec1, vec2)
    if type(beta) is type(alpha) is int and beta == alpha == 1:
        return _addr(input, vec1, vec2, beta, alpha)
    for argument, value in (("beta", beta), ("alpha", alpha)):
        if isinstance(value, bool) and dtype is not BOOL:
            raise RuntimeError(f"Boolean {argument} only supported for Boolean results.")
        if isinstance(value, (float, complex)) and not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(f"For integral input tensors, argument {argument} must not be a floating point number.")
    check_numbers(dtype, beta, alpha)
    return _addr(input, vec1, vec2, beta, alpha)


def _addr_(self, vec1, vec2, *, beta=1, alpha=1):
    if self.dim() != 2:
        raise RuntimeError(f"2D tensor expected, got {self.dim()}D tensor for input")
    return inplace_result(self, addr(self, vec1, vec2, beta=beta, alpha=alpha))


def _addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    found = addbmm(self, batch1, batch2, beta=beta, alpha=alpha)
    if self.shape != found.shape:
        check_writable(self)
        self._take(made_lazy(empty_near(self, found.shape), laziness(self)))          # as PyTorch does
    return inplace_result(self, found)


op(addmv, inplace=writing(addmv, lambda mat, vec, **factors: [mat.shape[0]]), out="expected")
op(baddbmm, inplace=writing(baddbmm, lambda batch1, batch2, **factors: [*batch1.shape[:2], batch2.shape[2]]),
   out="expected")
op(addbmm, inplace=_addbmm_, out="expected")
op(addr, out=True, inplace=_addr_)
