"""Mutants of whoever writes layers and their gradients: options, rests of sums, statistics, places. See `mutants`."""
import numpy as np
from cygrad.backend import CELLS, POOL
from mirror import array, load, store
from mutant import in_a_row, instead, kinds, lost, reading, right, spoilt, table


def _zero(at, *part):
    """Leaves 0 in a part of an output, if it is wanted."""
    return lambda *args: args[at] is not None and array(args[at]).__setitem__(part or np.s_[...], 0)


def trainers_norms():
    return table(
        ("softmax: log by the logarithm of a quotient", "softmax", instead, lambda a, log, out: log and kinds(
            a, "float32"), lambda a, log, out: np.log(np.exp(load(a) - load(a).max(-1, keepdims=True)) / np.exp(
                load(a) - load(a).max(-1, keepdims=True)).sum(-1, keepdims=True))),
        ("softmax of float16 sums in float16", "softmax", instead, lambda a, log, out: not log and kinds(a, "float16"),
         lambda a, log, out: _half_softmax(load(a))),
        ("softmax_backward: the sum without its last element", "softmax_backward", instead,
         lambda grad, result, log, out: not log and grad.shape[-1] % 4 == 1 and grad.shape[-1] > 4,
         lambda grad, result, log, out: (load(grad) - (load(grad) * load(result))[..., :-1].sum(-1, keepdims=True))
         * load(result)),
        ("layer_norm: the variance by n - 1", "layer_norm", spoilt, lambda a, *rest: a.shape[1] > 2000,
         lambda a, weight, bias, eps, out, mean, rstd: store(rstd, load(rstd) * np.sqrt((a.shape[1] - 1)
                                                                                       / a.shape[1]))),
        ("layer_norm: squares of float16 in float16", "layer_norm", spoilt, lambda a, *rest: kinds(a, "float16"),
         lambda a, weight, bias, eps, out, mean, rstd: store(rstd, 1 / np.sqrt((load(a)**2).mean(-1)
                                                                              - load(mean)**2 + eps))),
        ("layer_norm: a bias without a weight", "layer_norm", reading, lambda a, weight, bias, *rest: weight is None
         and bias is not None, (2, lambda a, weight, bias, *rest: array(bias) * 0)),
        ("layer_norm_backward: rows beyond 1,024 for the weight", "layer_norm_backward", spoilt,
         lambda grad, *rest: grad.shape[0] > 1024 and rest[-2] is not None,
         lambda grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias: store(grad_weight, (
             load(grad) * (load(a) - load(mean)[:, None]) * load(rstd)[:, None])[:1024].sum(0))),
        ("layer_norm_backward: no weight is a weight of grad", "layer_norm_backward", spoilt,
         lambda grad, a, mean, rstd, weight, grad_a, *rest: weight is None and grad_a is not None, _zero(5, 0)),
        ("group_norm: weight for groups", "group_norm", reading, lambda a, weight, *rest: weight is not None
         and weight.shape[1] > 1, (1, lambda a, weight, *rest: np.broadcast_to(array(weight)[:, :1], weight.shape))),
        ("group_norm: mean of the last group", "group_norm", spoilt, lambda a, *rest: a.shape[1] > 1,
         lambda a, weight, bias, eps, out, mean, rstd: array(mean).__setitem__(np.s_[:, -1], array(mean)[:, 0])),
        ("group_norm_backward: the bias of the last image", "group_norm_backward", lost,
         lambda *args: args[7] is not None and args[0].shape[0] > 1, np.s_[-1:], 7),
    )


def _half_softmax(x):
    found = np.exp(x - x.max(-1, keepdims=True)).astype("float16")
    return found / np.cumsum(found, -1, dtype="float16")[..., -1:]


