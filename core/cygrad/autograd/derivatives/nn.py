"""Derivatives of layers of networks: normalisation, convolution, attention, distances, losses.

An op whose gradients one kernel computes together takes the tensors twice: as the list `tensors`, which has the edges,
and one by one, for its formula to keep what it reads.
"""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.forward_levels import batch_depth
from cygrad.autograd.derivatives.helpers import conj, flat, fresh, in_rows, once, one_node, over, times, unchanged
from cygrad.autograd.derivatives.reduce import softmax_backward
from cygrad.autograd.modes import grad_mode
from cygrad.ops.linalg.distances import cdist_slope, euclidean_slope, pdist_slope
from cygrad.ops.nn.attention import _safe_softmax, attention_scores, laid_as
from cygrad.ops.nn.border_padding import _folded, _padded
from cygrad.ops.nn.pooling_windows import box_sum_slope, of_outputs, placed, spread
from cygrad.ops.nn.batch_normalization import batch_norm_slopes
from cygrad.ops.nn.group_normalization import group_norm_slopes
from cygrad.ops.nn.convolution import _convolution, _convolution_backward
from cygrad.ops.nn.embeddings import bags_slope, embedding_slope, samples_slope
from cygrad.ops.nn.grid_sampling import affine_slope, slopes as sampling_slopes
from cygrad.ops.nn.recurrent import recurrent_slopes
from cygrad.ops.nn.resampling import NODES, _resampled, _spread
from cygrad.ops.nn.shuffles import _channel_shuffle, _pixel_shuffle, _pixel_unshuffle
from cygrad.ops.nn.sliding_blocks import _col2im, _im2col
from cygrad.ops.nn.unpooling import unpool_slope
from cygrad.ops.nn.losses import nll_loss_backward
from cygrad.ops.nn.normalization import layer_norm_backward
from cygrad.ops.declare.operand_types import FLOAT32, HALVES


def fold_of(mode):
    if mode == "circular":
        return lambda grad, pad: _folded(grad, pad, mode)
    return flat(lambda grad, self, pad: _folded(grad, pad, mode), "self", writes=1)


def spread_of(name):
    return one_node(NODES[name][:-1] + "Backward0", lambda grad, axes: _spread(grad, axes, name), "grad")


derivative("native_layer_norm", tensors=one_node("NativeLayerNormBackwardBackward0",
           lambda grad, input, weight, bias, axes, eps, result, needs: fresh(normalized_backward(
           grad, input, weight, axes, eps, result, needs)), "grad", "input", None, None, "weight", "bias", writes=None))
derivative("native_batch_norm", tensors=one_node("NativeBatchNormBackwardBackward0",
           lambda grad, input, weight, mean, rstd, options, result, needs: fresh(batch_norm_slopes(
           grad, input, weight, mean, rstd, options, result, needs)), "grad", "input", "weight", None, None,
           writes=None))
derivative("native_group_norm", tensors=lambda grads, input, weight, groups, eps, result, needs:
           fresh(group_norm_slopes(grads, input, weight, groups, eps, result, needs)))
derivative("convolution", tensors=lambda grad, input, weight, geometry, needs:
           _convolution_backward((grad, conj(input), conj(weight)), grad, conj(input), conj(weight), geometry, needs))
derivative("convolution_backward", name="ConvolutionBackwardBackward0",
           tensors=lambda grads, grad_output, input, weight, geometry, needs:
           convolution_backward_backward(grads, grad_output, input, weight, geometry, needs))
derivative("constant_pad_nd", self=lambda grad, pad: cygrad.constant_pad_nd(grad, [-n for n in pad]))
for _mode, _op, _name in (("reflect", "reflection_pad", "ReflectionPad{}DBackward0"),
                          ("replicate", "replication_pad", "ReplicationPad{}DBackward0"),
                          ("circular", "circular_pad", "CopySlices")):      # PyTorch copies parts of it in place
    for _axes in (1, 2, 3):
        derivative(f"{_op}{_axes}d", name=_name.format(_axes), self=fold_of(_mode))
for _op, _name in NODES.items():
    derivative(_op, name=_name, self=spread_of(_op))
derivative("resample_spread", self=lambda grad, axes, name: _resampled[name](grad, axes))
for _axes in (2, 3):
    derivative(f"grid_sampler_{_axes}d", name=f"GridSampler{_axes}DBackward0",
               tensors=one_node(f"GridSampler{_axes}DBackwardBackward0",
                                lambda grad, input, grid, mode, padding, align, needs: fresh(
                                sampling_slopes(grad, input, grid, mode, padding, align, needs)),
                                "grad", "input", "grid", writes=(None, None, 0)))
derivative("affine_grid_generator", name="AffineGridGeneratorBackward0", theta=lambda grad, size, align:
           affine_slope(grad, size, align))
