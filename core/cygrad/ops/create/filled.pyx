"""New tensors without data: uninitialised, and filled with a value (`empty`, `zeros`, `ones`, `full`, `..._like`)."""
from libc.string cimport memset

from cygrad.devices.uninitialized cimport filled
from cygrad.dispatch.allocation cimport empty, empty_as, empty_like_strided, laid_like
from cygrad.dispatch.kernel_calls cimport fill_into
from cygrad.dispatch.promotion cimport scalar_dtype
from cygrad.dispatch.without_kernels cimport COMPLEX32
from cygrad.dtype cimport BOOL, CATEGORY_FLOAT, COMPLEX64, DType, default_float, dtype_of
from cygrad.ops.create.placing cimport checked_dtype, finished, resolved
from cygrad.ops.shape.views cimport parse_shape
from cygrad.tensor cimport Tensor

import cygrad
from cygrad.devices.device import preserve_format
from cygrad.dispatch.allocation import axes_in_memory
from cygrad.dispatch.memory_formats import empty_in, refuse_preserve
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out
from cygrad.ops.declare.op_forms import op

cdef enum:
    FEW_BYTES = 4096            # up to which memory is cleared here, and not by the backend's `fill`

cdef object _MISSING = object()


cdef Tensor new_on(object device, DType dtype, int rank, const Py_ssize_t *sizes):
    backend, index = resolved(device)
    return empty(backend, index, default_float() if dtype is None else dtype, rank, sizes)


cdef int clear(Tensor t) except -1:
    """Fill a new tensor with zeros, which are zero bytes in every dtype."""
    if t.memory.pointer != NULL and t.memory.nbytes_ <= FEW_BYTES:
        memset(t.memory.pointer, 0, t.memory.nbytes_)
        return 0
    return fill_into(t, 0)


cdef Tensor sized(tuple size, object kwsize, object dtype, object device, str name):
    cdef Py_ssize_t sizes[64]
    if kwsize is not None:
        if size:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        size = (tuple(kwsize),) if not isinstance(kwsize, int) else (kwsize,)
    elif not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    cdef int rank = parse_shape(size, sizes, name), i
    for i in range(rank):
        if sizes[i] < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: "
                               f"{[sizes[j] for j in range(rank)]}")
    return new_on(device, checked_dtype(dtype, name), rank, sizes)


def dtype_for(dtype, out):
    """The dtype of a new tensor for `out=`: out's, which a dtype given must agree with."""
    if out is None:
        return dtype
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {SCALAR_NAMES[dtype.code]} does not match dtype of out parameter "
                           f"({SCALAR_NAMES[out.dtype.code]})")
    return out.dtype


cdef target(Tensor made, object out, str name):
    """`made`, or its values in the tensor given as out=."""
    if out is None:
        return made
    return write_out(name, made, out)


def fill_known(Tensor t not None):
    """Fill a new tensor with what stands for uninitialised memory: NaN, or the largest number of its dtype."""
    if t.numel():
        t.fill_(cygrad.nan if t.dtype.category >= CATEGORY_FLOAT else t.dtype.code == BOOL or cygrad.iinfo(t.dtype).max)


def empty_(*shape, size=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
           bint pin_memory=False, memory_format=None, names=None):
    """An uninitialised tensor.

    Parameters
    ----------
    *shape : int, or one sequence of them
        Sizes of the axes; also as `size`.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device, str or int, optional
    requires_grad : bool
    memory_format : memory_format, optional
        Order of the axes in memory; row-major when omitted.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.empty(2, 3).shape
    cygrad.Size([2, 3])
    """
    cdef Tensor made
    if out is not None:
        dtype_for(dtype, out)
        if memory_format is not None:
            raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
        if filled:
            refuse_out_grad("full", out)
        out.resize_(*(shape or size))
        if filled:
            fill_known(out)
        return finished(out, requires_grad, None, False)
    made = sized(shape, size, dtype, device, "empty")
    if memory_format is not None:
        refuse_preserve(memory_format)
        if memory_format.order is not None:
            made = empty_in(made, made.shape, memory_format)
    if filled:
        fill_known(made)
    return finished(made, requires_grad, names, pin_memory)


