"""Custom Functions inside `vmap`: by their own rule, the static method `vmap`, or on whole batches.

A Function is run on the values of all examples by a Function made for the call, whose methods call the user's inside a
level of their own; so the graph, and what is saved for backward, has whole batches. A rule that no derivative inside of
the level's function waits for is called as it is, and derivatives around `vmap` are those of what it does.
"""
from typing import NamedTuple

from cygrad.autograd.function import Function
from cygrad.batching.levels import derivatives, entered, is_batched, left, level_of, whole
from cygrad.batching.wrapping import as_given, batched
from cygrad.tensor import Tensor
from cygrad.utils._pytree import broadcast_to_and_flatten, tree_flatten, tree_map, tree_unflatten

MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told of the batch."""

    batch_size: int
    randomness: str


def call(cls, args):
    """A Function on these arguments inside transforms; NotImplemented where it is called as it is outside of them."""
    if cls.setup_context is Function.setup_context:
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
                           f"...), it must override the setup_context staticmethod. {MORE}")
    level = level_of(t for t in tree_flatten(args)[0] if isinstance(t, Tensor))
    if level is None:
        return NotImplemented
    has_rule = cls.vmap is not Function.vmap
    if has_rule and cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an "
                           "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden "
                           f"vmap staticmethod to avoid ambiguity. {MORE}")
    if not has_rule and not cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override "
                           f"and implement the vmap staticmethod or set generate_vmap_rule=True. {MORE}")
    if has_rule and not any(number > level.depth for number in derivatives()):
        return by_rule(cls, level, args)
    return of_batches(cls, level, args)


def by_rule(cls, level, args):
    """What the Function's own `vmap` makes of the values of all examples, batched."""
    def changed(found, here):
        return tree_map(lambda x: found(x) if is_batched(x, level) else here(x), args)

    values = changed(as_given, lambda x: x)
    with left(level):
        result = cls.vmap(VmapInfo(level.size, level.randomness), changed(lambda x: x.axis, lambda x: None), *values)
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"{len(result)} returns" if isinstance(result, tuple) else f"a {type(result)}"
        raise RuntimeError("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
                           f"structure compatible with the output. Got {got} instead")
    flat, spec = tree_flatten(result[0])
    dims = broadcast_to_and_flatten(result[1], spec)
    if dims is None:
        raise RuntimeError("The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
                           f"tuple. Expected out_dims={result[1]} to be compatible with the structure of `output`. "
                           f"out_dims has structure {tree_flatten(result[1])[1]} but output has structure {spec}. "
                           f"{MORE}")
    inputs = {id(value): x for value, x in zip(tree_flatten(values)[0], tree_flatten(args)[0])}
    return tree_unflatten([inputs[id(x)] if id(x) in inputs else x if dim is None else
                           batched(x.movedim(dim, 0), level, dim % x.dim()) for x, dim in zip(flat, dims)], spec)


def of_batches(cls, level, args):
    """The Function on the values of all examples: recorded, it has whole batches."""
    marks = [is_batched(x, level) for x in args]
    values = [x.value if mark else x for x, mark in zip(args, marks)]
    made, outputs_batched = for_batches(cls, level, marks)
    with left(level):
        found = made.apply(*values)
    inputs = {id(value): x for value, x, mark in zip(values, args, marks) if mark}
    several = isinstance(found, tuple)
    found = [inputs[id(x)] if id(x) in inputs else batched(x, level) if mark else x
             for x, mark in zip(found if several else (found,), outputs_batched)]
    return tuple(found) if several else found[0]


def for_batches(cls, level, marks):
    """A Function of whole batches, and the list of which of its outputs are, filled when it is called."""
    outputs_batched = []

    def wrapped(values, which, inner):
        return tuple([batched(x, inner) if mark and x is not None else x for x, mark in zip(values, which)])

    class Vmapped(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*values):
            with entered(level.size, level.randomness) as inner:
                given = wrapped(values, marks, inner)
                found = cls.forward(*given) if cls.generate_vmap_rule else by_rule(cls, inner, given)
            several = isinstance(found, tuple)
            found = found if several else (found,)
            outputs_batched[:] = [is_batched(x, inner) for x in found]
            found = tuple([x.value if mark else x for x, mark in zip(found, outputs_batched)])
            return found if several else found[0]

        @staticmethod
        def setup_context(ctx, inputs, output):
            with entered(level.size, level.randomness) as inner:
                several = isinstance(output, tuple)
                outputs = wrapped(output if several else (output,), outputs_batched, inner)
                known = {id(x): each for x, each in zip(inputs, wrapped(inputs, marks, inner)) if each is not x}
                outputs = tuple([known.get(id(x), each) for x, each in
                                 zip(output if several else (output,), outputs)])
                cls.setup_context(BatchContext(ctx, inner), tuple([known.get(id(x), x) for x in inputs]),
                                  outputs if several else outputs[0])

        @staticmethod
        def backward(ctx, *grads):
            own = cls.backward if cls.backward is not Function.backward else cls.vjp
            with entered(level.size, level.randomness) as inner:
                found = own(BatchContext(ctx, inner), *wrapped(grads, outputs_batched, inner))
                found = found if isinstance(found, tuple) else (found,)
                every = marks + [False] * (len(found) - len(marks))
                return tuple([gradient_of(x, mark, inner) for x, mark in zip(found, every)])

        @staticmethod
        def jvp(ctx, *tangents):
            with entered(level.size, level.randomness) as inner:
                found = cls.jvp(BatchContext(ctx, inner), *wrapped(tangents, marks, inner))
                several = isinstance(found, tuple)
                found = [whole(x, inner) if mark and isinstance(x, Tensor) else x
                         for x, mark in zip(found if several else (found,), outputs_batched)]
            return tuple(found) if several else found[0]

    Vmapped.__name__ = Vmapped.__qualname__ = f"Vmapped{cls.__name__}"
    return Vmapped, outputs_batched


def gradient_of(gradient, mark, level):
    """A gradient that a user's `backward` returned, as that of the whole batch, or of what all share."""
    if not isinstance(gradient, Tensor):
        return gradient
    if mark:
        return whole(gradient, level)
    return gradient.value.sum(0) if is_batched(gradient, level) else gradient


class _Whole(NamedTuple):
    """A batch that a user's method has put on its context."""

    value: Tensor


class BatchContext:
    """The context that a user's methods see inside `vmap`: what they keep there is kept as whole batches."""

    def __init__(self, inner, level):
        self.__dict__.update(_inner=inner, _level=level)

    def _kept(self, value):
        return _Whole(value.value) if is_batched(value, self._level) else value

    def _shown(self, value):
        return batched(value.value, self._level) if isinstance(value, _Whole) else value

    def _bare(self, tensors):
        return [t.value if is_batched(t, self._level) else t for t in tensors]

    def save_for_backward(self, *tensors):
        self._inner._saved_batched = [is_batched(t, self._level) for t in tensors]
        self._inner.save_for_backward(*self._bare(tensors))

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self):
        return tuple([batched(t, self._level) if mark and t is not None else t
                      for t, mark in zip(self._inner.saved_tensors, self._inner._saved_batched)])

    def mark_dirty(self, *tensors):
        self._inner.mark_dirty(*self._bare(tensors))

    def mark_non_differentiable(self, *tensors):
        self._inner.mark_non_differentiable(*self._bare(tensors))

    def __getattr__(self, name):
        return self._shown(getattr(self._inner, name))

    def __setattr__(self, name, value):
        setattr(self._inner, name, self._kept(value))
