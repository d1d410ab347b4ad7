"""Gradients that travel as products of two narrow matrices.

T. Vogels, S. P. Karimireddy, M. Jaggi, "PowerSGD: Practical low-rank gradient compression for distributed
optimization", 2019, algorithms 1 and 2: of a gradient M each rank sends P = M Q, then, with P made orthonormal,
Q = M^T P; the mean of all is taken to be P Q^T, and what that leaves out is added to the next gradient.
"""
import math

import cygrad
import cygrad.distributed as dist
from cygrad.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from cygrad.futures import Future

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]


class PowerSGDState:
    """
    What `powerSGD_hook` is registered with, and keeps from step to step.

    Parameters
    ----------
    process_group : ProcessGroup or None
        None: all ranks.
    matrix_approximation_rank : int
        Columns of P and Q.
    start_powerSGD_iter : int
        Gradients travel as they are before this step.
    min_compression_rate : float
        A matrix is compressed if it becomes smaller by more than this.
    use_error_feedback : bool
        Add what a step left out to the next one.
    warm_start : bool
        Begin with the last step's Q, and not with random numbers.
    orthogonalization_epsilon : float
        Added to the norm of each column, for gradients that are 0.
    random_seed : int
        Of Q, the same on all ranks.
    compression_stats_logging_frequency : int
        Not used: `compression_stats()` says it when it is asked.
    batch_tensors_with_same_shape : bool
        Not used.

    Raises
    ------
    ValueError
        If `start_powerSGD_iter` is below 2, with `use_error_feedback` or `warm_start`.

    Examples
    --------
    >>> from cygrad.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState
    >>> PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=10).compression_stats()
    (1.0, 0, 0)
    """

    def __init__(self, process_group, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2,
                 use_error_feedback=True, warm_start=True, orthogonalization_epsilon=0, random_seed=0,
                 compression_stats_logging_frequency=10000, batch_tensors_with_same_shape=False):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError("Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, "
                             "because PowerSGD can only be applied after the first two iterations in DDP.")
        self.process_group, self.iter = process_group, 0
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter, self.min_compression_rate = start_powerSGD_iter, min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon, self.random_seed = orthogonalization_epsilon, random_seed
        self.compression_stats_logging_frequency = compression_stats_logging_frequency
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape
        self.generator = cygrad.Generator().manual_seed(random_seed)
        self.error_dict, self.q_memory_dict = {}, {}        # by the number of the bucket
        self.total_numel_before_compression = self.total_numel_after_compression = 0

    def __getstate__(self):
        """All but the group, which belongs to this process."""
        return {name: value.get_state() if name == "generator" else value for name, value in self.__dict__.items()
                if name != "process_group"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.process_group = None
        self.generator = cygrad.Generator()
        self.generator.set_state(state["generator"])

    def maybe_increase_iter(self, bucket):
        """Count the step, at its last bucket."""
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self):
        """(how many times fewer numbers were sent, how many there were, how many were sent)."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after else 1.0), before, after


def powerSGD_hook(state, bucket):
    """
    The mean over all ranks, of matrices approximately; vectors and small matrices travel as they are.

    Parameters
    ----------
    state : PowerSGDState
    bucket : GradBucket

    Returns
    -------
    Future
        Of the bucket's buffer.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(8, 8))
    >>> model.register_comm_hook(power.PowerSGDState(None, start_powerSGD_iter=2), power.powerSGD_hook)
    >>> model(cygrad.ones(8)).sum().backward()
    >>> dist.destroy_process_group()
    """
    return _hook(state, bucket, matrices_of)


def batched_powerSGD_hook(state, bucket):
    """As `powerSGD_hook`, of all gradients of a bucket as one square matrix: fewer numbers travel, and less is kept of
    them."""
    return _hook(state, bucket, one_square)


def matrices_of(state, bucket):
    """(matrices to compress, tensors to send as they are), all on the bucket's memory; and what is done last."""
    matrices, others = [], []
    for gradient in bucket.gradients():
        matrix = gradient.view(gradient.shape[0], -1) if gradient.dim() > 1 else None
        few = matrix is not None and narrow(state, matrix) * state.min_compression_rate < matrix.numel()
        if few:
            matrices.append(matrix)
        else:
            others.append(gradient)
    return matrices, others, lambda: None


