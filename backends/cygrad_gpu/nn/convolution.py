"""Convolutions without columns in memory: what a position sees is gathered while tiles of a product are loaded.

All three products of a convolution and its gradients are one correlation of five axes (`Geometry`): the gradient of
the input is that of grad with the filters of one phase of the stride, see `input_gradient`. On GPUs a group owns a tile
of the product, whose sides are filters and positions (outputs), or filters and taps (gradients of weights): the loop
runs over the other of the two, which a table in shared memory describes. Processors: im2col_processor.py, few filters:
depthwise.py.
"""
import math
from itertools import product
from typing import NamedTuple

from cygrad.backend import REDUCE

from cygrad_gpu.codegen.element_types import ELEMENTS, convert
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.nn import depthwise, im2col_processor
from cygrad_gpu.products import matmul

SUM = REDUCE.index("sum")
SIDE, STEP = 64, 16         # of a group's tile, and how much of the inner axis it shares at a time
LONG = 1024                 # positions that a part of a weight's gradient adds up at least


class Geometry(NamedTuple):
    """y[n, g, m, p, q] = sum of w[g, m, c, u, v] * x[n, g, c, p * step + u * apart - before, ...] over c, u, v.

    Attributes
    ----------
    sizes : tuple
        M, C, U, V, H, W, P, Q.
    x, w, y : tuple
        Strides of the five axes of each.
    move : tuple
        step, apart (which may be negative) and before, each for rows and columns.
    """

    sizes: tuple
    x: tuple
    w: tuple
    y: tuple
    move: tuple

    @property
    def neighbours(self):
        """Whether positions side by side see elements side by side."""
        return self.move[1] * self.x[4] == 1

    @property
    def arguments(self):
        return self.sizes, self.x, self.y, self.move


def described(x, w, y, move):
    """The Geometry of Views of five axes; filters of one element see each plane as one line where they may."""
    (_, _, c, height, width), (_, _, m, p, q), (u, v) = x.shape, y.shape, w.shape[3:]
    x_steps, y_steps = tuple(x.stride()), tuple(y.stride())
    if (u, v, *move[:2], *move[4:]) == (1, 1, 1, 1, 0, 0) and (height, width) == (p, q) and (
            x_steps[3] == width * x_steps[4] and y_steps[3] == width * y_steps[4]):
        height, width, p, q = 1, height * width, 1, p * q
    return Geometry((m, c, u, v, height, width, p, q), x_steps, tuple(w.stride()), y_steps, move)


