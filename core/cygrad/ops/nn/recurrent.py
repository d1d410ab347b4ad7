"""Recurrent layers: `lstm`, `gru`, `rnn_tanh`, `rnn_relu`, which go through sequences.

A layer's input is multiplied with its weight for all steps at once, and the steps go over what that gives in its place
(the backend's `recurrent`): a layer is one node. Where this would be much memory, it goes by chunks of steps. Rows of a
step lie together: those of a padded batch of N sequences step by N, those of a packed one by its batch sizes, so that
both are walked alike. A layer with a projection, and the gradient of the gradient, go step by step through other ops
(`walked`).
"""
import cygrad
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.backend import CELLS
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import clone_dense, seen_as
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.nn.dropout import drop_elements
from cygrad.ops.declare.operand_types import need_tensors
from cygrad.tensor import Tensor

LSTM, GRU, TANH, RELU = range(4)
GATES = 4, 3, 1, 1
CACHED = 1 << 20        # bytes of gates that are worked on at a time ...
FEW = 4                 # ... where there are more than for so many times


# ------------------------------------------------------------------------------- all steps of a layer

# The first argument lists the tensors that have gradients, so that one formula computes them all; see the table. Of the
# options, `keep` says whether a derivative will read the gates and what goes with them.
@primitive(name="recurrent")
def _recurrent(tensors, options, x, by_input, input_bias, weight, bias, h, c):
    cell, steps, keep = options
    chunks = in_chunks(steps, x.shape[0], by_input.shape[0], x.dtype)
    hidden, plain = weight.shape[1], cell > GRU
    most = x.shape[0] if keep else max(high - low for _, low, high in chunks)
    values = empty_near(x, (x.shape[0] if plain else most, by_input.shape[0]))
    ahead = c.shape[0] if keep and cell == LSTM and not ends_early(steps, c.shape[0]) else 0
    whole = kept = None if plain else empty_near(x, (ahead + most, hidden))
    if ahead:
        start, kept = around(whole, ahead, steps, 0, most)
        start.narrow(0, 0 if upwards(steps) else most - ahead, ahead).copy_(c)
    out = values if plain else empty_near(x, (x.shape[0], hidden))
    for some, low, high in chunks:
        count, start = high - low, low if keep else 0
        gates = rows_of(values, low if plain else start, count)
        product_into(gates, rows_of(x, low, count), by_input, input_bias)
        last_h, last_c = empty_near(h, h.shape), None if c is None else empty_near(c, c.shape)
        call(gates, "recurrent", (cell, some, gates, weight, bias, h, c, gates,
                                  None if plain else rows_of(kept, start, count),
                                  gates if plain else rows_of(out, low, count), last_h, last_c), (7, 8, 9, 10, 11))
        h, c = last_h, last_c
    return tuple([t for t in (out, last_h, last_c, None if plain else values, whole) if t is not None])


def rows_of(t, low, count):
    """`count` rows from `low` on; a call less where these are all."""
    return t if count == t.shape[0] else t.narrow(0, low, count)


def ends_early(steps, most):
    """Whether a step has not all sequences."""
    return not steps[0][1] == steps[-1][1] == most


def upwards(steps):
    return steps[0][0] <= steps[-1][0]


def around(whole, ahead, steps, low, count):
    """(before, after) each of `count` rows from `low` on, of what all steps keep and `ahead` rows that were before."""
    first, second = whole.narrow(0, low, count), whole.narrow(0, low + ahead, count)
    return (first, second) if upwards(steps) else (second, first)


def product_into(out, x, weight, bias):
    """out = x @ weight^T + bias."""
    if bias is None:
        cygrad.mm(x, weight.t(), out=out)
    else:
        cygrad.addmm(bias, x, weight.t(), out=out)


