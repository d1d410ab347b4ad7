"""Attention whose scores a function of the user's changes, as PyTorch computes it without a compiler."""
from collections.abc import Callable
from typing import NamedTuple

import cygrad
from cygrad.nn.attention.block_masks import DEFAULT_BLOCK as _DEFAULT_SPARSE_BLOCK_SIZE  # noqa: F401
from cygrad.nn.attention.block_masks import (BlockMask, _vmap_for_bhqkv, and_masks, create_block_mask,  # noqa: F401
                                             create_mask, noop_mask, or_masks, over_places)

__all__ = ["AuxOutput", "AuxRequest", "BlockMask", "FlexKernelOptions", "and_masks", "create_block_mask", "create_mask",
           "flex_attention", "noop_mask", "or_masks"]

# What programs annotate their functions with: (score, batch, head, q_idx, kv_idx), and the same without a score.
_score_mod_signature = Callable[[cygrad.Tensor] * 5, cygrad.Tensor]
_mask_mod_signature = Callable[[cygrad.Tensor] * 4, cygrad.Tensor]
FlexKernelOptions = dict        # of PyTorch's kernels for GPUs; none are needed here


class AuxRequest(NamedTuple):
    """What `flex_attention` is to give beside its result.

    Parameters
    ----------
    lse : bool
        The logarithms of the sums of exponentials of the scores.
    max_scores : bool
        The greatest scores.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import AuxRequest
    >>> AuxRequest(lse=True)
    AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What `flex_attention` gave beside its result.

    Parameters
    ----------
    lse, max_scores : Tensor or None
        None is what was not asked for.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import AuxOutput
    >>> AuxOutput()
    AuxOutput(lse=None, max_scores=None)
    """

    lse: cygrad.Tensor | None = None
    max_scores: cygrad.Tensor | None = None


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """Attention in which a function changes each score, and a mask hides keys from queries.

    Parameters
    ----------
    query : Tensor
        B x Hq x L x E.
    key, value : Tensor
        B x Hkv x S x E and B x Hkv x S x Ev; with a mask for B batches theirs may be 1.
    score_mod : callable, optional
        A function of (score, batch, head, q_idx, kv_idx), tensors without axes, that gives another score.
    block_mask : BlockMask, optional
        What its mask_mod says of a query and a key counts; blocks are not skipped.
    scale : float, optional
        The factor of the scores before `score_mod`, by default one over the root of E.
    enable_gqa : bool
        Whether several heads of queries may share one of keys.
    return_lse : bool
        The older way to ask for `AuxRequest(lse=True)`.
    kernel_options : dict, optional
        Options of PyTorch's kernels, without effect.
    return_aux : AuxRequest, optional
        What is wanted beside the result.

    Returns
    -------
    Tensor or tuple
        B x Hq x L x Ev; 0 for a query that sees no key. With `return_lse` also the logarithms of the sums, with
        `return_aux` an `AuxOutput`.

    Raises
    ------
    NotImplementedError
        For tensors without exactly four axes.
    ValueError
        For sizes or devices that don't fit each other.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.attention.flex_attention import create_block_mask, flex_attention
    >>> q, k, v = cygrad.rand(3, 1, 2, 5, 4).unbind()
    >>> causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, 5, 5)
    >>> result = flex_attention(q, k, v, lambda score, b, h, i, j: score - (i - j), causal)
    >>> result.shape, bool((result[:, :, 0] == v[:, :, 0]).all())
    (cygrad.Size([1, 2, 5, 4]), True)
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError("Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
                         "return_aux=AuxRequest(lse=True) instead.")
    for name in ("OUTPUT_LOGSUMEXP", "OUTPUT_MAX"):
        if kernel_options and name in kernel_options:
            raise AssertionError(f"{name} must not be in kernel_options")
    wanted = AuxRequest(lse=return_lse) if return_aux is None else return_aux
    want_lse, want_max = wanted.lse, wanted.max_scores
    batches, heads, length, width = query.shape
    key, value = (each.repeat_interleave(heads // each.shape[1], 1) if each.shape[1] != heads else each
                  for each in (key, value))
    working = cygrad.float64 if query.dtype == cygrad.float64 else cygrad.float32
    scores = (query.to(working) @ key.to(working).mT) * (width ** -0.5 if scale is None else scale)
    sizes = batches, heads, length, key.shape[2]
    if score_mod is not None:
        scores = over_places(score_mod, sizes, query.device, (scores,))
        scores = scores if scores.is_floating_point() else scores.to(working)
    if block_mask is not None:
        scores = scores.masked_fill(~over_places(block_mask.mask_mod, sizes, query.device), -cygrad.inf)
    if score_mod is None and block_mask is None:
        weights = scores.softmax(-1)
    else:
        blind = (scores == -cygrad.inf).all(-1, keepdim=True)       # a query that sees no key
        weights = scores.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)
    result = _in_order_of(query, weights.to(query.dtype) @ value.to(query.dtype))
    lse = scores.logsumexp(-1) if want_lse else None
    if return_aux is not None:
        return result, AuxOutput(lse, scores.amax(-1) if want_max else None)
    return (result, lse) if return_lse else result


def _check(query, key, value, block_mask, enable_gqa):
    """Refuse what doesn't fit."""
    devices = query.device.type, key.device.type, value.device.type
    if len(set(devices)) > 1:
        raise ValueError("Expected query, key, and value to have the same device type, but got "
                         "query.device: {}, key.device: {}, and value.device: {} instead.".format(*devices))
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"Expect query and key/value to have the same embedding dimension "
                         f"but got E={query.shape[-1]} and E={key.shape[-1]}.")
    heads, shared = query.shape[1], key.shape[1]
    if not enable_gqa and heads != shared:
        raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={heads} and "
                         f"Hkv={shared}. Try setting enable_gqa=True for GQA.")
    if enable_gqa and heads % shared:
        raise ValueError(f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and "
                         f"Hkv={shared}.")
    batches, stored = query.shape[0], key.shape[0]
    if batches != stored and block_mask is None:
        raise ValueError(f"Expect query and key/value to have the same batch size, or non-none block_mask, but got "
                         f"block_mask=None, Bq={batches}, and Bkv={stored}.")
    if batches != stored and block_mask.shape[0] != batches:
        raise ValueError(f"Expect query and key/value to have the same batch size, or block_mask and query to have the "
                         f"same batch size, but got Bq={batches}, Bkv={stored}, B_block_mask={block_mask.shape[0]}.")
    if block_mask is not None:
        lengths, covered = (query.shape[2], key.shape[2]), tuple(block_mask.shape[-2:])
        if covered != lengths:
            where = (f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={lengths[0]} and "
                     f"kv_len={lengths[1]}. As the block mask was created for a ")
            if covered[0] < lengths[0] or covered[1] < lengths[1]:
                raise ValueError(where + "smaller length than you're using it for, you likely need to create a new "
                                 "block mask.")
            raise ValueError(where + "larger length than you're using it for, you can either 1. create a new block "
                             "mask with the correct length, or 2. 'adjust' the existing block mask to the correct "
                             "length by calling block_mask._adjust(q_len, kv_len). This essentially 'crops' the block "
                             "mask to the upper left corner, which does not work for all mask_mods!")


def _in_order_of(query, result):
    """The result with its axes in memory as the query's are."""
    order = sorted(range(4), key=lambda axis: -query.stride(axis))
    back = list(map(order.index, range(4)))
    return result.permute(order).contiguous().permute(back)
