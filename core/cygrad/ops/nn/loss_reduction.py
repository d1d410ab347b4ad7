"""How losses are reduced: the words, their numbers in functions of `cygrad` itself, and PyTorch's older arguments."""
from cygrad.errors import warn
from cygrad.ops.shape.broadcasting import broadcast_tensors
from cygrad.ops.reduce.sums import MEAN, SUM

WORDS = ("none", "mean", "sum")         # in the order of their numbers


def numbered(reduction):
    """The word of a number, as the functions beside `nn.functional` take it: any other is none to PyTorch."""
    return WORDS[reduction] if 0 <= reduction < len(WORDS) else "none"


def word(reduction, size_average=None, reduce=None):
    """One of WORDS for the argument `reduction` and the two that it has replaced."""
    if size_average is not None or reduce is not None:
        found = "none" if not reduce and reduce is not None else "sum"
        if found == "sum" and (size_average is None or size_average):
            found = "mean"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
        return found
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return "mean"
    if reduction not in WORDS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(losses, reduction):
    """The losses, their mean or their sum."""
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def reduced_in_one_pass(formula, reduction, *operands):
    """`reduced` of a program's result, raw."""
    if reduction == "none":
        return formula(*operands)
    return formula.reduced((SUM,), None, False, None, operands, MEAN if reduction == "mean" else None)


def share(grad, losses, reduction):
    """The gradient of each loss; `losses` is a tensor of their shape."""
    return grad / (losses.numel() or 1) if reduction == "mean" else grad


def warn_of_broadcast(input, target):
    """PyTorch's warning where the target has another size than the input; both broadcast."""
    if input.size() != target.size():
        warn(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
             "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
             "same size.")
    return broadcast_tensors(input, target)
