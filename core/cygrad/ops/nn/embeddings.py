"""Rows of a table by their indices: one for each index (`embedding`), or those of a bag combined (`embedding_bag`);
rows of the unit matrix (`one_hot`).

`nn.functional` has the same functions with the indices first; those of `cygrad` itself have the table first, as in
PyTorch. Gradients are dense: there are no sparse tensors, so `sparse=True` changes nothing.
"""
import math
from functools import lru_cache

import cygrad
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import fill_, in_steps
from cygrad.errors import warn
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import HALVES, need_tensors, refuse_complex_gradient

MODES = ("sum", "mean", "max")          # in the order of their numbers


def type_of(t):
    """A tensor's type as messages of PyTorch have it."""
    if t.dtype is cygrad.bool or t.is_complex():
        return f"CPU{SCALAR_NAMES[t.dtype.code]}Type"
    return t.type().replace("cygrad.", "torch.")


def need_indices(name, indices, argument="#1 'indices'"):
    if indices.dtype not in (cygrad.int64, cygrad.int32):
        raise RuntimeError(f"Expected tensor for argument {argument} to have one of the following scalar types: Long, "
                           f"Int; but got {type_of(indices)} instead (while checking arguments for {name})")


@primitive(name="embedding")
def _embedding(weight, indices, padding_idx, scale_grad_by_freq):
    rows = weight.index_select(0, indices.reshape(-1))
    return rows.view(*indices.shape, weight.shape[1])


def table_slope(grad, count, index, padding_idx, frequencies=None):
    """The gradient of a table of `count` rows, by those of the rows that were taken, (n, width)."""
    if padding_idx >= 0:
        grad = grad.masked_fill((index == padding_idx).unsqueeze(1), 0)
    if frequencies is not None:
        grad = grad / frequencies[index].unsqueeze(1)
    slope = grad.new_zeros((count, grad.shape[1]))
    if grad.dtype in HALVES:                                        # PyTorch rounds after each step
        return slope.index_put((index.long(),), grad, True)
    return slope.index_add(0, index, grad)


def embedding_slope(grad, shape, indices, padding_idx, scale_grad_by_freq):
    index = indices.reshape(-1)
    counts = cygrad.bincount(index, minlength=shape[0]) if scale_grad_by_freq else None
    return table_slope(grad.reshape(-1, shape[1]), shape[0], index, padding_idx, counts)


@op(method=False, name="embedding")
def rows_of_table(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """Rows of the table `weight`, one for each index: `nn.functional.embedding` with the table first.

    Parameters
    ----------
    weight : Tensor
        (rows, width).
    indices : Tensor
        int64 or int32, any shape.
    padding_idx : int
        This row gets no gradient.
    scale_grad_by_freq : bool
        Divide each row's gradient by how often it was taken.
    sparse : bool
        Gradients are dense in any case.

    Returns
    -------
    Tensor
        Of indices' shape and one axis more, of size width.

    Examples
    --------
    >>> cygrad.embedding(cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([1, 1, 0]))
    tensor([[3., 4.],
            [3., 4.],
            [1., 2.]])
    """
    if weight.dim() != 2:
        if weight._tracked():
            weight.size(0)                      # which a derivative asks for first
        raise RuntimeError("'weight' must be 2-D")
    need_indices("embedding", indices)
    refuse_complex_gradient(weight, "embedding")
    return _embedding(weight, indices, padding_idx, bool(scale_grad_by_freq))


@op(method=False)
def embedding_renorm_(input, indices, max_norm, norm_type):
    """Shorten the rows of a table that indices name and that are longer than `max_norm`, in place.

    Parameters
    ----------
    input : Tensor
        (rows, width).
    indices : Tensor
        int64 or int32.
    max_norm : float
    norm_type : float
        The p of the norm.

    Returns
    -------
    Tensor
        The table.

    Examples
    --------
    >>> cygrad.embedding_renorm_(cygrad.tensor([[3., 4.], [0., 1.]]), cygrad.tensor([0]), 1., 2.)
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """
    if input.dim() != 2:
        raise RuntimeError(f"Expected 2-dimensional tensor, but got {input.dim()}-dimensional tensor for argument #1 "
                           "'self' (while checking arguments for embedding_renorm_)")
    need_indices("embedding_renorm_", indices, "#2 'indices'")
    index = indices.reshape(-1).unique()
    rows = input.detach().index_select(0, index)
    norms = rows.norm(norm_type, 1, keepdim=True)
    shorter = cygrad.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)
    return input.index_copy_(0, index.to(cygrad.int64), shorter)


