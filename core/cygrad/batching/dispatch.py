"""A call of an op inside `vmap`: by its rule, or for one example after the other where there is none.

A rule runs the op, or others, on the values of all examples at once, and so sees axis 0 of them; what it makes is
batched again. Inside several levels the values are batched themselves, and the call comes here again.
"""
import warnings

import cygrad
from cygrad.autograd.forward_levels import NoBatchingRule
from cygrad.batching.levels import is_batched, level_of, lifted
from cygrad.batching.wrapping import BatchedTensor, are_lifted, batched, level_among
from cygrad.tensor import Tensor

_RULES = {}
_NUMBERS = frozenset(("allclose", "equal", "is_nonzero"))        # ops whose result is no tensor, but depends on values
_warned = set()


def rules():
    """{op: rule}, read when the first op asks."""
    if not _RULES:
        from cygrad.batching import rules as package      # start-up time
        _RULES.update(package.RULES)
    return _RULES


def tensors_in(args, kwargs):
    """The tensors among arguments, and in lists of them."""
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple):
            for each in value:
                if isinstance(each, Tensor):
                    yield each


def call(op, args, kwargs):
    """A public op on arguments among which something may stand in for a batch; NotImplemented where nothing does."""
    level = level_among(args, kwargs)
    if level is None:
        return NotImplemented
    if kwargs and kwargs.get("out") is not None:
        raise RuntimeError(f"Batching rule not implemented for aten::{op.name}.out; the fallback path doesn't work on "
                           "out= or view ops.")
    if op.name in _NUMBERS:
        raise RuntimeError(f"Batching rule not implemented for aten::{op.name}. We could not generate a fallback.")
    rule = rules().get(op.op)
    if rule is None:
        rule = _RULES.get(op.name)
    if rule is not None:
        if not are_lifted(args, kwargs, level):
            args, kwargs = mapped(lambda t: lifted(t, level), args, kwargs)
        try:
            return rewrapped(rule(level, op, *args, **kwargs), level)
        except NoBatchingRule:
            pass
    return one_by_one(op, level, args, kwargs)


def mapped(change, args, kwargs):
    """Arguments with every tensor changed, those in lists too."""
    def of(value):
        if isinstance(value, Tensor):
            return change(value)
        if type(value) in (list, tuple) and any(isinstance(each, Tensor) for each in value):
            return type(value)([change(each) if isinstance(each, Tensor) else each for each in value])
        return value
    return tuple([of(value) for value in args]), {name: of(value) for name, value in kwargs.items()}


def rewrapped(found, level):
    """What a rule returned, batched: tensors, or tuples and lists of them; what is batched already stays."""
    if type(found) is Tensor:
        return batched(found, level)
    if isinstance(found, BatchedTensor) and found.level is level:
        return found
    if isinstance(found, Tensor):
        return batched(found, level)
    if isinstance(found, (tuple, list)):
        made = [rewrapped(each, level) for each in found]
        return remade(found, made)
    return found


def remade(like, values):
    """A tuple or list of the type of another."""
    return getattr(type(like), "_make", type(like))(values)


def one_by_one(op, level, args, kwargs):
    """The op for one example after the other."""
    name = op.name
    if name not in _warned:
        _warned.add(name)
        warnings.warn(f"There is a performance drop because we have not yet implemented the batching rule for "
                      f"aten::{name}. Please file us an issue on GitHub so that we can prioritize its implementation.",
                      stacklevel=4)
    if name.endswith("_") and not is_batched(args[0], level):
        raise RuntimeError(in_place_error(level))
    results = []
    for i in range(level.size):
        mine = mapped(lambda t, i=i: t.value.select(0, i) if is_batched(t, level) else t, args, kwargs)
        results.append(op(*mine[0], **mine[1]))
    if name.endswith("_"):
        return args[0]
    if not results:
        raise NotImplementedError(f"vmap: {name} has no batching rule, and there are no examples to take it one by one")
    return stacked(results, level)


def stacked(results, level):
    """The results of the examples, one after the other, as a batch."""
    first = results[0]
    if isinstance(first, Tensor):
        if any(each.shape != first.shape for each in results):
            raise RuntimeError("vmap: the op returned tensors of different shapes for the examples of a batch")
        return batched(cygrad.stack(results), level)
    if isinstance(first, (tuple, list)):
        made = [stacked(list(each), level) for each in zip(*results)]
        return remade(first, made)
    return first


def in_place_error(level):
    return ("vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
            "extra_args that has more elements than `self`. This happened due to `other` being vmapped over but "
            f"`self` not being vmapped over at level {level.depth}. Please try to use out-of-place operators instead "
            "of inplace arithmetic. If said operator is being called inside the PyTorch framework, please file a bug "
            "report instead.")


def batched_gradients(run, grads):
    """The gradients that a node returns when gradients that stand in for batches reach it.

    The node's formulas take them as any op does; one that goes past the rules is run for one example after the other.
    """
    try:
        return list(run(grads))
    except NoBatchingRule:
        pass
    level = level_of(grad for grad in grads if grad is not None)
    results = [run([grad.value.select(0, i) if is_batched(grad, level) else grad for grad in grads])
               for i in range(level.size)]
    return [None if each[0] is None else batched(cygrad.stack(list(each)), level) for each in zip(*results)]
