"""Rules of gathering, scattering and of what looks things up along an axis."""
from cygrad.batching.rules.helpers import axis, is_batched, rule, whole
from cygrad.batching.rules.reduce import raise_no_rule
from cygrad.batching.wrapping import batched
from cygrad.tensor import Tensor


@rule("gather take_along_dim")
def gathers(level, op, x, *args, **kwargs):
    args = list(args)
    if op.op == "gather":
        dim = args.pop(0) if args else kwargs.pop("dim")
        index = args.pop(0) if args else kwargs.pop("index")
    else:
        index = args.pop(0) if args else kwargs.pop("indices")
        dim = args.pop(0) if args else kwargs.pop("dim", None)
    value, places = whole(x, level), whole(index, level)
    if dim is None:
        return op(value.flatten(1) if x.dim() else value.unsqueeze(-1), places.flatten(1), 1)
    place = axis(dim, x.dim())
    if x.dim() == 0 or index.dim() == 0:
        value = value.unsqueeze(-1) if x.dim() == 0 else value
        found = value.gather(1, places.unsqueeze(-1) if index.dim() == 0 else places)
        return found.squeeze(-1) if index.dim() == 0 else found
    return op(value, place, places, **kwargs) if op.op == "gather" else op(value, places, place)


@rule("scatter scatter_add scatter_reduce")
def scatters(level, op, x, dim, index, src, *args, **kwargs):
    if x.dim() == 0 or index.dim() == 0 or isinstance(src, Tensor) and src.dim() == 0:
        raise_no_rule()
    source = whole(src, level) if isinstance(src, Tensor) else src
    return op(whole(x, level), axis(dim, x.dim()), whole(index, level), source, *args, **kwargs)


@rule("scatter_ scatter_add_ scatter_reduce_")
def scatters_in_place(level, op, x, dim, index, src, *args, **kwargs):
    if not is_batched(x, level) or x.dim() == 0 or index.dim() == 0:
        raise_no_rule()
    source = whole(src, level) if isinstance(src, Tensor) else src
    op(x.value, axis(dim, x.dim()), whole(index, level), source, *args, **kwargs)
    return x


@rule("index_select")
def selects(level, op, x, dim, index):
    if x.dim() == 0:
        raise_no_rule()
    if not is_batched(index, level):
        return op(x.value, axis(dim, x.dim()), index)
    return x.movedim(dim, 0)[index if index.dim() else index.unsqueeze(0)].movedim(0, dim)


@rule("index_add index_copy index_fill")
def changes_slices(level, op, x, dim, index, source, **kwargs):
    if is_batched(index, level) or x.dim() == 0 or not is_batched(x, level) and op.op == "index_fill":
        raise_no_rule()
    fills = op.op == "index_fill"
    if isinstance(source, Tensor) and (fills and is_batched(source, level) or source.dim() == 0):
        raise_no_rule()
    if isinstance(source, Tensor) and source.dim():
        source = whole(source, level)
    return op(whole(x, level), axis(dim, x.dim()), index, source, **kwargs)


@rule("take")
def takes(level, op, x, index):
    flat = x.reshape(-1)
    return flat[index]


@rule("masked_select nonzero argwhere unique unique_consecutive")
def of_varying_size(level, op, *args, **kwargs):
    raise RuntimeError("vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap "
                       f"over aten::{op.name}. Please voice your support in "
                       "https://github.com/pytorch/functorch/issues/256")


@rule("select_scatter")
def select_scatter(level, op, x, src, dim, index):
    return op(whole(x, level), whole(src, level), axis(dim, x.dim()), index)


@rule("slice_scatter")
def slice_scatter(level, op, x, src, dim=0, *args, **kwargs):
    return op(whole(x, level), whole(src, level), axis(dim, x.dim()), *args, **kwargs)


@rule("diagonal_scatter")
def diagonal_scatter(level, op, x, src, offset=0, dim1=0, dim2=1):
    return op(whole(x, level), whole(src, level), offset, axis(dim1, x.dim()), axis(dim2, x.dim()))


@rule("bucketize isin")
def looks_up(level, op, x, boundaries, **kwargs):
    if not is_batched(x, level) or is_batched(boundaries, level):
        raise_no_rule()
    return op(x.value, boundaries, **kwargs)


@rule("index_put index_put_")
def index_put(level, op, x, indices, values, accumulate=False):
    from cygrad.batching.keys import put      # start-up time
    return put(level, x, tuple(indices), values, accumulate, op.name.endswith("_"))


@rule("embedding")
def embeds(level, op, first, second, *args, **kwargs):
    weight, indices = first, second
    if indices.dtype.is_floating_point:                     # nn.functional's order
        weight, indices = second, first
    if args and args[0] not in (None, -1) or kwargs.get("max_norm") is not None or kwargs.get("scale_grad_by_freq"):
        raise_no_rule()
    padding = kwargs.get("padding_idx")
    if padding is not None:
        raise_no_rule()
    return weight[indices]


@rule("one_hot")
def one_hot(level, op, x, num_classes=-1):
    if num_classes < 0:
        raise_no_rule()
    return op(x.value, num_classes)


@rule("searchsorted")
def searchsorted(level, op, boundaries, values, **kwargs):
    if not isinstance(values, Tensor) or boundaries.dim() != 1 or kwargs.get("sorter") is not None:
        raise_no_rule()
    if not is_batched(boundaries, level):
        return op(boundaries, values.value, **kwargs)
    found = op(boundaries.value, whole(values, level).reshape(level.size, -1).contiguous(), **kwargs)
    return batched(found.reshape(level.size, *values.shape), level)
