"""Connectionist temporal classification (Graves et al., ICML 2006): the probability that a sequence of labels is read.

A label may last several steps, and blanks may lie between labels; so a path goes through the states blank, l1, blank,
l2, ..., blank. The sums over all paths are formed step by step, in logarithms: by the backend's kernel, or here, for
all sequences of the batch at once.
"""
import math
from itertools import accumulate

import cygrad
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.dispatch.raw import copy_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.nn.loss_reduction import WORDS, numbered, reduced, word
from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor

WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"


# --------------------------------------------------------------------------------- the recursion

def states_of(labels, starts, lengths, blank):
    """(N, 2 S + 1): the states of each sequence, blanks where there are none any more; S is the longest length."""
    longest = max(lengths, default=0)
    states = cygrad.full((len(lengths), 2 * longest + 1), blank, dtype=cygrad.int64, device=labels.device)
    for i, (start, length) in enumerate(zip(starts, lengths)):
        states[i, 1:2 * length:2] = labels[start:start + length]
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


def composed_loss(a, labels, starts, counts, steps, blank, out, sums, outside):
    """The backend's `ctc_loss` of others of its entries."""
    starts, counts, inputs = starts.tolist(), counts.tolist(), steps.tolist()
    states = states_of(labels, starts, counts, blank)
    wrong = (states < 0) | (states >= a.shape[2])
    copy_(outside, wrong.sum())
    states, a = states.masked_fill(wrong, a.shape[2]), cygrad.constant_pad_nd(a, (0, 1), -math.inf)     # never read
    paths = forward_sums(a, states, skipping(states, blank))
    within = cygrad.arange(states.shape[1], device=a.device) <= 2 * cygrad.tensor(counts, device=a.device).unsqueeze(1)
    taken = cygrad.arange(len(a), device=a.device) < steps.unsqueeze(1)
    copy_(sums, paths.masked_fill(~(within.unsqueeze(1) & taken.unsqueeze(2)), -math.inf))
    ends = cygrad.tensor([[2 * n, max(2 * n - 1, 0)] for n in counts], device=a.device)
    last = paths[cygrad.arange(len(inputs), device=a.device), steps.clamp_min(1) - 1].gather(1, ends)
    first, second = last[:, 0], last[:, 1].masked_fill(ends[:, 0] == 0, -math.inf)
    losses = -log_sum(first, second)
    for i, length in enumerate(inputs):
        if length == 0:
            losses[i] = -0.0 if counts[i] == 0 else math.inf
    copy_(out, losses)


def composed_slope(grad, a, labels, starts, counts, steps, blank, losses, sums, zero_infinity, grad_a):
    """The backend's `ctc_loss_backward` of others of its entries."""
    copy_(grad_a, slope_of(grad, a, labels, starts, counts, steps, blank, losses, sums, zero_infinity))


OF_OPS.update(ctc_loss=composed_loss, ctc_loss_backward=composed_slope)


@primitive(name="ctc_loss")
def _ctc_loss(log_probs, labels, starts, counts, steps, blank, zero_infinity, longest):
    batch = log_probs.shape[1]
    losses, outside = empty_near(log_probs, (batch,)), empty_near(log_probs, (), cygrad.int64)
    sums = empty_near(log_probs, (batch, len(log_probs), 2 * longest + 1))
    call(log_probs, "ctc_loss", (log_probs, labels, starts, counts, steps, blank, losses, sums, outside), (6, 7, 8))
    if not outside.is_meta and outside.item():
        raise RuntimeError(f"ctc_loss: a label of the targets is no class, 0 to {log_probs.shape[2] - 1}")
    return losses, sums


def ctc_slope(grad, log_probs, labels, starts, counts, steps, blank, zero_infinity, result):
    """As PyTorch has it: the gradient of the loss of the log-softmax, taken at its input (Graves et al., (16))."""
    operands = grad, log_probs, labels, starts, counts, steps, blank, *result, zero_infinity
    if grad_mode():
        return slope_of(*operands)
    out = empty_near(log_probs, log_probs.shape)
    call(log_probs, "ctc_loss_backward", (*operands, out), (10,))
    return out


def slope_of(grad, log_probs, labels, starts, lengths, inputs, blank, losses, sums, zero_infinity):
    """`ctc_slope` in differentiable ops."""
    states = states_of(labels, starts.tolist(), lengths.tolist(), blank)
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
    if log_probs.dim() < 2:
        raise IndexError("Dimension out of range")
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
    targets = targets.to(cygrad.int64)
    first = (range(0, targets.numel(), targets.shape[1]) if targets.dim() == 2 and targets.numel() else
             [0] * len(lengths) if targets.dim() == 2 else [*accumulate(lengths, initial=0)][:-1])
    numbers = (cygrad.tensor(list(n), dtype=cygrad.int64, device=log_probs.device) for n in (first, lengths, inputs))
    losses, _ = _ctc_loss(log_probs, targets.reshape(-1), *numbers, blank, bool(zero_infinity), max(lengths))
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
    >>> logs = cygrad.full((2, 1, 2), 0.5).log()
    >>> cygrad.nn.functional.ctc_loss(logs, cygrad.tensor([[1]]), [2], [1])     # -log(3 / 4): _1, 1_ and 11 read 1
    tensor(0.2877)
    """
    return numbered_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, WORDS.index(word(reduction)),
                             zero_infinity)
