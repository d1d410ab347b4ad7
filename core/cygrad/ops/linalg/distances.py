"""Distances and similarities between vectors, and the product of two with a tensor between them."""
from functools import lru_cache

import cygrad
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES, result_type
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import HALVES, need_tensors, refused
from cygrad.ops.reduce.integration import add_number

FEW_ROWS = 64       # whose pairs are kept
MANY_ROWS = 25      # from here on PyTorch takes Euclidean distances from a product of matrices
MODES = {"use_mm_for_euclid_dist_if_necessary": 0, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}


@op(method=False)
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distances of every row of `x1` to every row of `x2`.

    Parameters
    ----------
    x1 : Tensor
        (..., rows, columns)
    x2 : Tensor
        (..., other rows, columns)
    p : float
        Which norm.
    compute_mode : str
        Whether Euclidean distances are taken from a product of matrices, which is fast and less exact:
        "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", or, from 25 rows on,
        "use_mm_for_euclid_dist_if_necessary".

    Returns
    -------
    Tensor
        (..., rows, other rows)

    Raises
    ------
    RuntimeError
        For tensors that are not floating-point, have less than two axes or rows of different lengths, or a negative p.

    Examples
    --------
    >>> cygrad.cdist(cygrad.tensor([[0., 0.], [3., 4.]]), cygrad.tensor([[0., 0.]]))
    tensor([[0.],
            [5.]])
    """
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    check_rows(x1, x2, p)
    mode, rows = MODES[compute_mode], max(x1.shape[-2], x2.shape[-2])
    if p == 2 and x1.numel() and x2.numel() and (mode == 1 or mode == 0 and rows > MANY_ROWS):
        return by_product(x1, x2)
    return _cdist(x1, x2, p)


def check_rows(x1, x2, p):
    need_tensors("cdist", x1=x1, x2=x2)
    if not isinstance(p, (int, float)):
        raise TypeError("cdist(): argument 'p' must be float")
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {SCALAR_NAMES[x.dtype.code]}")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    for name, x in (("X1", x1), ("X2", x2)):
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.dim()}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if x1.dtype in HALVES and x1.numel() and x2.numel():
        raise refused("cdist", x1.dtype)
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[x1.dtype.code]} but found "
                           f"{SCALAR_NAMES[x2.dtype.code]}")


@primitive(name="cdist")
def _cdist(x1, x2, p):
    return length(x1.unsqueeze(-2) - x2.unsqueeze(-3), p).contiguous()


def length(apart, p):
    """The p-norm of each row; that of order 0 counts what is not 0, and is NaN where something is."""
    return apart.abs().ceil().clamp_max(1).sum(-1) if p == 0 else cygrad.norm(apart, p, -1)


def direction(apart):
    return apart.where(apart.isnan(), apart.sgn())


def by_product(x1, x2):
    """Euclidean distances from a product of matrices, of as many leading axes as both have together."""
    batch = tuple(cygrad.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]))
    x1, x2 = (x.expand(*batch, *x.shape[-2:]) for x in (x1, x2))
    return _euclidean(x1, x2).view(*batch, x1.shape[-2], x2.shape[-2])


@primitive(name="euclidean_dist")
def _euclidean(x1, x2):
    """sqrt(|a|^2 - 2 a b + |b|^2), all three terms from one product."""
    first, second = (x.square().sum(-1, keepdim=True) for x in (x1, x2))
    left = cygrad.cat([x1 * -2, first, cygrad.ones_like(first)], -1)
    right = cygrad.cat([x2, cygrad.ones_like(second), second], -1)
    return (left @ right.mT).clamp_min(0).sqrt()


def euclidean_slope(grad, x1, x2, result):
    """Gradient by `x1`; grad / result is what each difference x1 - x2 is multiplied by."""
    here = result != 0
    ratio = (grad / result.where(here, 1)).where(here, 0)
    return x1 * ratio.sum(-1, keepdim=True) - ratio @ x2


def apart_slope(grad, apart, p, distance):
    """Gradient of the p-norm of each row of `apart`, which is 0 where the distance is 0."""
    grad, distance = grad.unsqueeze(-1), distance.unsqueeze(-1)
    if p == 0:
        return cygrad.zeros_like(apart)
    if p == 1:
        return grad * direction(apart)
    if p == float("inf"):
        return grad * direction(apart) * (apart.abs() == distance)
    here = distance != 0
    safe = distance.where(here, 1)
    if p == 2:
        return apart * (grad / safe).where(here, 0)
    size = apart.abs()
    there = size != 0
    power = (size.where(there, 1) / safe).pow(p - 1).where(there & here, 0)
    return grad * direction(apart) * power


@op(method=False)
def pdist(input, p=2.0):
    """The p-norm distances of every two rows.

    Parameters
    ----------
    input : Tensor
        (rows, columns), float32 or float64.
    p : float
        Which norm.

    Returns
    -------
    Tensor
        (rows * (rows - 1) / 2,): of row 0 to rows 1, 2, ..., then of row 1 to rows 2, 3, ...

    Raises
    ------
    RuntimeError
        For a tensor that is no matrix or not floating-point, or a negative p.

    Examples
    --------
    >>> cygrad.pdist(cygrad.tensor([[0., 0.], [3., 4.], [0., 1.]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    need_tensors("pdist", input=input)
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input.dtype in HALVES and input.shape[0] > 1 and input.shape[1]:
        raise refused("pdist", input.dtype)
    return _pdist(input.contiguous(), p)


def every_pair(rows, device):
    """The places of both rows of every pair."""
    with cygrad.inference_mode(False):          # some are kept, for whoever asks next
        return cygrad.triu_indices(rows, rows, 1, device=device).unbind()


pairs_of_few = lru_cache(64)(every_pair)


def pairs(x):
    """The places of both rows of every pair, and the rows' differences."""
    rows = x.shape[0]
    first, second = (pairs_of_few if rows <= FEW_ROWS else every_pair)(rows, x.device)
    return first, second, x.index_select(0, first) - x.index_select(0, second)


@primitive(name="pdist")
def _pdist(self, p):
    return length(pairs(self)[2], p)


def cdist_slope(grad, x1, x2, p, result):
    """Gradient by `x1`."""
    return apart_slope(grad, x1.unsqueeze(-2) - x2.unsqueeze(-3), p, result).sum(-2)


def pdist_slope(grad, x, p, result):
    first, second, apart = pairs(x)
    slope = apart_slope(grad, apart, p, result)
    return cygrad.zeros_like(x).index_add(0, first, slope).index_add(0, second, slope, alpha=-1)


@op(method=False)
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of ``x1 - x2 + eps`` over the last axis.

    Parameters
    ----------
    x1, x2 : Tensor
        (..., columns), which broadcast.
    p : float
        Which norm.
    eps : float
        Keeps the gradient finite where the vectors are the same.
    keepdim : bool
        Keep the last axis, with size 1.

    Returns
    -------
    Tensor
        (...), or (..., 1).

    Examples
    --------
    >>> cygrad.pairwise_distance(cygrad.zeros(1, 2), cygrad.tensor([[3., 4.]]))
    tensor([5.0000])
    """
    return _norm(add_number(x1 - x2, float(eps)), p, (-1,), keepdim)


# `cygrad.norm` is `linalg.vector_norm`, as in PyTorch; the norm of a distance is another op with another node.
@primitive(name="norm")
def _norm(self, ord, dim, keepdim):
    return cygrad.norm(self, ord, dim, keepdim)


@op(method=False)
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Cosine of the angle between vectors along an axis; norms below `eps` count as `eps`.

    Parameters
    ----------
    x1, x2 : Tensor
        Of shapes that broadcast.
    dim : int
        The axis of their common shape that the vectors lie along.
    eps : float
        The least that a norm counts.

    Returns
    -------
    Tensor
        The common shape without that axis.

    Examples
    --------
    >>> cygrad.cosine_similarity(cygrad.tensor([1., 0.]), cygrad.tensor([1., 1.]), dim=0)
    tensor(0.7071)
    """
    need_tensors("cosine_similarity", x1=x1, x2=x2)
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    dtype = result_type(x1, x2)
    if not dtype.is_floating_point:
        raise RuntimeError("expected common dtype to be floating point, yet common dtype is "
                           f"{SCALAR_NAMES[dtype.code]}")
    x1, x2 = (x if x.is_floating_point() else x.to(dtype) for x in (x1, x2))
    x1, x2 = cygrad.broadcast_tensors(x1, x2)
    x1, x2 = (x / at_least(cygrad.linalg.vector_norm(x, 2, dim, True), eps) for x in (x1, x2))
    return (x1 * x2).sum(dim)


def at_least(norms, eps):
    """`norms`, with nothing below `eps`: the gradient is that of the norms all the same, as in PyTorch."""
    if not norms._tracked():
        return norms.clamp_min(eps)
    norms = norms.clone()
    with cygrad.no_grad():
        norms.clamp_min_(eps)
    return norms


@op(method=False)
def bilinear(input1, input2, weight, bias=None):
    """input1 @ weight[k] @ input2 for each k, plus bias.

    Parameters
    ----------
    input1 : Tensor
        (..., n)
    input2 : Tensor
        (..., m)
    weight : Tensor
        (outputs, n, m)
    bias : Tensor, optional
        (outputs,)

    Returns
    -------
    Tensor
        (..., outputs)

    Raises
    ------
    RuntimeError
        For shapes that don't fit, or dtypes that differ.

    Examples
    --------
    >>> x, y = cygrad.tensor([[1., 2.]]), cygrad.tensor([[3., 4.]])
    >>> cygrad.bilinear(x, y, cygrad.eye(2).unsqueeze(0))
    tensor([[11.]])
    """
    need_tensors("bilinear", input1=input1, input2=input2, weight=weight)
    check_bilinear(input1, input2, weight, bias)
    count, inner, last = weight.shape
    found = trilinear(input1.reshape(-1, inner), weight, input2.reshape(-1, last)).view(*input1.shape[:-1], count)
    return found if bias is None else found + bias


@primitive
def trilinear(first, weight, second):
    """The sums of first[b, i] * weight[k, i, j] * second[b, j] over i and j."""
    count, inner, last = weight.shape
    middle = (first @ weight.transpose(0, 1).reshape(inner, count * last)).view(-1, count, last)
    return (middle * second.unsqueeze(1)).sum(-1, dtype=weight.dtype)


def check_bilinear(input1, input2, weight, bias):
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({t.dtype for t in given.values()}) > 1:
        raise RuntimeError("All tensors must have the same dtype, got " + ", ".join(
            f"{name}: {C_TYPES[t.dtype.code]}" for name, t in given.items()))
    axes = input1.dim()
    if input2.dim() != axes:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {axes} and {input2.dim()}")
    for i in range(axes - 1):
        if input1.shape[i] != input2.shape[i]:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {input1.shape[i]} and "
                               f"{input2.shape[i]}")
    for i, (name, t) in enumerate((("input1", input1), ("input2", input2)), 1):
        if t.shape[-1] != weight.size(i):
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got {t.shape[-1]} but expected "
                               f"{weight.shape[i]}")
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected "
                           f"{weight.shape[0]}")
    if weight.dtype is cygrad.bool:
        raise refused("bmm", weight.dtype)
