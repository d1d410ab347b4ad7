"""Tangents of an op's outputs from those of its inputs: what recording calls where an input has one.

An op's row in `derivatives/tangents.py` says, for each differentiable argument, how its tangent passes through the op.
Where there is no such entry, the formula of the gradient is used twice: it is linear in the gradient u, say J^T u, and
the derivative of <J^T u, v> with respect to u is J v.

Levels are taken in order, the outermost first, each with those inside it hidden: then the formulas, which are ops
themselves, give the tangents of a level their own tangents at the levels around it.
"""
import threading

import cygrad
from cygrad.autograd.derivatives.helpers import written
from cygrad.autograd.derivatives.tangents import ELEMENTWISE, OF_NOTHING, TANGENTS
from cygrad.autograd.forward_levels import (Level, copy_tangents, forget_calls, requires_backward,
                                            requiring_gradient, set_depth, set_tangent, tangent_of, unrecorded,
                                            visible_tangents)
from cygrad.autograd.modes import grad_mode, set_grad_mode
from cygrad.dispatch.lazy_views import laziness
from cygrad.ops.shape.views import alias, primal
from cygrad.tensor import Tensor

_thread = threading.local()         # .levels: the levels that this thread has entered, the outermost first


# ------------------------------------------------------------------------- levels

def levels():
    """The levels that this thread has entered, the outermost first."""
    if not hasattr(_thread, "levels"):
        _thread.levels = []
    return _thread.levels


def enter_level():
    """Enter a level inside those that this thread is in."""
    level = Level(len(levels()) + 1)
    levels().append(level)
    set_depth(level.depth)
    level.mode = grad_mode()
    if not level.mode:
        set_grad_mode(unrecorded())
    return level


def leave_level(level):
    """Leave the innermost level: tangents at it are gone."""
    level.open = False
    levels().remove(level)
    set_depth(len(levels()))
    if grad_mode() == 2 and not level.mode:
        set_grad_mode(0)
    if not levels():
        forget_calls()


# --------------------------------------------------------------------- what recording calls

def propagate(row, args, outputs):
    """Give the outputs of an op their tangents at every level."""
    several = isinstance(outputs, (tuple, list))
    outs = tuple(outputs) if several else (outputs,)
    for level, found in each_level(row, args, outs):
        for out, tangent in zip(outs, found):
            if tangent is not None:
                set_tangent(out, level, apart(tangent, out, args, level))


def apart(tangent, out, args, level):
    """A tangent in memory of its own, unless its tensor shares memory with an argument: each is changed for itself.

    It is lazy only if its tensor is, so that what takes a view of one can take it of the other.
    """
    if laziness(tangent) and not laziness(out):
        return written(tangent.resolve_conj().resolve_neg())
    if tangent._is_view() and not out._is_view():
        return written(tangent.clone())
    for value in args:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor) and each._storage() is not out._storage():
                theirs = tangent_of(each, level)
                if theirs is not None and theirs._storage() is tangent._storage():
                    return tangent.clone()
    return tangent


def propagate_in_place(row, args, target):
    """The same for a tensor that an op has changed in place."""
    for level, (tangent,) in each_level(row, args, (target,)):
        write_tangent(target, level, tangent)


def take_tangents(target, value):
    """Give a tensor the tangents of the value that was written into it; it keeps none of its own."""
    theirs = visible_tangents(value)
    for level in sorted({*theirs, *visible_tangents(target)}, key=depth_of):
        write_tangent(target, level, theirs.get(level))


def propagate_function(function, ctx, args, outputs):
    """Give the outputs of a custom Function the tangents that its `jvp` computes."""
    outs = outputs if isinstance(outputs, tuple) else (outputs,)
    for level in levels_of(args):
        before, mode = hide(level)
        try:
            given = [tangent_for(ctx, x, level) for x in args]
            versions = [tangent._version if isinstance(tangent, Tensor) else 0 for tangent in given]
            found = function.jvp(ctx, *given)
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(outs):
                raise RuntimeError("Function's jvp returned an invalid number of forward gradients (expected "
                                   f"{len(outs)} but got {len(found)})")
            found = [checked_tangent(ctx, i, out, tangent, args, given, versions)
                     for i, (out, tangent) in enumerate(zip(outs, found))]
        finally:
            set_grad_mode(mode)
            set_depth(before)
        for out, tangent in zip(outs, found):
            if tangent is not None:
                set_tangent(out, level, tangent)


