"""`cygrad.nn.attention.bias`: masks of attention to what came before, by where their diagonal ends."""
import enum
import warnings

import cygrad
from cygrad.nn.functional import scaled_dot_product_attention

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """Where the diagonal of a causal mask goes through: its first element, or its last."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(cygrad.Tensor):
    """
    A causal mask for `scaled_dot_product_attention`, which is made only where the computation asks for one.

    Parameters
    ----------
    variant : CausalVariant
    seq_len_q, seq_len_kv : int
        Lengths of the queries and of the keys.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    >>> q, k = cygrad.ones(1, 2, 4), cygrad.ones(1, 3, 4)
    >>> cygrad.nn.functional.scaled_dot_product_attention(q, k, k, attn_mask=causal_lower_right(2, 3)).shape
    cygrad.Size([1, 2, 4])
    """

    def __init__(self, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                          stacklevel=3)

    def _materialize(self, device=None):
        """The mask: True where a query sees a key."""
        offset = self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0
        return cygrad.ones(self.seq_len_q, self.seq_len_kv, dtype=cygrad.bool, device=device).tril(offset)

    def _attend(self, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        plain = self.seq_len_q == self.seq_len_kv or self.variant == CausalVariant.UPPER_LEFT
        return scaled_dot_product_attention(query, key, value, None if plain else self._materialize(query.device),
                                            dropout_p, plain, scale=scale, enable_gqa=enable_gqa)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Attention takes the mask for what it stands for."""
        kwargs = kwargs or {}
        mask = args[3] if len(args) > 3 else kwargs.get("attn_mask")
        if func is scaled_dot_product_attention and isinstance(mask, CausalBias):
            return mask._attend(*args, **kwargs)
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self):
        return repr(self._materialize())


def causal_upper_left(*size):
    """
    The mask by which query i sees the keys up to i.

    Parameters
    ----------
    *size : int
        How many queries there are, and how many keys.

    Returns
    -------
    CausalBias

    Raises
    ------
    AssertionError
        If these are not two.

    Examples
    --------
    >>> from cygrad.nn.attention.bias import causal_upper_left
    >>> causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return _bias("causal_upper_left", CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size):
    """
    The mask by which the last query sees all keys, and each before it one less.

    Parameters
    ----------
    *size : int
        How many queries there are, and how many keys.

    Returns
    -------
    CausalBias

    Raises
    ------
    AssertionError
        If these are not two.

    Examples
    --------
    >>> from cygrad.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(1, 3)
    tensor([[True, True, True]])
    """
    return _bias("causal_lower_right", CausalVariant.LOWER_RIGHT, size)


def _bias(name, variant, size):
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)