def shorten(weight, indices, max_norm, norm_type):
    if max_norm is not None:
        with cygrad.no_grad():
            embedding_renorm_(weight, indices, max_norm, norm_type)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Rows of the table `weight`, one for each index.

    Parameters
    ----------
    input : Tensor
        int64 or int32, any shape: the indices.
    weight : Tensor
        (rows, width).
    padding_idx : int, optional
        This row gets no gradient.
    max_norm : float, optional
        Rows that are taken are first shortened to this norm, in place.
    norm_type : float
        The p of that norm.
    scale_grad_by_freq : bool
        Divide each row's gradient by how often it was taken.
    sparse : bool
        Gradients are dense in any case.

    Returns
    -------
    Tensor
        Of input's shape and one axis more, of size width.

    Examples
    --------
    >>> cygrad.nn.functional.embedding(cygrad.tensor([1, 0]), cygrad.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        if not -weight.size(0) <= padding_idx < weight.size(0):
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= weight.size(0)
    shorten(weight, input, max_norm, norm_type)
    return rows_of_table(weight, input, padding_idx, scale_grad_by_freq, sparse)


# ----------------------------------------------------------------------------------------- bags

@primitive(name="embedding_bag")
def _embedding_bag(weight, indices, bags, sizes, per_sample_weights, options):
    """(result, places): `bags` has the bag of each index, `sizes` how many count in each; places are max's, or None.

    Options are (mode, padding_idx, scale_grad_by_freq, each, rest): bags of `each` indices, whose `bags` may be None,
    or of 0 for several sizes; the last `rest` indices count in the last bag's mean, but PyTorch does not sum them.
    """
    mode, padding_idx, _, each, rest = options
    shape = sizes.numel(), weight.shape[1]
    if mode != "max" and padding_idx < 0 and weight.dtype not in HALVES and indices.numel() and shape[0] * shape[1]:
        ends = regular_starts(shape[0], each, sizes.device) if each else starts_of(sizes)
        if rest:
            ends = ends.clone()
            ends[-1] -= rest
        out, chosen = empty_near(weight, shape), indices.to(cygrad.int64)
        call(weight, "gather_sum", (weight, chosen, ends, per_sample_weights, out), (4,))
        return (out / (each if each else sizes.clamp_min(1).unsqueeze(1)) if mode == "mean" else out), None
    rows = weight.index_select(0, indices)
    if mode == "max":
        if each and padding_idx < 0 and rows.numel():
            found, places = rows.unflatten(0, (-1, each)).max(1)
            first = cygrad.arange(0, len(rows), each, device=rows.device).unsqueeze(1)
            if not found.isnan().any():
                return found, indices.to(cygrad.int64)[places + first]
            bags = cygrad.arange(len(rows), device=rows.device) // each
        return largest_rows(rows, indices, bags, shape, padding_idx)
    if rows.dtype in HALVES:
        rows = rows.to(cygrad.float32)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    if padding_idx >= 0:
        rows = rows.masked_fill((indices == padding_idx).unsqueeze(1), 0)
    if rest:
        rows[-rest:] = 0
    out = (rows.unflatten(0, (-1, each)).sum(1) if bags is None else
           rows.new_zeros(shape).index_add_(0, bags, rows))
    out = out.to(weight.dtype)
    return (out / sizes.clamp_min(1).unsqueeze(1) if mode == "mean" else out), None


@lru_cache(16)
def regular_starts(bags, each, device):
    """Where each of some bags of `each` indices begins, and where the last one ends."""
    return cygrad.arange(0, (bags + 1) * each, each, device=device)


def starts_of(sizes):
    """The same of bags of these sizes."""
    starts = sizes.new_zeros(sizes.numel() + 1, dtype=cygrad.int64)
    starts[1:] = sizes.cumsum(0)
    return starts


def composed_gather_sum(a, index, starts, weights, out):
    """The backend's `gather_sum` of others of its entries."""
    starts = starts.clamp(0, len(index))
    sizes = (starts[1:] - starts[:-1]).clamp_min(0)
    bags = cygrad.arange(len(out), device=out.device).repeat_interleave(sizes)
    first = (starts[:-1] - sizes.cumsum(0) + sizes).repeat_interleave(sizes)
    places = cygrad.arange(len(bags), device=out.device) + first
    rows = a.index_select(0, index.index_select(0, places))
    if weights is not None:
        rows = rows * weights.index_select(0, places).unsqueeze(1)
    fill_(out, 0)
    out.index_add_(0, bags, rows)


OF_OPS["gather_sum"] = composed_gather_sum


def same_size(starts, count):
    """How many of `count` indices each bag has, if all have equally many; else 0."""
    bags = starts.numel()
    if not bags or count % bags:
        return 0
    regular = cygrad.arange(0, count, count // bags, dtype=starts.dtype, device=starts.device) if count else None
    return count // bags if count and starts.equal(regular) else 0


def largest_rows(rows, indices, bags, shape, padding_idx):
    """The largest element of each column in a bag, and from which row of the table it comes; 0 for an empty bag.

    Nothing is larger than NaN in the first row of a bag, and NaN in another one is larger than nothing.
    """
    if padding_idx >= 0:
        kept = (indices != padding_idx).nonzero().squeeze(1)
        rows, indices, bags = rows[kept], indices[kept], bags[kept]
    where = bags.unsqueeze(1).expand(rows.shape)
    order = cygrad.arange(len(rows), device=rows.device).unsqueeze(1).expand(rows.shape)
    first = order.new_full(shape, len(rows)).scatter_reduce(0, where, order, "amin")
    size = cygrad.where(rows.isnan(), cygrad.where(order == first.gather(0, where), math.inf, -math.inf), rows)
    out = size.new_full(shape, -math.inf).scatter_reduce(0, where, size, "amax")
    order = order.masked_fill(size != out.gather(0, where), len(rows))
    first = order.new_full(shape, len(rows)).scatter_reduce(0, where, order, "amin")
    empty = first == len(rows)
    if not len(indices):
        return out.masked_fill(empty, 0), cygrad.zeros_like(first)
    first = first.clamp_max(len(rows) - 1)
    return rows.gather(0, first).masked_fill(empty, 0), indices.to(cygrad.int64)[first].masked_fill(empty, 0)


def bags_slope(grad, shape, indices, bags, sizes, per_sample_weights, options, result):
    """The gradient of the table."""
    mode, padding_idx, scale_grad_by_freq, *_ = options
    if mode == "max":
        grad = grad.masked_fill((sizes == 0).unsqueeze(1), 0)
        return grad.new_zeros(shape).scatter_add(0, result[1], grad)
    if mode == "mean":
        grad = grad / sizes.clamp_min(1).unsqueeze(1)
    rows = of_bags(grad, bags, options)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    return table_slope(rows, shape[0], indices, padding_idx,
                       bag_frequencies(indices, shape[0]) if scale_grad_by_freq else None)


def of_bags(grad, bags, options):
    """The gradient of the bag that each index is in."""
    each = options[3]
    return grad.index_select(0, bags) if bags is not None else grad.unsqueeze(1).expand(-1, each, -1).flatten(0, 1)


def bag_frequencies(indices, count):
    """How often each row was taken, as PyTorch 2.13 has it: the i-th row in order has the count of the i-th index."""
    counts, taken = cygrad.bincount(indices, minlength=count), indices.unique()
    return counts.index_copy(0, taken.to(cygrad.int64), counts[indices.sort().values[:len(taken)]])


def samples_slope(grad, weight, indices, bags, options):
    """The gradient of the weights of the samples."""
    padding_idx = options[1]
    found = (of_bags(grad, bags, options) * weight.index_select(0, indices)).sum(1)
    return found if padding_idx < 0 else found.masked_fill(indices == padding_idx, 0)


WHERE = "(while checking arguments for embedding_bag)"


def quick(weight, padding_idx):
    """Whether PyTorch sums rows of the table in a pass that looks at the offsets alone."""
    return padding_idx is None and weight.dtype is not cygrad.float64 and weight.stride(1) == 1


def check_bags(weight, indices, offsets, per_sample_weights, include_last_offset, padding_idx, word):
    """PyTorch's refusals; it has another kernel, with other words, for sums of rows that lie side by side."""
    need_indices("embedding_bag", indices)
    need_indices("embedding_bag", offsets, "#1 'offsets'")
    if not weight.is_floating_point():
        raise RuntimeError("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
                           f"BFloat16, Float, Double; but got {type_of(weight)} instead {WHERE}")
    if weight.dim() != 2 or indices.dim() == 1 and offsets.dim() != 1 or not 0 < indices.dim() < 3:
        raise RuntimeError("input has to be a 1D or 2D, offsets a 1D, weight a 2D Tensor")
    rows = weight.size(0)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got "
                           f"{padding_idx}")
    if include_last_offset and not offsets.numel():
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if offsets.numel():
        first, last = offsets[0].item(), offsets[-1].item()
        if first != 0:
            raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                               f"position 0. However, got {first}\n[ {type_of(offsets)}{{}} ]")
        if last > indices.numel():
            raise RuntimeError(f"offsets[-1] can not be greater than input's length {indices.numel()} but got "
                               f"offsets[-1] of {last}")
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError("Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                           f"'per_sample_weights'; but type {type_of(weight)} does not equal "
                           f"{type_of(per_sample_weights)} {WHERE}")
    wrong = (indices < 0) | (indices >= rows)
    if indices.numel() and wrong.any().item():
        place = wrong.nonzero()[0].item()
        value = indices[place].item()
        if word != "max" and quick(weight, padding_idx):
            raise RuntimeError(f"Index {place} of input takes value {value} which is not in the valid "
                               f"range [0, {rows})")
        raise RuntimeError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {value}")


