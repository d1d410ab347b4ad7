"""What the core computes from a backend's other entries when it declines one: the table `COMPOSED`, entry -> function.

An op of `reduce` has an entry of its own. `fallback.run` calls the function with the declined call's arguments, as
tensors without history. It leaves the result in the outputs, through raw ops (`raw`), each of which may be
declined in turn. So a backend with the required entries alone has these ops on its device, and no call of theirs goes
to the CPU.

16-bit floats are computed in float32 and rounded once, by `copy`. An output may be the very same tensor as an input: it
is written last. Temporaries that grow with the product of two sizes (the columns of a convolution, the scores of
attention) are made for a part of the rows at a time, of about BLOCK elements.
"""
import math
from array import array

from cygrad.backend import BINARY, POOL, REDUCE, UNARY
from cygrad.devices.transfers import host_backend
from cygrad.devices.watching import seen
from cygrad.dispatch.allocation import empty_near, empty_on
from cygrad.dispatch.operands import binary_to
from cygrad.dispatch.raw import (arange_into, binary_op, cast_to, clone_dense, copy_, elementwise_op, fill_, gather_op,
                                 matmul3,
                                 reduce_dims, softmax_op, sort_op, unary_op, where_op)
from cygrad.dtype import all_dtypes
from cygrad.tensor import Tensor

DTYPES = {d.name: d for d in all_dtypes()}
BOOL, FLOAT32, INT64 = DTYPES["bool"], DTYPES["float32"], DTYPES["int64"]
HALVES = (DTYPES["float16"], DTYPES["bfloat16"])
ADD, SUB, MUL, DIV, TRUNC_DIVIDE, EQ, NE, LE, AND = (BINARY.index(name) for name in (
    "add", "sub", "mul", "div", "trunc_divide", "eq", "ne", "le", "logical_and"))
EXP, LOG, RSQRT, ISNAN = map(UNARY.index, ("exp", "log", "rsqrt", "isnan"))
PREDICATES = list(map(UNARY.index, ("logical_not", "isnan", "isinf", "isfinite")))
SUM, MAX, MIN = REDUCE.index("sum"), REDUCE.index("max"), REDUCE.index("min")
TO_BOOL = 2                     # the rule of comparisons (promotion.pxd)
BLOCK = 1 << 24                 # elements of a temporary


def computed(dtype):
    """The dtype that is computed in."""
    return FLOAT32 if dtype in HALVES else dtype


def wide(t):
    """`t` in the dtype that is computed in; None stays None."""
    return None if t is None else cast_to(t, computed(t.dtype))


def total(t, *dims):
    """Sums over axes, which stay with size 1."""
    return reduce_dims(SUM, t, dims, True, t.dtype)


def mul(a, b):
    return binary_op(MUL, a, b)


# ------------------------------------------------------------------------------- reductions, orders

def square_sum(op, a, out):
    """The sum of squares over the last axes."""
    a = cast_to(a, computed(out.dtype))
    copy_(out, reduce_dims(SUM, mul(a, a), tuple(range(out.dim(), a.dim())), False, a.dtype))


def reduce_stepwise(axes, program, ins, ops, finish, numbers, outs):
    """`map_reduce` over any axes of tensors of one shape: the results of the program, then their reductions."""
    ins = tuple([wide(value) if isinstance(value, Tensor) else value for value in ins])
    like = next(value for value in ins if isinstance(value, Tensor))
    dtype = computed(outs[0].dtype)
    number = next((t.dtype for t in ins if isinstance(t, Tensor) and t.dtype is not BOOL), dtype)
    results = tuple([empty_near(like, like.shape, BOOL if mask else number) for mask in masks_of(program, ins)])
    elementwise_op(program, ins, results)
    totals = tuple([reduce_dims(op, t, axes, False, dtype).view(outs[0].shape) for op, t in zip(ops, results)])
    if finish is not None:
        results = tuple([empty_near(out, out.shape, dtype) for out in outs])
        elementwise_op(finish, totals + numbers, results)
        totals = results
    for total_, out in zip(totals, outs):
        copy_(out, total_)


