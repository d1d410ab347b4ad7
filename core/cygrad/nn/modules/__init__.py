"""The classes of `cygrad.nn`, one file for each kind of layer; a file is imported when a class of it is first used."""
import importlib as _importlib

from cygrad.utils.lazy_package import import_when_used as _import_when_used

_FILES = {
    "cygrad.nn.parameter": ("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"),
    "module": ("Module",),
    "container": ("Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"),
    "lazy": (),
    "cygrad.nn.parallel": ("DataParallel",),
    "utils": (),
    "linear": ("Identity", "Linear", "Bilinear", "LazyLinear"),
    "conv": ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
    "lazy_conv": ("LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
                  "LazyConvTranspose3d"),
    "activation": ("Threshold", "ReLU", "Hardtanh", "ReLU6", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish",
                   "Hardswish", "ELU", "CELU", "SELU", "GLU", "GELU", "Hardshrink", "LeakyReLU", "LogSigmoid",
                   "RReLU", "Softplus", "Softshrink", "Softsign", "Tanhshrink", "PReLU", "Softmin", "Softmax",
                   "Softmax2d", "LogSoftmax"),
    "loss": ("L1Loss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "GaussianNLLLoss", "KLDivLoss", "MSELoss",
             "BCELoss", "BCEWithLogitsLoss", "SmoothL1Loss", "HuberLoss", "CrossEntropyLoss", "CTCLoss"),
    "linear_loss": ("LinearCrossEntropyLoss", "LinearCrossEntropyOptions"),
    "margin_loss": ("HingeEmbeddingLoss", "MultiLabelMarginLoss", "SoftMarginLoss", "MultiLabelSoftMarginLoss",
                    "CosineEmbeddingLoss", "MarginRankingLoss", "MultiMarginLoss", "TripletMarginLoss",
                    "TripletMarginWithDistanceLoss"),
    "batchnorm": ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d",
                  "LazyBatchNorm3d"),
    "syncbatchnorm": ("SyncBatchNorm",),
    "instancenorm": ("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d",
                     "LazyInstanceNorm2d", "LazyInstanceNorm3d"),
    "normalization": ("LayerNorm", "GroupNorm", "RMSNorm", "LocalResponseNorm", "CrossMapLRN2d"),
    "padding": ("ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
                "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
                "ReplicationPad3d", "CircularPad1d", "CircularPad2d", "CircularPad3d"),
    "dropout": ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"),
    "distance": ("PairwiseDistance", "CosineSimilarity"),
    "attention": ("MultiheadAttention",),
    "transformer": ("TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer",
                    "Transformer"),
    "rnn": ("RNNBase", "RNN", "LSTM", "GRU"),
    "rnn_cells": ("RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"),
    "sparse": ("Embedding", "EmbeddingBag"),
    "flatten": ("Flatten", "Unflatten"),
    "pooling": ("MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "AvgPool1d",
                "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d"),
    "adaptive_pooling": ("AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AdaptiveAvgPool1d",
                         "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d"),
    "fold": ("Fold", "Unfold"),
    "pixelshuffle": ("PixelShuffle", "PixelUnshuffle", "ChannelShuffle"),
    "upsampling": ("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"),
    "adaptive": ("AdaptiveLogSoftmaxWithLoss",),
}
PLACES = {name: file if "." in file else f"cygrad.nn.modules.{file}"
          for file, names in _FILES.items() for name in names}

__all__ = [name for name, place in PLACES.items() if place.startswith("cygrad.nn.modules")]


def __getattr__(name):
    """A class or a file, imported when it is first used."""
    if name in __all__:
        value = getattr(_importlib.import_module(PLACES[name]), name)
        globals()[name] = value
        return value
    if name in _FILES and "." not in name:
        return _importlib.import_module(f"cygrad.nn.modules.{name}")
    raise AttributeError(f"module 'cygrad.nn.modules' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})


_import_when_used(__name__)
