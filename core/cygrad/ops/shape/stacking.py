"""`cat` and `stack` by other names (`hstack`, `column_stack`, ...), and matrices along a diagonal: `block_diag`."""
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.raw import copy_ as raw_copy, fill_ as raw_fill
from cygrad.dispatch.promotion import result_type
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.shape.cat_and_stack import _cat as cat, listed
from cygrad.ops.shape.unflatten_and_atleast import at_least_1d, at_least_2d, at_least_3d


def _joiner(name, prepare, dim, words, example, aliases=()):
    def function(tensors, *, out=None):
        tensors = listed(tensors, name)
        if not tensors:
            raise RuntimeError(f"{name} expects a non-empty TensorList")
        tensors = list(map(prepare, tensors))
        return cat(tensors, 0 if name == "hstack" and tensors[0].dim() == 1 else dim, out=out)
    function.__doc__ = f"""The tensors one after the other {words}.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of one shape but for the axis along which they are joined.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Raises
    ------
    RuntimeError
        For an empty sequence, or shapes that don't fit.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}([cygrad.tensor([1, 2]), cygrad.tensor([3, 4])])
    {example}
    """
    op(function, name=name, method=False, aliases=aliases)


def _column(t):
    return t if t.dim() > 1 else t.reshape(-1, 1)


_joiner("hstack", at_least_1d, 1, "along the second axis (vectors along the only one)",
        "tensor([1, 2, 3, 4])")
_joiner("vstack", at_least_2d, 0, "along the first axis, vectors as rows",
        """tensor([[1, 2],
            [3, 4]])""", ("row_stack",))
_joiner("dstack", at_least_3d, 2, "along the third axis",
        """tensor([[[1, 3],
             [2, 4]]])""")
_joiner("column_stack", _column, 1, "along the second axis, vectors as columns",
        """tensor([[1, 3],
            [2, 4]])""")


# --------------------------------------------------------------------- blocks


@primitive
def block_diag(tensors, shapes, dtype):
    sizes = [(1, *s)[-2:] if s else (1, 1) for s in shapes]
    out = empty_near(tensors[0], (sum(s[0] for s in sizes), sum(s[1] for s in sizes)), dtype)
    raw_fill(out, 0)
    row = column = 0
    for t, (rows, columns) in zip(tensors, sizes):
        raw_copy(out[row:row + rows, column:column + columns], t.reshape(rows, columns))
        row, column = row + rows, column + columns
    return out


@op(name="block_diag", method=False)
def _block_diag(*tensors):
    """A matrix of zeros with the tensors as blocks along its diagonal; vectors are rows.

    Parameters
    ----------
    *tensors : Tensor, or one sequence of them
        At most two axes each.

    Returns
    -------
    Tensor
        A matrix of the promoted dtype.

    Examples
    --------
    >>> cygrad.block_diag(cygrad.tensor([[1, 2]]), cygrad.tensor([3]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if not tensors:
        return functions["empty"]((1, 0))
    tensors = listed(tensors, "block_diag")
    for i, t in enumerate(tensors):
        if t.dim() > 2:
            raise RuntimeError("cygrad.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                               f"{i} has {t.dim()} dimensions")
    return block_diag(tensors, [tuple(t.shape) for t in tensors], result_type(*tensors))
