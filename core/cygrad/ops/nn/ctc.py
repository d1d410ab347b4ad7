"""Connectionist temporal classification (Graves et al., ICML 2006): the probability that a sequence of labels is read.

A label may last several steps, and blanks may lie between labels; so a path goes through the states blank, l1, blank,
l2, ..., blank. The sums over all paths are formed step by step, for all sequences of the batch at once, in logarithms.
"""
import math

import cygrad
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.nn.loss_reduction import WORDS, numbered, reduced, word
from cygrad.ops.declare.registry import op
from cygrad.tensor import Tensor

WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"


# --------------------------------------------------------------------------------- the recursion

def states_of(targets, lengths, blank):
    """(N, 2 S + 1): the states of each sequence, blanks where there are none any more; S is the longest length."""
    longest = max(lengths, default=0)
    states = cygrad.full((len(lengths), 2 * longest + 1), blank, dtype=cygrad.int64, device=targets.device)
    start = 0
    for i, length in enumerate(lengths):
        chosen = targets[i, :length] if targets.dim() == 2 else targets[start:start + length]
        states[i, 1:2 * length:2] = chosen
        start += length
    return states


def skipping(states, blank):
    """Where a path may come from two states before: from a label to another one."""
    may = cygrad.zeros_like(states, dtype=cygrad.bool)
    may[:, 2:] = (states[:, 2:] != states[:, :-2]) & (states[:, 2:] != blank)
    return may


def shifted(t, n):
    """`t` with its columns moved n places to the right (left for a negative n), and -infinity where none came."""
    if t.size(1) < abs(n):
        return cygrad.full_like(t, -math.inf)
    return cygrad.constant_pad_nd(t, (n, -n), -math.inf)


def log_sum(*terms):
    """The logarithm of the sum of what terms are logarithms of; -infinity where all are."""
    top = cygrad.amax(cygrad.stack(terms), 0)
    top = cygrad.where(top == -math.inf, 0, top)
    total = 0
    for term in terms:
        total = total + (term - top).exp()
    return total.log() + top


def forward_sums(logs, states, skips):
    """(N, T, states): logarithms of the sums over paths that are in a state at a time, their step there included."""
    here = logs[0].gather(1, states)
    sums = cygrad.full_like(here, -math.inf)
    sums[:, :2] = here[:, :2]
    found = [sums]
    for t in range(1, len(logs)):
        skipped = shifted(sums, 2).masked_fill(~skips, -math.inf)
        sums = log_sum(sums, shifted(sums, 1), skipped) + logs[t].gather(1, states)
        found.append(sums)
    return cygrad.stack(found, 1)


def backward_sums(logs, states, skips, inputs, targets):
    """The same of the paths from a state at a time to the end."""
    last = cygrad.arange(states.size(1), device=states.device)
    ends = (last == 2 * targets.unsqueeze(1)) | (last == 2 * targets.unsqueeze(1) - 1)
    skips = cygrad.zeros_like(skips) if skips.size(1) < 3 else cygrad.constant_pad_nd(skips, (-2, 2))
    sums = cygrad.full(states.shape, -math.inf, dtype=logs.dtype, device=logs.device)
    ends_at, found = inputs.unsqueeze(1) - 1, []
    for t in range(len(logs) - 1, -1, -1):
        skipped = shifted(sums, -2).masked_fill(~skips, -math.inf)
        here = logs[t].gather(1, states)
        going = log_sum(sums, shifted(sums, -1), skipped) + here
        ending = here.masked_fill(~ends, -math.inf)
        sums = cygrad.where(t == ends_at, ending, cygrad.where(t < ends_at, going, -math.inf))
        found.append(sums)
    return cygrad.stack(found[::-1], 1)


@primitive(name="ctc_loss")
def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    states = states_of(targets, target_lengths, blank)
    sums = forward_sums(log_probs, states, skipping(states, blank))
    inputs = cygrad.tensor(input_lengths, device=sums.device).clamp_min(1)
    ends = cygrad.tensor([[2 * n, max(2 * n - 1, 0)] for n in target_lengths], device=sums.device)
    last = sums[cygrad.arange(len(inputs), device=sums.device), inputs - 1].gather(1, ends)
    first, second = last[:, 0], last[:, 1].masked_fill(ends[:, 0] == 0, -math.inf)
    losses = -log_sum(first, second)
    for i, length in enumerate(input_lengths):
        if length == 0:
            losses[i] = -0.0 if target_lengths[i] == 0 else math.inf
    return losses, sums