TILES = """
#define SIDE {side}
#define STEP {step}
#define ROOM (SIDE + 1)                             /* columns of a tile start in different banks */
KERNEL({name})(ARRAY({R}, out), ARRAY(const {S}, x), ARRAY(const {S}, a), ARRAY(const {S}, bias),
    const i64 bias_step, const i64 sides, const i64 k, const i64 chunk, const i64 splits, const i64 tops,
    const i64 lefts, const i64 split_step, const axes sizes, const axes x_step, const axes y_step, const axes move,
    const axes w_step) {{
    OPEN({R}, out); OPEN(const {S}, x); OPEN(const {S}, a); OPEN(const {S}, bias);
    LOCAL {T} a_tile[STEP * ROOM], b_tile[STEP * ROOM];
    LOCAL i64 side_x[SIDE], side_other[SIDE], step_x[STEP], step_other[STEP];
    LOCAL int side_row[SIDE], side_column[SIDE], step_row[STEP], step_column[STEP];
    {T} sums[4][4];
    const i64 split = GROUP_ID % splits, top = GROUP_ID / splits % tops * SIDE;
    const i64 left = GROUP_ID / splits / tops % lefts * SIDE, g = GROUP_ID / splits / tops / lefts;
    const i64 begin = split * chunk, end = begin + chunk < k ? begin + chunk : k, m = sizes.s0;
    const int i = ITEM / 16, j = ITEM % 16;
    x += g * x_step.s1;
    a += g * {a_group};
    out += g * {out_group} + split * split_step;
    bias += (g * m + top) * bias_step;
    if (ITEM < SIDE) {{
        const i64 at = left + ITEM;
        {side_place}
    }}
    if (ITEM < STEP) {{
        const i64 at = begin + ITEM;
        {step_place}
    }}
    UNROLL for (int r = 0; r < 4; r++)
        UNROLL for (int c = 0; c < 4; c++) sums[r][c] = {zero};
    BARRIER;
    for (i64 done = begin; done < end; done += STEP) {{
        for (int at = ITEM; at < STEP * SIDE; at += GROUP) {{
            const int p = at % STEP, q = at / STEP;
            GLOBAL const {S} *from = a + (top + q) * {a_row} + step_other[p];
            a_tile[p * ROOM + q] = top + q < m && done + p < end ? {load} : {zero};
        }}
        for (int at = ITEM; at < STEP * SIDE; at += GROUP) {{        /* neighbouring items are neighbouring positions */
            const int p = {fast_step} ? at % STEP : at / SIDE, q = {fast_step} ? at / STEP : at % SIDE;
            const int row = side_row[q] + step_row[p], column = side_column[q] + step_column[p];
            GLOBAL const {S} *from = x + side_x[q] + step_x[p];
            b_tile[p * ROOM + q] = row >= 0 && row < sizes.s4 && column >= 0 && column < sizes.s5 && left + q < sides
                && done + p < end ? {load} : {zero};
        }}
        BARRIER;
        if (ITEM < STEP) {{
            const i64 at = done + STEP + ITEM;
            {step_place}
        }}
        UNROLL for (int p = 0; p < STEP; p++) {{
            {T} u[4], v[4];
            UNROLL for (int r = 0; r < 4; r++) u[r] = a_tile[p * ROOM + i + 16 * r];
            UNROLL for (int c = 0; c < 4; c++) v[c] = b_tile[p * ROOM + j + 16 * c];
            UNROLL for (int r = 0; r < 4; r++)
                UNROLL for (int c = 0; c < 4; c++) sums[r][c] = {fma};
        }}
        BARRIER;
    }}
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            if (top + i + 16 * r < m && left + j + 16 * c < sides)
                STORE_{result}(out, (top + i + 16 * r) * {out_row} + side_other[j + 16 * c], {value});
}}
"""

# Where a position's view of x starts, and its place in y; where a tap is, seen from there, and its place in w.
POSITION = """const i64 line = at / sizes.s7, q = at - line * sizes.s7, n = line / sizes.s6, p = line - n * sizes.s6;
        {0}_row[ITEM] = (int)(p * move.s0 - move.s4);
        {0}_column[ITEM] = (int)(q * move.s1 - move.s5);
        {0}_x[ITEM] = n * x_step.s0 + {0}_row[ITEM] * x_step.s3 + {0}_column[ITEM] * x_step.s4;
        {0}_other[ITEM] = n * y_step.s0 + p * y_step.s3 + q * y_step.s4;"""
TAP = """const int line = (int)at / (int)sizes.s3, v = (int)at - line * (int)sizes.s3;
        const int c = line / (int)sizes.s2, u = line - c * (int)sizes.s2;
        {0}_row[ITEM] = u * (int)move.s2;
        {0}_column[ITEM] = v * (int)move.s3;
        {0}_x[ITEM] = c * x_step.s2 + {0}_row[ITEM] * x_step.s3 + {0}_column[ITEM] * x_step.s4;
        {0}_other[ITEM] = c * w_step.s2 + u * w_step.s3 + v * w_step.s4;"""


