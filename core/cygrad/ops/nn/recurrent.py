"""Recurrent layers: `lstm`, `gru`, `rnn_tanh`, `rnn_relu`, which go through sequences, and the cells of one step.

A layer's input is multiplied with its weight for all steps at once, and the steps go over what that gives in its place
(the backend's `recurrent`): a layer is one node. Rows of a step lie together: those of a padded batch of N sequences
step by N, those of a packed one by its batch sizes, so that both are walked alike. A layer with a projection, and the
gradient of the gradient, go step by step through other ops (`walked`).
"""
import cygrad
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.backend import CELLS
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.raw import clone_dense, seen_as
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op
from cygrad.ops.nn.dropout import drop_elements
from cygrad.ops.declare.operand_types import need_tensors
from cygrad.tensor import Tensor

LSTM, GRU, TANH, RELU = range(4)
GATES = 4, 3, 1, 1


# ------------------------------------------------------------------------------- all steps of a layer

# The first argument lists the tensors that have gradients, so that one formula computes them all; see the table.
@primitive(name="recurrent")
def _recurrent(tensors, options, x, by_input, input_bias, weight, bias, h, c):
    from cygrad.nn.functional import linear      # start-up time
    cell, steps = options
    gates = values = linear(x, by_input, input_bias)
    rows, hidden = gates.shape[0], weight.shape[1]
    plain = cell > GRU
    kept = None if plain else empty_near(gates, (rows, hidden))
    out = values if plain else empty_near(gates, (rows, hidden))
    last_h, last_c = empty_near(h, h.shape), None if c is None else empty_near(c, c.shape)
    call(gates, "recurrent", (cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c),
         (7, 8, 9, 10, 11))
    return tuple([t for t in (out, last_h, last_c, None if plain else values, kept) if t is not None])


def parts(cell, result):
    """(out, last h, last c, values, kept) of what the primitive returned."""
    if cell == LSTM:
        return result
    return (result[0], result[1], None, *result[2:]) if cell == GRU else (result[0], result[1], None, result[0], None)


def before(steps, out, start):
    """What the state was before each step, in the order of rows: `out` of the step before, `start` for the first."""
    return cygrad.cat(pieces_before(steps, out, start))


def pieces_before(steps, out, start):
    """The parts, one below the other, that `before` is made of."""
    (first, most), (final, least) = steps[0], steps[-1]
    if most == least == start.shape[0] and len(steps) > 1:      # nothing ends early
        others = out.shape[0] - most
        return [start, out.narrow(0, 0, others)] if first < final else [out.narrow(0, most, others), start]
    pieces, last = {}, None
    for row, rows in steps:
        known = 0 if last is None else min(rows, last[1])
        pieces[row] = [out.narrow(0, last[0], known)] if known else []
        if rows > known:
            pieces[row].append(start.narrow(0, known, rows - known))
        last = row, rows
    return joined([piece for row in sorted(pieces) for piece in pieces[row]])


def joined(pieces):
    """The same pieces, those that follow each other in one tensor as one."""
    found = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is not None and last._base is not None and last._base is piece._base and (
                last.storage_offset() + last.numel() == piece.storage_offset()):
            whole = piece._base
            begin = (last.storage_offset() - whole.storage_offset()) // max(whole.stride(0), 1)
            found[-1] = whole.narrow(0, begin, last.shape[0] + piece.shape[0])
        else:
            found.append(piece)
    return found


