"""The hottest rows of the table of derivatives once more, in C: for passes that are not themselves recorded.

A shortcut computes what the formula in `derivatives/` does (`tests/autograd/test_shortcuts.py` compares every one) but
calls kernels without Python between. It returns NotImplemented for what it does not take (complex numbers), and then
the formula runs, as it does in every pass with `create_graph=True`. The table alone says what a derivative is.
"""
from cygrad cimport backend as k
from cygrad.autograd.rows cimport OpNode, set_shortcut
from cygrad.allocation cimport empty, empty_as
from cygrad.dispatch cimport binary, copy_into, expand_to, fill_into, reduce, scalar_into, sum_to, unary, where_into
from cygrad.promotion cimport SAME, TO_BOOL, TO_FLOAT
from cygrad.dtype cimport CATEGORY_COMPLEX, CATEGORY_FLOAT
from cygrad.ops.products cimport mm_
from cygrad.tensor cimport Tensor, alias, new_tensor
from cygrad.view cimport View, fill_strided, make_view

cdef enum:
    FEW = 4096      # elements: formulas of several steps are left to the table's programs above it, which take one pass


# --------------------------------------------------------------------- helpers

cdef inline object product(Tensor grad, object factor):
    """grad * factor for a real tensor or number."""
    if isinstance(factor, Tensor):
        if (<Tensor>factor).dtype.category == CATEGORY_COMPLEX or grad.dtype.category == CATEGORY_COMPLEX:
            return NotImplemented
    elif type(factor) is complex:
        return NotImplemented
    return binary(k.MUL, grad, factor, SAME)


cdef inline bint real(Tensor grad) noexcept:
    return grad.dtype.category == CATEGORY_FLOAT


cdef Tensor shaped(Tensor grad, View like):
    """`grad`, whose elements are as many, under the shape of `like`."""
    cdef Tensor out
    if not grad.dense:
        return grad.reshape(like.shape)
    out = new_tensor()
    fill_strided(out, grad.memory, grad.dtype, grad.offset, like.rank, like.sizes, like.strides)
    out.set_dense_strides()
    out.finish()
    out.counter = grad.counter
    return out


cdef Tensor transposed(Tensor t):
    cdef Tensor out = alias(t)
    out.sizes[0], out.sizes[1] = t.sizes[1], t.sizes[0]
    out.strides[0], out.strides[1] = t.strides[1], t.strides[0]
    out.finish()
    return out


cdef Tensor zeros_around(Tensor grad, View like):
    cdef Tensor out = empty(grad.memory.backend, grad.memory.index, grad.dtype, like.rank, like.sizes)
    fill_into(out, 0)
    return out


# ------------------------------------------------------------------ arithmetic

cdef object same(OpNode node, Tensor grad):
    return grad


cdef object negative(OpNode node, Tensor grad):
    return unary(k.NEG, grad, SAME)


cdef object other_of_sum(OpNode node, Tensor grad):
    return grad if node.rest[0] == 1 else NotImplemented


cdef object other_of_difference(OpNode node, Tensor grad):
    return unary(k.NEG, grad, SAME) if node.rest[0] == 1 else NotImplemented


cdef object times_other(OpNode node, Tensor grad):
    return product(grad, node.unpack(1))


cdef object times_self(OpNode node, Tensor grad):
    return product(grad, node.unpack(0))


cdef object over_other(OpNode node, Tensor grad):
    other = node.unpack(1)
    if not real(grad) or type(other) is complex or (isinstance(other, Tensor) and not real(<Tensor>other)):
        return NotImplemented
    return binary(k.DIV, grad, other, TO_FLOAT)


cdef object power(OpNode node, Tensor grad):
    """grad * exponent * self ** (exponent - 1), for a number."""
    cdef Tensor base
    exponent = node.unpack(1)
    if type(exponent) is complex or exponent == 0 or grad.elements > FEW:
        return NotImplemented
    base = node.unpack(0)
    if not real(base) or not real(grad):
        return NotImplemented
    if exponent != 2:
        base = binary(k.POW, base, exponent - 1, SAME)
    return binary(k.MUL, grad, binary(k.MUL, base, exponent, SAME), SAME)


cdef object times_result(OpNode node, Tensor grad):
    return product(grad, node.raw_result())


cdef object over_self(OpNode node, Tensor grad):
    cdef Tensor x = node.unpack(0)
    return binary(k.DIV, grad, x, TO_FLOAT) if real(x) and real(grad) else NotImplemented


cdef object tanh(OpNode node, Tensor grad):
    """grad * (1 - result ** 2)"""
    cdef Tensor result = node.raw_result(), slope
    if not real(result) or not real(grad) or grad.elements > FEW:
        return NotImplemented
    slope = binary(k.SUB, 1, binary(k.MUL, result, result, SAME), SAME)
    return binary(k.MUL, grad, slope, SAME)


cdef object sigmoid(OpNode node, Tensor grad):
    """grad * ((1 - result) * result)"""
    cdef Tensor result = node.raw_result()
    if not real(result) or not real(grad) or grad.elements > FEW:
        return NotImplemented
    return binary(k.MUL, grad, binary(k.MUL, binary(k.SUB, 1, result, SAME), result, SAME), SAME)