def in_chunks(steps, rows, width, dtype):
    """(steps, first row, row after the last) of parts of the sequences, in the order in which steps are taken, with the
    steps' rows counted from the first: their gates stay in a cache from one use to the next. Sums of several parts
    would be rounded in between, which 16-bit floats can't bear. Few parts are not worth the calls."""
    most = CACHED // (width * dtype.itemsize)
    if rows <= FEW * most or dtype.itemsize == 2 or len(steps) < 2:
        return [(steps, 0, rows)]
    found, begin = [], 0
    while begin < len(steps):
        end, count = begin + 1, steps[begin][1]
        while end < len(steps) and count + steps[end][1] <= most:
            count += steps[end][1]
            end += 1
        low = min(steps[begin][0], steps[end - 1][0])
        found.append((tuple([(row - low, n) for row, n in steps[begin:end]]), low, low + count))
        begin = end
    return found


def parts(cell, result):
    """(out, last h, last c, values, kept) of what the primitive returned."""
    if cell == LSTM:
        return result
    return (result[0], result[1], None, *result[2:]) if cell == GRU else (result[0], result[1], None, result[0], None)


def before(steps, low, last, out, start):
    """What the state was before each of a chunk's steps, in the order of rows: `out` of the step before, `start` for
    the first. `last` is the step before these, (row, rows), or None; their rows count from `low`."""
    pieces = pieces_before(steps, low, last, out, start)
    return pieces[0] if len(pieces) == 1 else cygrad.cat(pieces)


def pieces_before(steps, low, last, out, start):
    """The parts, one below the other, that `before` is made of."""
    (first, most), (final, least) = steps[0], steps[-1]
    if most == least == start.shape[0] and (first != final if last is None else last[1] == most):   # nothing ends early
        count, forwards = len(steps) * most, first < final if last is None else last[0] < low
        if last is not None:
            return [out.narrow(0, low - most if forwards else low + most, count)]
        others = out.narrow(0, low if forwards else low + most, count - most)
        return [start, others] if forwards else [others, start]
    pieces = {}
    for row, rows in steps:
        known = 0 if last is None else min(rows, last[1])
        pieces[row] = [(out, last[0], known)] if known else []
        if rows > known:
            pieces[row].append((start, known, rows - known))
        last = row + low, rows
    found = []
    for row in sorted(pieces):
        for whole, begin, rows in pieces[row]:
            if found and found[-1][0] is whole and found[-1][1] + found[-1][2] == begin:
                found[-1] = whole, found[-1][1], found[-1][2] + rows
            else:
                found.append((whole, begin, rows))
    return [whole.narrow(0, begin, rows) for whole, begin, rows in found]


def recurrent_slopes(grads, options, x, by_input, input_bias, weight, bias, h, c, result):
    """Gradients by the input, its weight and bias, by weight, bias, h and c."""
    cell, steps, _ = options
    if grad_mode():
        return slopes_again(grads, cell, steps, (x, by_input, input_bias, weight, bias, h, c))
    out, _, _, values, kept = parts(cell, result)
    grad_out, grad_h, grad_c = grads[0], grads[1], grads[2] if cell == LSTM else None
    chunks = in_chunks(steps, x.shape[0], by_input.shape[0], x.dtype)
    most, n = max(high - low for _, low, high in chunks), weight.shape[1]
    slopes = empty_near(x, (most, by_input.shape[0]))
    hidden = empty_near(x, slopes.shape) if cell == GRU else None
    slope_x = empty_near(x, x.shape) if x.requires_grad else None
    sums = Sums()
    done = len(steps)
    for some, low, high in reversed(chunks):
        count = high - low
        done -= len(some)
        last = steps[done - 1] if done else None
        rows, by_gates = rows_of(x, low, count), rows_of(slopes, 0, count)
        by_state = by_gates if hidden is None else rows_of(hidden, 0, count)
        slope_h, slope_c = empty_near(h, h.shape), None if c is None else empty_near(c, c.shape)
        if kept is not None and kept.shape[0] > x.shape[0]:
            state, now = around(kept, c.shape[0], steps, low, count)
        else:
            now = None if kept is None else rows_of(kept, low, count)
            state = None if cell > GRU else before(some, low, last, *((kept, c) if cell == LSTM else (out, h)))
        call(rows, "recurrent_backward",
             (cell, some, None if grad_out is None else rows_of(grad_out, low, count), grad_h, grad_c,
              rows_of(values, low, count), now, state, weight,
              by_gates, None if hidden is None else by_state, slope_h, slope_c), (9, 10, 11, 12))
        grad_h, grad_c = slope_h, slope_c
        if by_input.requires_grad:
            sums.add_product("input", by_gates, rows)
        if weight.requires_grad:
            sums.add_products("state", by_state, [state] if cell == GRU else pieces_before(some, low, last, out, h))
        if input_bias is not None and input_bias.requires_grad:
            sums.add_rows("input_bias", by_gates)
        if bias is not None:
            sums.add_rows("bias", by_state[:, 2 * n:])
        if slope_x is not None:
            cygrad.mm(by_gates, by_input, out=rows_of(slope_x, low, count))
    return [slope_x, sums.get("input"), sums.get("input_bias"), sums.get("state"), sums.get("bias"), slope_h, slope_c]