@op(method=False, name="embedding_bag")
def bags_of_table(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                  include_last_offset=False, padding_idx=None):
    """`nn.functional.embedding_bag` with the table first and a number for the mode: sum, mean, max.

    Parameters
    ----------
    weight, indices, offsets, scale_grad_by_freq, sparse, per_sample_weights, include_last_offset, padding_idx
        As in `nn.functional.embedding_bag`; `indices` is its `input`, of one axis.
    mode : {0, 1, 2}
        "sum", "mean" and "max".

    Returns
    -------
    tuple of Tensor
        The result; the bag of each index; how many indices count in each bag; the rows that "max" took. Of the latter
        three only what the mode needs is filled in.

    Examples
    --------
    >>> cygrad.embedding_bag(cygrad.eye(2), cygrad.tensor([0, 1, 1]), cygrad.tensor([0, 1]))[0]
    tensor([[1., 0.],
            [0., 2.]])
    """
    word = MODES[mode] if 0 <= mode < 3 else None
    check_bags(weight, indices, offsets, per_sample_weights, include_last_offset, padding_idx, word)
    if word is None or per_sample_weights is not None and word != "sum":
        raise RuntimeError("`mode` must be sum, mean, or max; per_sample_weights are for sum")
    given, empty = offsets.numel() - bool(include_last_offset), offsets.new_zeros(0)
    each = same_size(offsets[:given], indices.numel())
    if not given:
        return weight.new_zeros((0, weight.size(1))), empty, offsets.new_zeros(offsets.numel()), empty
    out, largest, bags, sizes = combined(weight, indices, offsets, scale_grad_by_freq, word, per_sample_weights,
                                         include_last_offset, padding_idx, each)
    if word == "sum" and quick(weight, padding_idx):
        bags = empty
    elif bags is None:
        bags = bags_of(offsets[:given], indices, each)
    zeros = sizes.new_zeros(given + bool(include_last_offset and word == "sum" and not weight.requires_grad))
    return (out, bags, zeros if word == "sum" else sizes,
            zeros if word == "sum" else sizes if word == "mean" else largest.detach())


