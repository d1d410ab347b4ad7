# Written by docs/make_stubs.py; edit that, not this.
from cygrad import dtype as _dtype
from typing import Any
from cygrad.nn import (attention as attention, common_types as common_types, functional as functional, grad as grad,
    init as init, modules as modules, parallel as parallel, parameter as parameter, utils as utils)
from cygrad.nn.modules import (AdaptiveAvgPool1d as AdaptiveAvgPool1d, AdaptiveAvgPool2d as AdaptiveAvgPool2d,
    AdaptiveAvgPool3d as AdaptiveAvgPool3d, AdaptiveMaxPool1d as AdaptiveMaxPool1d, AdaptiveMaxPool2d as
    AdaptiveMaxPool2d, AdaptiveMaxPool3d as AdaptiveMaxPool3d, CosineEmbeddingLoss as CosineEmbeddingLoss,
    FractionalMaxPool2d as FractionalMaxPool2d, FractionalMaxPool3d as FractionalMaxPool3d, GLU as GLU, GRUCell as
    GRUCell, HingeEmbeddingLoss as HingeEmbeddingLoss, LSTMCell as LSTMCell, LazyConv1d as LazyConv1d, LazyConv2d as
    LazyConv2d, LazyConv3d as LazyConv3d, LazyConvTranspose1d as LazyConvTranspose1d, LazyConvTranspose2d as
    LazyConvTranspose2d, LazyConvTranspose3d as LazyConvTranspose3d, LinearCrossEntropyLoss as LinearCrossEntropyLoss,
    LogSoftmax as LogSoftmax, MarginRankingLoss as MarginRankingLoss, MultiLabelMarginLoss as MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss, MultiMarginLoss as MultiMarginLoss, MultiheadAttention as
    MultiheadAttention, PReLU as PReLU, ParameterDict as ParameterDict, ParameterList as ParameterList, RNNCell as
    RNNCell, RNNCellBase as RNNCellBase, SoftMarginLoss as SoftMarginLoss, Softmax as Softmax, Softmax2d as Softmax2d,
    Softmin as Softmin, SyncBatchNorm as SyncBatchNorm, TripletMarginLoss as TripletMarginLoss,
    TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss)
from cygrad.nn.modules.activation import (CELU as CELU, ELU as ELU, GELU as GELU, Hardshrink as Hardshrink, Hardsigmoid
    as Hardsigmoid, Hardswish as Hardswish, Hardtanh as Hardtanh, LeakyReLU as LeakyReLU, LogSigmoid as LogSigmoid, Mish
    as Mish, RReLU as RReLU, ReLU as ReLU, ReLU6 as ReLU6, SELU as SELU, SiLU as SiLU, Sigmoid as Sigmoid, Softplus as
    Softplus, Softshrink as Softshrink, Softsign as Softsign, Tanh as Tanh, Tanhshrink as Tanhshrink, Threshold as
    Threshold)
from cygrad.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from cygrad.nn.modules.batchnorm import (BatchNorm1d as BatchNorm1d, BatchNorm2d as BatchNorm2d, BatchNorm3d as
    BatchNorm3d, LazyBatchNorm1d as LazyBatchNorm1d, LazyBatchNorm2d as LazyBatchNorm2d, LazyBatchNorm3d as
    LazyBatchNorm3d)
from cygrad.nn.modules.container import (Container as Container, ModuleDict as ModuleDict, ModuleList as ModuleList,
    Sequential as Sequential)
from cygrad.nn.modules.conv import (Conv1d as Conv1d, Conv2d as Conv2d, Conv3d as Conv3d, ConvTranspose1d as
    ConvTranspose1d, ConvTranspose2d as ConvTranspose2d, ConvTranspose3d as ConvTranspose3d)
from cygrad.nn.modules.distance import CosineSimilarity as CosineSimilarity, PairwiseDistance as PairwiseDistance
from cygrad.nn.modules.dropout import (AlphaDropout as AlphaDropout, Dropout as Dropout, Dropout1d as Dropout1d,
    Dropout2d as Dropout2d, Dropout3d as Dropout3d, FeatureAlphaDropout as FeatureAlphaDropout)