def tangent_for(ctx, value, level):
    """What `jvp` gets for an argument: zeros for a differentiable tensor without a tangent, unless switched off."""
    if not isinstance(value, Tensor):
        return None
    tangent = tangent_of(value, level)
    if tangent is None and ctx.materialize_grads and differentiable(value):
        return cygrad.zeros_like(value)
    return tangent


def checked_tangent(ctx, i, out, tangent, args, given, versions):
    """What `jvp` returned for output i, if it may be its tangent: in memory as the output's own asks for.

    `given` are the tangents of the arguments, `versions` theirs before the call.
    """
    if tangent is not None and not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    if tangent is None:
        return None
    if not isinstance(out, Tensor) or not differentiable(out) or ctx.is_constant(i):
        raise RuntimeError(f"Function's jvp returned a gradient at position {i}, but  the corresponding forward output "
                           "is not a differentiable Tensor.You should return None at that position instead.")
    place = next((k for k, value in enumerate(args) if value is out), None)
    if place is not None:       # changed in place
        if given[place] is not tangent or tangent._version == versions[place]:
            raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If the "
                               "forward is modifying an input inplace, then the jvp function must modify the "
                               "corresponding gradient inplace.")
        return tangent
    base = next((k for k, value in enumerate(args) if isinstance(value, Tensor)
                 and (value._storage() is out._storage() if not out._is_view() else
                      value is out._base or value._is_view() and value._base is out._base)), None)
    if base is None or given[base] is None:
        return tangent
    if not tangent._is_view() or tangent is given[base]:
        raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
                           "returning a view.")
    if given[base]._is_view():
        if tangent._base is not given[base]._base:
            raise RuntimeError("A custom Function is returning a view but the jvp is not returning a view of the same "
                               "base as the given grad input.")
    elif tangent._base is not given[base]:
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a view of the given "
                           "grad input.")
    return tangent


# ------------------------------------------------------------------------- one level after the other

def depth_of(level):
    return level.depth


def levels_of(args):
    """The visible levels at which an argument, or one of a list of them, has a tangent, the outermost first."""
    found = set()
    for value in args:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor):
                found.update(visible_tangents(each))
    return sorted(found, key=depth_of)


def hide(level):
    """Hide a level and those inside it; returns the depth and the grad mode that were."""
    before, mode = set_depth(level.depth - 1), grad_mode()
    if mode != 1:
        set_grad_mode(unrecorded())
    return before, mode


def each_level(row, args, outs):
    """(level, tangents of the outputs or None) for each level at which an argument has one."""
    for level in levels_of(args):
        before, mode = hide(level)
        try:
            found = tangents_at(row, args, outs, level)
        finally:
            set_grad_mode(mode)
            set_depth(before)
        yield level, found


def tangents_at(row, args, outs, level):
    try:
        return tangents_by_row(row, args, outs, level)
    except RuntimeError as error:
        text = str(error)
        if text.startswith("derivative for"):
            raise NotImplementedError(f"Trying to use forward AD with {text.split()[2]} that does not support "
                                      "it.") from None
        if not text.startswith("the derivative for"):
            raise
        raise NotImplementedError(f"Trying to use forward AD with {row.op} that does not support it because it has not "
                                  "been implemented yet.") from None