cdef object relu(OpNode node, Tensor grad):
    """The gradient where the result is positive (or NaN)."""
    cdef Tensor result = node.raw_result(), lost, zero
    if grad.dtype is not result.dtype or not grad.dense or grad.elements > FEW:
        return NotImplemented
    lost = binary(k.LE, result, 0, TO_BOOL)
    zero = empty(grad.memory.backend, grad.memory.index, grad.dtype, 0, NULL)
    fill_into(zero, 0)
    out = empty_as(grad, grad.dtype)
    where_into(lost, expand_to(zero, grad.rank, grad.sizes), grad, out)
    return out


# ------------------------------------------------------------------ reductions

cdef object spread(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    return expand_to(grad, like.rank, like.sizes)


cdef object spread_mean(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    cdef Tensor part = binary(k.DIV, grad, max(like.elements, 1), TO_FLOAT)
    return expand_to(part, like.rank, like.sizes)


cdef Tensor with_axes(Tensor grad, View like, tuple dims, bint keepdim):
    """A gradient repeated along the axes that were reduced."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef bint reduced[64]
    cdef int i, at = 0
    cdef Tensor out
    if keepdim or like.rank == 0:
        return expand_to(grad, like.rank, like.sizes)
    for i in range(like.rank):
        reduced[i] = False
    for d in dims:
        reduced[<int>d] = True
    for i in range(like.rank):
        sizes[i], strides[i] = like.sizes[i], 0
        if not reduced[i]:
            strides[i] = grad.strides[at]
            at += 1
    out = new_tensor()
    fill_strided(out, grad.memory, grad.dtype, grad.offset, like.rank, sizes, strides)
    return out


cdef object spread_along(OpNode node, Tensor grad):
    return with_axes(grad, node.geometry(0), <tuple>node.value1, node.rest[0])


cdef object spread_mean_along(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    cdef Py_ssize_t count = 1
    if like.rank:
        for d in <tuple>node.value1:
            count *= like.sizes[<int>d]
    return with_axes(binary(k.DIV, grad, max(count, 1), TO_FLOAT), like, <tuple>node.value1, node.rest[0])


# -------------------------------------------------------------------- geometry

cdef object reshaped(OpNode node, Tensor grad):
    return shaped(grad, node.geometry(0))


cdef object transposed_back(OpNode node, Tensor grad):
    return transposed(grad) if grad.rank == 2 else alias(grad)


cdef object expanded(OpNode node, Tensor grad):
    return sum_to(grad, node.geometry(0))


cdef object selected(OpNode node, Tensor grad):
    """Zeros, with the gradient at one index of an axis."""
    cdef View like = node.geometry(0)
    cdef Tensor out = zeros_around(grad, like)
    cdef int dim = node.value1, i
    cdef Py_ssize_t index = node.rest[0]
    cdef Py_ssize_t strides[64]
    for i in range(like.rank - 1):
        strides[i] = out.strides[i if i < dim else i + 1]
    copy_into(grad, make_view(out.memory, out.dtype, index * out.strides[dim], grad.rank, grad.sizes, strides))
    return out


cdef object sliced(OpNode node, Tensor grad):
    """Zeros, with the gradient at a slice of an axis."""
    cdef View like = node.geometry(0)
    cdef Tensor out = zeros_around(grad, like)
    cdef int dim = node.value1, i
    cdef Py_ssize_t start = node.rest[0], step = node.rest[2]
    cdef Py_ssize_t strides[64]
    for i in range(like.rank):
        strides[i] = out.strides[i] * (step if i == dim else 1)
    copy_into(grad, make_view(out.memory, out.dtype, start * out.strides[dim], grad.rank, grad.sizes, strides))
    return out


# -------------------------------------------------------------------- products

cdef object mm_left(OpNode node, Tensor grad):
    cdef Tensor right = node.unpack(1)
    return mm_(grad, transposed(right)) if real(right) and grad.dtype is right.dtype else NotImplemented


cdef object mm_right(OpNode node, Tensor grad):
    cdef Tensor left = node.unpack(0)
    return mm_(transposed(left), grad) if real(left) and grad.dtype is left.dtype else NotImplemented


# ------------------------------------------------------------------- the table

set_shortcut("add", "self", same)
set_shortcut("add", "other", other_of_sum)
set_shortcut("sub", "self", same)
set_shortcut("sub", "other", other_of_difference)
set_shortcut("scalar_sub", "other", other_of_difference)
set_shortcut("neg", "self", negative)
set_shortcut("mul", "self", times_other)
set_shortcut("mul", "other", times_self)
set_shortcut("div", "self", over_other)
set_shortcut("pow", "self", power)
set_shortcut("exp", "self", times_result)
set_shortcut("log", "self", over_self)
set_shortcut("tanh", "self", tanh)
set_shortcut("sigmoid", "self", sigmoid)
set_shortcut("relu", "self", relu)
set_shortcut("sum", "self", spread)
set_shortcut("sum_dim", "self", spread_along)
set_shortcut("mean", "self", spread_mean)
set_shortcut("mean_dim", "self", spread_mean_along)
set_shortcut("view", "self", reshaped)
set_shortcut("reshape_alias", "self", reshaped)
set_shortcut("unsafe_view", "self", reshaped)
set_shortcut("squeeze", "self", reshaped)
set_shortcut("squeeze_dim", "self", reshaped)
set_shortcut("unsqueeze", "self", reshaped)
set_shortcut("t", "self", transposed_back)
set_shortcut("expand", "self", expanded)
set_shortcut("select", "self", selected)
set_shortcut("slice", "self", sliced)
set_shortcut("clone", "self", same)
set_shortcut("alias", "self", same)
set_shortcut("mm", "self", mm_left)
set_shortcut("mm", "mat2", mm_right)
