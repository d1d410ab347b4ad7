"""A forward pass of sharded modules, and the backward pass through it.

In the graph the rows of all parameters go into one node, `_Begin`, and from there into one node for each call of a
unit, `_Gathered`, whose outputs are the whole parameters. Backward, `_Gathered` begins to add up the gradients and goes
on; `_Begin`, which depends on all of them and so comes last, waits for the results. Between forward and backward nobody
holds whole parameters: what nodes save of them is packed as a name, and gathered again when it is wanted, each unit one
ahead of the pass.
"""
import cygrad
from cygrad.autograd import Function

__all__ = ["ShardedPass"]

UNDER_WAY = 2       # reductions that may hold memory at a time


class ShardedPass:
    """
    One forward pass.

    Parameters
    ----------
    outermost : Unit
        At whose call it began.
    units : list of Unit
        All that may take part.
    """

    current = None      # the pass under way

    def __init__(self, outermost, units):
        self.outermost, self.units = outermost, units
        self.order, self.whole = [], {}         # whole: {address: (unit, number)} of parameters that are gathered now
        self.records = cygrad.is_grad_enabled() and any(shard.requires_grad for unit in units for shard in unit.shards)
        self.tokens, self.reducing = {}, []
        self.hooks = None
        self.waiting = {}                       # unit: how many of its nodes have not been reached by the backward pass
        if self.records:
            shards = [shard for unit in units for shard in unit.shards]
            tokens = _Begin.apply(self, *shards)
            self.tokens = dict(zip(units, tokens if isinstance(tokens, tuple) else (tokens,)))
            if not computes_again(outermost):
                self.hooks = cygrad.autograd.graph.saved_tensors_hooks(self._packed, self._unpacked)
                self.hooks.__enter__()
            for unit in units:
                unit.last_pass = self

    # ------------------------------------------------------------ forward

    def enter(self, unit):
        """Give a unit's modules the whole parameters, and begin to gather the next unit's."""
        unit.gather()
        self._prefetch_forward(unit)
        self.order.append(unit)
        for number, tensor in enumerate(unit.full or ()):
            self.whole[tensor.data_ptr()] = unit, number
        if not unit.shards:
            return
        if self.records and any(shard.requires_grad for shard in unit.shards):
            self.waiting[unit] = self.waiting.get(unit, 0) + 1
            unit.put(_Gathered.apply(self, unit, self.tokens[unit]))
        else:
            unit.put(unit.full)

    def _prefetch_forward(self, unit):
        at, before = len(self.order), self.outermost.order
        if unit.prefetch_forward is not None:
            for each in unit.prefetch_forward:
                each.start()
        elif at + 1 < len(before) and before[at] is unit:
            before[at + 1].start()

    def leave(self, unit):
        """Give the rows back to a unit's modules."""
        unit.put(unit.shards)
        again = unit.reshard_after_forward
        if again is None:
            again = unit is not self.outermost
        if again or not self.records or not self.tokens:
            self._drop(unit)

    def _drop(self, unit):
        if not unit.kept:
            for tensor in unit.full or ():
                self.whole.pop(tensor.data_ptr(), None)
            unit.drop()

    def end(self):
        """The outermost module has returned, or raised."""
        if self.hooks is not None:
            self.hooks.__exit__(None, None, None)
        self.outermost.order = list(self.order)
        for unit in self.units:
            if unit.arriving is not None:       # gathered ahead, and not called in this pass
                unit.drop()

    # ------------------------------------------------------------ what nodes save

    def _packed(self, tensor):
        base = tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()
        found = self.whole.get(base)
        if found is None:
            return tensor
        unit, number = found
        return unit, number, tensor.shape, tensor.stride(), tensor.storage_offset(), tuple(unit.versions)

    def _unpacked(self, saved):
        if not isinstance(saved, tuple):
            return saved
        unit, number, shape, stride, offset, versions = saved
        if [shard._version for shard in unit.shards] != list(versions):
            raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                               "operation: a sharded parameter has changed between the forward and the backward pass")
        fresh = unit.full is None
        unit.gather()
        if fresh:
            self._prefetch_backward(unit)
        return unit.full[number].as_strided(shape, stride, offset)

    def _prefetch_backward(self, unit):
        if unit.prefetch_backward is not None:
            for each in unit.prefetch_backward:
                each.start()
            return
        at = len(self.order) - 1 - self.order[::-1].index(unit)
        for each in self.order[:at][::-1]:
            if self.waiting.get(each):
                if each.full is None and each.unshards_in_backward:
                    each.start()
                return

    # ------------------------------------------------------------ backward

    def reduce(self, unit, grads):
        """The gradients of a unit's whole parameters are known."""
        self.waiting[unit] -= 1
        if not self.waiting[unit] and unit.reshards_after_backward:
            self._drop(unit)
        running = [each for each in self.reducing if not each[1][0].is_completed()]
        if len(running) >= UNDER_WAY:
            running[0][1][0].wait()
        begun = unit.start_reduce(grads)
        if begun is not None:
            self.reducing.append((unit, begun))

    def reduced(self):
        """The gradients of all rows, in the order of the units; None where there are none."""
        found = {}
        for unit, begun in self.reducing:
            grads = unit.end_reduce(begun)
            found[unit] = [old + new for old, new in zip(found[unit], grads)] if unit in found else grads
        self.reducing = []
        for unit in self.units:
            if unit.reshards_after_backward:
                self._drop(unit)
        return [grad if shard.requires_grad else None for unit in self.units
                for shard, grad in zip(unit.shards, found.get(unit, [None] * len(unit.shards)))]


def computes_again(unit):
    """Whether a pass that begins here is part of a backward pass: a checkpoint's, whose own hooks then keep what nodes
    save. It is one if the unit was inside another that has not seen its backward pass."""
    last = unit.last_pass
    return last is not None and last.outermost is not unit and any(last.waiting.values())


class _Begin(Function):
    """From all rows to a token for each unit; the last node of the backward pass."""

    @staticmethod
    def forward(ctx, sharded_pass, *shards):
        ctx.sharded_pass = sharded_pass
        return tuple(cygrad.zeros(()) for _ in sharded_pass.units)

    @staticmethod
    def backward(ctx, *_):
        with cygrad.no_grad():
            return (None, *ctx.sharded_pass.reduced())


class _Gathered(Function):
    """From a token to the whole parameters of a unit."""

    @staticmethod
    def forward(ctx, sharded_pass, unit, token):
        ctx.sharded_pass, ctx.unit = sharded_pass, unit
        ctx.set_materialize_grads(False)
        found = tuple(tensor.detach() for tensor in unit.full)
        ctx.mark_non_differentiable(*[tensor for tensor, shard in zip(found, unit.shards) if not shard.requires_grad])
        return found

    @staticmethod
    def backward(ctx, *grads):
        with cygrad.no_grad():
            ctx.sharded_pass.reduce(ctx.unit, list(grads))
        return None, None, cygrad.zeros(())
