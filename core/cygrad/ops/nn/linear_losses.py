"""Cross entropy of what a linear map makes of its input: of all rows at once, or of some at a time."""
import cygrad
from cygrad.errors import warn
from cygrad.ops.nn.losses import cross_entropy
from cygrad.ops.declare.operand_types import need_tensors

REDUCTIONS = frozenset(("mean", "sum", "none"))


def in_pieces(input, linear_weight, target, linear_bias, weight, reduction, ignore_index, options):
    """The loss of some rows after the other; what a piece needs for the way back is computed again there."""
    checkpoint = cygrad.utils.checkpoint.checkpoint
    single = input.dim() == 1
    if single:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    size = options.rows_of_a_piece(input.shape[0], input.shape[1], linear_weight.shape[0])

    def loss_of(x, matrix, bias, classes):
        scores = cygrad.nn.functional.linear(x, matrix, bias)
        return cross_entropy(scores, classes, weight, ignore_index=ignore_index,
                             reduction="none" if reduction == "none" else "sum")

    pieces = [checkpoint(loss_of, x, linear_weight, linear_bias, classes, use_reentrant=False)
              for x, classes in zip(input.split(size), target.split(size))]
    if reduction == "none":
        losses = cygrad.cat(pieces)
        return losses.squeeze(0) if single else losses
    total = sum(pieces[1:], pieces[0])
    if reduction == "sum":
        return total
    counted = target[target != ignore_index]
    return total / (counted.numel() if weight is None else weight[counted].sum())


def check(input, linear_weight, target, linear_bias, ignore_index):
    """PyTorch's refusals, in its order."""
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), got "
                           f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively")
    if target.is_floating_point() and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if linear_weight.dim() > 2 and input.dim() == 1:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires "
                           f"batched input, (N, {input.shape[0]}), got unbatched input with shape "
                           f"{tuple(input.shape)}")
    wanted = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != wanted:
        raise RuntimeError(f"expected linear_bias shape {wanted}, got {tuple(linear_bias.shape)}")


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
                         ignore_index=None, label_smoothing=0.0, options=None):
    """The cross entropy of ``linear(input, linear_weight, linear_bias)``.

    Parameters
    ----------
    input : Tensor
        (N, D), or (D,).
    linear_weight : Tensor
        (C, D), or (C, d1, ..., D) for the targets of several places.
    target : Tensor
        Classes (N, d1, ...), int64, or probabilities (N, C, d1, ...).
    linear_bias : Tensor, optional
        (C,), or (C, d1, ...).
    weight, reduction, label_smoothing
        As in `cross_entropy`.
    ignore_index : int, optional
        The class that does not count; -100 when omitted. Only for targets that are classes.
    options : LinearCrossEntropyOptions, optional
        Computes some rows at a time; for classes of a 2-d weight, without smoothing.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Raises
    ------
    RuntimeError
        If shapes don't fit.

    Examples
    --------
    >>> x, w = cygrad.tensor([[1., 2.]]), cygrad.eye(2)
    >>> cygrad.nn.functional.linear_cross_entropy(x, w, cygrad.tensor([1]))
    tensor(0.3133)
    """
    need_tensors("linear_cross_entropy", input=input, linear_weight=linear_weight, target=target)
    check(input, linear_weight, target, linear_bias, ignore_index)
    places = linear_weight.shape[1:-1]
    if options is not None and input.numel():
        if not places and reduction in REDUCTIONS and label_smoothing == 0.0 and target.dtype is cygrad.int64:
            return in_pieces(input, linear_weight, target, linear_bias, weight, reduction,
                             -100 if ignore_index is None else ignore_index, options)
        shape = None if linear_bias is None else tuple(linear_bias.shape)
        warn("linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
             f"label_smoothing == 0, target.dtype == int64, out_features == (). Got reduction={reduction!r}, "
             f"label_smoothing={label_smoothing}, target.dtype={target.dtype}, out_features={tuple(places)}, "
             f"tracing=False, linear_bias.shape={shape}.")
    flat = linear_weight.flatten(0, -2) if places else linear_weight
    bias = linear_bias if linear_bias is None else linear_bias.flatten()
    scores = cygrad.nn.functional.linear(input, flat, bias)
    if places:
        scores = scores.unflatten(-1, linear_weight.shape[:-1])
    return cross_entropy(scores, target, weight, ignore_index=-100 if ignore_index is None else ignore_index,
                         reduction=reduction, label_smoothing=label_smoothing)