def zeros(*shape, size=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
          bint pin_memory=False, names=None):
    """A tensor of zeros.

    Parameters
    ----------
    *shape : int, or one sequence of them
        Sizes of the axes; also as `size`.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device, str or int, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    cdef Tensor t = sized(shape, size, dtype_for(dtype, out), device, "zeros")
    clear(t)
    return finished(target(t, out, "zeros"), requires_grad, names, pin_memory)


def ones(*shape, size=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
         bint pin_memory=False, names=None):
    """A tensor of ones.

    Parameters
    ----------
    *shape : int, or one sequence of them
        Sizes of the axes; also as `size`.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device, str or int, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones(2, dtype=cygrad.int64)
    tensor([1, 1])
    """
    cdef Tensor t = sized(shape, size, dtype_for(dtype, out), device, "ones")
    fill_into(t, 1)
    return finished(target(t, out, "ones"), requires_grad, names, pin_memory)


def full(size, fill_value=_MISSING, *, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
         bint pin_memory=False, names=None):
    """A tensor of one value.

    Parameters
    ----------
    size : int or sequence of int
        The sizes.
    fill_value : number
        Decides the dtype (bool, int64, default float or complex) if `dtype` is omitted.
    dtype : dtype, optional
    device : device, str or int, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.full((2,), 5)
    tensor([5, 5])
    """
    if fill_value is _MISSING:
        raise TypeError('full() missing 1 required positional arguments: "fill_value"')
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    dtype = dtype_for(dtype, out)
    if dtype is None:
        dtype = scalar_dtype(fill_value)
        if dtype is not None and (<DType>dtype).code == COMPLEX32:       # which PyTorch makes no tensor of unasked here
            dtype = dtype_of(COMPLEX64)
    if dtype is None:
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    cdef Tensor t = sized((size,), None, dtype, device, "full")
    fill_into(t, fill_value)
    return finished(target(t, out, "full"), requires_grad, names, pin_memory)


cdef Tensor like(Tensor input, object dtype, object device, object memory_format=None):
    cdef Tensor out
    cdef Py_ssize_t step = 1
    cdef int i
    cdef DType wanted = checked_dtype(dtype, "like")
    if wanted is None:
        wanted = input.dtype
    if memory_format is not None and memory_format is not preserve_format:
        out = new_on(input.device if device is None else device, wanted, input.rank, input.sizes)
        return out if memory_format.order is None else empty_in(out, input.shape, memory_format)
    if device is None:
        if input.dense:
            out = empty_as(input, wanted)
            for i in range(input.rank):                 # an axis of size 1 may have any stride
                out.strides[i] = input.strides[i]
            return out
        return empty_like_strided(input, wanted)
    out = new_on(device, wanted, input.rank, input.sizes)
    for axis in reversed(axes_in_memory(input)):
        out.strides[<int>axis] = step
        step *= out.sizes[<int>axis]
    out.finish()
    return laid_like(out, input)


def empty_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
               memory_format=None, pin_memory=False):
    """An uninitialised tensor of input's shape, memory order, dtype and device, unless given.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.empty_like(cygrad.tensor([1, 2])).dtype
    cygrad.int64
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    if filled:
        fill_known(t)
    return finished(t, requires_grad, None, pin_memory)


def zeros_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
               memory_format=None, pin_memory=False):
    """A tensor of zeros of input's shape, memory order, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros_like(cygrad.tensor([1, 2]))
    tensor([0, 0])
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    clear(t)
    return finished(t, requires_grad, None, pin_memory)


def ones_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
              memory_format=None, pin_memory=False):
    """A tensor of ones of input's shape, memory order, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones_like(cygrad.tensor([1, 2]))
    tensor([1, 1])
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    fill_into(t, 1)
    return finished(t, requires_grad, None, pin_memory)


def full_like(Tensor input not None, fill_value, *, dtype=None, layout=None, device=None, bint requires_grad=False,
              memory_format=None, pin_memory=False):
    """A tensor of one value of input's shape, memory order, dtype and device, unless given.

    Parameters
    ----------
    fill_value : number
        What every element is.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.full_like(cygrad.tensor([1, 2]), 5)
    tensor([5, 5])
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    fill_into(t, fill_value.item() if isinstance(fill_value, Tensor) else fill_value)
    return finished(t, requires_grad, None, pin_memory)


for _function in (zeros, ones, full, empty_like, zeros_like, ones_like, full_like):
    op(_function, method=False)
op(empty_, method=False, name="empty")
