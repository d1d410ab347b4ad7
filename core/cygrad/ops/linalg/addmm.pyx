# distutils: extra_compile_args = -Os
"""`addmm` (beta * input + alpha * mat1 @ mat2), and the raw sum behind the other products with a third operand.

One call of the backend's `addmm`, whose factors are real; complex ones take a product and pointwise kernels. Where beta
is 0 the input is not read.
"""
from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.modes cimport grad_enabled
from cygrad.backend cimport ADD, Backend, MUL
from cygrad.devices.watching cimport called
from cygrad.dispatch.kernel_calls cimport (binary, binary_into, cast, copy_into, declined, expand_to, lacks,
                                           scalar_into)
from cygrad.dispatch.without_kernels cimport COMPLEX32, is_lazy, without_kernels
from cygrad.dispatch.promotion cimport SAME, check_scalar, result_dtype
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_FLOAT, CATEGORY_INTEGER, DType, FLOAT16, FLOAT32, can_cast_to,
                           dtype_of, plain_of)
from cygrad.ops.pointwise.single_kernel cimport finish_inplace
from cygrad.ops.declare.op cimport Op
from cygrad.ops.linalg.products cimport blank, cannot_multiply, matrix, multiply, operand, same_device, takes
from cygrad.ops.shape.expand cimport expand_sizes
from cygrad.ops.shape.transpose_and_squeeze cimport t_
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport same_sizes, size_of

from math import prod

from cygrad.autograd.forward_levels import batch_depth, depth
from cygrad.errors import not_implemented
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.op_forms import op
from cygrad.ops.create.from_data import tensor

cdef Op ADDMM = Op("addmm", "self", "mat1", "mat2", "beta", "alpha")
cdef object ONE = 1             # the one of its value in CPython, which most calls have as beta and alpha


cdef Tensor addmm_(Tensor c, Tensor a, Tensor b, object beta, object alpha, Tensor target):
    """beta * c + alpha * a @ b, into `target` or a new tensor."""
    cdef Backend backend
    cdef Py_ssize_t sizes[2]
    cdef Tensor out = target
    cdef DType wide
    cdef bint plain = beta is ONE and alpha is ONE
    cdef object status
    if a.rank != 2 or b.rank != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {a.rank}-D tensor" if a.rank != 2 else
                           f"mat2 must be a matrix, got {b.rank}-D tensor")
    if a.sizes[1] != b.sizes[0]:
        raise cannot_multiply(a, b)
    if plain_of(c.dtype) is not plain_of(b.dtype) or plain_of(a.dtype) is not plain_of(b.dtype):
        left, name = (c, "self") if plain_of(c.dtype) is not plain_of(b.dtype) else (a, "mat1")
        raise RuntimeError(f"{name} and mat2 must have the same dtype, but got "
                           f"{SCALAR_NAMES[(<Tensor>left).dtype.code]} and {SCALAR_NAMES[b.dtype.code]}")
    same_device("addmm", a, b)
    same_device("addmm", c, a)
    sizes[0], sizes[1] = a.sizes[0], b.sizes[1]
    if c.rank != 2 or c.sizes[0] != sizes[0] or c.sizes[1] != sizes[1]:
        c = fitted(c, 2, sizes)
    if not plain:
        check_factors(a.dtype, beta, alpha)
    if a.sizes[1] == 0 and beta != 0:                     # then the result is input * beta, in PyTorch too
        check_cast(result_dtype(c, beta), c.dtype)
    if out is None:
        out = blank(a, 2, sizes)
    if out.elements == 0:
        return out
    if a.dtype.code == BOOL or out.dtype.code == COMPLEX32:
        raise not_implemented("addmm_impl_cpu_", SCALAR_NAMES[out.dtype.code], False)
    if a.sizes[1] == 0 and beta != 0:
        copy_into(binary(MUL, c, tensor(beta, dtype=c.dtype, device=c.device), SAME), out)
        return out
    if not plain and alpha == 0 and a.dtype.category >= CATEGORY_FLOAT and a.dtype.itemsize > 2:
        # BLAS, which PyTorch calls here, reads no factors then: a product over no elements
        copy_into(scaled_sum(c, product2(blank(a, 2, [sizes[0], 0]), blank(a, 2, [0, sizes[1]])), beta, 1), out)
        return out
    backend = <Backend>a.memory.backend
    if a.sizes[1] and (plain or not isinstance(beta, complex) and not isinstance(alpha, complex)):
        if without_kernels(out.dtype.code) or is_lazy(c.dtype.code | a.dtype.code | b.dtype.code):
            status = NotImplemented
        elif plain:
            status = called(backend).addmm(c, a, b, 1.0, 1.0, out)
        else:
            status = called(backend).addmm(c, a, b, beta, alpha, out)
        if lacks("addmm", status):
            declined(backend, "addmm", (c, a, b, beta, alpha, out), (5,))
        return out
    if a.dtype.code == FLOAT16 or a.dtype.code == BFLOAT16:          # round once
        wide = dtype_of(FLOAT32)
        copy_into(addmm_(cast(c, wide), cast(a, wide), cast(b, wide), beta, alpha, None), out)
        return out
    copy_into(scaled_sum(c, product2(a, b), beta, alpha), out)
    return out