derivative("im2col", name="Im2ColBackward0", self=lambda grad, size, window: _col2im(grad, size, window))
derivative("col2im", name="Col2ImBackward0", self=lambda grad, size, window: _im2col(grad, size, window))
derivative("pixel_shuffle", self=lambda grad, self_shape, factor:
           _pixel_unshuffle(grad, factor) if grad.numel() else grad.new_zeros(self_shape))
derivative("pixel_unshuffle", self=lambda grad, self_shape, factor:
           _pixel_shuffle(grad, factor) if grad.numel() else grad.new_zeros(self_shape))
derivative("channel_shuffle", self=lambda grad, self_shape, groups: _channel_shuffle(grad, self_shape[1] // groups))
derivative("pad_fold", self=lambda grad, pad, mode: _padded[mode, len(pad) // 2](grad, pad))

derivative("safe_softmax", self=lambda grad, dim, result: softmax_backward(grad, result, dim))
derivative("scaled_dot_product_attention", name="ScaledDotProductFlashAttentionForCpuBackward0",
           tensors=lambda grad, query, key, value, mask, causal, scale, needs:
           attention_backward(grad, query, key, value, mask, causal, scale, needs))
derivative("recurrent", tensors=lambda grads, options, x, by_input, input_bias, weight, bias, h, c, result:
           fresh(recurrent_slopes(grads, options, x, by_input, input_bias, weight, bias, h, c, result)))
for _op, _name in (("mkldnn", "MkldnnRnnLayer"), ("stack", "Stack"), ("cat", "Cat"), ("packed", "Cat")):
    derivative(f"rows_by_steps_{_op}", name=f"{_name}Backward0", rows=lambda grad, rows_shape: grad.reshape(rows_shape))
_cdist_slope = one_node("CdistBackwardBackward0", cdist_slope, "grad", "x1", "x2", "result",
                        writes="_cdist_backward")


def _cdist_slope2(grad, x1, x2, p, result):
    return _cdist_slope(grad.mT.contiguous(), x2, x1, p, result.mT.contiguous())


_cdist_slope2.__wrapped__ = lambda grad, x1, x2, p, result: cdist_slope(grad.mT, x2, x1, p, result.mT)
derivative("cdist", x1=_cdist_slope, x2=_cdist_slope2)
derivative("euclidean_dist", x1=lambda grad, x1, x2, result: euclidean_slope(grad, x1, x2, result),
           x2=lambda grad, x1, x2, result: euclidean_slope(grad.mT, x2, x1, result.mT))
derivative("pdist", self=one_node("PdistBackwardBackward0", lambda grad, self, p, result:
           pdist_slope(grad, self, p, result), "grad", "self", "result", writes="_pdist_backward"))
derivative("mse_loss", self=one_node("MseLossBackwardBackward0", lambda grad, self, target, reduction:
           square_backward(grad, self, target, reduction), "grad", "self", "target"),
           target=one_node("MseLossBackwardBackward0", lambda grad, self, target, reduction:
           square_backward(grad, target, self, reduction), "grad", "target", "self"))
derivative("divide_by_number", name="DivBackward1", self=lambda grad, other: over(grad, conj(other)))
derivative("add_number", name="AddBackward1", self=unchanged)
derivative("subtract_number", name="SubBackward1", self=unchanged)
derivative("multiply_by_number", name="MulBackward1", self=lambda grad, other: times(grad, conj(other)))
for _op, _name in (("nll_loss", "NllLossBackward0"), ("nll_loss2d", "NllLoss2DBackward0")):
    derivative(_op, name=_name, self=flat(lambda grad, self, target, weight, reduction, ignore_index:
               nll_loss_backward(grad, self.shape, target, weight, reduction, ignore_index), "self"))
for _op, _name in (("max_pool2d_with_indices", "MaxPool2DWithIndices"),
                   ("max_pool3d_with_indices", "MaxPool3DWithIndices")):
    derivative(_op, name=_name + "Backward0", self=flat(lambda grad, self, boxes, result:
               fresh(placed(grad, self.shape, result[1], len(boxes))), "self", writes=1))
for _op, _name in (("avg_pool2d", "AvgPool2D"), ("avg_pool3d", "AvgPool3D")):
    derivative(_op, name=_name + "Backward0", self=flat(lambda grad, self, boxes, sizes, divisor:
               spread(grad, self.shape, boxes, sizes, divisor), "self", writes=1))


def _adaptive(kind, axes):
    name = f"adaptive_{kind}_pool{axes}d"
    if kind == "max":
        formula = flat(lambda grad, self, boxes, result: fresh(placed(of_outputs(grad, name), self.shape, result[1],
                                                                      len(boxes))), "self", writes=1)
    else:
        formula = flat(lambda grad, self, boxes, sizes, divisor: spread(of_outputs(grad, name), self.shape, boxes,
                                                                        sizes, divisor), "self", writes=1)
    derivative(name, name=f"Adaptive{kind.title()}Pool{axes}DBackward0", self=formula)


for _kind in "max", "avg":
    for _axes in 2, 3:
        _adaptive(_kind, _axes)
for _op, _name in (("fractional_max_pool2d", "FractionalMaxPool2D"), ("fractional_max_pool3d", "FractionalMaxPool3D")):
    derivative(_op, name=_name + "Backward0", self=flat(lambda grad, self, sizes, result:
               fresh(placed(grad, self.shape, result[1], len(sizes))), "self", writes=1))
for _op, _name in (("max_unpool2d", "MaxUnpool2D"), ("max_unpool3d", "MaxUnpool3D")):
    derivative(_op, name=_name + "Backward0", self=lambda grad, indices, sizes: unpool_slope(grad, indices, sizes))
derivative("box_sum", self=lambda grad, self_shape, boxes, back: box_sum_slope(grad, self_shape, boxes, back))
derivative("embedding", weight=one_node("EmbeddingDenseBackwardBackward0",
           lambda grad, weight_shape, indices, padding_idx, scale_grad_by_freq:
           embedding_slope(grad, weight_shape, indices, padding_idx, scale_grad_by_freq), "grad"))
derivative("embedding_bag", weight=one_node("EmbeddingBagBackwardBackward0",
           lambda grad, weight_shape, indices, bags, sizes, per_sample_weights, options, result:
           bags_slope(grad, weight_shape, indices, bags, sizes, per_sample_weights, options, result),
           "grad", "per_sample_weights", writes="_embedding_bag_backward"),
           per_sample_weights=once("_embedding_bag_per_sample_weights", lambda grad, weight, indices, bags, options:
                                   samples_slope(grad, weight, indices, bags, options)))


def normalized_backward(grad, input, weight, axes, eps, result, needs):
    """The kernel's gradients, or the same formulas in differentiable ops where those are to be differentiated again."""
    mean, rstd = result[1], result[2]           # the values may have been changed since
    if not grad_mode() and (weight is None or weight.dtype is input.dtype):
        return layer_norm_backward(grad, input, mean, rstd, weight, axes, needs)
    over = tuple(range(-axes, 0))
    if weight is not None and weight.dtype is not input.dtype:          # computed in float32, as the forward was
        grad, input = grad.to(weight.dtype), input.to(weight.dtype)
    centred = input - input.mean(over, keepdim=True)
    scale = (centred.square().mean(over, keepdim=True) + eps).rsqrt()
    x = centred * scale
    found = [None, None, None]
    if needs[0]:
        g = grad if weight is None else grad * weight
        found[0] = (g - g.mean(over, keepdim=True) - x * (g * x).mean(over, keepdim=True)) * scale
    if needs[1]:
        found[1] = (grad * x).sum_to_size(x.shape[-axes:])
    if needs[2]:
        found[2] = grad.sum_to_size(x.shape[-axes:])
    return found


def convolution_backward_backward(grads, grad, input, weight, geometry, needs):
    """The sum of grad * convolution(input, weight) is linear in each of the three, which gives all derivatives."""
    for_input, for_weight, for_bias = grads
    found = [None, None, None]

    def convolved(x, w):
        return _convolution((x, w, None), x, w, None, geometry)

    def backward(g, x, w, wanted):
        return _convolution_backward((g, x, w), g, x, w, geometry, wanted)

    if needs[0]:
        parts = []
        if for_input is not None:
            parts.append(convolved(for_input, conj(weight)))
        if for_weight is not None:
            parts.append(convolved(conj(input), for_weight))
        if for_bias is not None:
            parts.append(for_bias.view(-1, *([1] * (grad.dim() - 2))).expand(grad.shape))
        found[0] = sum(parts[1:], parts[0])
    if needs[1] and for_weight is not None:
        found[1] = backward(conj(grad), input, for_weight, (True, False, False))[0]
    if needs[2] and for_input is not None:
        found[2] = backward(conj(grad), for_input, weight, (False, True, False))[1]
    return found


def attention_backward(grad, query, key, value, mask, causal, scale, needs):
    """The scores are computed again. With P their softmax and dP = grad @ value^T, dS = P * (dP - sum(dP * P))."""
    if query.dtype in HALVES:
        grad, query, key, value = (t.to(FLOAT32) for t in (grad, query, key, value))
    scaled = query * scale
    chances = _safe_softmax(attention_scores(scaled, key, mask, causal), -1)
    found = [None, None, None]
    if needs[2]:
        found[2] = chances.mT @ grad
    if needs[0] or needs[1]:
        slope = softmax_backward(grad @ value.mT, chances, -1)
        found[0] = times(slope @ key, scale) if needs[0] else None
        found[1] = slope.mT @ scaled if needs[1] else None
    if grad_mode() or batch_depth():
        return found
    return [g if g is None else laid_as(g, t) for g, t in zip(found, (query, key, value))]


def square_backward(grad, x, target, reduction):
    apart = x - target
    return in_rows(apart * (grad * (2 / (apart.numel() or 1)) if reduction == "mean" else grad * 2))