def ctc_slope(grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, result):
    """As PyTorch has it: the gradient of the loss of the log-softmax, taken at its input (Graves et al., (16))."""
    losses, sums = result
    states = states_of(targets, target_lengths, blank)
    inputs, lengths = (cygrad.tensor(n, device=log_probs.device) for n in (input_lengths, target_lengths))
    both = sums + backward_sums(log_probs, states, skipping(states, blank), inputs, lengths)
    steps = cygrad.arange(len(log_probs), device=log_probs.device)
    inside = (steps.unsqueeze(0) < inputs.unsqueeze(1)).unsqueeze(2)
    both = both.masked_fill(~inside, -math.inf)
    top = both.amax(2, keepdim=True)
    top = cygrad.where(top == -math.inf, 0, top)
    index = states.unsqueeze(1).expand(both.shape)
    parts = cygrad.zeros_like(log_probs.transpose(0, 1)).scatter_add(2, index, (both - top).exp())
    logs = log_probs.transpose(0, 1)
    part = (parts.log() + top + losses.view(-1, 1, 1) - logs).exp()
    slope = ((logs.exp() - part) * grad.view(-1, 1, 1)).masked_fill(~inside, 0)
    if zero_infinity:
        slope = slope.masked_fill((losses == math.inf).view(-1, 1, 1), 0)
    return slope.transpose(0, 1)


# -------------------------------------------------------------------------------------- the loss

def lengths_of(name, lengths):
    """Lengths as a list of int."""
    if not isinstance(lengths, Tensor):
        return list(lengths)
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype is cygrad.bool:
        raise RuntimeError(f"{name} must be integral")
    return lengths.reshape(-1).tolist()


def check(log_probs, targets, inputs, lengths, blank):
    """PyTorch's refusals, in its order."""
    if log_probs.numel() == 0:
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.dtype not in (cygrad.float32, cygrad.float64):
        raise refused("ctc_loss_cpu", log_probs.dtype)
    if log_probs.dim() != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for argument "
                           f"#1 'log_probs' {WHERE}")
    if not 1 <= targets.dim() <= 2:
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor for argument #2 "
                           f"'targets' {WHERE}")
    steps, batch, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, found in (("input_lengths", inputs), ("target_lengths", lengths)):
        if len(found) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    for length in lengths:
        if length < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {length} {WHERE}")
    if targets.dim() == 1:
        if targets.size(0) != sum(lengths):
            raise RuntimeError(f"Expected tensor to have size {sum(lengths)} at dimension 0, but got size "
                               f"{targets.size(0)} for argument #2 'targets' {WHERE}")
    else:
        if targets.size(0) != batch:
            raise RuntimeError(f"Expected tensor to have size {batch} at dimension 0, but got size {targets.size(0)} "
                               f"for argument #2 'targets' {WHERE}")
        if targets.size(1) < max(lengths):
            raise RuntimeError(f"Expected tensor to have size at least {max(lengths)} at dimension 1, but got size "
                               f"{targets.size(1)} for argument #2 'targets' {WHERE}")
    for length in inputs:
        if length < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {length} {WHERE}")
        if length > steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {length} {WHERE}")


@op(method=False, name="ctc_loss")
def numbered_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """`nn.functional.ctc_loss` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    log_probs, targets, input_lengths, target_lengths, blank, zero_infinity
        As in `nn.functional.ctc_loss`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or (N,).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ctc_loss(cygrad.full((2, 1, 2), 0.5).log(), cygrad.tensor([[1]]), (2,), (1,))
    tensor([0.2877])
    """
    inputs = lengths_of("input_lengths", input_lengths)
    lengths = lengths_of("target_lengths", target_lengths)
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = log_probs.unsqueeze(min(log_probs.dim(), 1))
        targets = targets.unsqueeze(0) if targets.dim() == 1 else targets
    check(log_probs, targets, inputs, lengths, blank)
    losses, _ = _ctc_loss(log_probs, targets.to(cygrad.int64), inputs, lengths, blank, bool(zero_infinity))
    if zero_infinity:
        losses = cygrad.where(losses == math.inf, 0, losses)
    if numbered(reduction) == "mean":
        counts = cygrad.tensor(lengths, device=losses.device).clamp_min(1).to(losses.dtype)
        return (losses / counts).mean()
    losses = reduced(losses, numbered(reduction))
    return losses if batched or losses.dim() == 0 else losses.squeeze(0)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """The negative logarithm of the probability that sequences of labels are read from steps of class probabilities.

    Parameters
    ----------
    log_probs : Tensor
        (T, N, C) or (T, C), float32 or float64: logarithms of probabilities (of a softmax; the gradient assumes it).
    targets : Tensor
        (N, S), or one sequence after the other, (sum of target_lengths,).
    input_lengths, target_lengths : Tensor or sequence of int
        (N,): how many steps and labels count.
    blank : int
        The class that is no label.
    reduction : {"mean", "sum", "none"}
        A mean divides each loss by its target's length first.
    zero_infinity : bool
        Losses that are infinite (more labels than steps) count as 0, and so do their gradients.

    Returns
    -------
    Tensor
        A number, or (N,).

    Examples
    --------
    >>> import cygrad
    >>> logs = cygrad.full((2, 1, 2), 0.5).log()
    >>> cygrad.nn.functional.ctc_loss(logs, cygrad.tensor([[1]]), [2], [1])     # -log(3 / 4): _1, 1_ and 11 read 1
    tensor(0.2877)
    """
    return numbered_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, WORDS.index(word(reduction)),
                             zero_infinity)