class Sums(dict):
    """Gradients by name, added up chunk by chunk."""

    def add_product(self, name, slopes, rows):
        if name in self:
            self[name].addmm_(slopes.mT, rows)
        else:
            self[name] = slopes.mT @ rows

    def add_products(self, name, slopes, pieces):
        """The product with the pieces, one below the other; few are multiplied where they lie."""
        row = 0
        for piece in pieces if len(pieces) <= 2 else [cygrad.cat(pieces)]:
            self.add_product(name, slopes.narrow(0, row, piece.shape[0]), piece)
            row += piece.shape[0]

    def add_rows(self, name, slopes):
        self[name] = self[name] + slopes.sum(0) if name in self else slopes.sum(0)


def slopes_again(grads, cell, steps, tensors):
    """The same by ops that are recorded: the steps are taken again, one by one."""
    tensors = [t if t is None or t.requires_grad else requiring_gradient(t.detach())
               for t in tensors]                            # in forward mode, what has a tangent requires no gradient
    inputs = [t for t in tensors if t is not None]
    from cygrad.nn.functional import linear      # start-up time
    with cygrad.enable_grad():                              # also where only tangents, or batches, are followed
        out, h, c = walked(cell, steps, linear(*tensors[:3]), *tensors[3:])
    pairs = [(t, g) for t, g in zip((out, h, c), grads) if t is not None and g is not None and t.requires_grad]
    if not pairs:
        return [None] * len(tensors)
    results, given = zip(*pairs)
    found = iter(cygrad.autograd.grad(results, inputs, given, create_graph=cygrad.is_grad_enabled(),
                                       allow_unused=True))
    return [None if t is None else next(found) for t in tensors]


def walked(cell, steps, gates, weight, bias, h, c, projection=None):
    """(out, last h, last c), step by step."""
    outs = {}
    n = weight.shape[0] // GATES[cell]
    for row, rows in steps:
        x, old_h, old_c = gates.narrow(0, row, rows), h[:rows], None if c is None else c[:rows]
        s = old_h @ weight.t()
        if cell == LSTM:
            new_h, new_c = lstm_step(x + s, old_c)
            c = new_c if rows == c.shape[0] else cygrad.cat([new_c, c[rows:]])
        elif cell == GRU:
            new_h = gru_step(x, s if bias is None else cygrad.cat([s[:, :2 * n], s[:, 2 * n:] + bias], 1), old_h)
        else:
            new_h = (x + s).tanh() if cell == TANH else (x + s).relu()
        if projection is not None:
            new_h = new_h @ projection.t()
        h = new_h if rows == h.shape[0] else cygrad.cat([new_h, h[rows:]])
        outs[row] = new_h
    out = cygrad.cat([outs[row] for row in sorted(outs)]) if outs else h.new_empty(0, h.shape[1])
    return out, h, c


def lstm_step(gates, c):
    i, f, g, o = gates.unsafe_chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x, s, h):
    (x_r, x_z, x_m), (s_r, s_z, s_m) = x.unsafe_chunk(3, 1), s.unsafe_chunk(3, 1)
    z = (s_z + x_z).sigmoid()
    m = (x_m + s_m * (s_r + x_r).sigmoid()).tanh()
    return (h - m) * z + m