def recurrent_slopes(grads, options, x, by_input, input_bias, weight, bias, h, c, result):
    """Gradients by the input, its weight and bias, by weight, bias, h and c."""
    cell, steps = options
    if grad_mode():
        return slopes_again(grads, cell, steps, (x, by_input, input_bias, weight, bias, h, c))
    out, _, _, values, kept = parts(cell, result)
    gates = values
    grad_out, grad_h, grad_c = grads[0], grads[1], grads[2] if cell == LSTM else None
    slopes, slope_h = empty_near(gates, gates.shape), empty_near(h, h.shape)
    hidden, slope_c = None, None
    state = old = None
    if cell == GRU:
        state = old = before(steps, out, h)
        hidden = empty_near(gates, gates.shape)
    elif cell == LSTM:
        state = before(steps, kept, c)
        slope_c = empty_near(c, c.shape)
    call(gates, "recurrent_backward", (cell, steps, grad_out, grad_h, grad_c, values, kept, state, weight, slopes,
                                       hidden, slope_h, slope_c), (9, 10, 11, 12))
    by_state = slopes if hidden is None else hidden
    n = weight.shape[1]
    slope_input, slope_weight = None, None
    if hidden is None and by_input.requires_grad and weight.requires_grad:
        both = slopes.mT @ beside(x, pieces_before(steps, out, h))
        slope_input, slope_weight = both[:, :-n].contiguous(), both[:, -n:].contiguous()
    else:
        if by_input.requires_grad:
            slope_input = slopes.mT @ x
        if weight.requires_grad:
            slope_weight = by_state.mT @ (before(steps, out, h) if old is None else old)
    return [slopes @ by_input if x.requires_grad else None, slope_input,
            slopes.sum(0) if input_bias is not None and input_bias.requires_grad else None, slope_weight,
            by_state[:, 2 * n:].sum(0) if bias is not None else None, slope_h, slope_c]


def beside(x, pieces):
    """A matrix of x on the left, and on the right of the pieces, one below the other."""
    n = x.shape[1]
    made, row = empty_near(x, (x.shape[0], n + pieces[0].shape[1])), 0
    made[:, :n].copy_(x)
    for piece in pieces:
        made[row:row + piece.shape[0], n:].copy_(piece)
        row += piece.shape[0]
    return made


def slopes_again(grads, cell, steps, tensors):
    """The same by ops that are recorded: the steps are taken again, one by one."""
    tensors = [t if t is None or t.requires_grad else requiring_gradient(t.detach())
               for t in tensors]                            # in forward mode, what has a tangent requires no gradient
    inputs = [t for t in tensors if t is not None]
    from cygrad.nn.functional import linear      # start-up time
    out, h, c = walked(cell, steps, linear(*tensors[:3]), *tensors[3:])
    pairs = [(t, g) for t, g in zip((out, h, c), grads) if t is not None and g is not None and t.requires_grad]
    if not pairs:
        return [None] * len(tensors)
    results, given = zip(*pairs)
    found = iter(cygrad.autograd.grad(results, inputs, given, create_graph=True, allow_unused=True))
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
    i, f, g, o = gates.chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x, s, h):
    n = h.shape[1]
    r, z = (x[:, :2 * n] + s[:, :2 * n]).sigmoid().chunk(2, 1)
    m = (x[:, 2 * n:] + r * s[:, 2 * n:]).tanh()
    return m + z * (h - m)


def check_sizes(cell, steps, x, by_input, weight, h, c, projection):
    """Raise unless weights and states fit: the kernel goes by the weight's sizes."""
    name, batch = CELLS[cell], max([rows for _, rows in steps], default=h.shape[0])
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
    if input_bias is not None:
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
        return parts(cell, _recurrent(tensors, (cell, steps), *tensors))[:3]
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


# What a padded layer gives, rows in steps, by the nodes that PyTorch ends with; its LSTM of float32 can't be changed.
BY_NODE = {node: primitive(name=f"rows_by_steps_{node}")(form) for node, form in (
    ("mkldnn", _seen_by_steps), ("stack", _copied_by_steps), ("cat", _seen_by_steps))}


def in_steps(cell, rows, shape, bidirectional):
    node = "cat" if bidirectional else "mkldnn" if cell == LSTM and rows.dtype is cygrad.float32 else "stack"
    return BY_NODE[node](rows, shape)


