"""Scaled dot-product attention: one node over the backend's `attention`, or composed of products and a softmax.

The kernel serves every call without dropout whose gradients nobody asks for, and PyTorch's "flash" cases, those of four
axes, with gradients. Other calls are composed, as PyTorch's "math" is, so that the graph has the same nodes.
"""
import math

import cygrad
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.compositions import visible
from cygrad.dispatch.fallback import call
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dispatch.raw import copy_, softmax_op
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import BOOL, FLOAT32, HALVES, need_tensors, refused, widened
from cygrad.ops.shape.broadcasting import broadcast_shapes
from cygrad.ops.nn.dropout import drop_elements


@primitive(name="safe_softmax")
@widened
def _safe_softmax(self, dim):
    """Softmax that is 0 along an axis with nothing but -infinity."""
    found = softmax_op(self, dim, False)
    return cygrad.where(self.amax(dim, keepdim=True) == -math.inf, 0, found) if found.numel() else found


# The first argument lists the tensors that have gradients, so that one formula computes all three; see the table.
@primitive(name="scaled_dot_product_attention")
def _attention(tensors, query, key, value, mask, causal, scale):
    shapes = tuple(query.shape), tuple(key.shape), tuple(value.shape)
    batch = shapes[0][:-2]
    if not batch == shapes[1][:-2] == shapes[2][:-2]:
        batch = tuple(broadcast_shapes(*[shape[:-2] for shape in shapes]))
    q, k, v = cubed(query, batch), cubed(key, batch), cubed(value, batch)
    rows, columns, width = shapes[0][-2], shapes[1][-2], shapes[2][-1]
    out = empty_near(query, (*batch, rows, width))
    if mask is not None:
        mask = cubed(mask.expand(*mask.shape[:-2], rows, columns), batch)
    call(out, "attention", (q, k, v, mask, causal, scale, out.view(-1, rows, width)), (6,))
    return laid_as(out, query) if flash(query, key, value, mask) else out


def laid_as(t, like):
    """`t`, whose heads lie as those of `like` do: often still side by side in the rows that they were cut from."""
    if like.is_contiguous():
        return t
    laid = cygrad.empty_like(like, requires_grad=False)
    copy_(laid, t)
    return laid


def cubed(t, batch):
    """`t` with its leading axes broadcast to `batch` and merged into one."""
    shape = tuple(t.shape)
    if shape[:-2] != batch:
        t = t.expand(*batch, *shape[-2:])
    return t.reshape(math.prod(batch), *shape[-2:])


def attention_scores(query, key, mask, causal):
    """query @ key^T with what is hidden at -infinity; the operands are scaled already."""
    scores = query @ key.mT
    if causal:
        scores = scores.masked_fill(~visible(scores, 0), -math.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype is BOOL else scores + mask
    return scores


def composed(query, key, value, mask, dropout, causal, scale):
    """Attention as a graph of other ops; 16-bit floats are float32 in it."""
    if query.dtype in HALVES:
        wide = [t if t is None or t.dtype is BOOL else t.to(FLOAT32) for t in (query, key, value, mask)]
        return composed(*wide, dropout, causal, scale).to(query.dtype)
    root = math.sqrt(abs(scale))
    chances = _safe_softmax(attention_scores(query * math.copysign(root, scale), key * root, mask, causal), -1)
    if dropout > 0:
        chances = drop_elements(chances, dropout, True)
    return chances @ value


def check(query, key, value, mask, dropout):
    """PyTorch's refusals."""
    dims = query.dim(), key.dim(), value.dim()
    if min(dims) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                           f"{dims[0]} key.dim: {dims[1]} and value.dim: {dims[2]} instead.")
    if not query.dtype is key.dtype is value.dtype:
        words = [C_TYPES[t.dtype.code] for t in (query, key, value)]
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{words[0]} key.dtype: {words[1]} and value.dtype: {words[2]} instead.")
    if mask is not None and mask.dtype is not BOOL and mask.dtype is not query.dtype and mask.dtype is not FLOAT32:
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           f"attn_mask.dtype: {C_TYPES[mask.dtype.code]} and  query.dtype: "
                           f"{C_TYPES[query.dtype.code]} instead.")
    if mask is not None and mask.dim() < 2:
        raise IndexError("Dimension out of range")
    if dropout > 1:             # one below 0 is none
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout:g}")
    if query.is_complex():
        raise refused("softmax_lastdim_kernel_impl", query.dtype)
    if not query.is_floating_point():
        raise RuntimeError(f"expected scalar type Float but found {SCALAR_NAMES[query.dtype.code]}")


def flash(query, key, value, mask):
    """Whether PyTorch's CPU takes its fused kernel, whose node the result then has."""
    return (query.dim() == key.dim() == value.dim() == 4 and query.shape[:2] == key.shape[:2] == value.shape[:2]
            and query.shape[3] == value.shape[3] and query.stride(3) == key.stride(3) == value.stride(3) == 1
            and (mask is None or mask.dim() in (2, 4) and not mask.requires_grad))


def repeated(query, key, value):
    """key and value with each head repeated for the query heads that share it."""
    heads = query.shape[-3]
    if heads % key.shape[-3] or heads % value.shape[-3]:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in query")
    return (t.repeat_interleave(heads // t.shape[-3], -3) for t in (key, value))


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """softmax(scale * query @ key^T + mask) @ value.

    Parameters
    ----------
    query, key, value : Tensor
        (..., L, E), (..., S, E) and (..., S, V), of one floating-point dtype; the leading axes broadcast.
    attn_mask : Tensor, optional
        Broadcasts to (..., L, S): numbers to add, or bool, where False hides.
    dropout_p : float
        Probability with which an entry of the softmax is dropped.
    is_causal : bool
        Hide what comes after the query's own position; there is no other mask then.
    scale : float, optional
        1 / sqrt(E) when omitted.
    enable_gqa : bool
        key and value have fewer heads (axis -3) than query; neighbouring query heads share one.

    Returns
    -------
    Tensor
        (..., L, V). A row that is all hidden is zero.

    Examples
    --------
    >>> F = cygrad.nn.functional
    >>> q = k = cygrad.eye(2).view(1, 2, 2)
    >>> F.scaled_dot_product_attention(q, k, cygrad.tensor([[[1., 2.], [3., 4.]]]), is_causal=True)
    tensor([[[1.0000, 2.0000],
             [2.3395, 3.3395]]])
    """
    need_tensors("scaled_dot_product_attention", query=query, key=key, value=value)
    check(query, key, value, attn_mask, dropout_p)
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        key, value = repeated(query, key, value)
    if scale is None:
        scale = 1 / math.sqrt(max(query.size(-1), 1))
    mask = attn_mask
    if mask is not None and mask.dtype is not BOOL:
        mask = mask.to(query.dtype)
    inputs = (query, key, value)
    tracked = query._tracked() or key._tracked() or value._tracked() or mask is not None and mask._tracked()
    fused = not tracked or flash(query, key, value, mask)
    if fused and dropout_p <= 0 and query.numel() and key.numel() and value.numel():
        if key.shape[-1] != query.shape[-1] or key.shape[-2] != value.shape[-2]:
            raise RuntimeError(f"the last axes of query {list(query.shape)} and key {list(key.shape)} must be alike, "
                               f"and so must the axes -2 of key and value {list(value.shape)}")
        return _attention(inputs, query, key, value, mask, bool(is_causal), float(scale))
    return composed(query, key, value, mask, dropout_p, is_causal, scale)
