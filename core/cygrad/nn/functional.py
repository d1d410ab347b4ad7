"""The functions of `torch.nn.functional` that are ops of the core, or short composites of them."""

from cygrad.ops.nn import (border_padding as _border_padding, padding as _padding,  # noqa: F401
                           piecewise_activations as _piecewise, smooth_activations as _smooth,
                           torch_namespace as _torch_namespace)
from cygrad.ops.reduce import softmax as _softmaxes
from cygrad.ops.nn.piecewise_activations import hardshrink, softshrink  # noqa: F401
from cygrad.ops.nn.smooth_activations import gelu, glu, logsigmoid, softplus, softsign, tanhshrink  # noqa: F401
from cygrad.ops.nn.attention import scaled_dot_product_attention  # noqa: F401
from cygrad.ops.declare.public_op import PublicOp as _PublicOp
from cygrad.ops.linalg.addmm import linear as _linear
from cygrad.ops.nn.adaptive_pooling import (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d,  # noqa: F401
                                            adaptive_max_pool1d, adaptive_max_pool1d_with_indices, adaptive_max_pool2d,
                                            adaptive_max_pool2d_with_indices, adaptive_max_pool3d,
                                            adaptive_max_pool3d_with_indices)
from cygrad.ops.nn.fractional_pooling import (fractional_max_pool2d, fractional_max_pool2d_with_indices,  # noqa: F401
                                              fractional_max_pool3d, fractional_max_pool3d_with_indices)
from cygrad.ops.nn.batch_normalization import batch_norm, instance_norm  # noqa: F401
from cygrad.ops.nn.group_normalization import group_norm  # noqa: F401
from cygrad.ops.nn.ctc import ctc_loss  # noqa: F401
from cygrad.ops.nn.dropout import (alpha_dropout, dropout, dropout1d, dropout2d, dropout3d,  # noqa: F401
                                   feature_alpha_dropout)
from cygrad.ops.nn.element_losses import (binary_cross_entropy, binary_cross_entropy_with_logits,  # noqa: F401
                                          gaussian_nll_loss, huber_loss, kl_div, poisson_nll_loss, smooth_l1_loss,
                                          soft_margin_loss)
from cygrad.ops.nn.embeddings import embedding, embedding_bag, one_hot  # noqa: F401
from cygrad.ops.nn.margin_losses import (cosine_embedding_loss, hinge_embedding_loss,  # noqa: F401
                                         margin_ranking_loss, multi_margin_loss, multilabel_margin_loss,
                                         multilabel_soft_margin_loss, triplet_margin_loss,
                                         triplet_margin_with_distance_loss)
from cygrad.ops.nn.multi_head import multi_head_attention_forward  # noqa: F401
from cygrad.ops.nn.pooling import (avg_pool1d, avg_pool2d, avg_pool3d, lp_pool1d, lp_pool2d, lp_pool3d,  # noqa: F401
                                   max_pool1d, max_pool1d_with_indices, max_pool2d, max_pool2d_with_indices, max_pool3d,
                                   max_pool3d_with_indices)
from cygrad.ops.nn.random_activations import gumbel_softmax, rrelu  # noqa: F401
from cygrad.ops.nn.scale_normalization import local_response_norm, normalize, rms_norm  # noqa: F401
from cygrad.ops.nn.grid_sampling import affine_grid, grid_sample  # noqa: F401
from cygrad.ops.nn.interpolation import interpolate, upsample, upsample_bilinear, upsample_nearest  # noqa: F401
from cygrad.ops.nn.learned_slopes import prelu as _prelu
from cygrad.ops.nn.sliding_blocks import col2im as _col2im, im2col as _im2col
from cygrad.ops.nn.unpooling import max_unpool1d, max_unpool2d, max_unpool3d  # noqa: F401
from cygrad.ops.nn.linear_losses import linear_cross_entropy  # noqa: F401
from cygrad.ops.nn.losses import cross_entropy, l1_loss, mse_loss, nll_loss  # noqa: F401
from cygrad.errors.accepted import lines_of as _lines_of
from cygrad.ops.declare.op_forms import (functions as _functions, inplace_form as _inplace_form, methods as _methods,
                                          public as _public, with_out as _with_out)