def tangents_by_row(row, args, outs, level):
    names, formulas = row.rows_formulas()
    values = dict(zip(names, args))
    given = {name: tangents_in(values[name], level) for name in formulas}
    given = {name: value for name, value in given.items() if value is not None}
    primals, whole = values, False
    if grad_mode() == 1:        # where a pass may come back, primals are views of their own, and what is 0 takes part
        primals = {name: value_of(value, level) if isinstance(value, Tensor) and requires_backward(value) else value
                   for name, value in values.items()}
        whole = row.op in OF_NOTHING
    own = TANGENTS.get(row.op)
    if own is None or any(name not in own for name in given):
        found = by_gradients(row.op, formulas, values, outs, given)
    else:
        found = None
        for name in own:
            tangent = given.get(name)
            if tangent is None and not whole:
                continue
            part = through(own[name], formulas[name], primals, outs, tangent)
            if part is NotImplemented:
                found = by_gradients(row.op, formulas, values, outs, given)
                break
            if found is None:
                found = part
            elif part is not None:
                found = tuple(map(total, found, part))
        found = found or (None,) * len(outs)
    return list(map(fit, found, outs))


def value_of(tensor, level):
    """A view of a dual tensor for its value at a level, by PyTorch's node for it."""
    return primal(tensor) if level is getattr(_thread, "dual_level", None) else alias(tensor)


def tangents_in(value, level):
    """The tangent of an argument; of a list, a list of them; None where there is none."""
    if isinstance(value, Tensor):
        return tangent_of(value, level)
    if isinstance(value, (list, tuple)):
        found = [tangent_of(each, level) if isinstance(each, Tensor) else None for each in value]
        return found if any(each is not None for each in found) else None
    return None


def total(a, b):
    return b if a is None else a if b is None else a + b


def differentiable(out):
    """Whether an output of an op is a tensor that has a derivative."""
    return isinstance(out, Tensor) and (out.is_floating_point() or out.is_complex())


def fit(tangent, out):
    """A tangent in the shape and dtype of its tensor; None for a tensor without derivatives."""
    if tangent is None or not differentiable(out):
        return None
    if tangent.shape != out.shape:
        tangent = tangent.expand(out.shape)
    if tangent.dtype is not out.dtype:
        tangent = (tangent.real if tangent.is_complex() and not out.is_complex() else tangent).to(out.dtype)
    return tangent


# --------------------------------------------------------------------------- one op

def parameters_of(function):
    code = getattr(function, "__wrapped__", function).__code__
    return code.co_varnames[:code.co_argcount]


def arguments(function, values, outs, special):
    """What a formula's parameters stand for."""
    return [special[name] if name in special else argument(name, values, outs) for name in parameters_of(function)]


def argument(name, values, outs):
    if name == "result":
        return outs[0] if len(outs) == 1 else outs
    if name in values:
        return values[name]
    if name.endswith("_shape"):
        return values[name[:-len("_shape")]].shape
    like = values[name[:-len("_geometry")]]
    return like.shape, like.stride(), like.storage_offset()


def through(own, formula, values, outs, tangent):
    """The tangents of the outputs from that of one argument, by an entry of the table."""
    if own is not ELEMENTWISE:
        found = own(*arguments(own, values, outs, {"t": tangent}))
        return found if isinstance(found, tuple) or found is NotImplemented else (found,)
    backwards = tangent.is_complex() or outs[0].is_complex()
    found = formula(*arguments(formula, values, outs, {"grad": tangent.conj() if backwards else tangent}))
    return (None if found is None else found.conj() if backwards else found,)


def by_gradients(op, formulas, values, outs, given):
    """The tangents of the outputs by differentiating the formulas of the gradients with respect to the gradient."""
    before = grad_mode()
    nested = before and (recorded(values.values()) or recorded(given.values()))
    set_grad_mode(1)
    try:
        seeds = [requiring_gradient(cygrad.ones_like(out)) if differentiable(out) else None for out in outs]
        needs = tuple(needed for name in formulas for needed in flags(values[name], given.get(name)))
        special = {"grad": seeds[0], "grads": tuple(seeds), "needs": needs}
        pairs = []
        for name, tangent in given.items():
            formula = getattr(formulas[name], "__wrapped__", formulas[name])        # without nodes of its own
            found = formula(*arguments(formula, values, outs, special))
            pairs += zip(found, tangent) if isinstance(tangent, list) else [(found, tangent)]
        pairs = [(gradient, matched(tangent, gradient)) for gradient, tangent in pairs
                 if gradient is not None and tangent is not None and gradient.requires_grad]
        if not pairs:
            return [None if seed is None else cygrad.zeros_like(out) for seed, out in zip(seeds, outs)]
        wanted = [seed for seed in seeds if seed is not None]
        found = iter(cygrad.autograd.grad([gradient for gradient, _ in pairs], wanted, [v for _, v in pairs],
                                          create_graph=bool(nested), allow_unused=True))
    finally:
        set_grad_mode(before)
    found = [None if seed is None else next(found) for seed in seeds]
    return [plain(t) if nested and before != 1 and t is not None else t for t in found]


