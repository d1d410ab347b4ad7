"""Derivatives of the ops that only change geometry, and of copies."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import not_implemented, placed, written
from cygrad.autograd.forward_levels import batch_depth, depth, requiring_gradient
from cygrad.autograd.modes import grad_mode
from cygrad.autograd.view_gradients import as_strided_backward
from cygrad.ops.declare.primitives import primitive

derivative("reshape_alias", self=lambda grad, self_shape: grad.reshape(self_shape))
derivative("view", self=lambda grad, self_shape: grad.reshape(self_shape))
derivative("t", self=lambda grad: grad.t())
derivative("transpose", self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))
derivative("permute", self=lambda grad, dims: grad.permute(inverse_permutation(dims)))
derivative("expand", self=lambda grad, self_shape: grad.sum_to_size(self_shape) if self_shape else grad.sum())
derivative("select", self=lambda grad, self_shape, dim, index:
           placed(grad, self_shape, lambda t: t.select(dim, index), "Select"))
derivative("slice", self=lambda grad, self_shape, dim, start, stop, step:
           placed(grad, self_shape, lambda t: cygrad.ops.shape.slices.slice_along(t, dim, slice(start, stop, step)),
                  "Slice"))
derivative("squeeze", self=lambda grad, self_shape: unsqueezed(grad, self_shape, range(len(self_shape))))
derivative("squeeze_dim", name="SqueezeBackward1", self=lambda grad, self_shape, dim:
           unsqueezed(grad, self_shape, (dim,)))
derivative("squeeze_dims", name="SqueezeBackward2", self=lambda grad, self_shape, dims:
           unsqueezed(grad, self_shape, dims))
derivative("unsqueeze", self=lambda grad, self_shape, dim: grad.squeeze(dim))      # the shape is for the shortcut
derivative("diagonal", self=lambda grad, self_shape, offset, dim1, dim2:
           placed(grad, self_shape, lambda t: t.diagonal(offset, dim1, dim2), "Diagonal"))
derivative("as_strided", self=lambda grad, self_geometry, size, stride, storage_offset:
           as_strided_backward(grad, self_geometry, size, stride, storage_offset))
derivative("alias", self=lambda grad: grad)
derivative("primal", name="Identity", self=lambda grad: grad)
derivative("clone", self=lambda grad: grad)
derivative("to_copy", self=lambda grad: grad)
derivative("copy", name="CopyBackwards", self=lambda grad: grad.new_zeros(grad.shape), src=lambda grad: grad)
for _name, _node in ("fill", "FillBackward2"), ("filled", "FillBackward0"):       # in place, and a copy
    derivative(_name, name=_node, self=lambda grad: cygrad.zeros_like(grad))
for _name, _node in ("fill_tensor", "FillBackward3"), ("filled_by_tensor", "FillBackward1"):
    derivative(_name, name=_node, self=lambda grad: cygrad.zeros_like(grad), value=lambda grad: grad.sum())
derivative("zero", self=lambda grad: cygrad.zeros_like(grad))
derivative("unfold", self=lambda grad, self_shape, dimension, size, step:
           unfold_backward(grad, self_shape, dimension, size, step))
derivative("overlapping", name="UnfoldBackwardBackward0", grad=lambda grad, dimension, size, step:
           grad.unfold(dimension, size, step))
derivative("unbind", self=lambda grads, self_shape, dim:
           cygrad.stack([materialized(g, _without(self_shape, dim), grads) for g in grads], dim))
for _name in ("split_with_sizes", "unsafe_split_with_sizes"):
    derivative(_name, self=lambda grads, self_shape, split_sizes, dim:
               cygrad.cat([materialized(g, _with(self_shape, dim, n), grads) for g, n in zip(grads, split_sizes)], dim))
derivative("cat", tensors=lambda grad, dim, sizes: _parts(grad, dim, sizes))
derivative("stack", tensors=lambda grad, dim: [grad.select(dim, i) for i in range(grad.size(dim))])
for _name in ("split", "unsafe_split"):
    derivative(_name, self=lambda grads, self_shape, split_size, dim:
               cygrad.cat([materialized(g, _with(self_shape, dim, n), grads)
                           for g, n in zip(grads, _even_sizes(self_shape[dim], split_size))], dim))
derivative("repeat", self=lambda grad, self_shape, repeats: repeat_backward(grad, self_shape, repeats))
derivative("flip", self=lambda grad, dims: grad.flip(dims))
derivative("rot90", self=lambda grad, k, dims: grad.rot90(-k, dims))
derivative("roll", self=lambda grad, shifts, dims: grad.roll([-s for s in shifts], dims))
derivative("diag_embed", self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
derivative("narrow_copy", self=lambda grad, self_shape, dim, start, length:
           placed(grad, self_shape, lambda t: t.narrow(dim, start, length), "Slice"))
derivative("block_diag", tensors=lambda grad, shapes: _blocks(grad, shapes))

# ------------------------------------------------- geometry changed in place

derivative("t_", name="TBackward1", self=lambda grad: grad.t())
derivative("transpose_", name="TransposeBackward1", self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))
derivative("squeeze_", name="SqueezeBackward3", self=lambda grad, self_shape:
           unsqueezed(grad, self_shape, range(len(self_shape))))
derivative("squeeze_dim_", name="SqueezeBackward4", self=lambda grad, self_shape, dim:
           unsqueezed(grad, self_shape, (dim,)))
derivative("squeeze_dims_", name="SqueezeBackward5", self=lambda grad, self_shape, dim:
           unsqueezed(grad, self_shape, dim))
derivative("unsqueeze_", name="UnsqueezeBackward1", self=lambda grad, dim: grad.squeeze(dim))
derivative("as_strided_", name="AsStridedBackward1", self=lambda grad, self_geometry, size, stride, storage_offset:
           as_strided_backward(grad, self_geometry, size, stride, storage_offset))

# --------------------------------------------------------------- copies of views

derivative("copied_detach", name="NotImplemented", self=not_implemented("aten::detach_copy"))
derivative("copied_alias", name="AliasBackward0_copy", self=lambda grad: grad)
for _name in ("as_strided", "diagonal", "expand", "permute", "select", "slice", "squeeze", "t", "transpose",
              "unfold", "unsqueeze", "view"):
    derivative("copied_" + _name, name=f"{_name.title().replace('_', '')}Backward0_copy",
               self=lambda grad, self_geometry, show: through_view([grad], self_geometry, show))
derivative("copied_view_as_complex", name="ViewAsComplexBackward0_copy",
           self=lambda grad: cygrad.view_as_real(grad.contiguous().resolve_conj()))
derivative("copied_view_as_real", name="ViewAsRealBackward0_copy",
           self=lambda grad: cygrad.view_as_complex(grad.contiguous()))
for _name, _number in (("squeeze_dim", 1), ("squeeze_dims", 2)):
    derivative("copied_" + _name, name=f"SqueezeBackward{_number}_copy",
               self=lambda grad, self_geometry, show: through_view([grad], self_geometry, show))
for _name in ("split", "split_with_sizes", "unbind"):
    derivative("copied_" + _name, name=f"{_name.title().replace('_', '')}Backward0_copy",
               self=lambda grads, self_geometry, show: through_view(grads, self_geometry, show))


def through_view(grads, geometry, show):
    """The gradient of a tensor of this geometry, from those of what `show` makes views of."""
    size, stride, offset = geometry
    reach = offset + 1 + sum((n - 1) * s for n, s in zip(size, stride)) if 0 not in size else offset
    like = next(grad for grad in grads if grad is not None)
    with cygrad.enable_grad():      # not `like.new_zeros`: of a gradient that stands for a batch, that is a batch, too
        zeros = cygrad.zeros(reach, dtype=like.dtype, device=like.device)
        x = requiring_gradient(zeros.as_strided(*geometry).detach())
        shown = show(x)
        pairs = [(part, grad) for part, grad in zip(shown if isinstance(shown, tuple) else (shown,), grads)
                 if grad is not None]
    return cygrad.autograd.grad([part for part, _ in pairs], x, [grad for _, grad in pairs],
                                create_graph=grad_mode())[0]


def repeat_backward(grad, shape, repeats):
    """The sum over all copies."""
    if 0 in repeats:
        return written(grad.new_zeros(shape))
    added = len(repeats) - len(shape)
    for _ in range(added):
        grad = grad.sum(0)
    sizes, copies = [], []
    for n, size in zip(repeats[added:], shape):
        if n != 1:
            copies.append(len(sizes))
            sizes.append(n)
        sizes.append(size)
    return grad.reshape(sizes).sum(copies) if copies else grad


def _even_sizes(total, size):
    """The sizes that `split` gives the parts."""
    found = []
    while total > 0 or not found:
        found.append(min(size, total))
        total -= size
    return found


def _blocks(grad, shapes):
    """The gradient of each block of a block-diagonal matrix."""
    found, row, column = [], 0, 0
    for shape in shapes:
        rows, columns = (1, *shape)[-2:] if shape else (1, 1)
        part = grad.narrow(0, row, rows).narrow(1, column, columns)
        for _ in range(2 - len(shape)):
            part = part.squeeze(0)
        found.append(part)
        row, column = row + rows, column + columns
    return found


def _parts(grad, dim, sizes):
    """The parts of axis `dim`, and zeros for the empty tensors that `cat` skipped."""
    start, found = 0, []
    for n in sizes:
        found.append(grad.new_zeros(0) if n is None else grad.narrow(dim, start, n))
        start += n or 0
    return found


def inverse_permutation(dims):
    inverse = [0] * len(dims)
    for i, d in enumerate(dims):
        inverse[d] = i
    return inverse


def unfold_backward(grad, shape, dimension, size, step):
    """Windows overlap: each element gets the sum over the windows that show it."""
    if grad_mode() and not depth() and not batch_depth():
        return overlapping(grad, shape, dimension, size, step)
    return overlapping.forward(grad, shape, dimension, size, step)


@primitive
def overlapping(grad, shape, dimension, size, step):
    if not shape:
        return grad.sum()
    places = cygrad.arange(shape[dimension], device=grad.device).unfold(0, size, step)
    moved = grad.movedim(dimension, -2)
    flat = moved.reshape(*moved.shape[:-2], moved.shape[-2] * moved.shape[-1])
    out = flat.new_zeros(*flat.shape[:-1], shape[dimension])
    out = out.index_add(-1, places.reshape(-1), flat).movedim(-1, dimension)
    return out.clone(memory_format=cygrad.contiguous_format)


def unsqueezed(grad, shape, dims):
    """The axes of size 1 among `dims`, which `squeeze` took away, put back."""
    for dim in sorted([dim % len(shape) for dim in dims if shape]):
        if shape[dim] == 1:
            grad = grad.unsqueeze(dim)
    return grad


def materialized(grad, shape, grads):
    """A gradient that did not arrive, as zeros like those that did."""
    if grad is not None:
        return grad
    return next(g for g in grads if g is not None).new_zeros(shape)


def _without(shape, dim):
    return shape[:dim] + shape[dim + 1:]


def _with(shape, dim, n):
    return shape[:dim] + (n,) + shape[dim + 1:]
