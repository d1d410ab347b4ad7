"""Rules of views, and of what joins, cuts and moves."""
import math

import cygrad
from cygrad.batching.rules.helpers import axes, axis, example, is_batched, rule, whole
from cygrad.tensor import Tensor


def sizes(found):
    """Sizes given one by one or as one sequence."""
    return tuple(found[0]) if len(found) == 1 and isinstance(found[0], (tuple, list)) else tuple(found)


@rule("transpose swapaxes swapdims")
def swaps(level, op, x, dim0, dim1):
    return x.value.transpose(axis(dim0, x.dim()), axis(dim1, x.dim())) if x.dim() else x.value


@rule("t")
def transposes(level, op, x):
    if x.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {x.dim()}D")
    return x.value.transpose(1, 2) if x.dim() == 2 else x.value


@rule("adjoint")
def adjoint(level, op, x):
    return op(x.value)


@rule("permute")
def permutes(level, op, x, *dims, **kwargs):
    dims = sizes(dims) if dims else tuple(kwargs.get("dims", ()))
    if len(dims) != x.dim():
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {x.dim()} is not equal to "
                           f"len(dims) = {len(dims)}")
    return x.value.permute(0, *axes(dims, x.dim()))


@rule("movedim moveaxis")
def moves(level, op, x, source, destination):
    source, destination = [axes(d, x.dim()) if isinstance(d, (tuple, list)) else axis(d, x.dim())
                           for d in (source, destination)]
    return op(x.value, source, destination)


@rule("unsqueeze")
def unsqueezes(level, op, x, dim):
    return x.value.unsqueeze(axis(dim, x.dim(), 1))


@rule("squeeze")
def squeezes(level, op, x, dim=None):
    if dim is None:
        dims = tuple([i for i in range(1, x.dim() + 1) if x.value.shape[i] == 1])
        return x.value.squeeze(dims) if dims else x.value.view_as(x.value)
    if not x.dim():
        return x.value.view_as(x.value)
    return x.value.squeeze(axes(dim, x.dim()) if isinstance(dim, (tuple, list)) else axis(dim, x.dim()))


@rule("select")
def selects(level, op, x, dim, index):
    if isinstance(index, Tensor) and is_batched(index, level):
        return again_selected(level, x, dim, index)
    return x.value.select(axis(dim, x.dim()), index)


def again_selected(level, x, dim, index):
    return x.movedim(dim, 0)[index]


@rule("narrow narrow_copy")
def narrows(level, op, x, dim, start, length):
    return op(x.value, axis(dim, x.dim()), start, length)


@rule("view reshape")
def views(level, op, x, *shape, **kwargs):
    if "shape" in kwargs or "size" in kwargs:
        shape = (kwargs.get("shape", kwargs.get("size")),)
    if "dtype" in kwargs or len(shape) == 1 and isinstance(shape[0], cygrad.dtype):
        if not x.dim():
            raise RuntimeError("self.dim() cannot be 0 to view a batch as another dtype")
        return op(x.value, *shape, **kwargs)
    shape = sizes(shape)
    if -1 in shape and not x.value.shape[0]:
        shape = cygrad.empty(x.shape).view(shape).shape
    return op(x.value, (x.value.shape[0], *shape))


@rule("view_as reshape_as")
def views_as(level, op, x, other):
    shape = other.shape
    return (x.value if is_batched(x, level) else whole(x, level)).reshape((level.size, *shape))


@rule("expand broadcast_to")
def expands(level, op, x, *shape, **kwargs):
    shape = sizes(shape) if shape else tuple(kwargs.get("size", kwargs.get("shape")))
    value = x.value
    missing = len(shape) - x.dim()
    if missing > 0:
        value = value.view(value.shape[0], *(1,) * missing, *value.shape[1:])
    return value.expand(value.shape[0], *shape)


@rule("expand_as")
def expands_as(level, op, x, other):
    return example(x.expand(other.shape), level)


@rule("sum_to_size")
def sums_to(level, op, x, *shape):
    shape = sizes(shape)
    lead = x.dim() - len(shape)
    value = x.value
    if lead:
        value = value.sum(tuple(range(1, lead + 1)))
    dims = tuple([i + 1 for i, n in enumerate(shape) if n == 1 and value.shape[i + 1] != 1])
    return value.sum(dims, True) if dims else value