def recorded(values):
    """Whether a tensor among these, or in a list of them, requires a gradient or has a visible tangent."""
    for value in values:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor) and (requires_backward(each) or visible_tangents(each)):
                return True
    return False


def flags(value, tangent):
    """For each edge of an argument whether its gradient is needed."""
    if isinstance(value, (list, tuple)):
        return [each is not None for each in tangent] if tangent is not None else [False] * len(value)
    return [tangent is not None]


def matched(tangent, gradient):
    """A tangent in the shape and dtype of a gradient that was not yet summed over what broadcasting repeated."""
    if tangent.shape != gradient.shape:
        fits = tangent.dim() <= gradient.dim()
        tangent = tangent.expand(gradient.shape) if fits else tangent.reshape(gradient.shape)
    return tangent if tangent.dtype is gradient.dtype else tangent.to(gradient.dtype)


def plain(t):
    """A tensor without history for backward, with its tangents."""
    out = t.detach()
    copy_tangents(out, t)
    return out


# ------------------------------------------------------------------------------ changes in place

def write_tangent(target, level, tangent):
    """Let the tangent of a tensor that was changed in place be `tangent` (None: zero), in the tangent's memory.

    The tangent of a view is a view of its base's, which so changes with it; a base that has none gets zeros first.
    """
    own = tangent_of(target, level)
    if own is None and tangent is None:
        return
    before, mode = hide(level)
    try:
        if own is None and target._is_view():
            base = target._base
            if tangent_of(base, level) is None:
                set_tangent(base, level, cygrad.zeros_like(base))
            own = window(tangent_of(base, level), base, target)
            set_tangent(target, level, own)
        if tangent is not None and own is not None and more_batches(tangent, own):
            spread_tangent(target, level, tangent)
        elif own is None:
            set_tangent(target, level, tangent.clone())         # it may be that of the tensor that was written
        elif own.is_leaf and requires_backward(own):
            set_tangent(target, level, cygrad.zeros_like(target) if tangent is None else tangent)
        elif tangent is None:
            own.zero_()
        else:
            own.copy_(tangent)
    finally:
        set_grad_mode(mode)
        set_depth(before)


def more_batches(tangent, own):
    """Whether a tangent is of a batch (inside `vmap`) that the tangent to be changed is not of."""
    if type(tangent) is Tensor:
        return False
    from cygrad.batching.levels import bare      # start-up time
    return not set(bare(tangent)[1]) <= set(bare(own)[1])


def spread_tangent(target, level, tangent):
    """`write_tangent` where the tangent written is of a batch: what had none for each example gets one."""
    base = target._base
    if base is not None:
        if not base.is_contiguous():
            raise NotImplementedError("a view of a tensor that is not contiguous can't be given a batch of tangents")
        places = cygrad.arange(base.numel(), device=base.device).as_strided(
            target.shape, target.stride(), target.storage_offset() - base.storage_offset())
        whole = tangent_of(base, level).reshape(-1).index_put((places.reshape(-1),), tangent.reshape(-1))
        set_tangent(base, level, whole.reshape(base.shape))
    set_tangent(target, level, tangent)


def window(tangent, base, view):
    """The part of a base's tangent that is where the view is in the base."""
    if tangent.stride() == base.stride() and tangent.dtype is view.dtype:
        offset = view.storage_offset() - base.storage_offset() + tangent.storage_offset()
        return tangent.as_strided(view.shape, view.stride(), offset)
    return None

