"""`ZeroRedundancyOptimizer`: each rank updates a part of the parameters, and sends them to the others.

S. Rajbhandari et al., "ZeRO: Memory optimizations toward training trillion parameter models", 2020: its first stage.
"""
import cygrad
import cygrad.distributed as dist
from cygrad.distributed.algorithms.join import Join, Joinable, JoinHook
from cygrad.optim import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """
    An optimiser of which each rank keeps the state of its part of the parameters only.

    Parameters
    ----------
    params : iterable
        Parameters, or groups of them, the same on all ranks; their gradients, too (`DistributedDataParallel`).
    optimizer_class : type
        The optimiser of each part, such as `cygrad.optim.Adam`.
    process_group : ProcessGroup, optional
    parameters_as_bucket_view, overlap_with_ddp : bool
        Not used.
    **defaults
        What `optimizer_class` is given.

    Notes
    -----
    With N ranks, the state takes an N-th of the memory; after each step every parameter is sent once, by the rank that
    has updated it. `consolidate_state_dict` brings the state together on one rank, which then can save it.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.optim import ZeroRedundancyOptimizer
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.Linear(2, 1)
    >>> optimizer = ZeroRedundancyOptimizer(model.parameters(), cygrad.optim.Adam, lr=0.01)
    >>> model(cygrad.ones(1, 2)).sum().backward()
    >>> optimizer.step()
    >>> dist.destroy_process_group()
    """

    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False,
                 overlap_with_ddp=False, **defaults):
        if isinstance(params, cygrad.Tensor):
            raise TypeError("`params` argument should be an iterable of Tensors, but got a Tensor")
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: overlap_with_ddp=True is not there yet")
        self.process_group = dist.group.WORLD if process_group is None else process_group
        self.rank, self.world_size = self.process_group.rank(), self.process_group.size()
        self.optimizer_class, self._consolidated = optimizer_class, None
        self._making = True
        Optimizer.__init__(self, list(params), defaults)
        Joinable.__init__(self)
        self._making = False
        self._divide()

    def _divide(self):
        """Give each parameter, the largest first, to the rank that has least; make this rank's optimiser."""
        loads, self._owner = [0] * self.world_size, {}
        everything = [param for group in self.param_groups for param in group["params"]]
        for param in sorted(everything, key=lambda each: -each.numel()):
            rank = loads.index(min(loads))
            loads[rank] += param.numel()
            self._owner[id(param)] = rank
        own = [dict(group, params=[p for p in group["params"] if self._owner[id(p)] == self.rank])
               for group in self.param_groups]
        self.optim = self.optimizer_class(own, **self.defaults)
        for outer, inner in zip(self.param_groups, self.optim.param_groups):    # defaults of the class
            for name, value in inner.items():
                outer.setdefault(name, value)

    def add_param_group(self, param_group):
        """Take further parameters; the state that there is stays."""
        super().add_param_group(param_group)
        if self._making:
            return
        before = self.optim.state
        self._divide()
        for param, state in before.items():
            if self._owner[id(param)] == self.rank:
                self.optim.state[param] = state

    def _share_options(self):
        """Options that schedulers change on this optimiser are those of the inner one."""
        for outer, inner in zip(self.param_groups, self.optim.param_groups):
            for name, value in outer.items():
                if name != "params":
                    inner[name] = value

    def step(self, closure=None, **kwargs):
        """
        Update this rank's part, then take the others' parts from them.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss again.

        Returns
        -------
        float or None
            The loss of `closure`.
        """
        Join.notify_join_context(self)
        self._share_options()
        loss = self.optim.step(closure, **kwargs) if closure is not None else self.optim.step(**kwargs)
        for outer, inner in zip(self.param_groups, self.optim.param_groups):    # what the step has changed
            outer.update({name: value for name, value in inner.items() if name != "params"})
        self._share_parameters()
        return loss

    def join_hook(self, **_):
        """What this rank does for others when its inputs are over: it updates its part with them."""
        return _JoinHook(self)

    @property
    def join_device(self):
        """Where the parameters are."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self):
        """The group among which the state is divided."""
        return self.process_group

    def _share_parameters(self):
        """Send each rank's part to all, in one message for each dtype; all are under way at once."""
        buckets = {}
        for group in self.param_groups:
            for param in group["params"]:
                buckets.setdefault((self._owner[id(param)], param.dtype, param.device), []).append(param.detach())
        sent = []
        with cygrad.no_grad():
            for (owner, _, _), params in buckets.items():
                flat = cygrad.cat([param.reshape(-1) for param in params])
                sent.append((dist.broadcast(flat, group=self.process_group, group_src=owner, async_op=True), owner,
                             flat, params))
            for work, owner, flat, params in sent:
                work.wait()
                start = 0
                for param in params if owner != self.rank else ():
                    param.copy_(flat[start:start + param.numel()].view(param.shape))
                    start += param.numel()

    # ------------------------------------------------------------ state

    def _numbers(self):
        """{identity of a parameter: its number in a state dict}."""
        everything = [param for group in self.param_groups for param in group["params"]]
        return {id(param): number for number, param in enumerate(everything)}

    def consolidate_state_dict(self, to=0):
        """
        Bring the state of all parts together on one rank, whose `state_dict` is then complete.

        Parameters
        ----------
        to : int
            Its rank in the group.
        """
        self._share_options()
        numbers = self._numbers()
        own = {numbers[id(param)]: state for param, state in self.optim.state.items()}
        found = [None] * self.world_size if self.rank == to else None
        dist.gather_object(own, found, group=self.process_group, group_dst=to)
        self._consolidated = {number: state for part in found for number, state in part.items()} if found else None

    def state_dict(self):
        """
        What `consolidate_state_dict` has brought to this rank, as the state dict of the inner optimiser's class.

        Returns
        -------
        dict

        Raises
        ------
        RuntimeError
            If it was not called, or for another rank.
        """
        if self._consolidated is None:
            raise RuntimeError("Optimizer state has not been consolidated on this rank. Please call "
                               f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save "
                               "the global state.")
        numbers = self._numbers()
        groups = [dict(group, params=[numbers[id(param)] for param in group["params"]]) for group in self.param_groups]
        return {"state": dict(sorted(self._consolidated.items())), "param_groups": groups}

    def load_state_dict(self, state_dict):
        """
        Take the state of this rank's part out of a complete one.

        Parameters
        ----------
        state_dict : dict
            Of this class, or of the inner one's, on any number of ranks.
        """
        numbers = self._numbers()
        own, kept = self.optim.state_dict(), {}
        for group, inner, saved in zip(own["param_groups"], self.optim.param_groups, state_dict["param_groups"]):
            for number, param in zip(group["params"], inner["params"]):
                if numbers[id(param)] in state_dict["state"]:
                    kept[number] = state_dict["state"][numbers[id(param)]]
            group.update({name: value for name, value in saved.items() if name != "params"})
        self.optim.load_state_dict({"state": kept, "param_groups": own["param_groups"]})
        for outer, saved in zip(self.param_groups, state_dict["param_groups"]):
            outer.update({name: value for name, value in saved.items() if name != "params"})


class _JoinHook(JoinHook):
    """A step of a rank whose inputs are over."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def main_hook(self):
        """Answer a step of the others."""
        self.optimizer.step()
