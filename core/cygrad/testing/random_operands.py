"""`make_tensor`: random tensors of any dtype for tests, with the layout and the range that they ask for."""
import math

import cygrad
from cygrad.errors import warn

FROM, TO = -9, 10           # of integers; floats reach to 9


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """A tensor of numbers drawn evenly from [low, high).

    Parameters
    ----------
    *shape : int, or a sequence of int
    dtype : dtype
    device : device or str
    low, high : number, optional
        [-9, 9) for floats and complex parts, [-9, 10) for signed and [0, 10) for unsigned integers; what the dtype
        can't hold is clamped.
    requires_grad : bool
    noncontiguous : bool
        Every second element of a tensor that is twice as wide.
    exclude_zero : bool
        The smallest normal number, or 1, stands for a zero.
    memory_format : memory_format, optional

    Returns
    -------
    Tensor

    Raises
    ------
    ValueError
        For a range that is empty or not a number, integers that require a gradient, or both a memory format and
        `noncontiguous`.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.testing.make_tensor(2, 3, dtype=cygrad.int64, device="cpu", low=0, high=4)
    >>> x.shape, bool((x < 4).all())
    (cygrad.Size([2, 3]), True)
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
                         f"{noncontiguous=} and {memory_format=}")
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError("`requires_grad=True` is not supported for boolean and integral dtypes, but got "
                         f"dtype={dtype}")
    wide = (*shape[:-1], 2 * shape[-1]) if noncontiguous and math.prod(shape) > 1 else shape
    if dtype.is_floating_point or dtype.is_complex:
        result = evenly(wide, dtype, device, low, high)
    else:
        first, end = whole_range(dtype, low, high)
        result = cygrad.randint(first, end, wide, device=device).to(dtype)
    if wide is not shape:
        result = result[..., ::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = cygrad.finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
    return result.requires_grad_(requires_grad)


def bounds(low, high, default, lowest, highest, inexact=False):
    low, high = (given if given is not None else own for given, own in zip((low, high), default))
    if any(isinstance(x, float) and math.isnan(x) for x in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and inexact:
        warn("Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
             "and will be removed in 2.3. Use `torch.full(...)` instead.", FutureWarning)
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    return max(low, lowest), min(high, highest)


def evenly(shape, dtype, device, low, high):
    real = dtype.to_real()
    limits = cygrad.finfo(real)
    low, high = bounds(low, high, (FROM, 9), limits.min, limits.max, True)
    result = cygrad.empty(shape, dtype=dtype, device=device)
    parts = cygrad.view_as_real(result) if dtype.is_complex else result
    if high - low > limits.max:                 # the range itself is no number of this dtype
        parts.uniform_(low / 2, high / 2).mul_(2)
    else:
        parts.uniform_(low, high)
    return result


def whole_range(dtype, low, high):
    if dtype is cygrad.bool:
        low, high = bounds(low, high, (0, 2), 0, 2)
    else:
        limits = cygrad.iinfo(dtype)
        low, high = bounds(low, high, (max(FROM, limits.min), TO), limits.min, limits.max + 1)
    return math.floor(low), min(max(math.ceil(high), math.floor(low) + 1), 2 ** 63 - 1)