def check_sizes(cell, steps, x, by_input, weight, h, c, projection):
    """Raise unless weights and states fit: the kernel goes by the weight's sizes."""
    name, batch = CELLS[cell], max([rows for _, rows in steps], default=h.shape[0])
    if weight.dtype is not x.dtype:
        raise RuntimeError("mat1 and mat2 must have the same dtype, but got "
                           f"{SCALAR_NAMES[x.dtype.code]} and {SCALAR_NAMES[weight.dtype.code]}")
    hidden = weight.shape[0] // GATES[cell]
    wanted = (GATES[cell] * hidden, hidden if projection is None else projection.shape[0])
    if tuple(weight.shape) != wanted or by_input.shape[0] != wanted[0]:
        raise RuntimeError(f"{name}: a weight by state has the shape {list(weight.shape)}, where {list(wanted)} goes "
                           f"with {by_input.shape[0]} rows of the weight by input")
    for word, t, size in (("h", h, wanted[1]), ("c", c, hidden)):
        if t is not None and (t.shape[0] != batch or t.shape[1] != size):
            raise RuntimeError(f"{name}: the state {word} of a layer has the shape {list(t.shape)}, but there are "
                               f"{batch} sequences, and {size} features by the weights")
        if t is not None and t.dtype is not x.dtype:
            raise RuntimeError(f"{name}: input and hidden tensors are not the same dtype, found input tensor with "
                               f"{x.dtype} and hidden tensor with {t.dtype}")


def direction(cell, steps, x, h, c, weights):
    """(out, last h, last c) of one layer in one direction; x (rows, features)."""
    from cygrad.nn.functional import linear      # start-up time
    by_input, by_state, input_bias, state_bias, projection = weights
    bias = None
    if by_state.dim() < 2 or by_input.dim() < 2:
        raise RuntimeError("both arguments to linear need to be at least 1D, and the weights matrices")
    if input_bias is not None:
        if not input_bias.dtype is state_bias.dtype is x.dtype:
            raise RuntimeError("self and mat2 must have the same dtype, but got "
                               f"{SCALAR_NAMES[state_bias.dtype.code]} and {SCALAR_NAMES[x.dtype.code]}")
        n = by_state.shape[0] // GATES[cell]
        if cell == GRU:                 # the last third of this bias is inside the reset gate's product
            input_bias = input_bias + cygrad.cat([state_bias[:2 * n], state_bias.new_zeros(n)])
            bias = state_bias[2 * n:]
        else:
            input_bias = input_bias + state_bias
    whole = projection is None and x.numel() and by_input.numel() and h.numel() and x.dtype is by_input.dtype
    gates = None if whole else linear(x, by_input, input_bias)
    check_sizes(cell, steps, x, by_input, by_state, h, c, projection)
    if whole:
        tensors = x, by_input, input_bias, by_state, bias, h, c
        return parts(cell, _recurrent(tensors, (cell, steps, _recurrent.records(tensors)), *tensors))[:3]
    return walked(cell, steps, gates, by_state, bias, h, c, projection)


# ------------------------------------------------------------------------------- layers and directions

def grouped(params, has_biases, projected):
    """The weights of each layer and direction: by input, by state, their biases, the projection."""
    size = 2 + 2 * has_biases + projected
    for i in range(0, len(params), size):
        some = list(params[i:i + size])
        biases = some[2:4] if has_biases else [None, None]
        yield (*some[:2], *biases, some[-1] if projected else None)


