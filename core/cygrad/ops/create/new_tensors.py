"""New tensors like an old one, of other sizes: `new_zeros` and its relatives."""
from cygrad.devices import discovery
from cygrad.devices.uninitialized import is_filled
from cygrad.dispatch.allocation import empty_near, empty_on
from cygrad.dispatch.raw import cast_to, fill_ as raw_fill
from cygrad.errors import warn
from cygrad.ops.create.filled import fill_known
from cygrad.ops.create.placing import finish
from cygrad.ops.declare.op_forms import functions, op
from cygrad.tensor import Tensor


def new_like(self, sizes, size, value, dtype, device, requires_grad, name, pin_memory=False):
    """A tensor on self's device and of its dtype, unless given, filled with `value` unless that is None."""
    if size is not None:
        sizes = (size,)
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    elif not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if dtype is None:
        dtype = self.dtype
    if device is None:
        out = empty_near(self, sizes, dtype)
    else:
        backend, index = discovery.resolve(device)
        out = empty_on(backend, index, dtype, sizes)
    if value is not None:
        raw_fill(out, value)
    elif is_filled():
        fill_known(out)
    return finish(out, requires_grad, None, pin_memory)


@op(only_method=True)
def new_empty(self, *sizes, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """An uninitialised tensor of these sizes, of self's dtype and on its device unless given.

    Parameters
    ----------
    *sizes : int, or one sequence of them
        Sizes of the axes.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).new_empty(3).dtype
    cygrad.int64
    """
    return new_like(self, sizes, size, None, dtype, device, requires_grad, "new_empty", pin_memory)


@op(only_method=True)
def new_zeros(self, *sizes, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of zeros of these sizes, of self's dtype and on its device unless given.

    Parameters
    ----------
    *sizes : int, or one sequence of them
        Sizes of the axes.

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    return new_like(self, sizes, size, 0, dtype, device, requires_grad, "new_zeros", pin_memory)


@op(only_method=True)
def new_ones(self, *sizes, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of ones of these sizes, of self's dtype and on its device unless given.

    Parameters
    ----------
    *sizes : int, or one sequence of them
        Sizes of the axes.

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).new_ones(3)
    tensor([1, 1, 1])
    """
    return new_like(self, sizes, size, 1, dtype, device, requires_grad, "new_ones", pin_memory)


@op(only_method=True)
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of these sizes filled with one number, of self's dtype and on its device unless given.

    Parameters
    ----------
    size : sequence of int
        Sizes of the axes.
    fill_value : number
        What every element is.

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).new_full((3,), 5)
    tensor([5, 5, 5])
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"new_full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    if isinstance(fill_value, Tensor):
        if fill_value.dim():
            raise TypeError("new_full(): argument 'fill_value' (position 2) must be Number, not Tensor")
        fill_value = fill_value.item()
    return new_like(self, (size,), None, fill_value, dtype, device, requires_grad, "new_full", pin_memory)


@op(only_method=True)
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A new leaf tensor that copies `data`, of self's dtype and on its device unless given.

    Parameters
    ----------
    data : number, sequence, array or Tensor
        The elements.

    Returns
    -------
    Tensor
        A leaf.

    Examples
    --------
    >>> cygrad.tensor([1.5]).new_tensor([1, 2])
    tensor([1., 2.])
    """
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
             "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor("
             "sourceTensor).")
        data = data.detach().clone()
        out = cast_to(data, self.dtype if dtype is None else dtype).to(self.device if device is None else device)
        return finish(out, requires_grad)
    return functions["tensor"](data, dtype=self.dtype if dtype is None else dtype,
                               device=self.device if device is None else device, requires_grad=requires_grad,
                               pin_memory=pin_memory)


def span(size, stride):
    """How many elements from the first to the last, inclusive."""
    for each in size, stride:
        if not isinstance(each, (tuple, list)):
            raise TypeError(f"expected a tuple of ints, not {type(each).__name__}")
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
                           f"({len(stride)})")
    return 0 if 0 in size else 1 + sum([(n - 1) * s for n, s in zip(size, stride)])


@op(only_method=True)
def new_empty_strided(self, size, stride, *, dtype=None, device=None, requires_grad=False, layout=None,
                      pin_memory=False):
    """An uninitialised tensor of these sizes and strides, of self's dtype and on its device unless given.

    Parameters
    ----------
    size, stride : sequence of int
        As many strides, in elements, as sizes.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    flat = new_like(self, ((span(size, stride),),), None, None, dtype, device, False, "new_empty_strided", pin_memory)
    out = flat.as_strided(size, stride).detach()
    return finish(out, requires_grad)


@op(method=False)
def empty_strided(size, stride, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False,
                  names=None):
    """An uninitialised tensor of these sizes and strides.

    Parameters
    ----------
    size, stride : sequence of int
        As many strides, in elements, as sizes.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device, str or int, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> cygrad.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    out = functions["empty"](span(size, stride), dtype=dtype, device=device,
                             pin_memory=pin_memory).as_strided(size, stride).detach()
    if names is not None:
        out.names = names
    return finish(out, requires_grad)


@op(method=False)
def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False,
                   pin_memory=False):
    """An uninitialised dense tensor whose axes lie in memory in another order.

    Parameters
    ----------
    size : sequence of int
        The shape.
    physical_layout : sequence of int
        The axes in the order of memory, that with the longest steps first.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device or str, optional
        Where it is made.
    requires_grad : bool
        Whether gradients are recorded.
    pin_memory : bool
        In memory that CUDA's copies are fast from.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Raises
    ------
    RuntimeError
        If the layout does not name each axis once.

    Examples
    --------
    >>> cygrad.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
    (15, 1, 3)
    """
    if len(physical_layout) != len(size):
        raise RuntimeError("Number of dimensions in size does not match the length of the physical_layout; i.e. "
                           f"len(size) = {len(size)} is not equal to len(physical_layout) = {len(physical_layout)}")
    places = [None] * len(size)
    for place, axis in enumerate(physical_layout):
        if not 0 <= axis < len(size):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {axis} "
                               f"at index {place}).  NB: negative dims not currently supported; file an issue if you "
                               "want it.")
        if places[axis] is not None:
            raise RuntimeError("Duplicate dim not allowed")
        places[axis] = place
    made = functions["empty"]([size[axis] for axis in physical_layout], dtype=dtype, device=device,
                              pin_memory=pin_memory).permute(places).detach()
    return finish(made, requires_grad)