def masks_of(program, ins):
    """For each result of a program whether it is bool."""
    stack, kept, found = [], {}, {}
    for kind, *rest in program:
        if kind == "in" or kind == "number":
            stack.append(kind == "in" and isinstance(ins[rest[0]], Tensor) and ins[rest[0]].dtype is BOOL)
        elif kind == "keep":
            kept[rest[0]] = stack[-1]
        elif kind == "kept":
            stack.append(kept[rest[0]])
        elif kind == "out":
            found[rest[0]] = stack.pop()
        else:
            popped = [stack.pop() for _ in range({"unary": 1, "binary": 2, "where": 3}[kind])]
            same = all(popped[:2])                                      # of where: a and b
            stack.append(same or kind == "unary" and rest[0] in PREDICATES or kind == "binary" and rest[0] >= EQ)
    return [found[j] for j in range(len(found))]


def map_reduce(program, ins, ops, finish, numbers, outs):
    """All results of the program, then their reductions over the last axes."""
    rank = next(value.dim() for value in ins if isinstance(value, Tensor))
    reduce_stepwise(tuple(range(outs[0].dim(), rank)), program, ins, ops, finish, numbers, outs)


def partial_sort(a, descending, first, values, index):
    """A part of the whole order."""
    for part, whole in zip((values, index), sort_op(a, a.dim() - 1, descending, True)):
        copy_(part, whole.narrow(-1, first, part.shape[-1]))


# ------------------------------------------------------------------------------- products

def addmm(bias, a, b, beta, alpha, out):
    """beta * bias + alpha * a @ b; with beta = 0 bias is not read."""
    from cygrad.ops.linalg.addmm import add_scaled      # knot: it needs this module
    product = matmul3(wide(a).unsqueeze(0), wide(b).unsqueeze(0))[0]
    copy_(out, add_scaled(wide(bias), product, beta, alpha))


# -------------------------------------------------------------------------------- softmax

def softmax(a, log, out):
    """exp(a - max) / sum(exp(a - max)), or its logarithm."""
    a, last = wide(a), a.dim() - 1
    shifted = binary_op(SUB, a, reduce_dims(MAX, a, (last,), True, a.dtype))
    powers = unary_op(EXP, shifted)
    if log:
        copy_(out, binary_op(SUB, shifted, unary_op(LOG, total(powers, last))))
    else:
        copy_(out, binary_op(DIV, powers, total(powers, last)))


def softmax_backward(grad, result, log, out):
    """(grad - sum(grad * result)) * result; for the logarithm, grad - exp(result) * sum(grad)."""
    grad, result, last = wide(grad), wide(result), result.dim() - 1
    if log:
        copy_(out, binary_op(SUB, grad, mul(unary_op(EXP, result), total(grad, last))))
    else:
        copy_(out, mul(binary_op(SUB, grad, total(mul(grad, result), last)), result))


# -------------------------------------------------------------------- layer normalisation

def layer_norm(a, weight, bias, eps, out, mean, rstd):
    """(a - mean) * rstd * weight + bias with the mean and 1 / deviation of each row."""
    a, n = wide(a), a.shape[1]
    centre = binary_op(DIV, total(a, 1), n)
    apart = binary_op(SUB, a, centre)
    scale = unary_op(RSQRT, binary_op(ADD, binary_op(DIV, total(mul(apart, apart), 1), n), eps))
    y = mul(apart, scale)
    if weight is not None:
        y = mul(y, wide(weight))
    if bias is not None:
        y = binary_op(ADD, y, wide(bias))
    copy_(mean, centre[:, 0])
    copy_(rstd, scale[:, 0])
    copy_(out, y)