def layers(cell, steps, x, h, c, params, has_biases, num_layers, dropout, train, bidirectional):
    """(out, last h, last c) of all layers; h and c (layers * directions, N, features)."""
    directions = 2 if bidirectional else 1
    projected = cell == LSTM and h.shape[2] != c.shape[2]
    weights = list(grouped(params, has_biases, projected))
    if len(weights) != num_layers * directions:
        raise RuntimeError(f"got an incorrect number of RNN parameters: {len(params)}")
    if not steps:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    if h.dim() < 3 or len(h) < len(weights):
        raise RuntimeError("Expected more hidden states in stacked_rnn")
    last_h, last_c = [], []
    for layer in range(num_layers):
        outs = []
        for way in range(directions):
            place = layer * directions + way
            out, hn, cn = direction(cell, steps[::-1] if way else steps, x, h[place], None if c is None else c[place],
                                    weights[place])
            outs.append(out)
            last_h.append(hn)
            last_c.append(cn)
        x = cygrad.cat(outs, 1) if way else outs[0]
        if dropout > 0 and train and layer < num_layers - 1:
            x = drop_elements(x, dropout, True)
    return x, cygrad.stack(last_h), None if c is None else cygrad.stack(last_c)


def _seen_by_steps(rows, shape):
    return seen_as(rows.view(shape), rows.dtype)      # no view to anybody: what it sees is used for nothing else


def _copied_by_steps(rows, shape):
    return clone_dense(rows.view(shape))              # programs may change it: the layer's gradient reads `rows`


# What a layer gives, rows in steps, by the nodes that PyTorch ends with; its padded LSTM of float32 can't be changed.
BY_NODE = {node: primitive(name=f"rows_by_steps_{node}")(form) for node, form in (
    ("mkldnn", _seen_by_steps), ("stack", _copied_by_steps), ("cat", _seen_by_steps), ("packed", _copied_by_steps))}


def in_steps(cell, rows, shape, bidirectional):
    node = "cat" if bidirectional else "mkldnn" if cell == LSTM and rows.dtype is cygrad.float32 else "stack"
    return BY_NODE[node](rows, shape)


def opened(cell, hx, params, has_biases):
    """The states h and c; refuses what is not as many tensors as there have to be."""
    if cell == LSTM and (isinstance(hx, Tensor) or len(hx) != 2):
        raise RuntimeError("lstm expects two hidden states")
    h, c = (hx, None) if isinstance(hx, Tensor) else hx
    if cell == LSTM and h.dim() < 3:
        raise IndexError("Dimension out of range")
    if len(params) % (2 + 2 * bool(has_biases) + (cell == LSTM and h.size(2) != c.size(2))):
        raise RuntimeError("got an incorrect number of RNN parameters")
    if h.dim() < 1:
        raise IndexError("Dimension out of range")
    return h, c


def refuse_rank(cell, x, rank):
    """Raise for an input of another rank."""
    if x.dim() != rank:
        if cell == LSTM:
            x.size(1)                   # PyTorch's IndexError
        raise RuntimeError(f"expected an input of {rank} axes, got {x.dim()}")


