# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Raw operands of ops with three or more of them: broadcast against each other, promoted to one dtype, on one device.

Nothing here is recorded by autograd: the tensors returned are windows on the operands' storages, or copies.
"""
from cygrad.dispatch.allocation cimport empty, empty_as, ordered_output
from cygrad.dispatch.kernel_calls cimport (binary_into, broadcast_sizes, cast, expand_to, fill_into, same_device,
                                           scalar_into, unary_into, where_into)
from cygrad.dispatch.promotion cimport scalar_dtype
from cygrad.dtype cimport BOOL, CATEGORY_COMPLEX, DType
from cygrad.tensor cimport Tensor
from cygrad.view cimport View, make_view, same_sizes

from cygrad import errors
from cygrad.backend import BINARY
from cygrad.dispatch.promotion import result_type
from cygrad.dispatch.raw import where_op


cdef bint elsewhere(Tensor a, Tensor b):
    return a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index


cdef Tensor on_device_of(Tensor like, Tensor t):
    """`t` if it is where `like` is; a copy there if it has no axes and is in host memory."""
    if not elsewhere(like, t):
        return t
    if t.rank == 0 and t.memory.backend.host_memory:
        return t.detach().to(like.device)
    raise errors.on_two_devices(None, like, t, ("one operand", "another"))


cdef Tensor main_operand(tuple operands):
    """The tensor whose device counts: the first with axes, else the first."""
    cdef Tensor first = None
    for value in operands:
        if isinstance(value, Tensor):
            if (<Tensor>value).rank:
                return <Tensor>value
            if first is None:
                first = <Tensor>value
    return first


cdef list expanded(list tensors):
    """Windows of one shape on the tensors."""
    cdef View shape = <View>tensors[0], other
    cdef Py_ssize_t sizes[64]
    cdef int rank, i
    cdef bint same = True
    for i in range(1, len(tensors)):
        other = <View>tensors[i]
        if not same_sizes(shape, other):
            same = False
            rank = broadcast_sizes(shape, other, sizes)
            shape = make_view(None, other.dtype, 0, rank, sizes, sizes)
    if same:
        return tensors
    return [t if same_sizes(<Tensor>t, shape) else expand_to(<Tensor>t, shape.rank, shape.sizes) for t in tensors]


def broadcast(*tensors):
    """Windows of one shape on the tensors, which broadcast; raises PyTorch's error where they don't."""
    cdef Tensor main = main_operand(tensors)
    return expanded([on_device_of(main, t) for t in tensors])


cdef Tensor number_near(Tensor like, object value, DType dtype):
    """A 0-d tensor on like's device that holds a number."""
    cdef Tensor out = empty(like.memory.backend, like.memory.index, dtype, 0, NULL)
    if isinstance(value, complex) and dtype.category != CATEGORY_COMPLEX:
        value = bool(value) if dtype.code == BOOL else value.real
    fill_into(out, value)
    return out


def scalar_near(Tensor like not None, value, DType dtype=None):
    """A 0-d tensor on like's device that holds a number, in the number's own dtype or the one given."""
    return number_near(like, value, scalar_dtype(value) if dtype is None else dtype)


def select(Tensor condition not None, self, other):
    """Where `condition` (bool) holds `self`, else `other`, in a new tensor: tensors or numbers, promoted, broadcast."""
    cdef DType dtype
    cdef Tensor a, b, main = condition, out
    cdef list three
    if isinstance(self, Tensor) and isinstance(other, Tensor) and (<Tensor>self).dtype is (<Tensor>other).dtype:
        a, b = <Tensor>self, <Tensor>other
        dtype = a.dtype
        if (condition.dense and a.dense and b.dense and same_sizes(condition, a) and same_sizes(a, b)
                and not elsewhere(condition, a) and not elsewhere(a, b)):
            out = empty_as(a, dtype)
            where_into(condition, a, b, out)
            return out
    else:
        dtype = result_type(self, other)
    if main.rank == 0:
        main = main_operand((self, other))
        if main is None:
            main = condition
        condition = on_device_of(main, condition)
    a = cast(on_device_of(main, <Tensor>self), dtype) if isinstance(self, Tensor) else number_near(main, self, dtype)
    b = cast(on_device_of(main, <Tensor>other), dtype) if isinstance(other, Tensor) else number_near(main, other, dtype)
    three = expanded([condition, a, b])
    if same_sizes(condition, a) and same_sizes(a, b):
        return where_op(<Tensor>three[0], <Tensor>three[1], <Tensor>three[2])
    main = <Tensor>three[0]
    same_device("where", main, a, ("the condition", "the first choice"))
    out = ordered_output(dtype, main.rank, main.sizes, condition, a, b)
    where_into(main, <Tensor>three[1], <Tensor>three[2], out)
    return out


def filled(Tensor other not None, Tensor condition not None, value):
    """A row-major copy of `other` with a number where `condition` (bool) holds; the two are broadcast."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = other.rank
    cdef Tensor number = number_near(other, value.item() if isinstance(value, Tensor) else value, other.dtype), out
    if same_sizes(other, condition):
        out = empty_as(other, other.dtype)
    else:
        rank = broadcast_sizes(condition, other, sizes)
        out = empty(other.memory.backend, other.memory.index, other.dtype, rank, sizes)
        other, condition = expand_to(other, rank, sizes), expand_to(condition, rank, sizes)
    where_into(condition, expand_to(number, rank, out.sizes), other, out)
    return out


def fill_where(Tensor target not None, Tensor condition not None, value):
    """Raw in-place fill with a number where `condition` (bool), which broadcasts to target's shape, holds."""
    cdef Tensor number = number_near(target, value.item() if isinstance(value, Tensor) else value, target.dtype)
    where_into(expand_to(condition, target.rank, target.sizes), expand_to(number, target.rank, target.sizes), target,
               target)


def unary_to(int op, Tensor a not None, Tensor out not None):
    """Raw out = op(a): tensors of one shape; `out` may be the operand."""
    unary_into(op, a, out)
    return out


def binary_to(int op, Tensor a not None, y, Tensor out not None):
    """Raw out = op(a, y): y a number or a tensor of a's shape and dtype, `out` of that shape and maybe an operand."""
    if isinstance(y, Tensor):
        same_device(BINARY[op], a, <Tensor>y)
        binary_into(op, a, <Tensor>y, out)
    else:
        scalar_into(op, a, y, False, out)
    return out