def one_square(state, bucket):
    """As `matrices_of`: a copy of the bucket, filled up with zeros."""
    buffer = bucket.buffer()
    side = math.isqrt(max(buffer.numel() - 1, 0)) + 1
    square = buffer.new_zeros(side * side)
    square[:buffer.numel()] = buffer
    return [square.view(side, side)], [], lambda: buffer.copy_(square[:buffer.numel()])


def narrow(state, matrix):
    """How many numbers P and Q have."""
    return sum(matrix.shape) * min(state.matrix_approximation_rank, *matrix.shape)


def _hook(state, bucket, parts):
    group = state.process_group if state.process_group is not None else dist.group.WORLD
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return allreduce_hook(group, bucket)
    buffer, index, size = bucket.buffer(), bucket.index(), group.size()
    if state.use_error_feedback:
        if index in state.error_dict:
            buffer.add_(state.error_dict[index])
        wanted = buffer.clone()
    matrices, others, put_back = parts(state, bucket)
    state.total_numel_before_compression += buffer.numel()
    state.total_numel_after_compression += sum(narrow(state, each) for each in matrices) + sum(
        each.numel() for each in others)
    right = state.q_memory_dict.get(index) if state.warm_start else None
    if right is None:
        right = [cygrad.randn(each.shape[1], min(state.matrix_approximation_rank, *each.shape),
                              generator=state.generator).to(each) for each in matrices]
    for each in right:
        orthogonalize(each, state.orthogonalization_epsilon)
    left = [matrix @ each for matrix, each in zip(matrices, right)]
    plain, first = (sent(tensors, group) for tensors in (others, left))
    state.maybe_increase_iter(bucket)
    future = Future()

    def go_on():
        """What needs the sum of all P: it is done when the gradients are waited for."""
        if future.done():
            return
        with cygrad.no_grad():
            received(plain, others, size)
            received(first, left, 1)
            for each in left:
                orthogonalize(each, state.orthogonalization_epsilon)
            right = [matrix.t() @ each for matrix, each in zip(matrices, left)]
            received(sent(right, group), right, size)
            for matrix, p, q in zip(matrices, left, right):
                matrix.copy_(p @ q.t())
            put_back()
            if state.use_error_feedback:
                state.error_dict[index] = wanted - buffer
            state.q_memory_dict[index] = right
        future.set_result(buffer)

    future._drive = go_on
    return future


def sent(tensors, group):
    """(Work, memory) of tensors that are added up in one message, or None."""
    if not tensors:
        return None
    flat = cygrad.cat([each.reshape(-1) for each in tensors])
    return dist.all_reduce(flat, group=group, async_op=True), flat


def received(under_way, tensors, count):
    """Wait for what `sent` has begun, and write it into the tensors, divided."""
    if under_way is None:
        return
    work, flat = under_way
    work.wait()
    start = 0
    for each in tensors:
        each.copy_(flat[start:start + each.numel()].view(each.shape)).div_(count)
        start += each.numel()


def orthogonalize(matrix, epsilon):
    """Make the columns orthonormal, in place: by QR, or, with an epsilon, one after the other."""
    if epsilon == 0:
        matrix.copy_(cygrad.linalg.qr(matrix)[0])
        return
    for i in range(matrix.shape[1]):
        column = matrix[:, i:i + 1]
        column.div_(column.norm() + epsilon)
        if i + 1 < matrix.shape[1]:
            rest = matrix[:, i + 1:]
            rest.sub_(column @ (column.t() @ rest))