cdef int check_factors(DType dtype, object beta, object alpha) except -1:
    """Refuse factors that the dtype can't hold, as PyTorch does: an unsigned dtype holds negative integers only."""
    if dtype.itemsize > 2 or dtype.category != CATEGORY_FLOAT:
        for value in (beta, alpha):
            check_scalar(dtype, value)
    return 0


cdef int check_cast(DType source, DType target) except -1:
    if not can_cast_to(source, target):
        raise RuntimeError(f"result type {SCALAR_NAMES[source.code]} can't be cast to the desired output type "
                           f"{SCALAR_NAMES[target.code]}")
    return 0


cdef Tensor product2(Tensor a, Tensor b):
    cdef Tensor out = blank(a, 2, [a.sizes[0], b.sizes[1]])
    multiply(matrix(a), matrix(b), matrix(out), "addmm_impl_cpu_")
    return out


cdef Tensor fitted(Tensor c, int rank, Py_ssize_t *sizes):
    """`c` broadcast to these sizes, or PyTorch's error."""
    cdef int i, j
    for i in range(rank):
        j = i - rank + c.rank
        if c.rank > rank or (j >= 0 and c.sizes[j] != sizes[i] and c.sizes[j] != 1):
            return expand_sizes(c, rank, sizes)           # raises
    return expand_to(c, rank, sizes)


cdef object number_for(DType dtype, object value):
    """beta or alpha as the kernels take it: integers drop the fraction."""
    return int(value) if dtype.category <= CATEGORY_INTEGER else value


cdef Tensor scaled_sum(Tensor c, Tensor product, object beta, object alpha):
    """beta * c + alpha * product in the memory of `product`, which is new; beta = 0 does not read c."""
    beta, alpha = number_for(product.dtype, beta), number_for(product.dtype, alpha)
    if alpha != 1:
        scalar_into(MUL, product, alpha, False, product)
    if beta == 1:
        binary_into(ADD, product, c, product)
    elif beta != 0:
        binary_into(ADD, product, binary(MUL, c, beta, SAME), product)
    return product


def check_numbers(DType dtype not None, beta, alpha):
    """Refuse factors that the dtype can't hold."""
    check_factors(dtype, beta, alpha)


def add_scaled(Tensor c not None, Tensor product not None, beta, alpha):
    """beta * c + alpha * product, raw, in the memory of the new tensor `product`; `c` broadcasts to its shape."""
    same_device("an op that adds a product", c, product)
    check_factors(product.dtype, beta, alpha)
    if not same_sizes(c, product):
        c = fitted(c, product.rank, product.sizes)
    if product.elements == 0:
        return product
    return scaled_sum(c, product, beta, alpha)


