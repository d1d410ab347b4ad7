"""Padded sequences without their padding: what `nn.utils.rnn.pack_padded_sequence` packs."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import fresh, written
from cygrad.autograd.forward_levels import batch_depth, depth
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.primitives import primitive


def steps(lengths, total):
    """Which of time * batch steps there are, by number."""
    return (cygrad.arange(total).unsqueeze(1) < lengths.unsqueeze(0)).reshape(-1).nonzero().squeeze(1)


def without_padding(input, lengths):
    return input.flatten(0, 1).index_select(0, steps(lengths, input.size(0)).to(input.device))


@primitive
def pack_padded_sequence(input, lengths, batch_first):
    return without_padding(input.transpose(0, 1) if batch_first else input, lengths)


def padded(grad, shape, lengths, batch_first):
    """The gradient of what was packed, zeros where there was padding."""
    first, second, *rest = shape
    time, batch = (second, first) if batch_first else (first, second)
    out = grad.new_zeros(time * batch, *rest).index_copy(0, steps(lengths, time).to(grad.device), grad)
    out = out.view(time, batch, *rest)
    out = fresh(out.transpose(0, 1) if batch_first else out)
    return out if grad_mode() else written(out, int(lengths[0]) + 1)     # PyTorch writes one step after the other


derivative("pack_padded_sequence", input=lambda grad, input_shape, lengths, batch_first:
           padded(grad, input_shape, lengths, batch_first))


@op(method=False)
def _pack_padded_sequence(input, lengths, batch_first):
    """The steps of padded sequences, all first ones before all second ones, and how many there are of each.

    Parameters
    ----------
    input : Tensor
        (time, batch, ...), or (batch, time, ...).
    lengths : Tensor
        (batch,), int64, on the CPU, decreasing.
    batch_first : bool

    Returns
    -------
    tuple of Tensor
        (steps, numbers).

    Raises
    ------
    RuntimeError
        If there are no elements, or the lengths are of another shape or not as they should be.

    Examples
    --------
    >>> import cygrad
    >>> cygrad._pack_padded_sequence(cygrad.tensor([[1, 4], [2, 5], [3, 0]]), cygrad.tensor([3, 2]), False)
    (tensor([1, 4, 2, 5, 3]), tensor([2, 2, 1]))
    """
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.dim() != 1 or lengths.device.type != "cpu":
        raise RuntimeError(f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D "
                           f"{lengths.device.type} Long tensor")
    batch = input.size(0 if batch_first else 1)
    if len(lengths) != batch:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
                           f"(batch_size={batch})")
    if lengths[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")
    if (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.")
    numbers = (cygrad.arange(int(lengths[0])).unsqueeze(1) < lengths.unsqueeze(0)).sum(1)
    if depth() or batch_depth():            # transforms go through ops that they know
        return without_padding(input.transpose(0, 1) if batch_first else input, lengths), numbers
    return pack_padded_sequence(input, lengths, batch_first), numbers
