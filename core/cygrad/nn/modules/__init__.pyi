# Written by docs/make_stubs.py from the package itself; edit that, not this.
from collections.abc import Callable, Iterable, Iterator, Sequence
from cygrad import Tensor, _DeviceLike, _Number, dtype as _dtype
from cygrad.distributed.process_group import ProcessGroup
from cygrad.nn.modules.batchnorm import _BatchNorm
from cygrad.nn.modules.lazy import LazyModuleMixin
from cygrad.nn.modules.loss import _Loss, _WeightedLoss
from cygrad.nn.parameter import Parameter
from typing import Any
from typing_extensions import Self
from cygrad.nn import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from cygrad.nn.modules import activation as activation
from cygrad.nn.modules import adaptive as adaptive
from cygrad.nn.modules import batchnorm as batchnorm
from cygrad.nn.modules import container as container
from cygrad.nn.modules import conv as conv
from cygrad.nn.modules import distance as distance
from cygrad.nn.modules import dropout as dropout
from cygrad.nn.modules import flatten as flatten
from cygrad.nn.modules import fold as fold
from cygrad.nn.modules import instancenorm as instancenorm
from cygrad.nn.modules import lazy as lazy
from cygrad.nn.modules import linear as linear
from cygrad.nn.modules import loss as loss
from cygrad.nn.modules import module as module
from cygrad.nn.modules import normalization as normalization
from cygrad.nn.modules import padding as padding
from cygrad.nn.modules import pixelshuffle as pixelshuffle
from cygrad.nn.modules import pooling as pooling
from cygrad.nn.modules import rnn as rnn
from cygrad.nn.modules import sparse as sparse
from cygrad.nn.modules import transformer as transformer
from cygrad.nn.modules import upsampling as upsampling
from cygrad.nn.modules import utils as utils
from cygrad.nn.modules.activation import CELU as CELU
from cygrad.nn.modules.activation import ELU as ELU
from cygrad.nn.modules.activation import GELU as GELU
from cygrad.nn.modules.activation import Hardshrink as Hardshrink
from cygrad.nn.modules.activation import Hardsigmoid as Hardsigmoid
from cygrad.nn.modules.activation import Hardswish as Hardswish
from cygrad.nn.modules.activation import Hardtanh as Hardtanh
from cygrad.nn.modules.activation import LeakyReLU as LeakyReLU
from cygrad.nn.modules.activation import LogSigmoid as LogSigmoid
from cygrad.nn.modules.activation import Mish as Mish
from cygrad.nn.modules.activation import RReLU as RReLU
from cygrad.nn.modules.activation import ReLU as ReLU
from cygrad.nn.modules.activation import ReLU6 as ReLU6
from cygrad.nn.modules.activation import SELU as SELU
from cygrad.nn.modules.activation import SiLU as SiLU
from cygrad.nn.modules.activation import Sigmoid as Sigmoid
from cygrad.nn.modules.activation import Softplus as Softplus
from cygrad.nn.modules.activation import Softshrink as Softshrink
from cygrad.nn.modules.activation import Softsign as Softsign
from cygrad.nn.modules.activation import Tanh as Tanh
from cygrad.nn.modules.activation import Tanhshrink as Tanhshrink
from cygrad.nn.modules.activation import Threshold as Threshold
from cygrad.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from cygrad.nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from cygrad.nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from cygrad.nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from cygrad.nn.modules.batchnorm import LazyBatchNorm1d as LazyBatchNorm1d
from cygrad.nn.modules.batchnorm import LazyBatchNorm2d as LazyBatchNorm2d
from cygrad.nn.modules.batchnorm import LazyBatchNorm3d as LazyBatchNorm3d
from cygrad.nn.modules.container import Container as Container
from cygrad.nn.modules.container import ModuleDict as ModuleDict
from cygrad.nn.modules.container import ModuleList as ModuleList
from cygrad.nn.modules.container import Sequential as Sequential
from cygrad.nn.modules.conv import Conv1d as Conv1d
from cygrad.nn.modules.conv import Conv2d as Conv2d
from cygrad.nn.modules.conv import Conv3d as Conv3d
from cygrad.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
from cygrad.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from cygrad.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from cygrad.nn.modules.distance import CosineSimilarity as CosineSimilarity
from cygrad.nn.modules.distance import PairwiseDistance as PairwiseDistance
from cygrad.nn.modules.dropout import AlphaDropout as AlphaDropout
from cygrad.nn.modules.dropout import Dropout as Dropout
from cygrad.nn.modules.dropout import Dropout1d as Dropout1d
from cygrad.nn.modules.dropout import Dropout2d as Dropout2d
from cygrad.nn.modules.dropout import Dropout3d as Dropout3d
from cygrad.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from cygrad.nn.modules.flatten import Flatten as Flatten
from cygrad.nn.modules.flatten import Unflatten as Unflatten
from cygrad.nn.modules.fold import Fold as Fold
from cygrad.nn.modules.fold import Unfold as Unfold
from cygrad.nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from cygrad.nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from cygrad.nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from cygrad.nn.modules.instancenorm import LazyInstanceNorm1d as LazyInstanceNorm1d
from cygrad.nn.modules.instancenorm import LazyInstanceNorm2d as LazyInstanceNorm2d
from cygrad.nn.modules.instancenorm import LazyInstanceNorm3d as LazyInstanceNorm3d
from cygrad.nn.modules.linear import Bilinear as Bilinear
from cygrad.nn.modules.linear import Identity as Identity
from cygrad.nn.modules.linear import LazyLinear as LazyLinear
from cygrad.nn.modules.linear import Linear as Linear
from cygrad.nn.modules.loss import BCELoss as BCELoss
from cygrad.nn.modules.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from cygrad.nn.modules.loss import CTCLoss as CTCLoss
from cygrad.nn.modules.loss import CrossEntropyLoss as CrossEntropyLoss
from cygrad.nn.modules.loss import GaussianNLLLoss as GaussianNLLLoss
from cygrad.nn.modules.loss import HuberLoss as HuberLoss
from cygrad.nn.modules.loss import KLDivLoss as KLDivLoss
from cygrad.nn.modules.loss import L1Loss as L1Loss
from cygrad.nn.modules.loss import MSELoss as MSELoss
from cygrad.nn.modules.loss import NLLLoss as NLLLoss
from cygrad.nn.modules.loss import NLLLoss2d as NLLLoss2d
from cygrad.nn.modules.loss import PoissonNLLLoss as PoissonNLLLoss
from cygrad.nn.modules.loss import SmoothL1Loss as SmoothL1Loss
from cygrad.nn.modules.module import Module as Module
from cygrad.nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from cygrad.nn.modules.normalization import GroupNorm as GroupNorm
from cygrad.nn.modules.normalization import LayerNorm as LayerNorm
from cygrad.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from cygrad.nn.modules.normalization import RMSNorm as RMSNorm
from cygrad.nn.modules.padding import CircularPad1d as CircularPad1d
from cygrad.nn.modules.padding import CircularPad2d as CircularPad2d
from cygrad.nn.modules.padding import CircularPad3d as CircularPad3d
from cygrad.nn.modules.padding import ConstantPad1d as ConstantPad1d
from cygrad.nn.modules.padding import ConstantPad2d as ConstantPad2d
from cygrad.nn.modules.padding import ConstantPad3d as ConstantPad3d
from cygrad.nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from cygrad.nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from cygrad.nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from cygrad.nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from cygrad.nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from cygrad.nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from cygrad.nn.modules.padding import ZeroPad1d as ZeroPad1d
from cygrad.nn.modules.padding import ZeroPad2d as ZeroPad2d
from cygrad.nn.modules.padding import ZeroPad3d as ZeroPad3d
from cygrad.nn.modules.pixelshuffle import ChannelShuffle as ChannelShuffle
from cygrad.nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from cygrad.nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
from cygrad.nn.modules.pooling import AvgPool1d as AvgPool1d
from cygrad.nn.modules.pooling import AvgPool2d as AvgPool2d
from cygrad.nn.modules.pooling import AvgPool3d as AvgPool3d
from cygrad.nn.modules.pooling import LPPool1d as LPPool1d
from cygrad.nn.modules.pooling import LPPool2d as LPPool2d
from cygrad.nn.modules.pooling import LPPool3d as LPPool3d
from cygrad.nn.modules.pooling import MaxPool1d as MaxPool1d
from cygrad.nn.modules.pooling import MaxPool2d as MaxPool2d
from cygrad.nn.modules.pooling import MaxPool3d as MaxPool3d
from cygrad.nn.modules.pooling import MaxUnpool1d as MaxUnpool1d
from cygrad.nn.modules.pooling import MaxUnpool2d as MaxUnpool2d
from cygrad.nn.modules.pooling import MaxUnpool3d as MaxUnpool3d
from cygrad.nn.modules.rnn import GRU as GRU
from cygrad.nn.modules.rnn import LSTM as LSTM
from cygrad.nn.modules.rnn import RNN as RNN
from cygrad.nn.modules.rnn import RNNBase as RNNBase
from cygrad.nn.modules.sparse import Embedding as Embedding
from cygrad.nn.modules.sparse import EmbeddingBag as EmbeddingBag
from cygrad.nn.modules.transformer import Transformer as Transformer
from cygrad.nn.modules.transformer import TransformerDecoder as TransformerDecoder
from cygrad.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from cygrad.nn.modules.transformer import TransformerEncoder as TransformerEncoder
from cygrad.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from cygrad.nn.modules.upsampling import Upsample as Upsample
from cygrad.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from cygrad.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
class AdaptiveAvgPool1d(Module):
    output_size: Any
    def __init__(self, output_size: Any) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class AdaptiveAvgPool2d(Module):
    output_size: Any
    def __init__(self, output_size: Any) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class AdaptiveAvgPool3d(Module):
    output_size: Any
    def __init__(self, output_size: Any) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class AdaptiveMaxPool1d(Module):
    return_indices: Any
    output_size: Any
    def __init__(self, output_size: Any, return_indices: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class AdaptiveMaxPool2d(Module):
    return_indices: Any
    output_size: Any
    def __init__(self, output_size: Any, return_indices: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class AdaptiveMaxPool3d(Module):
    return_indices: Any
    output_size: Any
    def __init__(self, output_size: Any, return_indices: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class CosineEmbeddingLoss(_Loss):
    margin: float
    def __init__(self, margin: float = 0.0, size_average: Any = None, reduce: str | None = None, reduction: str =
            'mean') -> None: ...
    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor: ...
class FractionalMaxPool2d(Module):
    kernel_size: Any
    return_indices: Any
    output_size: Any
    output_ratio: Any
    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool =
            False, _random_samples: Any = None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class FractionalMaxPool3d(Module):
    kernel_size: Any
    return_indices: Any
    output_size: Any
    output_ratio: Any
    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool =
            False, _random_samples: Any = None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class GLU(Module):
    dim: int | Any
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class GRUCell(RNNCellBase):
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: _DeviceLike | None = None, dtype:
            _dtype | None = None) -> None: ...
    def forward(self, input: Tensor, hx: Any = None) -> Tensor: ...
    def __call__(self, input: Tensor, hx: Any = None) -> Tensor: ...
class HingeEmbeddingLoss(_Loss):
    margin: float
    def __init__(self, margin: float = 1.0, size_average: Any = None, reduce: str | None = None, reduction: str =
            'mean') -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
class LSTMCell(RNNCellBase):
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: _DeviceLike | None = None, dtype:
            _dtype | None = None) -> None: ...
    def forward(self, input: Tensor, hx: Any = None) -> Tensor: ...
    def __call__(self, input: Tensor, hx: Any = None) -> Tensor: ...
class LazyConv1d(LazyModuleMixin, Conv1d):
    cls_to_become: type[Conv1d]
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding: int = 0, dilation:
            int = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: _DeviceLike | None = None,
            dtype: _dtype | None = None) -> None: ...
    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None: ...