def addmm_into(input, mat1, mat2, *, beta=1, alpha=1, out):
    """addmm straight into `out`; None where that can't be."""
    cdef Tensor a, b, c
    if type(input) is not Tensor or type(mat1) is not Tensor or type(mat2) is not Tensor or type(out) is not Tensor:
        return None
    c, a, b = <Tensor>input, <Tensor>mat1, <Tensor>mat2
    if (a.rank != 2 or b.rank != 2 or c.memory is (<Tensor>out).memory or grad_enabled() and requires_grad(c)
            or not takes(<Tensor>out, a, b, 2, [a.sizes[0], b.sizes[1]])):
        return None
    addmm_(c, a, b, beta, alpha, <Tensor>out)
    bump_version(<Tensor>out)
    return out


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """beta * input + alpha * (mat1 @ mat2).

    Parameters
    ----------
    input : Tensor
        Broadcasts to (n, p). Where beta is 0 it is not read: a NaN in it does not matter.
    mat1, mat2 : Tensor
        (n, m) and (m, p), of input's dtype.
    beta, alpha : Number

    Returns
    -------
    Tensor
        (n, p).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.addmm(cygrad.ones(2, 2), cygrad.eye(2), cygrad.tensor([[1., 2.], [3., 4.]]), alpha=10)
    tensor([[11., 21.],
            [31., 41.]])
    """
    cdef Tensor c = operand(input, "addmm", "input", 1), a = operand(mat1, "addmm", "mat1", 2)
    cdef Tensor b = operand(mat2, "addmm", "mat2", 3)
    cdef Tensor result = addmm_(c, a, b, beta, alpha, None)
    if grad_enabled() and (requires_grad(c) or requires_grad(a) or requires_grad(b)):
        ADDMM.record(result, (c, a, b, beta, alpha))
    return result


def linear(input, weight, bias=None):
    """input @ weight^T + bias.

    Parameters
    ----------
    input : Tensor
        (..., n).
    weight : Tensor
        (m, n), or (n,).
    bias : Tensor, optional
        (m,), or () with a weight (n,).

    Returns
    -------
    Tensor
        (..., m), or (...) with a weight (n,).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.linear(cygrad.tensor([1., 2.]), cygrad.tensor([[1., 0.], [0., 10.]]))
    tensor([ 1., 20.])
    """
    cdef Tensor a, b, c, result
    if isinstance(bias, Tensor) and isinstance(input, Tensor) and isinstance(weight, Tensor):
        a, b, c = <Tensor>input, <Tensor>weight, <Tensor>bias
        if a.rank == 2:
            b = t_(b)
            result = addmm_(c, a, b, 1, 1, None)
            if grad_enabled() and (requires_grad(c) or requires_grad(a) or requires_grad(b)):
                ADDMM.record(result, (c, a, b, 1, 1))
            return result
    if bias is None:
        return input.matmul(weight.t())
    if input.dim() == 2:
        return addmm(bias, input, weight.t())
    if input.is_contiguous() and input.dim() and weight.dim() == 2 and bias.dim() and bias.is_contiguous():
        *batch, width = input.shape
        return linear(input.view(prod(batch), width), weight, bias).view(*batch, weight.shape[0])
    found = input.matmul(weight.t())
    return found + bias if depth() or batch_depth() else found.add_(bias)


def addmm_inplace(self, mat1, mat2, *, beta=1, alpha=1):
    cdef Tensor c = operand(self, "addmm_", "self", 1), a = operand(mat1, "addmm_", "mat1", 1)
    cdef Tensor b = operand(mat2, "addmm_", "mat2", 2)
    if a.rank == 2 and b.rank == 2 and (c.rank != 2 or c.sizes[0] != a.sizes[0] or c.sizes[1] != b.sizes[1]):
        raise RuntimeError(f"Bad in-place call: input tensor size {list(size_of(c))} and output tensor size "
                           f"{[a.sizes[0], b.sizes[1]]} should match")
    if (c.dense and c.memory is not a.memory and c.memory is not b.memory
            and not (grad_enabled() and (requires_grad(c) or requires_grad(a) or requires_grad(b)))):
        check_inplace(c)
        addmm_(c, a, b, beta, alpha, c)
        bump_version(c)
        return c
    return finish_inplace(c, addmm(c, a, b, beta=beta, alpha=alpha))


op(addmm, inplace=addmm_inplace, out="expected", into=addmm_into)