def padded(cell, name, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    need_tensors(name, input=input)
    h, c = (hx, None) if isinstance(hx, Tensor) else hx
    x = input.transpose(0, 1) if batch_first else input
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
    h, c = (hx, None) if isinstance(hx, Tensor) else hx
    steps, row = [], 0
    for rows in batch_sizes.tolist():
        steps.append((row, rows))
        row += rows
    if row != data.shape[0] or any(a[1] < b[1] for a, b in zip(steps, steps[1:])) or steps and (
            steps[0][1] > h.shape[1] or steps[-1][1] < 1):
        raise RuntimeError(f"{name}: batch_sizes must not increase, be positive and have the sum {data.shape[0]}, "
                           "which is how many rows the data have")
    return layers(cell, tuple(steps), data, h, c, params, has_biases, num_layers, dropout, train, bidirectional)


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


# ------------------------------------------------------------------------------- one step

def check_cell(cell, input, states, w_ih, w_hh):
    """PyTorch's refusals of a cell's operands; of the simple cells it looks at the weights first."""
    if cell in (TANH, RELU):
        check_weights(GATES[cell], w_ih, w_hh)
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    for place, t in enumerate(states):
        if input.size(0) != t.size(0):
            raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{place} batch size {t.size(0)}")
        if t.size(1) != w_hh.size(1):
            raise RuntimeError(f"hidden{place} has inconsistent hidden_size: got {t.size(1)}, expected {w_hh.size(1)}")
    if cell in (LSTM, GRU):
        check_weights(GATES[cell], w_ih, w_hh)


def check_weights(gates, w_ih, w_hh):
    """Whether weights have rows for all gates."""
    hidden = gates * w_hh.size(1)
    for name, rows in (("weight_ih", w_ih.size(0)), ("weight_hh", w_hh.size(0))):
        if rows != hidden:
            raise RuntimeError(f"{name} first dim must be {gates} * hidden_size = {hidden}, but got {rows}")


def gate_sums(input, h, w_ih, w_hh, b_ih, b_hh):
    from cygrad.nn.functional import linear      # start-up time
    return linear(input, w_ih, b_ih), linear(h, w_hh, b_hh)


CELL_DOC = """One step of `{layer}`.

    Parameters
    ----------
    input : Tensor
        (batch, features).
    hx : {state}
        (batch, hidden).
    w_ih, w_hh : Tensor
        ({gates} * hidden, features) and ({gates} * hidden, hidden).
    b_ih, b_hh : Tensor, optional
        ({gates} * hidden,).

    Returns
    -------
    {result}

    Examples
    --------
    >>> import cygrad
    >>> made = cygrad.{name}(cygrad.ones(1, 3), {example}, cygrad.zeros({gates} * 2, 3), cygrad.zeros({gates} * 2, 2))
    """


def cell_doc(cell):
    pair = cell == LSTM
    return CELL_DOC.format(layer=CELLS[cell], name=CELLS[cell] + "_cell", gates=GATES[cell],
                           state="pair of Tensor" if pair else "Tensor",
                           result="tuple of Tensor\n        h and c after the step." if pair else
                           "Tensor\n        The state after the step.",
                           example="(cygrad.zeros(1, 2),) * 2" if pair else "cygrad.zeros(1, 2)")


@op(method=False, doc=cell_doc(LSTM))
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("lstm_cell", input=input)
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    check_cell(LSTM, input, hx, w_ih, w_hh)
    x, s = gate_sums(input, hx[0], w_ih, w_hh, b_ih, b_hh)
    return lstm_step(x + s, hx[1])


@op(method=False, doc=cell_doc(GRU))
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("gru_cell", input=input, hx=hx)
    check_cell(GRU, input, (hx,), w_ih, w_hh)
    x, s = gate_sums(input, hx, w_ih, w_hh, b_ih, b_hh)
    return gru_step(x, s, hx)


@op(method=False, doc=cell_doc(TANH))
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("rnn_tanh_cell", input=input, hx=hx)
    check_cell(TANH, input, (hx,), w_ih, w_hh)
    x, s = gate_sums(input, hx, w_ih, w_hh, b_ih, b_hh)
    return (x + s).tanh()


@op(method=False, doc=cell_doc(RELU))
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("rnn_relu_cell", input=input, hx=hx)
    check_cell(RELU, input, (hx,), w_ih, w_hh)
    x, s = gate_sums(input, hx, w_ih, w_hh, b_ih, b_hh)
    return (x + s).relu()
