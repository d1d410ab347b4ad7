"""The hottest rows of the table of derivatives once more, in C: for passes that are not themselves recorded.

A shortcut computes what the formula in `derivatives/` does (`tests/autograd/test_shortcuts.py` compares every one) but
calls kernels without Python between. It returns NotImplemented for what it does not take (complex numbers), and then
the formula runs, as it does in every pass with `create_graph=True`. The table alone says what a derivative is; which
rows are here, and what each saves, is measured (docs/design.md). Formulas that give the gradient itself, or its
negative, are known by what they are: those of any row.
"""
from cygrad cimport backend as k
from cygrad.autograd.derivative cimport OpNode, set_shortcut, set_shortcut_of
from cygrad.autograd.fitting cimport dropping_axes
from cygrad.dispatch.allocation cimport empty, empty_as
from cygrad.backend cimport Backend
from cygrad.dispatch.kernel_calls cimport (binary, binary_into, copy_into, expand_to, fill_into,
                                           has_dense_strides, scalar_into, unary, where_into)
from cygrad.dispatch.axis_reductions cimport sum_to
from cygrad.dispatch.without_kernels cimport is_lazy
from cygrad.dtype cimport BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, DType, dtype_of
from cygrad.tensors.elements cimport element_at
from cygrad.ops.linalg.products cimport mm_backward_left, mm_backward_right
from cygrad.dispatch.promotion cimport SAME, TO_FLOAT
from cygrad.tensor cimport CREATED_IN_NO_GRAD, CREATED_NORMALLY, Tensor, alias, new_tensor
from cygrad.view cimport View, data, fill_strided, make_view, same_sizes

from cygrad.autograd.derivatives.helpers import negated, unchanged

cdef DType BOOL_DTYPE = dtype_of(BOOL)

cdef enum:
    FEW = 4096      # elements: formulas of several steps are left to the table's programs above it, which take one pass


# --------------------------------------------------------------------- helpers

cdef inline bint alike(Tensor a, Tensor b) noexcept:
    """Whether a kernel takes both as they are, element by element."""
    return (a.dense and b.dense and a.dtype is b.dtype and a.memory.backend is b.memory.backend
            and a.memory.index == b.memory.index and same_sizes(a, b))


cdef inline bint uniform(Tensor grad) noexcept:
    """Whether all elements are one and the same, which the host can read: the gradient of what was summed."""
    cdef int i
    for i in range(grad.rank):
        if grad.strides[i] != 0 and grad.sizes[i] != 1:
            return False
    return grad.elements > 0 and not is_lazy(grad.dtype.code) and (<Backend>grad.memory.backend).host_memory


cdef inline object element(Tensor uniform):
    return element_at(data(uniform), uniform.dtype.code)


cdef object with_tensor(int op, Tensor grad, Tensor other, int rule):
    """op(grad, other) for real floats."""
    cdef Tensor out
    if grad.dtype.category != CATEGORY_FLOAT or other.dtype.category == CATEGORY_COMPLEX:
        return NotImplemented
    if alike(grad, other):
        out = empty_as(grad, grad.dtype)
        binary_into(op, grad, other, out)
        return out
    if (other.dense and other.dtype is grad.dtype and (grad.rank == 0 or same_sizes(grad, other)) and uniform(grad)
            and (other.rank < 2 or has_dense_strides(other))):
        out = empty_as(other, other.dtype)
        scalar_into(op, other, element(grad), True, out)
        return out
    return binary(op, grad, other, rule)


cdef object with_number(int op, Tensor grad, object number, int rule):
    """op(grad, number) for real floats."""
    cdef Tensor out
    if grad.dtype.category != CATEGORY_FLOAT or type(number) is complex:
        return NotImplemented
    if grad.dense and (type(number) is float or type(number) is int):
        out = empty_as(grad, grad.dtype)
        scalar_into(op, grad, number, False, out)
        return out
    return binary(op, grad, number, rule)


cdef inline object product(Tensor grad, object factor):
    """grad * factor for a real tensor or number."""
    if isinstance(factor, Tensor):
        return with_tensor(k.MUL, grad, <Tensor>factor, SAME)
    return with_number(k.MUL, grad, factor, SAME)


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
    return window(out, grad)


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
    if isinstance(other, Tensor):
        return with_tensor(k.DIV, grad, <Tensor>other, TO_FLOAT)
    return with_number(k.DIV, grad, other, TO_FLOAT)


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
        base = <Tensor>with_number(k.POW, base, exponent - 1, SAME)
    return product(grad, with_number(k.MUL, base, exponent, SAME))