def _writes_in_place(function, name, written=None):
    """`function` with a last argument `inplace`, which has it write what `written` (else itself) computes."""
    form = _inplace_form(name, written or function)
    parameters = getattr(function, "__wrapped__", function).__code__.co_argcount        # within its `out=`

    def choose(input, *args, inplace=False, **kwargs):
        if len(args) == parameters:
            *args, inplace = args
        return form(input, *args, **kwargs) if inplace else function(input, *args, **kwargs)
    choose.__name__ = choose.__qualname__ = name
    choose.__doc__ = getattr(function, "function", function).__doc__      # a PublicOp's own is made when it is read
    choose.without_inplace = function
    return choose


def _without_out(function):
    """A function of PyTorch's that is Python there and takes no `out=`."""
    def plain(input, *args, **kwargs):
        if "out" in kwargs:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument 'out'")
        return function(input, *args, **kwargs)
    plain.__name__ = plain.__qualname__ = function.__name__
    plain.__doc__ = getattr(function, "function", function).__doc__      # a PublicOp's own is made when it is read
    plain.__wrapped__, plain.without_inplace = function, getattr(function, "without_inplace", None)
    return plain


for _file, _names in ((_smooth, ("elu", "selu", "celu", "silu", "mish")),
                      (_piecewise, ("leaky_relu", "hardtanh", "relu6", "hardsigmoid", "hardswish", "threshold"))):
    for _name in _names:
        globals()[_name] = _writes_in_place(getattr(_file, _name), _name, getattr(_file, _name + "_of_any", None))
for _name, _words in (("gelu", "found"), ("softplus", "found"), ("softshrink", "found"), ("logsigmoid", "scalar type")):
    globals()[_name] = _with_out(_name, globals()[_name], _words)
relu = _writes_in_place(_functions["relu"], "relu")
conv1d, conv2d, conv3d = (_functions[_name] for _name in ("conv1d", "conv2d", "conv3d"))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_functions[f"conv_transpose{_axes}d"] for _axes in (1, 2, 3))
pixel_shuffle, pixel_unshuffle, channel_shuffle, native_channel_shuffle, conv_tbc = (_functions[_name] for _name in (
    "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle", "conv_tbc"))
unfold, fold = _PublicOp(_im2col, "im2col", "im2col"), _PublicOp(_col2im, "col2im", "col2im")
prelu = _public("prelu", _prelu)
threshold = _without_out(threshold)  # noqa: F821  made above
sigmoid, tanh = [_without_out(_functions[_name]) for _name in ("sigmoid", "tanh")]
relu_ = _public("relu_", _methods["relu_"].function)
_scaled_elu_ = _inplace_form("elu", _smooth.scaled_elu)


def elu_(input, alpha=1.0, scale=1, input_scale=1):
    """`elu`, in place.

    Parameters
    ----------
    input : Tensor
        Is changed.
    alpha : float
        What large negative numbers tend to, negated.
    scale, input_scale : float
        Factors of the result, and of negative numbers before the exponential.

    Returns
    -------
    Tensor
        The input.

    Examples
    --------
    >>> cygrad.nn.functional.elu_(cygrad.tensor([-2., 3.]))
    tensor([-0.8647,  3.0000])
    """
    if scale == input_scale == 1:
        return elu(input, alpha, inplace=True)  # noqa: F821  made above
    return _scaled_elu_(input, alpha, scale, input_scale)


def leaky_relu_(input, negative_slope=0.01):
    """`leaky_relu`, in place.

    Parameters
    ----------
    input : Tensor
        Is changed.
    negative_slope : float
        The slope below zero.

    Returns
    -------
    Tensor
        The input.

    Examples
    --------
    >>> cygrad.nn.functional.leaky_relu_(cygrad.tensor([-2., 3.]))
    tensor([-0.0200,  3.0000])
    """
    return leaky_relu(input, negative_slope, inplace=True)  # noqa: F821  made above


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """`hardtanh`, in place.

    Parameters
    ----------
    input : Tensor
        Is changed.
    min_val, max_val : float
        The bounds.

    Returns
    -------
    Tensor
        The input.

    Examples
    --------
    >>> cygrad.nn.functional.hardtanh_(cygrad.tensor([-2., 3.]))
    tensor([-1.,  1.])
    """
    return _within_(input, min_val, max_val)