def make(traits, code, name, biased):
    """`name`: "convolve", or "convolve_weights" for the gradient of w, in parts of the dtype that is computed in."""
    element, work, gradient = ELEMENTS[code], matmul.work_of(code), name == "convolve_weights"
    T = ELEMENTS[work]
    target = work if gradient else code
    value = "sums[r][c]"
    if biased:
        shift = convert(f"LOAD_{element.name}(bias, (i + 16 * r) * bias_step)", element.compute_code, work)
        m = T.computed.upper()
        value = f"{m}({value}.x + {shift}.x, {value}.y + {shift}.y)" if T.kind == "complex" else f"{value} + {shift}"
    of_w, of_y = ("w_step.s0", "w_step.s1"), ("y_step.s1", "y_step.s2")
    side, step = (TAP, POSITION) if gradient else (POSITION, TAP)
    text = TILES.format(
        name=name, side=SIDE, step=STEP, R=ELEMENTS[target].stored, S=element.stored, T=T.computed,
        zero=f"{T.computed.upper()}(0, 0)" if T.kind == "complex" else "0", fast_step=int(gradient),
        side_place=side.format("side"), step_place=step.format("step"), result=ELEMENTS[target].name,
        a_group=of_y[0] if gradient else of_w[0], a_row=of_y[1] if gradient else of_w[1],
        out_group=of_w[0] if gradient else of_y[0], out_row=of_w[1] if gradient else of_y[1],
        load=convert(f"LOAD_{element.name}(from, 0)", element.compute_code, work),
        fma=matmul.times(T, "u[r]", "v[c]", "sums[r][c]"), value=matmul.narrow(value, work, target))
    return name, assemble(traits, 256, text), 256


