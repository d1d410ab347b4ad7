"""Transformers (Vaswani et al., "Attention Is All You Need", 2017): layers of attention and of two products each."""
import copy
import math
import warnings

import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.activation import GELU, ReLU
from cygrad.nn.modules.attention import MultiheadAttention
from cygrad.nn.modules.container import ModuleList
from cygrad.nn.modules.dropout import Dropout
from cygrad.nn.modules.linear import Linear
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.normalization import LayerNorm

__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
           "TransformerEncoderLayer"]


# ------------------------------------------------------------------------------------------- masks

def _causal_mask(size, device=None, dtype=None):
    """-infinity above the diagonal, 0 elsewhere."""
    return cygrad.triu(cygrad.full((size, size), -math.inf, dtype=dtype, device=device), diagonal=1)


def _as_numbers(mask, name, dtype, other=None, other_name=""):
    """A mask as numbers to add, -infinity where a bool one is True."""
    if mask is None:
        return None
    if mask.dtype is not cygrad.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warnings.warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
                      stacklevel=3)
    if mask.is_floating_point():
        return mask
    return cygrad.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def _is_causal(mask, hint, size):
    """The hint, or whether the mask hides what comes later and nothing else."""
    if hint is not None or mask is None:
        return hint is True
    if size is None:
        size = mask.size(-2)
    causal = _causal_mask(size, device=mask.device, dtype=mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


def _length(x, batch_first):
    return x.size(0) if x.dim() == 2 else x.size(1 if batch_first else 0)


# ------------------------------------------------------------------------------------------ layers

def _get_clones(module, N):
    """N copies of a module, by the name that models of other people import."""
    return ModuleList(copy.deepcopy(module) for _ in range(N))


def _get_activation_fn(activation):
    """The function of this name, by the name that models of other people import."""
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


class _Layer(Module):
    """What both kinds of layers have: two products around an activation, and the order of sums and norms."""

    __constants__ = ["norm_first"]

    def _make(self, attentions, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
              norm_first, bias, device, dtype):
        factory = {"device": device, "dtype": dtype}
        for name in attentions:
            attention = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first,
                                           **factory)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **factory)
        self.norm_first = norm_first
        count = len(attentions) + 1
        for i in range(1, count + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory))
        for i in range(1, count + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def __setstate__(self, state):
        state.setdefault("activation", F.relu)
        super().__setstate__(state)

    def _add(self, x, norm, block, *args):
        """x + block(x), with the norm before the block or after the sum."""
        return x + block(norm(x), *args) if self.norm_first else norm(x + block(x, *args))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal,
                           need_weights=False)[0]
        return self.dropout1(x)

    def _products(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two products.

    Parameters
    ----------
    d_model : int
        Features, E.
    nhead : int
    dim_feedforward : int
        Features between the two products.
    dropout : float
    activation : {"relu", "gelu"} or callable
    layer_norm_eps : float
    batch_first : bool
        Tensors are (batch, time, features), not (time, batch, features).
    norm_first : bool
        Norms before each block, not after each sum.
    bias : bool
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.TransformerEncoderLayer(8, 2, 16)
    >>> layer(cygrad.ones(5, 3, 8)).shape
    cygrad.Size([5, 3, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self._make(("self_attn",), d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
                   norm_first, bias, device, dtype)
        known = ((F.relu, ReLU), (F.gelu, GELU))
        self.activation_relu_or_gelu = next((place for place, (function, kind) in enumerate(known, 1)
                                             if self.activation is function or isinstance(self.activation, kind)), 0)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """(S, N, E) -> the same, or the batch first, or without a batch; masks as in `MultiheadAttention`."""
        padding = _as_numbers(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = _as_numbers(src_mask, "src_mask", src.dtype)
        x = self._add(src, self.norm1, self._sa_block, mask, padding, is_causal)
        return self._add(x, self.norm2, self._ff_block)

    def _ff_block(self, x):
        return self.dropout2(self._products(x))


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to another one, then two products.

    Parameters
    ----------
    d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype
        As in `TransformerEncoderLayer`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.TransformerDecoderLayer(8, 2, 16)
    >>> layer(cygrad.ones(5, 3, 8), cygrad.ones(7, 3, 8)).shape
    cygrad.Size([5, 3, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self._make(("self_attn", "multihead_attn"), d_model, nhead, dim_feedforward, dropout, activation,
                   layer_norm_eps, batch_first, norm_first, bias, device, dtype)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        """(T, N, E) and (S, N, E) -> (T, N, E), or the batch first; masks as in `MultiheadAttention`."""
        x = self._add(tgt, self.norm1, self._sa_block, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        x = self._add(x, self.norm2, self._mha_block, memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        return self._add(x, self.norm3, self._ff_block)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        x = self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
                                is_causal=is_causal, need_weights=False)[0]
        return self.dropout2(x)

    def _ff_block(self, x):
        return self.dropout3(self._products(x))


# ------------------------------------------------------------------------------------------ stacks

class TransformerEncoder(Module):
    """Encoder layers, one after the other.

    Parameters
    ----------
    encoder_layer : TransformerEncoderLayer
        Copied num_layers times.
    num_layers : int
    norm : Module, optional
        Applied to what the last layer gives.
    enable_nested_tensor : bool
        In evaluation, steps that a padding mask hides at the end of sequences come out of the layers as 0.
    mask_check : bool
        Look first whether the padding mask hides ends only.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> cygrad.nn.TransformerEncoder(layer, 2)(cygrad.ones(3, 5, 8)).shape
    cygrad.Size([3, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = _why_not_nested(encoder_layer)
        if enable_nested_tensor and why:
            warnings.warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}",
                          stacklevel=2)
            self.use_nested_tensor = False

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """(S, N, E) -> the same, or the batch first; masks as in `MultiheadAttention`."""
        padding = _as_numbers(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = _as_numbers(mask, "mask", src.dtype)
        hidden = self._hidden(src, mask, padding)
        first = self.layers[0]
        is_causal = _is_causal(mask, is_causal, _length(src, first.self_attn.batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if hidden is not None:
            output = output.masked_fill(hidden.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _hidden(self, src, mask, padding):
        """Which steps come out as 0: in PyTorch a fast path leaves them out; None where it would not be taken."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None or mask is not None:
            return None
        if cygrad.is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in first.parameters())):
            return None
        hidden = padding != 0
        if self.mask_check and bool((hidden[:, :-1] & ~hidden[:, 1:]).any()):
            return None
        return hidden


def _why_not_nested(layer):
    """Why PyTorch would not leave padding out, in its words; None where it would."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, "norm_first was True"),
        (not attention.batch_first,
         "self_attn.batch_first was not True(use batch_first for better inference performance)"),
        (not attention._qkv_same_embed_dim, "self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, "self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, "activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, "norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, "self_attn.num_heads is odd"))
    return next(("encoder_layer." + text for holds, text in reasons if holds), None)


class TransformerDecoder(Module):
    """Decoder layers, one after the other.

    Parameters
    ----------
    decoder_layer : TransformerDecoderLayer
        Copied num_layers times.
    num_layers : int
    norm : Module, optional
        Applied to what the last layer gives.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.TransformerDecoderLayer(8, 2, 16)
    >>> cygrad.nn.TransformerDecoder(layer, 2)(cygrad.ones(5, 3, 8), cygrad.ones(7, 3, 8)).shape
    cygrad.Size([5, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
        """(T, N, E) and (S, N, E) -> (T, N, E), or the batch first; masks as in `MultiheadAttention`."""
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers[0].self_attn.batch_first))
        output = tgt
        for layer in self.layers:
            output = layer(output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                           tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                           tgt_is_causal=causal, memory_is_causal=memory_is_causal)
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder.

    Parameters
    ----------
    d_model, nhead : int
    num_encoder_layers, num_decoder_layers : int
    dim_feedforward, dropout, activation
        As in `TransformerEncoderLayer`.
    custom_encoder, custom_decoder : Module, optional
        Taken instead of those that are made.
    layer_norm_eps, batch_first, norm_first, bias, device, dtype
        As in `TransformerEncoderLayer`.

    Examples
    --------
    >>> import cygrad
    >>> model = cygrad.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(cygrad.ones(7, 3, 8), cygrad.ones(5, 3, 8)).shape
    cygrad.Size([5, 3, 8])
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048,
                 dropout=0.1, activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        factory = {"device": device, "dtype": dtype}

        def stack(stacked, kind, count):
            layer = kind(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                         bias, **factory)
            return stacked(layer, count, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory))

        self.encoder = custom_encoder if custom_encoder is not None else stack(
            TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.decoder = custom_decoder if custom_decoder is not None else stack(
            TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        """(S, N, E) and (T, N, E) -> (T, N, E), or the batch first; masks as in `MultiheadAttention`."""
        axis = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(axis) != tgt.size(axis):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                            memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """A mask of -infinity above the diagonal, which hides from each step what comes later.

        Parameters
        ----------
        sz : int
        device : device, optional
        dtype : dtype, optional

        Returns
        -------
        Tensor
            (sz, sz)
        """
        return _causal_mask(sz, device=device, dtype=dtype)

    def _reset_parameters(self):
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
