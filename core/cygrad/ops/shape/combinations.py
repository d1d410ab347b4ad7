"""Combinations of elements: `cartesian_prod`, `combinations`."""
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.shape.cat_and_stack import _stack as stack, listed


def _need_vector(t):
    if t.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")


@op(method=False)
def cartesian_prod(*tensors):
    """All combinations of one element of each vector, a row each.

    Parameters
    ----------
    *tensors : Tensor
        One axis each.

    Returns
    -------
    Tensor
        (combinations, tensors); for a single tensor, that tensor.

    Examples
    --------
    >>> cygrad.cartesian_prod(cygrad.tensor([1, 2]), cygrad.tensor([4, 5]))
    tensor([[1, 4],
            [1, 5],
            [2, 4],
            [2, 5]])
    """
    for t in listed(tensors, "cartesian_prod"):
        _need_vector(t)
    if len(tensors) == 1:
        return tensors[0]
    return stack([g.flatten() for g in functions["meshgrid"](*tensors, indexing="ij")], 1)


@op(method=False)
def combinations(input, r=2, with_replacement=False):
    """All combinations of `r` elements of a vector, in order, a row each.

    Parameters
    ----------
    input : Tensor
        One axis.
    r : int
        How many elements in each.
    with_replacement : bool
        Whether an element may come several times.

    Returns
    -------
    Tensor
        (combinations, r).

    Examples
    --------
    >>> cygrad.combinations(cygrad.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    _need_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    places = functions["arange"](input.numel(), device=input.device)
    grids = functions["meshgrid"]([places] * r, indexing="ij")
    mask = grids[0] >= 0
    for a, b in zip(grids, grids[1:]):
        mask &= a <= b if with_replacement else a < b
    values = functions["meshgrid"]([input] * r, indexing="ij")
    return stack([v.masked_select(mask) for v in values], 1)