def layer_norm_backward(grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    """With x the normalised rows and g = grad * weight: (g - mean(g) - x * mean(g * x)) * rstd."""
    grad, n, scale = wide(grad), a.shape[1], rstd.unsqueeze(1)
    x = mul(binary_op(SUB, wide(a), mean.unsqueeze(1)), scale)
    for_weight = None if grad_weight is None else total(mul(grad, x), 0)[0]
    for_bias = None if grad_bias is None else total(grad, 0)[0]
    if grad_a is not None:
        g = grad if weight is None else mul(grad, wide(weight))
        centre, slope = binary_op(DIV, total(g, 1), n), binary_op(DIV, total(mul(g, x), 1), n)
        copy_(grad_a, mul(binary_op(SUB, binary_op(SUB, g, centre), mul(x, slope)), scale))
    if for_weight is not None:
        copy_(grad_weight, for_weight)
    if for_bias is not None:
        copy_(grad_bias, for_bias)


# ----------------------------------------------------------------------------- convolution

class Windows:
    """The geometry of a convolution: which places of the padded input every output position sees."""

    def __init__(self, a, weight, stride, padding, dilation, groups, out_shape):
        self.groups, self.channels, self.outputs = groups, a.shape[1] // groups, weight.shape[0] // groups
        self.kernel, self.size = tuple(weight.shape[2:]), out_shape[2:]
        self.inside = self.channels * math.prod(self.kernel)
        self.stride, self.padding, self.dilation, self.shape = stride, padding, dilation, tuple(a.shape)

    def blocks(self):
        """Ranges of images whose columns are about BLOCK elements."""
        images = self.shape[0]
        step = max(1, BLOCK // (self.groups * self.inside * self.size[0] * self.size[1]))
        return [(n, min(n + step, images)) for n in range(0, images, step)]

    def padded(self, images, like):
        """A zero image with room for the padding, and the window on it that is the image itself."""
        (top, left), (_, channels, height, width) = self.padding, self.shape
        whole = empty_near(like, (images, channels, height + 2 * top, width + 2 * left))
        fill_(whole, 0)
        return whole, whole.narrow(2, top, height).narrow(3, left, width)

    def of(self, whole):
        """A view (groups, channels, R, S, images, P, Q) of padded images: what each position (P, Q) sees at (R, S)."""
        n, c, h, w = whole.stride()
        shape = (self.groups, self.channels, *self.kernel, whole.shape[0], *self.size)
        strides = (self.channels * c, c, self.dilation[0] * h, self.dilation[1] * w, n, self.stride[0] * h,
                   self.stride[1] * w)
        return whole.as_strided(shape, strides, whole.storage_offset())

    def columns(self, a):
        """(groups, channels * R * S, images * P * Q): the matrix that the weights are multiplied with."""
        if any(self.padding):
            whole, inner = self.padded(a.shape[0], a)
            copy_(inner, a)
            a = whole
        return clone_dense(self.of(a)).reshape(self.groups, self.inside, -1)

    def rows(self, t):
        """Outputs (images, O, P, Q) as (groups, O / groups, images * P * Q)."""
        return t.transpose(0, 1).reshape(self.groups, self.outputs, -1)

    def add_back(self, columns, target):
        """Sum a gradient of columns into `target`, the images they were made from."""
        images = target.shape[0]
        parts = columns.reshape(self.groups, self.channels, *self.kernel, images, *self.size)
        whole, inner = self.padded(images, columns)
        seen = self.of(whole)
        for r in range(self.kernel[0]):
            for s in range(self.kernel[1]):             # one (r, s) sees every place once at most
                place = seen[:, :, r, s]
                binary_to(ADD, place, parts[:, :, r, s], place)
        copy_(target, inner)

    def weights(self, weight):
        """(groups, O / groups, channels * R * S)."""
        return weight.reshape(self.groups, self.outputs, self.inside)


def conv2d(a, weight, bias, stride, padding, dilation, groups, out):
    """A copy of what each output position sees, then one product for each group."""
    windows = Windows(a, weight, stride, padding, dilation, groups, tuple(out.shape))
    weights = windows.weights(wide(weight))
    shift = None if bias is None else wide(bias).reshape(-1, 1, 1, 1)
    for begin, end in windows.blocks():
        found = matmul3(weights, windows.columns(wide(a[begin:end])))
        found = found.reshape(weight.shape[0], end - begin, *windows.size)
        if shift is not None:
            found = binary_op(ADD, found, shift)
        copy_(out[begin:end], found.transpose(0, 1))


def conv2d_backward(grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
    """Products of the gradient with the columns, for the weight, and with the weight: columns to add to the input."""
    windows = Windows(a, weight, stride, padding, dilation, groups, tuple(grad.shape))
    weights = windows.weights(wide(weight)).transpose(1, 2)
    for_weight = None
    for_bias = None if grad_bias is None else reduce_dims(SUM, grad, (0, 2, 3), False, computed(grad.dtype))
    for begin, end in windows.blocks():
        rows = windows.rows(wide(grad[begin:end]))
        if grad_weight is not None:
            part = matmul3(rows, windows.columns(wide(a[begin:end])).transpose(1, 2))
            for_weight = part if for_weight is None else binary_op(ADD, for_weight, part)
        if grad_a is not None:
            windows.add_back(matmul3(weights, rows), grad_a[begin:end])
    if grad_weight is not None:
        copy_(grad_weight, for_weight.reshape(tuple(weight.shape)))
    if grad_bias is not None:
        copy_(grad_bias, for_bias)


# ------------------------------------------------------------------------------- pooling

def pool(op, a, boxes, out, index):
    """What each output sees, gathered along one axis after the other, then reduced along an axis of all of it."""
    size, planes = tuple(a.shape), wide(a)
    axes = list(map(places_of, boxes, size[1:], out.shape[1:]))
    step = max(1, BLOCK // math.prod(len(places) * len(places[0]) for places, _ in axes))
    for begin in range(0, size[0], step):
        end = min(begin + step, size[0])
        pool_planes(op, planes[begin:end], axes, out[begin:end], None if index is None else index[begin:end])


def places_of(box, size, outputs):
    """(what each output sees along an axis, in rows that -1 fills up; how many places a mean counts)."""
    (p, q, r), (last_p, last_q, last_r), step, margin = box
    rows, counts = [], []
    for i in range(outputs):
        seen = range((p * i + q) // r, (last_p * i + last_q) // last_r, step)
        counts.append(sum(-margin <= place < size + margin for place in seen))
        rows.append([place for place in seen if 0 <= place < size])
    longest = max(1, *map(len, rows))
    return [row + [-1] * (longest - len(row)) for row in rows], counts


def pool_planes(op, a, axes, out, index):
    (n, *size), seen, numbers = a.shape, a, None
    for axis, (rows, _) in enumerate(axes):             # (n, D, H, W) -> (n, P * K, Q * L, R * M)
        flat = numbered(a, [max(place, 0) for row in rows for place in row])
        shape = list(seen.shape)
        shape[axis + 1] = flat.shape[0]
        seen = gather_op(seen, flat.view([-1 if i == axis + 1 else 1 for i in range(4)]).expand(shape), axis + 1)
    order, valid = [0, 1, 3, 5, 2, 4, 6], None
    split = [part for rows, _ in axes for part in (len(rows), len(rows[0]))]
    windows = clone_dense(seen.view(n, *split).permute(order)).view(*out.shape, -1)
    for axis, (rows, _) in enumerate(axes):
        shape = [1] * 7
        shape[2 * axis + 1], shape[2 * axis + 2] = len(rows), len(rows[0])
        own = numbered(a, [place for row in rows for place in row]).view(shape)
        inside = binary_op(LE, numbered(a, [0]).view([1] * 7), own, TO_BOOL)
        valid = inside if valid is None else binary_op(AND, *spread(valid, inside), TO_BOOL)
        if axis == 0:
            numbers = own
        else:
            numbers = binary_op(ADD, *spread(binary_op(MUL, numbers, size[axis]), own))
    full = [1, *split]
    valid, numbers = (clone_dense(t.expand(full).permute(order)).view(*[1, *out.shape[1:]], -1).expand(windows.shape)
                      for t in (valid, numbers))
    if POOL[op] == "max":
        return largest_of_windows(windows, valid, numbers, out, index)
    windows = hide(windows, valid, 0)
    found = reduce_dims(SUM, windows, (4,), False, windows.dtype)
    if POOL[op] == "mean":
        total_count = None
        for axis, (_, counts) in enumerate(axes):
            count = numbered(a, counts).view([-1 if i == axis + 1 else 1 for i in range(4)])
            total_count = count if total_count is None else binary_op(MUL, *spread(total_count, count))
        whole = found.dtype is INT64 or found.dtype.name.startswith(("int", "uint"))
        found = binary_op(TRUNC_DIVIDE if whole else DIV, *spread(found, cast_to(total_count, found.dtype)))
    copy_(out, found)


def largest_of_windows(windows, valid, numbers, out, index):
    """The largest along the last axis, and the first place where it is; of NaN the last."""
    floating = windows.dtype.name.startswith("float")
    lowest = -1 << 8 * windows.dtype.itemsize - 1
    lowest = -math.inf if floating else 0 if windows.dtype.name.startswith("uint") else lowest
    seen = hide(windows, valid, lowest)
    top = reduce_dims(MAX, seen, (4,), True, seen.dtype)
    copy_(out, top.squeeze(4))
    if index is None:
        return
    equal = binary_op(AND, binary_op(EQ, *spread(seen, top), TO_BOOL), valid, TO_BOOL)
    beyond = 1 << 62
    first = reduce_dims(MIN, hide(numbers, equal, beyond), (4,), False, INT64)
    if floating:
        nan = binary_op(AND, unary_op(ISNAN, seen, TO_BOOL), valid, TO_BOOL)
        last = reduce_dims(MAX, hide(numbers, nan, -1), (4,), False, INT64)
        first = where_op(binary_op(LE, *spread(numbered(first, [0]).view([1] * 4), last), TO_BOOL), last, first)
    copy_(index, first)


def numbered(like, values):
    """int64 numbers on a tensor's device."""
    made = empty_near(like, (len(values),), INT64)
    seen(made._backend()).h2d(memoryview(array("q", values)).cast("B").toreadonly(), made._storage(), 0)
    return made


def spread(a, b):
    """Both expanded to the shape they broadcast to."""
    shape = list(map(max, a.shape, b.shape))
    return a.expand(shape), b.expand(shape)


# ------------------------------------------------------------------------------- resampling

def resample(a, places, weights, out):
    """Places gathered for one tap after the other, times its weights."""
    shape = tuple(out.shape)
    sums = None
    for t in range(places.shape[0]):
        found = gather_op(a, clone_dense(places[t].view(1, -1, 1).expand(shape)), 1)
        part = mul(found, weights[t].view(1, -1, 1).expand(shape))
        sums = part if sums is None else binary_op(ADD, sums, part)
    copy_(out, sums)


# ------------------------------------------------------------------------------- attention

def attention(query, key, value, mask, causal, scale, out):
    """softmax(scale * query @ key^T + mask) @ value, some rows of the scores at a time."""
    q, k, v = wide(query), wide(key).transpose(1, 2), wide(value)
    batch, rows, columns = q.shape[0], q.shape[1], k.shape[2]
    step = max(1, BLOCK // (batch * columns))
    results = []
    for begin in range(0, rows, step):
        end = min(begin + step, rows)
        scores = mul(matmul3(q[:, begin:end], k), scale)
        if mask is not None:
            part = mask[:, begin:end]
            scores = hide(scores, part) if part.dtype.name == "bool" else binary_op(ADD, scores, wide(part))
        if causal:
            scores = hide(scores, visible(scores, begin))
        top = reduce_dims(MAX, scores, (2,), True, scores.dtype)
        chances = softmax_op(scores, 2, False)
        chances = hide(chances, binary_op(NE, top, -math.inf, TO_BOOL), 0)
        results.append((begin, end, matmul3(chances, v)))
    for begin, end, result in results:
        copy_(out[:, begin:end], result)


def visible(scores, begin):
    """(rows, columns) bool: whether a column is not later than a row; the rows start at number `begin`."""
    rows, columns = scores.shape[-2:]
    counted = empty_on(host_backend(), 0, INT64, (max(begin + rows, columns),))
    arange_into(counted, 0, 1)                          # on the host: a backend need not have `arange`
    numbers = empty_near(scores, counted.shape, INT64)
    copy_(numbers, counted)
    return binary_op(LE, numbers[:columns], numbers[begin:begin + rows].unsqueeze(1), TO_BOOL)


def hide(t, shown, value=-math.inf):
    """`t` where `shown`, which broadcasts, holds, else `value`."""
    other = empty_near(t, (), t.dtype)
    fill_(other, value)
    return where_op(shown.expand(t.shape), t, other.expand(t.shape))


from cygrad.dispatch.recurrent_compositions import recurrent, recurrent_backward  # noqa: E402 (it needs the above)

COMPOSED = {function.__name__: function for function in (
    square_sum, map_reduce, partial_sort, addmm, softmax, softmax_backward, layer_norm, layer_norm_backward, conv2d,
    conv2d_backward, pool, resample, attention, recurrent, recurrent_backward)}