_within_ = _inplace_form("hardtanh", _piecewise.within)
selu_, celu_, threshold_, rrelu_ = (_functions[_name] for _name in ("selu_", "celu_", "threshold_", "rrelu_"))
bilinear, cosine_similarity, pairwise_distance, pdist = (
    _functions[_name] for _name in ("bilinear", "cosine_similarity", "pairwise_distance", "pdist"))


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) divided by its sum along an axis.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype, unless `dtype` is given.
    dim : int, optional
        The axis; without it PyTorch's choice by the number of axes, with a warning.
    dtype : dtype, optional
        Of the result, and in which it is computed.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.softmax(cygrad.tensor([0., 0., 1.]), dim=0)
    tensor([0.2119, 0.2119, 0.5761])
    """
    if dim is None:
        dim = _softmaxes.implicit_dim("softmax", input.dim())
    return _softmaxes.softmax(input, dim, dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of `softmax`, computed without its cancellation.

    Parameters
    ----------
    input, dim, dtype
        As in `softmax`.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.log_softmax(cygrad.tensor([0., 0., 1.]), dim=0)
    tensor([-1.5514, -1.5514, -0.5514])
    """
    if dim is None:
        dim = _softmaxes.implicit_dim("log_softmax", input.dim())
    return _softmaxes.log_softmax(input, dim, dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """`softmax` of -x.

    Parameters
    ----------
    input, dim, dtype
        As in `softmax`.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.softmin(cygrad.tensor([0., 0., 1.]), dim=0)
    tensor([0.4223, 0.4223, 0.1554])
    """
    if dim is None:
        dim = _softmaxes.implicit_dim("softmin", input.dim())
    return _softmaxes.softmax(-input, dim, dtype)


linear = _with_out("linear", _linear, "expected")


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes; see `cygrad.layer_norm`.

    Parameters
    ----------
    input, normalized_shape, weight, bias, eps
        As in `cygrad.layer_norm`.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.nn.functional.layer_norm(cygrad.tensor([[1., 3.]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    return _functions["layer_norm"](input, normalized_shape, weight, bias, eps)


def pad(input, pad, mode="constant", value=None):
    """Something around `input`: a constant, or what is in it.

    Parameters
    ----------
    input : Tensor
        (...); in other modes than "constant" (N, C, ...) or (C, ...), with one to three axes that are padded.
    pad : sequence of int
        How many places before and after, in pairs from the last axis on; negative numbers cut.
    mode : str
        "constant"; "reflect", the other side of the border, which is not repeated; "replicate", the border;
        "circular", the other end.
    value : number, optional
        The constant, 0 when omitted.

    Returns
    -------
    Tensor
        A copy with other sizes.

    Raises
    ------
    RuntimeError
        If numbers don't fit the shape, or there is a `value` in another mode than "constant".
    NotImplementedError
        If there is no such mode, or not for so many axes.

    Examples
    --------
    >>> for mode in ("constant", "reflect", "replicate", "circular"):
    ...     print(cygrad.nn.functional.pad(cygrad.tensor([[1., 2., 3.]]), (2, 1), mode).tolist())
    [[0.0, 0.0, 1.0, 2.0, 3.0, 0.0]]
    [[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]]
    [[1.0, 1.0, 1.0, 2.0, 3.0, 3.0]]
    [[2.0, 3.0, 1.0, 2.0, 3.0, 1.0]]
    """
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    pad = _padding.numbers(pad)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(pad)} and input of dimension {input.dim()}")
    if mode == "constant":
        return _padding.constant_pad_nd(input, pad, 0 if value is None else value)
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    return _border_padding.pad_with_borders(input, pad, mode)


# Functions that are called otherwise than those of their names in `cygrad` itself are known by their full name.
for _name, _value in list(globals().items()):
    if not _name.startswith("_") and callable(_value):
        _here = _functions.get(_name, _value)           # public by now, if something loaded its module before
        _own = getattr(_value, "__module__", "") == __name__ or _here is not _value and not (
            isinstance(_here, _PublicOp) and _here.function is _value)
        _known = _name not in _functions and _lines_of(_name, False)        # the words of whose errors are known
        globals()[_name] = (_PublicOp(_value, _name, _name if _known else "nn.functional." + _name) if _own
                            else _public(_name, _value))


from cygrad.nn import grad  # noqa: E402,F401  knot: it needs the functions above


def __getattr__(name):
    from cygrad.utils.not_here import missing      # start-up time
    raise missing("nn.functional", name)
