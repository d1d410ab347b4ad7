"""A hash of a tensor's elements: their bits, combined by exclusive or."""
import cygrad
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import need_tensors, refused
from cygrad.ops.reduce.sums import axis_of


def combined(words, dim):
    """The exclusive or of all elements along an axis: of two halves, as long as there is more than one."""
    while (size := words.size(dim)) > 1:
        half = size // 2
        folded = words.narrow(dim, 0, half) ^ words.narrow(dim, half, half)
        words = folded if size % 2 == 0 else cygrad.cat((folded, words.narrow(dim, size - 1, 1)), dim)
    return words


@op(out=True)
def hash_tensor(input, dim=(), *, keepdim=False, mode=0):
    """A hash of all elements, or of those along axes: the exclusive or of their bits as 64-bit numbers.

    Parameters
    ----------
    input : Tensor
        Real; floats are taken as float64, integers and bools as 64-bit integers.
    dim : int or tuple of int, optional
        The axes; all when omitted.
    keepdim : bool
        Whether they stay, with one element.
    mode : {0}
        0 is the only hash there is.
    out : Tensor, optional
        Written to; uint64.

    Returns
    -------
    Tensor
        uint64.

    Raises
    ------
    RuntimeError
        For another mode.
    NotImplementedError
        For complex numbers.

    Examples
    --------
    >>> cygrad.hash_tensor(cygrad.tensor([[1, 2], [7, 7]]), 1)
    tensor([3, 0], dtype=cygrad.uint64)
    """
    need_tensors("hash_tensor", input=input)
    if dim is None:
        dim = ()
    axes = [axis_of(each, input.dim(), "hash_tensor") for each in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    if not axes and not input.numel():
        raise RuntimeError("hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           "reduction dim with the 'dim' argument.")
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        if input.dim() and not input.size(axis):
            raise IndexError(f"hash_tensor: Expected reduction dim {axis} to have non-zero size.")
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if input.is_complex():
        raise refused("xor_sum_cpu", input.dtype)
    wide = input.detach().to(cygrad.float64 if input.is_floating_point() else cygrad.int64)
    words = wide.contiguous().view(cygrad.int64)
    if words.dim():
        for axis in axes or range(words.dim()):
            words = combined(words, axis)
        if not keepdim:
            words = words.squeeze(tuple(axes or range(words.dim())))
    return words.clone().view(cygrad.uint64)