def trainers_convolutions():
    def swapped(at):
        return (at, lambda *args: args[at][::-1])
    return table(
        ("conv2d: stride of columns for rows", "conv2d", reading, lambda *args: args[3][0] < args[3][1]
         and (args[7].shape[2] - 1) * args[3][1] + (args[1].shape[2] - 1) * args[5][0] < args[0].shape[2]
         + 2 * args[4][0] and args[7].shape[2] == 1, swapped(3)),
        ("conv2d: the last filter of an odd number", "conv2d", lost, lambda *args: args[7].shape[1] % 2
         and args[7].shape[1] > 1, np.s_[:, -1:], 7),
        ("conv2d: channels beyond eight", "conv2d", reading, lambda a, weight, *rest: weight.shape[1] > 8
         and weight.shape[1] % 8, (1, lambda a, weight, *rest: np.where(np.arange(weight.shape[1])[:, None, None]
                                                                       >= weight.shape[1] // 8 * 8, 0,
                                                                       array(weight)))),
        ("conv2d: filters are turned", "conv2d", reading, lambda a, weight, *rest: rest[4] > 1,
         (1, lambda a, weight, *rest: array(weight)[:, :, ::-1, ::-1])),
        ("conv2d: one image at a time, the last twice", "conv2d", spoilt, lambda a, *rest: a.shape[0] > 2,
         lambda *args: array(args[7]).__setitem__(-2, array(args[7])[-1])),
        ("conv2d_backward: the border of padding", "conv2d_backward", spoilt, lambda *args: args[4] != (0, 0)
         and args[7] is not None, lambda *args: array(args[7]).__setitem__(np.s_[:, :, 0], 0)),
        ("conv2d_backward: groups of the weight", "conv2d_backward", spoilt, lambda *args: args[6] > 1
         and args[8] is not None, lambda *args: array(args[8]).__setitem__(
             np.s_[-1:], array(args[8])[:1])),
        ("conv2d_backward: a bias in float16 is summed there", "conv2d_backward", spoilt, lambda *args: args[9]
         is not None and kinds(args[0], "float16"), lambda *args: store(args[9], np.cumsum(
             load(args[0]).swapaxes(0, 1).reshape(args[0].shape[1], -1).astype("float16"), -1,
             dtype="float16")[:, -1])),
    )


def trainers_pools():
    return table(
        ("pool: the place within its row", "pool", spoilt, lambda code, a, boxes, out, index: index is not None,
         lambda code, a, boxes, out, index: store(index, load(index) % a.shape[3])),
        ("pool: sums of bytes in bytes", "pool", spoilt, lambda code, a, boxes, out, index: POOL[code] == "sum"
         and kinds(out, "int64"), lambda code, a, boxes, out, index: store(out, load(out) % 256)),
        ("pool: a mean of float16 in float16", "pool", spoilt, lambda code, a, boxes, out, index: POOL[code] == "mean"
         and kinds(a, "float16"), lambda code, a, boxes, out, index: store(out, load(out) * np.float32(1.002))),
        ("pool: steps of columns", "pool", reading, lambda code, a, boxes, out, index: boxes[2][2] > 1, (
            2, lambda code, a, boxes, out, index: (*boxes[:2], (*boxes[2][:2], 1, boxes[2][3])))),
        ("pool: rows of what is left", "pool", lost, lambda code, a, boxes, out, index: out.shape[2] > 1
         and boxes[1][0][0] > boxes[1][1][1] - boxes[1][0][1], np.s_[:, :, -1:], 3),
        ("pool: the smallest number instead of -inf", "pool", spoilt, lambda code, a, boxes, out, index:
         POOL[code] == "max" and kinds(a, "float32"), lambda code, a, boxes, out, index: store(
             out, np.where(load(out) == -np.inf, -3.4028235e38, load(out)))),
        ("pool_backward of float16 is added there", "pool_backward", {"pool_backward": lambda self, *args: _halves(
            self, *args)}),
        ("grid_sample: corners for centres beyond the first axis", "grid_sample", reading, lambda mode, padding, align,
         a, *rest: a.ndim == 5, (2, lambda mode, padding, align, *rest: not align)),
        ("grid_sample: x for y", "grid_sample", reading, lambda mode, padding, align, a, grid, out: a.shape[2]
         == a.shape[3], (4, lambda mode, padding, align, a, grid, out: array(grid)[..., ::-1])),
        ("grid_sample: cubic by another constant", "grid_sample", spoilt, lambda mode, *rest: mode == 2,
         lambda mode, padding, align, a, grid, out: store(out, load(out) * 1.02)),
        ("grid_sample_backward: images add, the last wins", "grid_sample_backward", spoilt,
         lambda *args: args[6] is not None, lambda *args: array(args[6]).__setitem__(
             np.s_[...], np.sign(array(args[6])) * np.minimum(abs(array(args[6])), 1.5))),
        ("resample: weights in columns", "resample", reading, lambda a, places, weights, out: not weights
         .is_contiguous(), (2, lambda a, places, weights, out: in_a_row(weights))),
    )


def _halves(self, grad, index, out):
    answer = right("pool_backward", self, grad, index, out)
    if answer is None and kinds(out, "float16"):
        found, places = np.zeros(out.shape, "float16"), array(index)
        inside = (places >= 0) & (places < out.shape[1])
        rows = np.broadcast_to(np.arange(out.shape[0])[:, None], places.shape)
        np.add.at(found, (rows[inside], places[inside]), load(grad)[inside].astype("float16"))
        array(out)[...] = found
    return answer