cdef object times_result(OpNode node, Tensor grad):
    return product(grad, node.raw_result())


cdef object over_self(OpNode node, Tensor grad):
    cdef Tensor x = node.unpack(0)
    return with_tensor(k.DIV, grad, x, TO_FLOAT)


cdef object square_root(OpNode node, Tensor grad):
    """grad / (2 * result)"""
    cdef Tensor result = node.raw_result()
    if not real(result) or grad.elements > FEW:
        return NotImplemented
    return with_tensor(k.DIV, grad, <Tensor>with_number(k.MUL, result, 2, SAME), TO_FLOAT)


cdef object tanh(OpNode node, Tensor grad):
    """grad * (1 - result ** 2)"""
    cdef Tensor result = node.raw_result(), slope
    if not real(result) or not real(grad) or grad.elements > FEW or grad.dtype.itemsize == 2:
        return NotImplemented
    slope = binary(k.SUB, 1, <Tensor>product(result, result), SAME)
    return product(grad, slope)


cdef object relu(OpNode node, Tensor grad):
    """The gradient where the result is positive (or NaN)."""
    cdef Tensor result = node.raw_result(), lost, out
    if grad.dtype is not result.dtype or grad.elements > FEW or not result.dense:
        return NotImplemented
    if not grad.dense:
        if not uniform(grad):
            return NotImplemented
        grad = filled_like(result, element(grad))
    lost = empty_as(result, BOOL_DTYPE)
    scalar_into(k.LE, result, 0, False, lost)
    out = empty_as(grad, grad.dtype)
    where_into(lost, filled_like(result, 0), grad, out)
    return out


cdef Tensor filled_like(Tensor like, object number):
    cdef Tensor out = empty_as(like, like.dtype)
    fill_into(out, number)
    return out


# ------------------------------------------------------------------ reductions

cdef inline Tensor window(Tensor seen, Tensor grad):
    """A tensor on a gradient's memory, marked: who asks for gradients is told that it is a view (`backward.grad`)."""
    if seen is not grad:
        seen.creation = CREATED_IN_NO_GRAD
    return seen