class LazyConv2d(LazyModuleMixin, Conv2d):
    cls_to_become: type[Conv2d]
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding: int = 0, dilation:
            int = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: _DeviceLike | None = None,
            dtype: _dtype | None = None) -> None: ...
    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None: ...
class LazyConv3d(LazyModuleMixin, Conv3d):
    cls_to_become: type[Conv3d]
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding: int = 0, dilation:
            int = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: _DeviceLike | None = None,
            dtype: _dtype | None = None) -> None: ...
    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None: ...
class LazyConvTranspose1d(LazyModuleMixin, ConvTranspose1d):
    cls_to_become: type[ConvTranspose1d]
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding: int = 0,
            output_padding: int = 0, groups: int = 1, bias: bool = True, dilation: int = 1, padding_mode: str = 'zeros',
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None: ...
class LazyConvTranspose2d(LazyModuleMixin, ConvTranspose2d):
    cls_to_become: type[ConvTranspose2d]
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding: int = 0,
            output_padding: int = 0, groups: int = 1, bias: bool = True, dilation: int = 1, padding_mode: str = 'zeros',
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None: ...
class LazyConvTranspose3d(LazyModuleMixin, ConvTranspose3d):
    cls_to_become: type[ConvTranspose3d]
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding: int = 0,
            output_padding: int = 0, groups: int = 1, bias: bool = True, dilation: int = 1, padding_mode: str = 'zeros',
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None: ...
class LinearCrossEntropyLoss(_WeightedLoss):
    num_classes: int
    out_features: Sequence[int]
    ignore_index: int
    label_smoothing: Any
    linear: Any
    options: LinearCrossEntropyOptions
    def __init__(self, in_features: int, num_classes: int, *, out_features: Sequence[int] = (), bias: bool = False,
            device: _DeviceLike | None = None, dtype: _dtype | None = None, weight: Tensor | None = None, reduction: str
            = 'mean', ignore_index: int | None = None, label_smoothing: float = 0.0, options: LinearCrossEntropyOptions
            | None = None) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
