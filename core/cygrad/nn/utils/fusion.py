"""A batch norm that is not in training, put into the layer before it."""
import copy

import cygrad
from cygrad.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _check(layer, norm):
    if layer.training or norm.training:
        raise AssertionError("Fusion only for eval!")


def _statistics(norm):
    if norm.running_mean is None or norm.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of a convolution that does what it and the batch norm after it do together.

    Parameters
    ----------
    conv, bn : Module
        Both in evaluation mode.
    transpose : bool
        Whether the convolution is a transposed one.

    Returns
    -------
    Module
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, *_statistics(bn), transpose)
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Weight and bias of a convolution, with a batch norm after it put in.

    Parameters
    ----------
    conv_w, conv_b : Tensor
        Of the convolution; the bias may be None.
    bn_rm, bn_rv : Tensor
        Running mean and variance.
    bn_eps : float
    bn_w, bn_b : Tensor or None
    transpose : bool
        Whether the second axis of the weight has the outputs.

    Returns
    -------
    tuple of Parameter
    """
    bias_dtype = conv_w.dtype if conv_b is None else conv_b.dtype
    conv_b = cygrad.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = cygrad.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = cygrad.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = cygrad.rsqrt(bn_rv + bn_eps)
    shape = [1] * len(conv_w.shape)
    shape[1 if transpose else 0] = -1
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=conv_w.dtype)
    bias = ((conv_b - bn_rm) * scale * bn_w + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """A copy of a Linear that does what it and the batch norm after it do together.

    Parameters
    ----------
    linear, bn : Module
        Both in evaluation mode; the norm has as many features as the layer has outputs, or one.

    Returns
    -------
    Module
    """
    _check(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
                             f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}")
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, *_statistics(bn))
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Weight and bias of a Linear, with a batch norm after it put in.

    Parameters
    ----------
    linear_w, linear_b : Tensor
        Of the layer; the bias may be None.
    bn_rm, bn_rv : Tensor
        Running mean and variance.
    bn_eps : float
    bn_w, bn_b : Tensor

    Returns
    -------
    tuple of Parameter
    """
    bias_dtype = linear_w.dtype if linear_b is None else linear_b.dtype
    linear_b = cygrad.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * cygrad.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