@rule("flatten")
def flattens(level, op, x, start_dim=0, end_dim=-1):
    if not x.dim():
        return x.value.unsqueeze(-1)
    return x.value.flatten(axis(start_dim, x.dim()), axis(end_dim, x.dim()))


@rule("ravel")
def ravels(level, op, x):
    return x.value.flatten(1) if x.dim() else x.value.unsqueeze(-1)


@rule("unflatten")
def unflattens(level, op, x, dim, sizes):
    return x.value.unflatten(axis(dim, x.dim()), sizes)


@rule("unfold")
def unfolds(level, op, x, dimension, size, step):
    if not x.dim():
        return x.value.unsqueeze(-1).unfold(1, size, step).squeeze(1)
    return x.value.unfold(axis(dimension, x.dim()), size, step)


@rule("diagonal linalg_diagonal")
def diagonals(level, op, x, offset=0, dim1=None, dim2=None):
    first = (0, 1) if op.op == "diagonal" else (-2, -1)
    dim1, dim2 = first[0] if dim1 is None else dim1, first[1] if dim2 is None else dim2
    return x.value.diagonal(offset, axis(dim1, x.dim()), axis(dim2, x.dim()))


@rule("diag_embed")
def embeds_diagonal(level, op, x, offset=0, dim1=-2, dim2=-1):
    return op(x.value, offset, axis(dim1, x.dim(), 1), axis(dim2, x.dim(), 1))


@rule("diag")
def diag(level, op, x, diagonal=0):
    return x.value.diag_embed(diagonal) if x.dim() == 1 else x.value.diagonal(diagonal, 1, 2)


@rule("diagflat")
def diagflat(level, op, x, offset=0):
    return (x.value.flatten(1) if x.dim() else x.value.unsqueeze(-1)).diag_embed(offset)


@rule("tril triu")
def triangles(level, op, x, *args, **kwargs):
    return op(x.value, *args, **kwargs)


@rule("trace")
def trace(level, op, x):
    return x.value.diagonal(0, 1, 2).sum(-1)


@rule("split chunk tensor_split split_with_sizes unsafe_chunk unsafe_split")
def splits(level, op, x, count, dim=0, **kwargs):
    return op(x.value, count, axis(dim, x.dim()), **kwargs)


@rule("unbind")
def unbinds(level, op, x, dim=0):
    return x.value.unbind(axis(dim, x.dim()))


@rule("cat concat concatenate")
def joins(level, op, tensors, dim=0, **kwargs):
    tensors = [t for t in tensors if t.dim() != 1 or t.shape[0] or all(each.dim() == 1 for each in tensors)]
    return cygrad.cat([whole(t, level) for t in tensors], axis(kwargs.get("axis", dim), tensors[0].dim()))


@rule("stack")
def stacks(level, op, tensors, dim=0, **kwargs):
    return cygrad.stack([whole(t, level) for t in tensors], axis(dim, tensors[0].dim(), 1))


@rule("hstack")
def hstacks(level, op, tensors):
    tensors = list(map(cygrad.atleast_1d, tensors))
    return cygrad.cat(tensors, 0 if tensors[0].dim() == 1 else 1)


@rule("vstack row_stack")
def vstacks(level, op, tensors):
    return cygrad.cat(list(map(cygrad.atleast_2d, tensors)), 0)


@rule("dstack")
def dstacks(level, op, tensors):
    return cygrad.cat(list(map(cygrad.atleast_3d, tensors)), 2)


@rule("column_stack")
def column_stacks(level, op, tensors):
    return cygrad.cat([t.reshape(t.numel(), 1) if t.dim() <= 1 else t for t in tensors], 1)


@rule("atleast_1d atleast_2d atleast_3d")
def at_least(level, op, *tensors):
    if len(tensors) > 1 or isinstance(tensors[0], (tuple, list)):
        return tuple(example(op(t), level) for t in sizes(tensors))
    x, wanted = tensors[0], int(op.op[-2])
    if x.dim() >= wanted:
        return x
    if x.dim() == 0:
        return x.reshape((1,) * wanted)
    if wanted == 2:
        return x.unsqueeze(0)
    return x.unsqueeze(0).unsqueeze(-1) if x.dim() == 1 else x.unsqueeze(-1)


