"""`segment_reduce`: reductions of pieces of an axis, one piece after the other."""
import cygrad
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import need_float, need_tensors, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.reduce.sums import axis_of

# name: (the reduction of `scatter_reduce`, what an empty piece gives)
REDUCTIONS = {"sum": ("sum", 0.0), "mean": ("sum", 0.0), "prod": ("prod", 1.0), "max": ("amax", -float("inf")),
              "min": ("amin", float("inf"))}
REDUCTIONS |= {"amax": REDUCTIONS["max"], "amin": REDUCTIONS["min"]}


def bounds(data, lengths, offsets, axis, unsafe):
    """Where the pieces begin and the last one ends, and how long they are."""
    if offsets is not None:
        return offsets, offsets.diff(dim=-1)
    if not unsafe:
        if lengths.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if not bool((lengths.sum(-1) == data.size(axis)).all()):
            raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to data.size("
                               "lengths.dim()-1) when !unsafe.")
    return cygrad.cat((lengths.new_zeros((*lengths.shape[:-1], 1)), lengths.cumsum(-1)), -1), lengths


@primitive(name="segment_reduce")
def _reduced(data, pieces, sizes, reduce, axis, initial):
    return reduced(data, pieces, sizes, reduce, axis, initial)


@op(method=False)
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Reductions of the pieces of an axis, one piece after the other.

    Parameters
    ----------
    data : Tensor
        Of floats.
    reduce : {"sum", "mean", "max", "min", "amax", "amin", "prod"}
        What is made of a piece.
    lengths : Tensor, optional
        (..., pieces): how long the pieces are, of each row of the axes before `axis`.
    indices
        None: not taken.
    offsets : Tensor, optional
        (..., pieces + 1): where the pieces begin and the last one ends, instead of `lengths`.
    axis : int
        The axis, which has as many before it as `lengths` has before its last.
    unsafe : bool
        Whether lengths are not looked at.
    initial : number, optional
        What each reduction begins with, which is what an empty piece gives.

    Returns
    -------
    Tensor
        As the data, with the pieces along the axis.

    Raises
    ------
    RuntimeError
        If lengths are negative or don't add up to the axis, or neither `lengths` nor `offsets` is given.

    Examples
    --------
    >>> cygrad.segment_reduce(cygrad.tensor([1., 2., 6.]), "max", lengths=cygrad.tensor([2, 0, 1]))
    tensor([2., -inf, 6.])
    """
    need_tensors("segment_reduce", data=data)
    axis = axis_of(axis, data.dim(), "segment_reduce")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"unsupported reduction given! {reduce}")
    given, name = (lengths, "lengths") if offsets is None else (offsets, "offsets")
    if data.dim() < given.dim():
        raise RuntimeError(f"Expected data.dim() >= {name}_value.dim() to be true, but got false.  (Could this error "
                           "message be improved?  If so, please report an enhancement request to PyTorch.)")
    if given.dim() - 1 != axis:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    edges, sizes = bounds(data, lengths, offsets, axis, unsafe)
    if given.dtype not in (cygrad.int64, cygrad.int32):
        raise refused(f"_segment_reduce_{name}_cpu_kernel1", given.dtype)
    need_float(data, "_segment_reduce_cpu")
    places = cygrad.arange(data.size(axis), device=data.device).expand(data.shape[:axis + 1])
    pieces = cygrad.searchsorted(edges.contiguous().to(cygrad.int64), places.contiguous(), right=True) - 1
    pieces = pieces % (sizes.size(-1) + 1)          # what lies in no piece goes to one more, which is left out
    return _reduced(data, pieces, sizes, reduce, axis, initial)


def reduced(data, pieces, sizes, reduce, axis, initial):
    """The reductions, in ops that have derivatives; `pieces`: in which piece each place along the axis lies."""
    kind, empty = REDUCTIONS[reduce]
    count = sizes.size(-1)
    later = (1,) * (data.dim() - axis - 1)
    shape = (*data.shape[:axis], count, *data.shape[axis + 1:])
    out = data.new_full((*shape[:axis], count + 1, *shape[axis + 1:]), empty if initial is None else initial)
    index = pieces.reshape(*pieces.shape, *later).expand(data.shape)
    found = (out.scatter_reduce(axis, index, data, kind) if data.numel() else out).narrow(axis, 0, count).clone()
    if reduce != "mean":
        return found
    counts = sizes.reshape(*sizes.shape, *later).expand(shape)
    means = found / counts.clamp(min=1).to(data.dtype)
    return cygrad.where(counts > 0, means, cygrad.nan if initial is None else float(initial))