def bags_of(starts, indices, each):
    """The bag of each index."""
    if each:
        bags = cygrad.arange(starts.numel(), dtype=starts.dtype, device=indices.device).unsqueeze(1)
        return bags.expand(starts.numel(), each).reshape(-1)
    places = cygrad.arange(indices.numel(), dtype=starts.dtype, device=indices.device)
    return cygrad.searchsorted(starts.contiguous(), places, right=True) - 1


def combined(weight, indices, offsets, scale_grad_by_freq, word, per_sample_weights, include_last_offset, padding_idx,
             each):
    """(result, largest's places, the bag of each index or None, how many count in each), checked and not empty."""
    padding, given, rest = -1 if padding_idx is None else padding_idx % weight.size(0), offsets.numel(), 0
    if include_last_offset:
        given -= 1
        if word != "max" and quick(weight, padding_idx):
            end = offsets[-1].item()                            # the rest is in no bag
            if word == "mean":
                rest = indices.numel() - end
            else:
                indices = indices[:end]
                per_sample_weights = per_sample_weights if per_sample_weights is None else per_sample_weights[:end]
                each = each if end == given * each else 0
    bags = None if each and padding < 0 else bags_of(offsets[:given], indices, each)
    if bags is None:
        sizes = offsets.new_full((given,), each)
    else:
        counted = cygrad.ones_like(bags) if padding < 0 else (indices != padding).to(bags.dtype)
        sizes = cygrad.zeros(given, dtype=bags.dtype, device=bags.device).index_add_(0, bags, counted)
    options = word, padding, bool(scale_grad_by_freq), each, rest
    out, largest = _embedding_bag(weight, indices, bags, sizes, per_sample_weights, options)
    return out, largest, bags, sizes


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """The sum, mean or maximum of the rows of a table that each bag of indices names.

    Parameters
    ----------
    input : Tensor
        (N,): the indices of all bags, or (bags, n), int64 or int32.
    weight : Tensor
        (rows, width).
    offsets : Tensor, optional
        (bags,): where each bag begins in an input of one axis.
    max_norm, norm_type
        As in `embedding`.
    scale_grad_by_freq : bool
        Divide each row's gradient by how often it was taken.
    mode : {"mean", "sum", "max"}
    sparse : bool
        Gradients are dense in any case.
    per_sample_weights : Tensor, optional
        Of input's shape: factors of the rows, for "sum" only.
    include_last_offset : bool
        The last offset is the end of the last bag.
    padding_idx : int, optional
        Indices of this value don't count.

    Returns
    -------
    Tensor
        (bags, width); zeros for an empty bag.

    Examples
    --------
    >>> table = cygrad.tensor([[1., 2.], [3., 4.]])
    >>> cygrad.nn.functional.embedding_bag(cygrad.tensor([0, 1, 1]), table, cygrad.tensor([0, 2]), mode="sum")
    tensor([[4., 6.],
            [3., 4.]])
    """
    if weight.dtype is cygrad.int64 and input.is_floating_point():
        warn("Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
             "deprecated, and should now be `embedding_bag(input, weight, ...)`.")
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must "
                         f"have the same shape as the input ({input.shape})")
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    bags = each = 0
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                             f"fixed length sequences. However, found offsets of type {type(offsets)}"
                             .replace("cygrad.tensor.", "torch."))
        bags, each = input.shape
        offsets = regular_starts(bags, each, input.device)[:-1].to(input.dtype) if bags and each else cygrad.arange(
            0, input.numel(), each, dtype=input.dtype, device=input.device)
        include_last_offset, input = False, input.reshape(-1)
        per_sample_weights = per_sample_weights if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        if not isinstance(include_last_offset, bool):
            raise TypeError("embedding_bag(): argument 'include_last_offset' must be bool")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode == "max":
        if scale_grad_by_freq:
            raise ValueError("max mode does not support scaling the gradient by the frequency")
        if sparse:
            raise ValueError("max mode does not support sparse weights")
    elif mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    shorten(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                  f"supported for mode='sum' (got mode='{mode}'). Please open a feature request on "
                                  "GitHub.")
    if each and bags:
        check_bags(weight, input, offsets, per_sample_weights, False, padding_idx, mode)
        return combined(weight, input, offsets, scale_grad_by_freq, mode, per_sample_weights, False, padding_idx,
                        each)[0]
    return bags_of_table(weight, input, offsets, scale_grad_by_freq, MODES.index(mode), sparse, per_sample_weights,
                         include_last_offset, padding_idx)[0]


def one_hot(tensor, num_classes=-1):
    """Ones at the given indices of a new last axis, zeros elsewhere.

    Parameters
    ----------
    tensor : Tensor
        int64.
    num_classes : int
        Size of the new axis; the largest index plus 1 when -1.

    Returns
    -------
    Tensor
        int64, with one axis more.

    Examples
    --------
    >>> cygrad.nn.functional.one_hot(cygrad.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    need_tensors("one_hot", input=tensor)
    if tensor.dtype is not cygrad.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return tensor.new_empty((*tensor.shape, num_classes))
    if tensor.min().item() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = tensor.max().item()
    if num_classes == -1:
        num_classes = largest + 1
    elif largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return in_steps(tensor.new_zeros((*tensor.shape, num_classes)).scatter_(-1, tensor.unsqueeze(-1), 1))
