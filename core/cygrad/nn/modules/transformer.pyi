# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.module import Module
from typing import Any
class Transformer(Module):
    encoder: Any
    decoder: Any
    d_model: int
    nhead: int
    batch_first: Any
    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
            dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = ..., custom_encoder: Module | None =
            None, custom_decoder: Module | None = None, layer_norm_eps: float = 1e-05, batch_first: bool = False,
            norm_first: bool = False, bias: bool = True, device: _DeviceLike | None = None, dtype: _dtype | None =
            None) -> None: ...
    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
            memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor
            | None = None, memory_key_padding_mask: Tensor | None = None, src_is_causal: Any = None, tgt_is_causal: bool
            | None = None, memory_is_causal: bool = False) -> Tensor: ...
    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: _DeviceLike | None = None, dtype: _dtype | None =
            None) -> Tensor: ...
    def __call__(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
            memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor
            | None = None, memory_key_padding_mask: Tensor | None = None, src_is_causal: Any = None, tgt_is_causal: bool
            | None = None, memory_is_causal: bool = False) -> Tensor: ...
class TransformerDecoder(Module):
    layers: Any
    num_layers: int
    norm: Module | Any
    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None: ...
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal:
            bool | None = None, memory_is_causal: bool = False) -> Tensor: ...
    def __call__(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal:
            bool | None = None, memory_is_causal: bool = False) -> Tensor: ...
class TransformerDecoderLayer(_Layer):
    def __init__(self, d_model: Any, nhead: Any, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any =
            ..., layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal:
            bool = False, memory_is_causal: bool = False) -> Tensor: ...
    def __call__(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal:
            bool = False, memory_is_causal: bool = False) -> Tensor: ...
class TransformerEncoder(Module):
    layers: Any
    num_layers: int
    norm: Module | Any
    enable_nested_tensor: bool
    use_nested_tensor: bool
    mask_check: bool
    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Module | None = None,
            enable_nested_tensor: bool = True, mask_check: bool = True) -> None: ...
    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal:
            bool | None = None) -> Tensor: ...
    def __call__(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal:
            bool | None = None) -> Tensor: ...
class TransformerEncoderLayer(_Layer):
    activation_relu_or_gelu: Any
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any =
            ..., layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
            is_causal: bool = False) -> Tensor: ...
    def __call__(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
            is_causal: bool = False) -> Tensor: ...
class _Layer(Module): ...