cdef object spread(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    if like.rank == 0:
        return window(alias(grad), grad)
    return window(expand_to(grad, like.rank, like.sizes), grad)


cdef object spread_mean(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    part = with_number(k.DIV, grad, max(like.elements, 1), TO_FLOAT)
    return part if part is NotImplemented else divided(expand_to(<Tensor>part, like.rank, like.sizes))


cdef Tensor divided(Tensor part):
    """The quotients of a mean's gradient: PyTorch repeats first and divides then, so that few of them lie in memory."""
    cdef Tensor out
    if part.elements > FEW or has_dense_strides(part):
        part.creation = CREATED_NORMALLY
        return part
    out = empty_as(part, part.dtype)
    copy_into(part, out)
    return out


cdef Tensor with_axes(Tensor grad, View like, tuple dims, bint keepdim):
    """A gradient repeated along the axes that were reduced."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef bint reduced[64]
    cdef int i, at = 0
    cdef Tensor out
    if like.rank == 0 or keepdim and same_sizes(grad, like):
        return window(alias(grad), grad)
    if keepdim:
        return window(expand_to(grad, like.rank, like.sizes), grad)
    for i in range(like.rank):
        reduced[i] = False
    for d in dims:
        reduced[<int>d] = True
    for i in range(like.rank):
        sizes[i], strides[i] = like.sizes[i], 0
        if not reduced[i]:
            strides[i] = grad.strides[at]
            at += 1
        elif sizes[i] == 1:                     # what `unsqueeze` gives it
            strides[i] = grad.sizes[at] * grad.strides[at] if at < grad.rank else 1
    out = new_tensor()
    fill_strided(out, grad.memory, grad.dtype, grad.offset, like.rank, sizes, strides)
    return window(out, grad)


cdef object spread_along(OpNode node, Tensor grad):
    return with_axes(grad, node.geometry(0), <tuple>node.value1, node.rest[0])


cdef object spread_mean_along(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    cdef Py_ssize_t count = 1
    if like.rank:
        for d in <tuple>node.value1:
            count *= like.sizes[<int>d]
    return divided(with_axes(binary(k.DIV, grad, max(count, 1), TO_FLOAT), like, <tuple>node.value1, node.rest[0]))


# -------------------------------------------------------------------- geometry

cdef object reshaped(OpNode node, Tensor grad):
    return shaped(grad, node.geometry(0))


cdef object squeezed_back(OpNode node, Tensor grad):
    cdef View like = node.geometry(0)
    if same_sizes(grad, like):
        return grad
    return shaped(grad, like) if has_dense_strides(grad) or uniform(grad) else NotImplemented


cdef object transposed_back(OpNode node, Tensor grad):
    cdef Tensor out = alias(grad)
    if grad.rank == 2:
        out.sizes[0], out.sizes[1] = grad.sizes[1], grad.sizes[0]
        out.strides[0], out.strides[1] = grad.strides[1], grad.strides[0]
        out.finish()
    return window(out, grad)


cdef object axes_swapped(OpNode node, Tensor grad):
    cdef int a = node.value1, b = node.rest[0]
    cdef Tensor out
    if a < 0 or b < 0 or grad.rank == 0:
        return NotImplemented
    out = alias(grad)
    out.sizes[a], out.sizes[b] = grad.sizes[b], grad.sizes[a]
    out.strides[a], out.strides[b] = grad.strides[b], grad.strides[a]
    out.finish()
    return window(out, grad)


cdef object expanded(OpNode node, Tensor grad):
    if grad.rank == 0:
        return with_number(k.ADD, grad, 0, SAME)                # a new tensor, as PyTorch's sum is
    return dropping_axes(grad, sum_to(grad, node.geometry(0)))


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
    return left_factor(grad, node.unpack(1), node.geometry(0))


cdef object mm_right(OpNode node, Tensor grad):
    return right_factor(node.unpack(0), grad, node.geometry(1))


cdef object addmm_bias(OpNode node, Tensor grad):
    return grad if node.rest[1] == 1 else NotImplemented


cdef object addmm_left(OpNode node, Tensor grad):
    return left_factor(grad, node.unpack(2), node.geometry(1)) if node.rest[2] == 1 else NotImplemented


cdef object addmm_right(OpNode node, Tensor grad):
    return right_factor(node.unpack(1), grad, node.geometry(2)) if node.rest[2] == 1 else NotImplemented


cdef object left_factor(Tensor grad, Tensor right, View like):
    return mm_backward_left(grad, right, like) if real(right) and grad.dtype is right.dtype else NotImplemented


cdef object right_factor(Tensor left, Tensor grad, View like):
    return mm_backward_right(left, grad, like) if real(left) and grad.dtype is left.dtype else NotImplemented


# ------------------------------------------------------------------- the table

set_shortcut_of(unchanged, same)
set_shortcut_of(negated, negative)
set_shortcut("add", "other", other_of_sum)
set_shortcut("sub", "other", other_of_difference)
set_shortcut("scalar_sub", "other", other_of_difference)
set_shortcut("mul", "self", times_other)
set_shortcut("mul", "other", times_self)
set_shortcut("multiply_by_number", "self", times_other)
set_shortcut("div", "self", over_other)
set_shortcut("pow", "self", power)
set_shortcut("exp", "self", times_result)
set_shortcut("log", "self", over_self)
set_shortcut("sqrt", "self", square_root)
set_shortcut("tanh", "self", tanh)
set_shortcut("relu", "self", relu)
set_shortcut("sum", "self", spread)
set_shortcut("sum_dim", "self", spread_along)
set_shortcut("mean", "self", spread_mean)
set_shortcut("mean_dim", "self", spread_mean_along)
set_shortcut("view", "self", reshaped)
set_shortcut("reshape_alias", "self", reshaped)
set_shortcut("unsafe_view", "self", reshaped)
set_shortcut("squeeze", "self", squeezed_back)
set_shortcut("squeeze_dim", "self", squeezed_back)
set_shortcut("unsqueeze", "self", squeezed_back)
set_shortcut("t", "self", transposed_back)
set_shortcut("transpose", "self", axes_swapped)
set_shortcut("expand", "self", expanded)
set_shortcut("select", "self", selected)
set_shortcut("slice", "self", sliced)
set_shortcut("mm", "self", mm_left)
set_shortcut("mm", "mat2", mm_right)
set_shortcut("addmm", "self", addmm_bias)
set_shortcut("addmm", "mat1", addmm_left)
set_shortcut("addmm", "mat2", addmm_right)
set_shortcut("dot", "self", times_other)
set_shortcut("dot", "tensor", times_self)