class LogSoftmax(Module):
    dim: int | Any
    def forward(self, input: Tensor) -> Tensor: ...
    def __init__(self, dim: int | None = None) -> None: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class MarginRankingLoss(_Loss):
    margin: float
    def __init__(self, margin: float = 0.0, size_average: Any = None, reduce: str | None = None, reduction: str =
            'mean') -> None: ...
    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor: ...
class MultiLabelMarginLoss(_Loss):
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
class MultiLabelSoftMarginLoss(_WeightedLoss):
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
class MultiMarginLoss(_WeightedLoss):
    p: int
    margin: float
    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: Any = None, reduce:
            str | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
class MultiheadAttention(Module):
    embed_dim: int
    kdim: Any
    vdim: Any
    num_heads: int
    dropout: float
    batch_first: bool
    head_dim: Any
    out_proj: Linear
    bias_k: Parameter | Any
    bias_v: Parameter | Any
    add_zero_attn: bool
    in_proj_weight: Parameter | Any
    in_proj_bias: Parameter | Any
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool =
            False, add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool =
            False, device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None, need_weights:
            bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool =
            False) -> tuple[Any, ...]: ...
    def __call__(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None, need_weights:
            bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool =
            False) -> tuple[Any, ...]: ...
class PReLU(Module):
    num_parameters: int
    init: float
    weight: Parameter
    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: _DeviceLike | None = None, dtype: _dtype |
            None = None) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class ParameterDict(Module):
    def __init__(self, parameters: Any = None) -> None: ...
    def __getitem__(self, key: Tensor) -> Any: ...
    def __setitem__(self, key: Tensor, value: Tensor) -> None: ...
    def __delitem__(self, key: Tensor) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __reversed__(self) -> Iterator[Any]: ...
    def __contains__(self, key: Tensor) -> bool: ...
    def copy(self) -> Any: ...
    def setdefault(self, key: Tensor, default: Any = None) -> Any: ...
    def clear(self) -> None: ...
    def pop(self, key: Tensor) -> Any: ...
    def popitem(self) -> Any: ...
    def get(self, key: Tensor, default: Any = None) -> Any: ...
    def fromkeys(self, keys: Any, default: Any = None) -> Any: ...
    def keys(self) -> Any: ...
    def items(self) -> Any: ...
    def values(self) -> Any: ...
    def update(self, parameters: Any) -> None: ...
    def __call__(self, input: Tensor) -> Any: ...
    def __or__(self, other: Tensor | _Number) -> Any: ...
    def __ror__(self, other: Tensor | _Number) -> Any: ...
    def __ior__(self, other: Tensor | _Number) -> Self: ...
