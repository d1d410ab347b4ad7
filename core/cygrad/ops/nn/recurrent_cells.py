"""Cells of recurrent layers: one step of `lstm`, `gru` and the plain ones, by ops that are recorded."""
from cygrad.autograd.derivatives.helpers import written
from cygrad.backend import CELLS
from cygrad.ops.declare.operand_types import need_tensors
from cygrad.ops.declare.op_forms import op
from cygrad.ops.nn.recurrent import GATES, GRU, LSTM, RELU, TANH, gru_step, lstm_step


def check_cell(cell, input, states, w_ih, w_hh):
    """PyTorch's refusals of a cell's operands; of the simple cells it looks at the weights first."""
    if cell in (TANH, RELU):
        check_weights(GATES[cell], w_ih, w_hh)
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    hidden = w_hh.size(1)
    for place, t in enumerate(states):
        if input.size(0) != t.size(0):
            raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{place} batch size {t.size(0)}")
        if t.size(1) != hidden:
            raise RuntimeError(f"hidden{place} has inconsistent hidden_size: got {t.size(1)}, expected {hidden}")
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
    h, c = lstm_step(s + x, hx[1])
    return h, written(c)


@op(method=False, doc=cell_doc(GRU))
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("gru_cell", input=input, hx=hx)
    check_cell(GRU, input, (hx,), w_ih, w_hh)
    x, s = gate_sums(input, hx, w_ih, w_hh, b_ih, b_hh)
    return written(gru_step(x, s, hx), 2)


@op(method=False, doc=cell_doc(TANH))
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("rnn_tanh_cell", input=input, hx=hx)
    check_cell(TANH, input, (hx,), w_ih, w_hh)
    x, s = gate_sums(input, hx, w_ih, w_hh, b_ih, b_hh)
    return (s + x).tanh()


@op(method=False, doc=cell_doc(RELU))
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need_tensors("rnn_relu_cell", input=input, hx=hx)
    check_cell(RELU, input, (hx,), w_ih, w_hh)
    x, s = gate_sums(input, hx, w_ih, w_hh, b_ih, b_hh)
    return (s + x).relu()
