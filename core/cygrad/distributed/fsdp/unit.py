"""Parameters that are divided, gathered and reduced together: those of one `fully_shard`.

A unit has this rank's rows of each of its parameters. To gather them is one `all_gather` of all of these side by side;
the gradients' way back is one `reduce_scatter`. Both are begun ahead and waited for where their result is needed.
"""
import cygrad
import cygrad.distributed as dist
from cygrad.distributed.fsdp.sharded_parameter import ShardedParameter, rows_of

__all__ = ["Unit"]


class Unit:
    """
    The parameters of one `fully_shard`.

    Parameters
    ----------
    modules : list of Module
        Before the first of them is called the parameters are gathered, after the last they are given back.
    places : list of list of (Module, str)
        For each parameter the attributes that it is.
    group : ProcessGroup
        Whose ranks divide it.
    replicas : ProcessGroup or None
        Whose ranks have the same rows; gradients are averaged over them, too.
    reshard_after_forward : bool or None
        None: unless it is the outermost unit of the pass.
    policy : MixedPrecisionPolicy
    """

    def __init__(self, modules, places, group, replicas, reshard_after_forward, policy):
        self.modules, self.places, self.group, self.replicas = modules, places, group, replicas
        self.reshard_after_forward, self.policy = reshard_after_forward, policy
        self.size = group.size()
        self.shards = [self._divided(*where[0]) for where in places]
        self.rows = [-(-shard.full_shape[0] // self.size) for shard in self.shards]
        self.counts = [rows * shard.full_shape[1:].numel() for rows, shard in zip(self.rows, self.shards)]
        self.full = self.arriving = None        # the whole parameters; (work, their memory) of those under way
        self.versions = None                    # of the shards, when they were gathered
        self.unreduced = None                   # gradients of passes without synchronisation
        self.kept = False                       # the user has asked for the whole parameters
        self.syncs = self.syncs_replicas = True
        self.reshards_after_backward = self.unshards_in_backward = True
        self.divide_factor = None
        self.prefetch_forward = self.prefetch_backward = None
        self.last_pass = None                   # in which it took part
        self.order = []                         # the outermost: the units of its last pass
        self.entered, self.left = set(), set()  # modules of a pass
        self.put(self.shards)

    def _divided(self, module, name):
        """This rank's rows of a parameter."""
        whole = module._parameters[name]
        if whole.dim() == 0:
            raise ValueError(f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with numel "
                             "equal to 1.")
        first, end = rows_of(whole.shape[0], self.group.rank(), self.size)
        return ShardedParameter(whole.detach()[first:end].clone(memory_format=cygrad.contiguous_format), whole.shape,
                                self.group, whole.requires_grad)

    def put(self, tensors):
        """Let the modules have these as their parameters."""
        for tensor, where in zip(tensors, self.places):
            for module, name in where:
                module._parameters[name] = tensor

    def refresh(self):
        """Take over what others have put in the shards' place: `Module.to`, `load_state_dict(assign=True)`."""
        for i, where in enumerate(self.places):
            found = where[0][0]._parameters[where[0][1]]
            if found is not self.shards[i] and isinstance(found, cygrad.Tensor) and found.shape == self.shards[i].shape:
                self.shards[i] = found if isinstance(found, ShardedParameter) else ShardedParameter(
                    found, self.shards[i].full_shape, self.group, found.requires_grad)
        self.put(self.shards)

    # ------------------------------------------------------------ whole parameters

    def dtype(self):
        """In which the parameters are gathered."""
        found = {shard.dtype for shard in self.shards}
        if len(found) > 1:
            raise AssertionError(f"FSDP expects uniform original parameter dtype but got {found}")
        return self.policy.param_dtype or found.pop()

    def start(self):
        """Begin to gather."""
        if self.full is not None or self.arriving is not None or not self.shards:
            return
        total, dtype = sum(self.counts), self.dtype()
        own = self.shards[0].detach().new_zeros(total, dtype=dtype)
        with cygrad.no_grad():
            start = 0
            for shard, count in zip(self.shards, self.counts):
                own[start:start + shard.numel()] = shard.detach().reshape(-1)
                start += count
        everything = own.new_empty(self.size, total)
        work = dist.all_gather_into_tensor(everything, own, self.group, async_op=True)
        self.arriving = work, everything
        self.versions = [shard._version for shard in self.shards]

    def gather(self):
        """The whole parameters, without a graph."""
        if self.full is None and self.shards:
            self.start()
            work, everything = self.arriving
            work.wait()
            self.arriving, self.full, start = None, [], 0
            for shard, rows, count in zip(self.shards, self.rows, self.counts):
                parts = everything[:, start:start + count].reshape(self.size * rows, *shard.full_shape[1:])
                self.full.append(parts[:shard.full_shape[0]].clone() if len(self.shards) == 1 else
                                 parts[:shard.full_shape[0]].contiguous())
                start += count
        return self.full or []

    def drop(self):
        """Give the whole parameters' memory back; what is under way is waited for."""
        if self.arriving is not None:
            self.arriving[0].wait()
        self.full = self.arriving = None

    # ------------------------------------------------------------ gradients

    def start_reduce(self, grads):
        """Begin to add up gradients of the whole parameters: what `end_reduce` takes, or None for later."""
        if self.unreduced is not None:
            grads = [old if new is None else new if old is None else old + new
                     for old, new in zip(self.unreduced, grads)]
            self.unreduced = None
        if not self.syncs:
            self.unreduced = grads
            return None
        dtype = self.policy.reduce_dtype or self.dtype()
        flat = self.shards[0].detach().new_zeros(self.size, sum(self.counts), dtype=dtype)
        start = 0
        for grad, shard, rows, count in zip(grads, self.shards, self.rows, self.counts):
            if grad is not None:
                part = grad.new_zeros(self.size * rows, *shard.full_shape[1:])
                part[:shard.full_shape[0]] = grad
                flat[:, start:start + count] = part.view(self.size, count)
            start += count
        found = flat.new_empty(sum(self.counts))
        op = dist.ReduceOp.AVG if self.divide_factor is None else dist.ReduceOp.SUM
        return dist.reduce_scatter_tensor(found, flat, op, self.group, async_op=True), found, flat

    def end_reduce(self, under_way):
        """This rank's rows of the gradients."""
        work, found, _ = under_way
        work.wait()
        if self.divide_factor is not None:
            found.div_(self.divide_factor)
        if self.replicas is not None and self.syncs_replicas:
            dist.all_reduce(found, dist.ReduceOp.AVG if self.divide_factor is None else dist.ReduceOp.SUM,
                            self.replicas)
        grads, start = [], 0
        for shard, count in zip(self.shards, self.counts):
            grads.append(found[start:start + shard.numel()].view(shard.shape).to(shard.dtype, copy=True))
            start += count
        return grads
