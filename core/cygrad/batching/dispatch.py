"""A call of an op inside `vmap`: by its rule, or for one example after the other where there is none.

A rule runs the op, or others, on the values of all examples at once, and so sees axis 0 of them; what it makes is
batched again. Inside several levels the values are batched themselves, and the call comes here again.
"""
import inspect

import cygrad
from cygrad.autograd.forward_levels import NoBatchingRule
from cygrad.batching.levels import is_batched, level_of, lifted
from cygrad.batching.wrapping import BatchedTensor, are_lifted, batched, level_among
from cygrad.errors import warn
from cygrad.tensor import Tensor

_RULES = {}
# Ops that PyTorch refuses: their result is no tensor, but depends on values, or there is neither rule nor fallback.
_REFUSED = frozenset("""
    allclose as_strided_scatter equal histogramdd is_nonzero split_copy unsafe_split_with_sizes""".split())
# Ops without a rule in PyTorch, which takes one example after the other and so refuses to take none.
_ONE_BY_ONE = frozenset("""
    affine_grid_generator bilinear bincount ctc_loss detach_copy diagflat embedding_bag fft_ihfft2 fft_ihfftn
    fractional_max_pool2d fractional_max_pool3d gru_cell histc histogram isclose isin kl_div linalg_lu
    margin_ranking_loss masked_scatter max_unpool1d max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss
    nonzero_static norm_except_dim ormqr pdist permute_copy put renorm rnn_relu_cell rnn_tanh_cell select_copy
    slice_copy soft_margin_loss special_log_ndtr squeeze_copy stft t_copy take transpose_copy triplet_margin_loss
    unsqueeze_copy _weight_norm""".split())
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
    try:
        return called(op, level, args, kwargs)
    except Exception as error:
        from cygrad.errors.refused_calls import explained      # start-up time: nothing of it is needed otherwise
        found = explained(op.name, op.method, args, kwargs, error)      # the arguments' kinds are looked at first
        if found is error:
            raise
        raise found from None


def called(op, level, args, kwargs):
    """A call in which something stands in for the batch of `level`."""
    if kwargs and kwargs.get("out") is not None:
        raise RuntimeError(f"Batching rule not implemented for aten::{op.name}.out; the fallback path doesn't work on "
                           "out= or view ops.")
    name = op.name.rpartition(".")[2]
    if name in _REFUSED:
        raise RuntimeError(f"Batching rule not implemented for aten::{name}. We could not generate a fallback.")
    if not level.size and (name in _ONE_BY_ONE or "_polynomial_" in name):
        raise RuntimeError(f"Batching rule not implemented for aten::{name}. The fallback path does not support vmap "
                           "over dims of size 0.")
    rule = rules().get(op.op)
    if rule is None:
        rule = _RULES.get(op.name)
    if rule is not None:
        if kwargs:
            args, kwargs = required_first(op.function, args, kwargs)
        if not are_lifted(args, kwargs, level):
            args, kwargs = mapped(lambda t: lifted(t, level), args, kwargs)
        try:
            return rewrapped(rule(level, op, *args, **kwargs), level)
        except NoBatchingRule:
            pass
    return one_by_one(op, level, args, kwargs)


def required_first(function, args, kwargs):
    """Arguments with those by position that a function can't do without, as rules take them."""
    parameters = list(inspect.signature(function).parameters.values())
    for parameter in parameters[len(args):]:
        if (parameter.name not in kwargs or parameter.default is not parameter.empty
                or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD):
            break
        kwargs = dict(kwargs)
        args = *args, kwargs.pop(parameter.name)
    return args, kwargs


def mapped(change, args, kwargs):
    """Arguments with every tensor changed, those in lists too."""
    def of(value):
        if isinstance(value, Tensor):
            return change(value)
        if type(value) in (list, tuple) and any(isinstance(each, Tensor) for each in value):
            return type(value)([change(each) if isinstance(each, Tensor) else each for each in value])
        return value
    return tuple(map(of, args)), {name: of(value) for name, value in kwargs.items()}


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
    """The op for one example after the other; of none, for zeros, of which the results are left out."""
    name = op.name
    if name not in _warned:
        _warned.add(name)
        warn(f"There is a performance drop because we have not yet implemented the batching rule for aten::{name}. "
             "Please file us an issue on GitHub so that we can prioritize its implementation.")
    if name.endswith("_") and not is_batched(args[0], level):
        raise RuntimeError(in_place_error(level))
    results = []
    for i in range(level.size or 1):
        mine = mapped(lambda t, i=i: example(t.value, i) if is_batched(t, level) else t, args, kwargs)
        results.append(op(*mine[0], **mine[1]))
    if name.endswith("_"):
        return args[0]
    return stacked(results, level)


def example(values, i):
    return values.select(0, i) if len(values) else cygrad.cat([values, values.new_zeros((1, *values.shape[1:]))])[0]


def stacked(results, level):
    """The results of the examples, one after the other, as a batch."""
    first = results[0]
    if isinstance(first, Tensor):
        if any(each.shape != first.shape for each in results):
            raise RuntimeError("vmap: the op returned tensors of different shapes for the examples of a batch")
        found = cygrad.stack(results)
        return batched(found if level.size else found[:0].clone(), level)
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
    results = [run([example(grad.value, i) if is_batched(grad, level) else grad for grad in grads])
               for i in range(level.size or 1)]         # a node has gradients of no example, too
    return [None if each[0] is None else stacked(each, level) for each in zip(*results)]
