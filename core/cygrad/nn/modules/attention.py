"""Attention of several heads, as a layer."""
import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.linear import NonDynamicallyQuantizableLinear
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of several heads, each on a projection of its own of query, key and value.

    Parameters
    ----------
    embed_dim : int
        Features of the query and of the result, E.
    num_heads : int
        Divides embed_dim.
    dropout : float
        Probability with which a weight is dropped in training.
    bias : bool
        Whether projections have a bias.
    add_bias_kv : bool
        Learn one more key and its value.
    add_zero_attn : bool
        One more key and value of zeros.
    kdim, vdim : int, optional
        Features of key and value, embed_dim when omitted.
    batch_first : bool
        Tensors are (batch, time, features), not (time, batch, features).
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    in_proj_weight : Parameter or None
        (3 * embed_dim, embed_dim), by Xavier's rule at first; None where kdim or vdim differ, which then have
        q_proj_weight, k_proj_weight and v_proj_weight.
    in_proj_bias : Parameter or None
        (3 * embed_dim,), zeros at first.
    out_proj : Linear
    bias_k, bias_v : Parameter or None
        (1, 1, embed_dim).

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = cygrad.ones(3, 5, 8)
    >>> found, weights = layer(x, x, x)
    >>> found.shape, weights.shape
    (cygrad.Size([3, 5, 8]), cygrad.Size([3, 5, 5]))
    """

    __constants__ = ["batch_first"]

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def made(*shape):
            return Parameter(cygrad.empty(shape, device=device, dtype=dtype))

        if self._qkv_same_embed_dim:
            self.in_proj_weight = made(3 * embed_dim, embed_dim)
            for name in "qkv":
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            for name, size in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                self.register_parameter(f"{name}_proj_weight", made(embed_dim, size))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", made(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            del self.bias_k, self.bias_v
            self.bias_k, self.bias_v = made(1, 1, embed_dim), made(1, 1, embed_dim)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)       # files of PyTorch 1.1 and before lack it
        super().__setstate__(state)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        """Results like the query, and the weights.

        Parameters
        ----------
        query, key, value : Tensor
            (L, N, E), (S, N, kdim) and (S, N, vdim), or the batch first, or without a batch.
        key_padding_mask : Tensor, optional
            (N, S): True, or -infinity, hides a key.
        need_weights : bool
            Return the weights, too, which costs time.
        attn_mask : Tensor, optional
            (L, S) or (N * num_heads, L, S): True hides; numbers are added to scores.
        average_attn_weights : bool
            Return the mean of the heads' weights.
        is_causal : bool
            A hint that attn_mask hides what comes later.

        Returns
        -------
        tuple
            (L, N, E), or the batch first; weights (N, L, S), or (N, num_heads, L, S), or None.
        """
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _each_once(lambda t: t.transpose(0, 1), query, key, value)
        apart = {} if self._qkv_same_embed_dim else {
            "use_separate_proj_weight": True, "q_proj_weight": self.q_proj_weight,
            "k_proj_weight": self.k_proj_weight, "v_proj_weight": self.v_proj_weight}
        found, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **apart)
        return found.transpose(0, 1) if turned else found, weights


def _each_once(change, *tensors):
    """`change` of each tensor; what was one tensor is one tensor again."""
    made = {}
    return [made.setdefault(id(t), None if t is None else change(t)) for t in tensors]