def tiled_outputs(backend, device, x, w, y, bias, geometry):
    """y = x convolved with w, and bias added if there is one."""
    code = y.dtype.code
    taps, positions = math.prod(geometry.sizes[1:4]), y.shape[0] * y.shape[3] * y.shape[4]
    tops, lefts = -(-geometry.sizes[0] // SIDE), -(-positions // SIDE)
    key = code, "convolve", bias is not None
    kernel = backend.kernel(device, ("convolve", *key), make, *key)
    backend.launch(kernel, tops * lefts * x.shape[1], y, x, w, y if bias is None else bias,
                   0 if bias is None else bias.stride()[0], positions, taps, taps, 1, tops, lefts, 0,
                   *geometry.arguments, geometry.w)


def tiled_weights(backend, device, x, y, geometry):
    """The gradient of w where y is that of the result: a View (splits, G, M, C, U, V) of parts to add up."""
    code, units, sizes = y.dtype.code, backend.traits(device).units, geometry.sizes[:4]
    work = matmul.work_of(code)
    taps, positions, groups = math.prod(sizes[1:]), y.shape[0] * y.shape[3] * y.shape[4], x.shape[1]
    tops, lefts = -(-sizes[0] // SIDE), -(-taps // SIDE)
    tasks = tops * lefts * groups
    splits = max(1, min(-(-2 * units // tasks), positions // LONG))
    chunk = -(-positions // splits)
    splits = -(-positions // chunk)
    parts = backend.scratch(device, backend.dtype_of(work), splits, groups, *sizes)
    split_step, *steps = parts.stride()
    key = code, "convolve_weights", False
    kernel = backend.kernel(device, ("convolve", *key), make, *key)
    backend.launch(kernel, splits * tasks, parts, x, y, y, 0, taps, positions, chunk, splits, tops, lefts, split_step,
                   *geometry.arguments, steps)
    return parts


# ---- the entries

def grouped(backend, view, axis, groups):
    """A View whose `axis` is split in two: the groups, and what is in one."""
    shape, strides = tuple(view.shape), tuple(view.stride())
    inside = shape[axis] // groups
    return backend.window(view, (*shape[:axis], groups, inside, *shape[axis + 1:]),
                          (*strides[:axis], inside * strides[axis], *strides[axis:]))


def serves(traits, code):
    """Whether there are kernels for a dtype on a device."""
    return im2col_processor.serves(code) if traits.processor else ELEMENTS[code].kind != "bool"


def outputs(backend, device, x, w, y, bias, move):
    """y = x convolved with w, and bias added if there is one."""
    geometry, traits = described(x, w, y, move), backend.traits(device)
    run = (depthwise.outputs if depthwise.serves(traits, geometry) else
           im2col_processor.outputs if traits.processor else tiled_outputs)
    run(backend, device, x, w, y, bias, geometry)


def weights(backend, device, x, w, y, move):
    """The gradient of w where y is that of the result: a View (splits, G, M, C, U, V) of parts to add up."""
    geometry, traits = described(x, w, y, move), backend.traits(device)
    run = (depthwise.weights if depthwise.serves(traits, geometry) else
           im2col_processor.weights if traits.processor else tiled_weights)
    return run(backend, device, x, y, geometry)


def conv2d(backend, device, a, weight, bias, stride, padding, dilation, groups, out):
    if not serves(backend.traits(device), out.dtype.code):
        return NotImplemented
    x, w, y = grouped(backend, a, 1, groups), grouped(backend, weight, 0, groups), grouped(backend, out, 1, groups)
    outputs(backend, device, x, w, y, bias, (*stride, *dilation, *padding))
    return None


def conv2d_backward(backend, device, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight,
                    grad_bias):
    traits, filters, channels = backend.traits(device), grad.shape[1] // groups, weight.shape[1]
    if not serves(traits, grad.dtype.code):
        return NotImplemented
    if traits.processor and grad_a is not None and channels <= depthwise.FEW < filters:
        return NotImplemented       # the sum over filters is better done as a product, which has few columns here
    y, w = grouped(backend, grad, 1, groups), grouped(backend, weight, 0, groups)
    if grad_weight is not None:
        parts = weights(backend, device, grouped(backend, a, 1, groups), w, y, (*stride, *dilation, *padding))
        splits, *sizes = parts.shape
        target, (split_step, *steps) = grouped(backend, grad_weight, 0, groups), parts.stride()
        if splits == 1:
            backend.copy(backend.window(parts, sizes, steps), target)
        else:
            backend.reduce(SUM, backend.window(parts, (*sizes, splits), (*steps, split_step)), target)
    if grad_a is not None:
        input_gradient(backend, device, y, w, grouped(backend, grad_a, 1, groups), stride, padding, dilation)
    if grad_bias is not None:
        n, o, p, q = grad.stride()
        images, filters, *size = grad.shape
        backend.reduce(SUM, backend.window(grad, (filters, images, *size), (o, n, p, q)), grad_bias)
    return None


def phases(size, taps, stride, padding, dilation):
    """How rows of the input meet taps: those of one remainder by the stride meet the same ones.

    Yields (first row, rows, first tap, taps, distance of taps, move of the tap after, row of the output that the first
    row meets at the first tap): row ``first + stride * i`` meets ``at + i + move * u`` of the output at the u-th tap.
    Where nothing is met, there are 0 taps.
    """
    every = stride // math.gcd(stride, dilation)
    for first in range(min(stride, size)):
        rows = -(-(size - first) // stride)
        tap = next((r for r in range(min(every, taps)) if (first + padding - r * dilation) % stride == 0), taps)
        yield (first, rows, tap, -(-(taps - tap) // every), every, -(every * dilation // stride),
               (first + padding - tap * dilation) // stride)


def input_gradient(backend, device, y, w, target, stride, padding, dilation):
    """The gradient of the input: for each phase, grad convolved with the filters' taps in question, by steps of one."""
    (n, g, c, h, v), (wg, wm, wc, wr, ws) = target.stride(), w.stride()
    groups, filters, channels = w.shape[:3]
    down, across = (tuple(phases(target.shape[i], w.shape[i], stride[i - 3], padding[i - 3], dilation[i - 3]))
                    for i in (3, 4))
    for of_rows, of_columns in product(down, across):
        row, rows, r, u_taps, r_every, u_move, u_at = of_rows
        column, wide, s, v_taps, s_every, v_move, v_at = of_columns
        part = backend.window(target, (*target.shape[:3], rows, wide), (n, g, c, stride[0] * h, stride[1] * v),
                              row * h + column * v)
        if not u_taps * v_taps:
            backend.fill(part, 0)
            continue
        turned = backend.window(w, (groups, channels, filters, u_taps, v_taps),
                                (wg, wc, wm, r_every * wr, s_every * ws), r * wr + s * ws)
        outputs(backend, device, y, turned, part, None, (1, 1, u_move, v_move, -u_at, -v_at))
