# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter
from typing import Any
class Embedding(_Table):
    sparse: bool
    weight: Parameter
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None =
            None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
            _freeze: bool = False, device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: Any = None, max_norm: Any = None,
            norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Any: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class EmbeddingBag(_Table):
    mode: str
    sparse: bool
    include_last_offset: bool
    weight: Parameter
    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
            scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, _weight: Any = None,
            include_last_offset: bool = False, padding_idx: int | None = None, device: _DeviceLike | None = None, dtype:
            _dtype | None = None) -> None: ...
    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None =
            None) -> Tensor: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: Any = None, norm_type: float = 2.0,
            scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, include_last_offset: bool =
            False, padding_idx: Any = None) -> Any: ...
    def __call__(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None =
            None) -> Tensor: ...
class _Table(Module):
    def reset_parameters(self) -> None: ...