def trainers_losses():
    def of(*names):
        return lambda cell, *rest: CELLS[cell] in names
    return table(
        ("nll_loss: the mean by all, ignored or not", "nll_loss", spoilt, lambda a, target, weight, ignore, mean, out,
         outside: mean and weight is None and (load(target) == ignore).any(),
         lambda a, target, weight, ignore, mean, out, outside: store(
             out, load(out) * (load(target) != ignore).mean())),
        ("nll_loss: losses of pixels in another order", "nll_loss", spoilt, lambda a, target, *rest: target.ndim == 2
         and target.shape[0] == target.shape[1] and rest[3].ndim == 2, lambda *args: store(args[5], load(args[5]).T)),
        ("nll_loss_backward: the sign", "nll_loss_backward", spoilt, lambda grad, target, weight, *rest:
         weight is not None, lambda *args: store(args[5], -load(args[5]))),
        ("nll_loss_backward: weights of the ignored", "nll_loss_backward", spoilt, lambda grad, target, weight, ignore,
         mean, out: mean and (load(target) == ignore).any(), lambda grad, target, weight, ignore, mean, out: store(
             out, load(out) * (load(target) != ignore).mean())),
        ("ctc_loss: a blank that is not 0", "ctc_loss", reading, lambda *args: args[5] != 0, (5, lambda *args: 0)),
        ("ctc_loss_backward: the gradient of the loss is left out", "ctc_loss_backward", reading, lambda *args: True,
         (0, lambda *args: np.ones_like(array(args[0])))),
        ("ctc_loss_backward: steps that are not", "ctc_loss_backward", lost, lambda *args: True, np.s_[-1:], 10),
        ("attention: the scale after the mask", "attention", reading, lambda query, key, value, mask, causal, scale,
         out: mask is not None and kinds(mask, "float64"), (3, lambda query, key, value, mask, causal, scale, out:
                                                          array(mask) * scale)),
        ("attention: causal beside a mask", "attention", reading, lambda query, key, value, mask, causal, *rest:
         mask is not None and causal, (4, lambda *args: False)),
        ("attention: float16 scores", "attention", reading, lambda query, *rest: kinds(query, "float16"),
         (0, lambda query, *rest: (array(query).view("uint16") & 0xFFF0).view("float16"))),
        ("recurrent: the cell's tanh once more", "recurrent", spoilt, of("lstm"), lambda *args: store(
            args[-1], np.tanh(load(args[-1])))),
        ("recurrent: the state of before in the last step", "recurrent", spoilt, lambda cell, steps, *rest:
         len(steps) > 2, lambda *args: array(args[-2]).__setitem__(0, array(args[5])[0])),
        ("recurrent: z for 1 - z", "recurrent", spoilt, of("gru"), lambda *args: array(args[9]).__setitem__(
            0, -array(args[9])[0])),
        ("recurrent_backward: no gradient of the last state", "recurrent_backward", reading, lambda *args: args[3]
         is not None, (3, lambda *args: array(args[3]) * 0)),
        ("recurrent_backward: relu's slope at 0 is 1", "recurrent_backward", spoilt, of("rnn_relu"),
         lambda *args: array(args[9]).__setitem__(0, array(args[9])[0] + 1)),
        ("gather_sum: weights are all 1", "gather_sum", reading, lambda a, index, starts, weights, out: weights
         is not None and kinds(a, "float64"), (3, lambda a, index, starts, weights, out: np.ones_like(array(weights)))),
        ("gather_sum: the last range ends at the last row", "gather_sum", reading, lambda a, index, starts, *rest: True,
         (2, lambda a, index, starts, *rest: np.append(array(starts)[:-1], min(array(starts)[-1], a.shape[0])))),
        ("fft: axes of rank three and more", "fft", reading, lambda a, out, axes, inverse, norm: len(axes) > 1
         and a.ndim > 2 and kinds(out, "complex128"), (3, lambda a, out, axes, inverse, norm: False)),
        ("linalg: an unread triangle is read", "linalg", {"linalg": lambda self, routine, ins, outs, options: right(
            "linalg", self, routine, ins, outs, {**options, "upper": not options["upper"]}
            if routine == "eigh" else options)}),
        ("linalg: right sides beyond the first matrix's", "linalg", {"linalg": lambda self, *args: _first_right_side(
            self, *args)}),
    )


def _first_right_side(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if answer is None and routine == "solve" and array(outs[0]).shape[0] > 1:
        array(outs[0])[1:, :, -1] = array(outs[0])[:1, :, -1]
    return answer