def padded(cell, name, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    need_tensors(name, input=input)
    x = input.transpose(0, 1) if batch_first else input
    h, c = opened(cell, hx, params, has_biases)
    refuse_rank(cell, x, 3)
    count, batch = x.shape[:2]
    steps = tuple([(i * batch, batch) for i in range(count)])
    out, h, c = layers(cell, steps, x.reshape(count * batch, x.shape[2]), h, c, params, has_biases, num_layers,
                       dropout, train, bidirectional)
    out = in_steps(cell, out, (count, batch, out.shape[1]), bidirectional)
    if batch_first:
        out = out.transpose(0, 1) if cell == LSTM else out.transpose_(0, 1)
    return out, h, c


def packed(cell, name, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional):
    need_tensors(name, input=data)
    h, c = opened(cell, hx, params, has_biases)
    steps, row = [], 0
    if batch_sizes.dtype is not cygrad.int64 or batch_sizes.dim() != 1:
        raise RuntimeError(f"expected scalar type Long but found {SCALAR_NAMES[batch_sizes.dtype.code]}")
    refuse_rank(cell, data, 2)
    for rows in batch_sizes.tolist():
        steps.append((row, rows))
        row += rows
    if row != data.shape[0] or any(a[1] < b[1] for a, b in zip(steps, steps[1:])) or steps and (
            steps[0][1] > h.shape[1] or steps[-1][1] < 1):
        raise RuntimeError(f"{name}: batch_sizes must not increase, be positive and have the sum {data.shape[0]}, "
                           "which is how many rows the data have")
    out, h, c = layers(cell, tuple(steps), data, h, c, params, has_biases, num_layers, dropout, train, bidirectional)
    return out if bidirectional else BY_NODE["packed"](out, out.shape), h, c


def run(cell, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, data, batch_sizes):
    """Either form: (input, hx, params, ...), or (data, batch_sizes, hx, params, ...), by position or by keyword."""
    name = CELLS[cell]
    if data is not None:
        return packed(cell, name, data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)
    if isinstance(has_biases, (tuple, list)):           # each argument is in the place of the one after it
        return packed(cell, name, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return padded(cell, name, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


LAYER_DOC = """{what}

    Parameters
    ----------
    input : Tensor
        (time, batch, features), or (batch, time, features); packed, (rows, features).
    data, batch_sizes : Tensor
        Of a packed sequence, in the place of `input`: (rows, features), and (time,) int64, how many sequences have each
        step.
    hx : {state}
        (layers * directions, batch, hidden): the state before the first step.
    params : sequence of Tensor
        For each layer and direction: weight by input ({gates} * hidden, features), weight by state ({gates} * hidden,
        hidden), and with has_biases the bias of each ({gates} * hidden,).{more}
    has_biases : bool
    num_layers : int
    dropout : float
        Probability with which elements between layers are dropped in training.
    train : bool
    bidirectional : bool
        A second set of weights goes through the sequences backwards.
    batch_first : bool
        Which axis of the input is the batch; not for a packed one.

    Returns
    -------
    tuple of Tensor
        The last layer's state after each step, (time, batch, hidden * directions), and {last}.

    Examples
    --------
    >>> import cygrad
    >>> weights = cygrad.zeros({gates} * 2, 3), cygrad.zeros({gates} * 2, 2)
    >>> out, *_ = cygrad.{name}(cygrad.ones(5, 1, 3), {example}, weights, False, 1, 0.0, False, False, False)
    >>> out.shape
    cygrad.Size([5, 1, 2])
    """


def layer_doc(cell, what):
    pair = cell == LSTM
    return LAYER_DOC.format(
        what=what, name=CELLS[cell], gates=GATES[cell], state="pair of Tensor" if pair else "Tensor",
        more=" A projection (out, hidden) may follow; the first state then has `out` features." if pair else "",
        last="h and c after the last step" if pair else "the state after the last step",
        example="(cygrad.zeros(1, 1, 2), cygrad.zeros(1, 1, 2))" if pair else "cygrad.zeros(1, 1, 2)")


@op(method=False, doc=layer_doc(LSTM, "Layers of long short-term memory (Hochreiter and Schmidhuber, 1997)."))
def lstm(input=None, hx=None, params=None, has_biases=None, num_layers=None, dropout=None, train=None,
         bidirectional=None, batch_first=None, *, data=None, batch_sizes=None):
    return run(LSTM, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, data,
               batch_sizes)


@op(method=False, doc=layer_doc(GRU, "Layers of gated recurrent units (Cho et al., 2014)."))
def gru(input=None, hx=None, params=None, has_biases=None, num_layers=None, dropout=None, train=None,
        bidirectional=None, batch_first=None, *, data=None, batch_sizes=None):
    return run(GRU, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, data,
               batch_sizes)[:2]


@op(method=False, doc=layer_doc(TANH, "Recurrent layers with the hyperbolic tangent."))
def rnn_tanh(input=None, hx=None, params=None, has_biases=None, num_layers=None, dropout=None, train=None,
             bidirectional=None, batch_first=None, *, data=None, batch_sizes=None):
    return run(TANH, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, data,
               batch_sizes)[:2]


@op(method=False, doc=layer_doc(RELU, "Recurrent layers with `relu`."))
def rnn_relu(input=None, hx=None, params=None, has_biases=None, num_layers=None, dropout=None, train=None,
             bidirectional=None, batch_first=None, *, data=None, batch_sizes=None):
    return run(RELU, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, data,
               batch_sizes)[:2]