@rule("repeat tile")
def repeats(level, op, x, *counts, **kwargs):
    counts = sizes(counts) if counts else tuple(kwargs.get("repeats", kwargs.get("dims", kwargs.get("repeat"))))
    value = x.value
    if op.op == "tile" and len(counts) < x.dim():
        counts = (1,) * (x.dim() - len(counts)) + counts
    missing = len(counts) - x.dim()
    if missing < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if missing:
        value = value[(slice(None), *(None,) * missing)]
    return value.repeat(1, *counts)


@rule("flip")
def flips(level, op, x, *dims, **kwargs):
    dims = sizes(dims) if dims else kwargs["dims"]
    dims = (dims,) if isinstance(dims, int) else dims
    return x.value.flip(axes(dims, x.dim())) if x.dim() and dims else x.value.clone()


@rule("fliplr flipud")
def flips_one(level, op, x):
    return x.value.flip(2 if op.op == "fliplr" else 1)


@rule("rot90")
def turns(level, op, x, k=1, dims=(0, 1)):
    return op(x.value, k, axes(dims, x.dim()))


@rule("roll")
def rolls(level, op, x, shifts, dims=None):
    if dims is None or dims == ():
        value = x.value.flatten(1) if x.dim() else x.value.unsqueeze(-1)
        return value.roll(shifts, 1).view(x.value.shape)
    return x.value.roll(shifts, axes(dims, x.dim()) if isinstance(dims, (tuple, list)) else axis(dims, x.dim()))


@rule("repeat_interleave")
def repeats_each(level, op, x, repeats, dim=None, **kwargs):
    if isinstance(repeats, Tensor):
        from cygrad.batching.rules.reduce import raise_no_rule      # start-up time
        raise_no_rule()
    value = (x.value.flatten(1) if x.dim() else x.value.unsqueeze(-1)) if dim is None else x.value
    return value.repeat_interleave(repeats, 1 if dim is None else axis(dim, x.dim()), **kwargs)


@rule("broadcast_tensors")
def broadcasts(level, op, *tensors):
    tensors = sizes(tensors)
    shape = cygrad.broadcast_shapes(*[t.shape for t in tensors])
    return tuple(example(t.expand(shape), level) for t in tensors)


@rule("meshgrid")
def grids(level, op, *tensors, indexing="ij"):
    tensors = sizes(tensors)
    count = len(tensors)
    lines = [t.reshape(*(-1 if i == j else 1 for j in range(count))) for i, t in enumerate(tensors)]
    made = cygrad.broadcast_tensors(*lines)
    return tuple(t.transpose(0, 1) for t in made) if indexing == "xy" and count > 1 else tuple(made)


@rule("numel")
def counts(level, op, x):
    return math.prod(x.shape)


@rule("as_strided")
def strided(level, op, x, size, stride, storage_offset=None):
    """A window on each example, as if its elements alone were in memory; on a copy of it where they don't lie so."""
    value = x.value if x.value.stride(0) else x.value.contiguous()     # examples on the same memory share gradients
    lie_so = value.shape[0] > 0 and value[0].is_contiguous()
    reach = sum((n - 1) * step for n, step in zip(size, stride)) + (storage_offset or 0)
    if lie_so and min(stride, default=0) >= 0 and 0 <= reach < math.prod(x.shape) and 0 not in size:
        return value.as_strided((value.shape[0], *size), (value.stride(0), *stride),
                                value.storage_offset() + (storage_offset or 0))
    return cygrad.stack([op(each.clone(memory_format=cygrad.contiguous_format), size, stride, storage_offset)
                         for each in value.unbind(0)])


@rule("kron")
def kron(level, op, x, y):
    rank = max(x.dim(), y.dim())
    x, y = [t.reshape((1,) * (rank - t.dim()) + tuple(t.shape)) for t in (x, y)]
    wide = x.reshape([n for size in x.shape for n in (size, 1)]) * y.reshape([n for size in y.shape for n in (1, size)])
    return wide.reshape([a * b for a, b in zip(x.shape, y.shape)])
