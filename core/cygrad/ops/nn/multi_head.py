"""Attention of several heads: projections around `scaled_dot_product_attention`, or around the weights themselves.

Tensors are (time, batch, features) here, and (batch * heads, time, features of a head) between the projections.
"""
import math

import cygrad
from cygrad.errors import warn
from cygrad.ops.nn.attention import scaled_dot_product_attention
from cygrad.ops.nn.dropout import drop_elements, need_chance
from cygrad.ops.declare.operand_types import BOOL


def need(condition, text):
    if not condition:
        raise AssertionError(text)


def additive_mask(mask, name, other=None, other_name="", dtype=None):
    """`mask` as numbers to add to scores: -infinity where a bool mask is True."""
    if mask is None:
        return None
    need(mask.dtype is BOOL or mask.is_floating_point(), f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    if mask.dtype is not BOOL:
        return mask
    return cygrad.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def check_axes(query, key, value, padding, mask, heads):
    """Raise unless all are of one batch, or all of none; whether they are of a batch."""
    axes = query.dim()
    need(axes in (2, 3), f"query should be unbatched 2D or batched 3D tensor but received {axes}-D query tensor")
    word = f"For {'batched (3-D)' if axes == 3 else 'unbatched (2-D)'} `query`, expected "
    need(key.dim() == value.dim() == axes, f"{word}`key` and `value` to be {axes}-D but found {key.dim()}-D and "
         f"{value.dim()}-D tensors respectively")
    need(padding is None or padding.dim() == axes - 1, f"{word}`key_padding_mask` to be `None` or {axes - 1}-D but "
         f"found {padding is not None and padding.dim()}-D tensor instead")
    need(mask is None or mask.dim() in (2, 3), f"{word}`attn_mask` to be `None`, 2-D or 3-D but found "
         f"{mask is not None and mask.dim()}-D tensor instead")
    if axes == 2 and mask is not None and mask.dim() == 3:
        shape = (heads, query.shape[0], key.shape[0])
        need(mask.shape == shape, f"Expected `attn_mask` shape to be {shape} but got {mask.shape}")
    return axes == 3


def check_mask(mask, target, source, batch):
    """The mask with three axes."""
    if mask is None:
        return None
    shape = (target, source) if mask.dim() == 2 else (batch, target, source)
    if tuple(mask.shape) != shape:
        raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {shape}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def projected_at_once(x, weight, bias, heads):
    """query, key and value, (batch, heads, time, features), of one tensor: windows on one product that move nothing."""
    from cygrad.nn.functional import linear      # start-up time
    turned = not x.is_contiguous()                # the batch comes first in memory, as in a layer with batch_first
    made = linear(x.transpose(0, 1) if turned else x, weight, bias)
    made = made.view(*made.shape[:2], 3, heads, made.shape[2] // (3 * heads))
    return made.permute(2, 0, 3, 1, 4).unbind() if turned else made.permute(2, 1, 3, 0, 4).unbind()


def self_attended(x, weight, bias, out_weight, out_bias, mask, dropout, causal, heads):
    """The result for query, key and value of one tensor, when nobody asks for the weights."""
    from cygrad.nn.functional import linear      # start-up time
    target, batch, width = x.shape
    q, k, v = projected_at_once(x, weight, bias, heads)
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(batch, heads, mask.shape[1], target)
    found = scaled_dot_product_attention(q, k, v, mask, dropout, causal)
    # Where PyTorch has its fast path, the result lies in memory as the input does; else the time comes first, which is
    # the order in which dropout draws its numbers.
    if x.is_contiguous() or dropout or cygrad.is_grad_enabled():
        return linear(found.permute(2, 0, 1, 3).reshape(target * batch, width), out_weight, out_bias).view(x.shape)
    found = found.transpose(1, 2).reshape(batch * target, width)
    return linear(found, out_weight, out_bias).view(batch, target, out_weight.shape[0]).transpose(0, 1)


def projected(inputs, weight, bias):
    """query, key and value times a third of `weight` each; one product for those that are the same tensor."""
    from cygrad.nn.functional import linear      # start-up time
    query, key, value = inputs
    width = query.shape[-1]
    sizes = [3] if query is key is value else [1, 2] if key is value else [1, 1, 1]
    weights = weight.split([width * n for n in sizes])
    biases = [None] * len(sizes) if bias is None else bias.split([width * n for n in sizes])
    found = []
    for x, w, b, n in zip((query, key, value), weights, biases, sizes):
        made = linear(x, w, b)
        found += [made] if n == 1 else made.unflatten(-1, (n, width)).movedim(-2, 0).contiguous().unbind()
    return found


def projected_apart(inputs, weights, bias):
    """query, key and value times a weight each."""
    from cygrad.nn.functional import linear      # start-up time
    biases = [None] * 3 if bias is None else bias.chunk(3)
    width = inputs[0].shape[-1]
    for name, x, weight in zip(("query", "key", "value"), inputs, weights):
        shape = (width, x.shape[-1])
        need(weight.shape == shape, f"expecting {name} weights shape of {shape}, but got {weight.shape}")
    for name, b in zip(("query", "key", "value"), biases):
        need(b is None or b.shape == (width,), f"expecting {name} bias shape of {(width,)}, but got "
             f"{b is not None and b.shape}")
    return list(map(linear, inputs, weights, biases))


def check_static(static, name, batch, width):
    need(static.size(0) == batch, f"expecting static_{name}.size(0) of {batch}, but got {static.size(0)}")
    need(static.size(2) == width, f"expecting static_{name}.size(2) of {width}, but got {static.size(2)}")


def wider(mask):
    """A mask with one more key, which is not hidden."""
    return None if mask is None else cygrad.constant_pad_nd(mask, (0, 1))


def merged(mask, padding, batch, heads, source):
    """Both masks as one."""
    if padding is None:
        return mask
    for axis, size in enumerate((batch, source)):
        need(padding.shape[axis] == size, f"Expected key_padded_mask.shape[{axis}] to be {size}, but got "
             f"{padding.shape[axis]}")
    padding = padding.view(batch, 1, 1, source).expand(-1, heads, -1, -1).reshape(batch * heads, 1, source)
    return padding if mask is None else mask + padding


def weighted(query, key, value, mask, dropout):
    """(results, weights), as `scaled_dot_product_attention` does not give the weights."""
    query = query * math.sqrt(1.0 / query.shape[-1])
    scores = cygrad.bmm(query, key.mT) if mask is None else cygrad.baddbmm(mask, query, key.mT)
    weights = scores.softmax(-1)
    if dropout > 0:
        need_chance(dropout)
        weights = drop_elements(weights, dropout, True)
    return cygrad.bmm(weights, value), weights


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k,
                                 bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True,
                                 key_padding_mask=None, need_weights=True, attn_mask=None,
                                 use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,
                                 v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                                 is_causal=False):
    """Attention of several heads, each on a projection of its own; see `nn.MultiheadAttention`.

    Parameters
    ----------
    query : Tensor
        (L, N, E) or (L, E).
    key, value : Tensor
        (S, N, E) or (S, E).
    embed_dim_to_check : int
        E.
    num_heads : int
    in_proj_weight, in_proj_bias : Tensor or None
        (3 * E, E) and (3 * E,): projections of query, key and value.
    bias_k, bias_v : Tensor or None
        (1, 1, E): one more key and its value.
    add_zero_attn : bool
        One more key and value of zeros.
    dropout_p : float
        Probability with which a weight is dropped in training.
    out_proj_weight, out_proj_bias : Tensor
        (E, E) and (E,): projection of the result.
    training : bool
    key_padding_mask : Tensor, optional
        (N, S) or (S,): True, or -infinity, hides a key.
    need_weights : bool
        Return the weights, too.
    attn_mask : Tensor, optional
        (L, S) or (N * num_heads, L, S): True hides; numbers are added to scores.
    use_separate_proj_weight : bool
        Take the next three instead of in_proj_weight.
    q_proj_weight, k_proj_weight, v_proj_weight : Tensor, optional
    static_k, static_v : Tensor, optional
        (N * num_heads, S, E / num_heads): taken instead of projections.
    average_attn_weights : bool
        Return the mean of the heads' weights.
    is_causal : bool
        A hint that attn_mask hides what comes later.

    Returns
    -------
    tuple
        Results of query's shape; weights (N, L, S), or (N, num_heads, L, S), or None.

    Examples
    --------
    >>> x, width, heads = cygrad.ones(3, 1, 4), 4, 2
    >>> result, weights = cygrad.nn.functional.multi_head_attention_forward(
    ...     x, x, x, width, heads, cygrad.ones(12, 4), None, None, None, False, 0.0, cygrad.eye(4), None)
    >>> result.shape, weights[0, 0]
    (cygrad.Size([3, 1, 4]), tensor([0.3333, 0.3333, 0.3333]))
    """
    batched = check_axes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same = key is value, query is key
        query, key, value = (t.unsqueeze(1) for t in (query, key, value))
        value = key if same[0] else value
        query = key if same[1] else query
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    (target, batch, width), source = query.shape, key.shape[0]
    padding = additive_mask(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")
    if is_causal and padding is None and not need_weights:
        mask = None
    else:
        mask, is_causal = additive_mask(attn_mask, "attn_mask", dtype=query.dtype), is_causal and padding is None
    need(width == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    each = width // num_heads
    need(each * num_heads == width, f"embed_dim {width} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        need(key.shape[:2] == value.shape[:2], f"key's sequence and batch dims {key.shape[:2]} do not match value's "
             f"{value.shape[:2]}")
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        for name, weight in zip("qkv", weights):
            need(weight is not None, f"use_separate_proj_weight is True but {name}_proj_weight is None")
        q, k, v = projected_apart((query, key, value), weights, in_proj_bias)
    else:
        need(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")
        need(in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None")
        if query is key is value and batched and not need_weights and not add_zero_attn and all(
                t is None for t in (bias_k, bias_v, static_k, static_v)) and (
                query.is_contiguous() or query.transpose(0, 1).is_contiguous()):
            mask = merged(check_mask(mask, target, source, batch * num_heads), padding, batch, num_heads, source)
            return self_attended(query, in_proj_weight, in_proj_bias, out_proj_weight, out_proj_bias, mask,
                                 dropout_p if training else 0.0, is_causal, num_heads), None
        q, k, v = projected((query, key, value), in_proj_weight, in_proj_bias)
    mask = check_mask(mask, target, source, batch * num_heads)
    need(bias_k is None or bias_v is not None, "bias_k is set but bias_v is None")
    need(bias_v is None or bias_k is not None, "bias_v is set but bias_k is None")
    if bias_k is not None:
        need(static_k is None, "bias cannot be added to static key.")
        need(static_v is None, "bias cannot be added to static value.")
        k, v = (cygrad.cat([t, bias.repeat(1, batch, 1)]) for t, bias in ((k, bias_k), (v, bias_v)))
        mask, padding = wider(mask), wider(padding)
    q, k, v = (t.view(t.shape[0], batch * num_heads, each).transpose(0, 1) for t in (q, k, v))
    if static_k is not None:
        check_static(static_k, "k", batch * num_heads, each)
        k = static_k
    if static_v is not None:
        check_static(static_v, "v", batch * num_heads, each)
        v = static_v
    if add_zero_attn:
        k, v = (cygrad.cat([t, t.new_zeros(batch * num_heads, 1, each)], 1) for t in (k, v))
        mask, padding = wider(mask), wider(padding)
    source = k.shape[1]
    mask = merged(mask, padding, batch, num_heads, source)
    need(not (need_weights and is_causal and mask is None), "FIXME: is_causal not implemented for need_weights")
    found, weights = attended(q, k, v, mask, dropout_p if training else 0.0, is_causal, need_weights, num_heads)
    from cygrad.nn.functional import linear      # start-up time
    found = linear(found.reshape(target * batch, width), out_proj_weight, out_proj_bias)
    found = found.view(target, batch, out_proj_weight.shape[0])
    if need_weights:
        weights = weights.view(batch, num_heads, target, source)
        weights = weights.mean(1) if average_attn_weights else weights
    if not batched:
        found, weights = found.squeeze(1), None if weights is None else weights.squeeze(0)
    return found, weights


def attended(q, k, v, mask, dropout, causal, need_weights, heads):
    """Results with the time first, and the weights where they are asked for."""
    if need_weights:
        found, weights = weighted(q, k, v, mask, dropout)
        return found.transpose(0, 1), weights
    batch = q.shape[0] // heads
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(batch, heads, -1, k.shape[1])
    q, k, v = (t.view(batch, heads, *t.shape[1:]) for t in (q, k, v))
    return scaled_dot_product_attention(q, k, v, mask, dropout, causal).permute(2, 0, 1, 3), None