class ParameterList(Module):
    def __init__(self, values: Iterable[Any] | None = None) -> None: ...
    def __getitem__(self, index: Tensor) -> Any: ...
    def __setitem__(self, index: Tensor, param: Any) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __iadd__(self, parameters: Any) -> Self: ...
    def append(self, value: Tensor) -> Self: ...
    def extend(self, values: Iterable[Any]) -> Self: ...
class RNNCell(RNNCellBase):
    nonlinearity: str
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = 'tanh', device:
            _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, input: Tensor, hx: Any = None) -> Tensor: ...
    def __call__(self, input: Tensor, hx: Any = None) -> Tensor: ...
class RNNCellBase(Module):
    input_size: int
    hidden_size: int
    bias: bool
    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: _DeviceLike | None =
            None, dtype: _dtype | None = None) -> None: ...
    def reset_parameters(self) -> None: ...
class SoftMarginLoss(_Loss):
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
class Softmax(Module):
    dim: int | Any
    def forward(self, input: Tensor) -> Tensor: ...
    def __init__(self, dim: int | None = None) -> None: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class Softmax2d(Module):
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class Softmin(Module):
    dim: int | Any
    def forward(self, input: Tensor) -> Tensor: ...
    def __init__(self, dim: int | None = None) -> None: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class SyncBatchNorm(_BatchNorm):
    process_group: ProcessGroup | Any
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True,
            track_running_stats: bool = True, process_group: ProcessGroup | None = None, device: _DeviceLike | None =
            None, dtype: _dtype | None = None, *, bias: bool = True) -> None: ...
    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: ProcessGroup | None = None) -> Module: ...
class TripletMarginLoss(_Loss):
    margin: float
    p: float
    eps: float
    swap: bool
    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: bool = False, size_average: Any =
            None, reduce: str | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...
    def __call__(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...
class TripletMarginWithDistanceLoss(_Loss):
    distance_function: Any
    margin: float
    swap: bool
    def __init__(self, *, distance_function: Callable[..., Any] | None = None, margin: float = 1.0, swap: bool = False,
            reduction: str = 'mean') -> None: ...
    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...
    def __call__(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...
