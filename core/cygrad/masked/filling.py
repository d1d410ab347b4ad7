"""What stands in for elements that a mask leaves out, and how masks and axes are read."""
import cygrad

SMALL_INTEGERS = frozenset((cygrad.bool, cygrad.uint8, cygrad.int8, cygrad.int16, cygrad.int32))
WORD = "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"


def chosen(input, mask):
    """The mask, with the tensor's shape."""
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(WORD)
        mask = mask.expand(input.shape)
    return mask.to(cygrad.bool)


def lowest(dtype):
    """Below or equal to every number of a dtype; None if it has no order."""
    if dtype.is_complex or dtype is cygrad.bool:
        return None
    return -cygrad.inf if dtype.is_floating_point else cygrad.iinfo(dtype).min


def highest(dtype):
    """Above or equal to every number of a dtype; None if it has no order."""
    if dtype.is_complex or dtype is cygrad.bool:
        return None
    return cygrad.inf if dtype.is_floating_point else cygrad.iinfo(dtype).max


def zero(dtype):
    return 0


def one(dtype):
    return 1


def exponent_of_zero(dtype):
    """What adds nothing under a logarithm of a sum of exponentials."""
    return -cygrad.inf if dtype.is_complex else lowest(dtype)


def missing(dtype):
    return cygrad.nan if dtype.is_floating_point else None


def filled(name, input, mask, neutral):
    """`input` where the mask is True, and what changes nothing elsewhere: `neutral`, a function of the dtype."""
    if mask is None:
        return input
    mask, value = chosen(input, mask), neutral(input.dtype)
    if value is None:
        raise NotImplementedError(f"identity of {name} on {input.dtype} input")
    return cygrad.where(mask, input, cygrad.tensor(value, dtype=input.dtype, device=input.device))


def axes_of(dim, rank):
    """The axes that are meant, from 0 on in order; all for None and ()."""
    if dim is None or dim == ():
        return tuple(range(rank))
    found = []
    for each in (dim,) if isinstance(dim, int) else dim:
        if each in found:
            raise RuntimeError(f"dim={each} appears multiple times in the list of dims")
        if not -max(rank, 1) <= each < max(rank, 1):
            raise IndexError(f"Dimension out of range (expected to be in range of [{-max(rank, 1)}, "
                             f"{max(rank, 1) - 1}], but got {each})")
        found.append(each % max(rank, 1))
    return tuple(sorted(found))


def axis_of(dim, rank):
    return axes_of(dim, rank)[0]


def wide(input, dtype):
    """The dtype of a sum or product, as in the ops without masks."""
    if dtype is not None:
        return dtype
    return cygrad.int64 if input.dtype in SMALL_INTEGERS else input.dtype


REDUCED = """
    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int or tuple of int, optional
        The axes to reduce; all when omitted.
    keepdim : bool
        Whether they stay, with one element.
    dtype : dtype, optional
        Of the result.
    mask : Tensor, optional
        Which elements count; it broadcasts to the input.

    Returns
    -------
    Tensor
        {gives}

    Raises
    ------
    IndexError
        If the mask has more axes than the input, or there is no such axis.

    Examples
    --------
    >>> import cygrad
    >>> x, mask = cygrad.tensor([[1., 2., 6.], [4., 0., 8.]]), cygrad.tensor([True, True, False])
    >>> cygrad.masked.{name}(x, 1, mask=mask)
    {shown}
    """

ALONG = """
    Parameters
    ----------
    input : Tensor
        Any shape.{ord}
    dim : int
        The axis.{eps}
    dtype : dtype, optional
        Of the result.
    mask : Tensor, optional
        Which elements count; it broadcasts to the input.

    Returns
    -------
    Tensor
        {gives}

    Raises
    ------
    IndexError
        If the mask has more axes than the input, or there is no such axis.

    Examples
    --------
    >>> import cygrad
    >>> x, mask = cygrad.tensor([3., 4., 6.]), cygrad.tensor([True, True, False])
    >>> cygrad.masked.{name}(x, {first}0, mask=mask)
    {shown}
    """


def documented(template, summary, **words):
    """Decorator: the docstring made of a template."""
    def with_docstring(function):
        for key in ("ord", "eps", "first"):
            words.setdefault(key, "")
        function.__doc__ = summary + "\n" + template.format(name=function.__name__, **words)
        return function
    return with_docstring