from cygrad.nn.modules.flatten import Flatten as Flatten, Unflatten as Unflatten
from cygrad.nn.modules.fold import Fold as Fold, Unfold as Unfold
from cygrad.nn.modules.instancenorm import (InstanceNorm1d as InstanceNorm1d, InstanceNorm2d as InstanceNorm2d,
    InstanceNorm3d as InstanceNorm3d, LazyInstanceNorm1d as LazyInstanceNorm1d, LazyInstanceNorm2d as
    LazyInstanceNorm2d, LazyInstanceNorm3d as LazyInstanceNorm3d)
from cygrad.nn.modules.linear import (Bilinear as Bilinear, Identity as Identity, LazyLinear as LazyLinear, Linear as
    Linear)
from cygrad.nn.modules.loss import (BCELoss as BCELoss, BCEWithLogitsLoss as BCEWithLogitsLoss, CTCLoss as CTCLoss,
    CrossEntropyLoss as CrossEntropyLoss, GaussianNLLLoss as GaussianNLLLoss, HuberLoss as HuberLoss, KLDivLoss as
    KLDivLoss, L1Loss as L1Loss, MSELoss as MSELoss, NLLLoss as NLLLoss, NLLLoss2d as NLLLoss2d, PoissonNLLLoss as
    PoissonNLLLoss, SmoothL1Loss as SmoothL1Loss)
from cygrad.nn.modules.module import Module as Module
from cygrad.nn.modules.normalization import (CrossMapLRN2d as CrossMapLRN2d, GroupNorm as GroupNorm, LayerNorm as
    LayerNorm, LocalResponseNorm as LocalResponseNorm, RMSNorm as RMSNorm)
from cygrad.nn.modules.padding import (CircularPad1d as CircularPad1d, CircularPad2d as CircularPad2d, CircularPad3d as
    CircularPad3d, ConstantPad1d as ConstantPad1d, ConstantPad2d as ConstantPad2d, ConstantPad3d as ConstantPad3d,
    ReflectionPad1d as ReflectionPad1d, ReflectionPad2d as ReflectionPad2d, ReflectionPad3d as ReflectionPad3d,
    ReplicationPad1d as ReplicationPad1d, ReplicationPad2d as ReplicationPad2d, ReplicationPad3d as ReplicationPad3d,
    ZeroPad1d as ZeroPad1d, ZeroPad2d as ZeroPad2d, ZeroPad3d as ZeroPad3d)
from cygrad.nn.modules.pixelshuffle import (ChannelShuffle as ChannelShuffle, PixelShuffle as PixelShuffle,
    PixelUnshuffle as PixelUnshuffle)
from cygrad.nn.modules.pooling import (AvgPool1d as AvgPool1d, AvgPool2d as AvgPool2d, AvgPool3d as AvgPool3d, LPPool1d
    as LPPool1d, LPPool2d as LPPool2d, LPPool3d as LPPool3d, MaxPool1d as MaxPool1d, MaxPool2d as MaxPool2d, MaxPool3d
    as MaxPool3d, MaxUnpool1d as MaxUnpool1d, MaxUnpool2d as MaxUnpool2d, MaxUnpool3d as MaxUnpool3d)
from cygrad.nn.modules.rnn import GRU as GRU, LSTM as LSTM, RNN as RNN, RNNBase as RNNBase
from cygrad.nn.modules.sparse import Embedding as Embedding, EmbeddingBag as EmbeddingBag
from cygrad.nn.modules.transformer import (Transformer as Transformer, TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer, TransformerEncoder as TransformerEncoder,
    TransformerEncoderLayer as TransformerEncoderLayer)
from cygrad.nn.modules.upsampling import (Upsample as Upsample, UpsamplingBilinear2d as UpsamplingBilinear2d,
    UpsamplingNearest2d as UpsamplingNearest2d)
from cygrad.nn.parallel.data_parallel import DataParallel as DataParallel
from cygrad.nn.parameter import (Buffer as Buffer, Parameter as Parameter, UninitializedBuffer as UninitializedBuffer,
    UninitializedParameter as UninitializedParameter)
class LinearCrossEntropyOptions:
    def rows_of_a_piece(self, rows: Any, features: Any, classes: Any) -> Any: ...
    def __init__(self, allow_retain_graph: bool = False, batch_chunk_size: int | None = None, chunking_method: str =
            'auto', acc_policy: str = 'auto', acc_dtype: _dtype | None = None) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    acc_dtype: _dtype
    acc_policy: str
    allow_retain_graph: bool
    batch_chunk_size: int
    chunking_method: str
def factory_kwargs(kwargs: dict[Any, Any] | None) -> dict[str, Any]: ...
