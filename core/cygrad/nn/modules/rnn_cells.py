"""The cells of recurrent layers: one step of one layer."""
import math

import cygrad
from cygrad.nn import init
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter

__all__ = ["RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]


def _draw(layer):
    """Weights and biases, uniform between -1/sqrt(hidden_size) and 1/sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(layer.hidden_size) if layer.hidden_size > 0 else 0
    for weight in layer.parameters():
        init.uniform_(weight, -bound, bound)


def _each(hx, change):
    """`change` of a state, which is one tensor or two."""
    return tuple(map(change, hx)) if isinstance(hx, tuple) else change(hx)


def _step(layer, function, input, hx, states=1):
    """One step; without a batch it is one of a single sequence."""
    name = type(layer).__name__
    if input.dim() not in (1, 2):
        raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
    for place, t in enumerate(() if hx is None else hx if states == 2 else (hx,)):
        if t.dim() not in (1, 2):
            word = f"hx[{place}]" if states == 2 else "hidden"
            raise ValueError(f"{name}: Expected {word} to be 1D or 2D, got {t.dim()}D instead")
    if function is None:
        raise RuntimeError(f"Unknown nonlinearity: {layer.nonlinearity}")
    batched = input.dim() == 2
    x = input if batched else input.unsqueeze(0)
    if hx is None:
        zeros = x.new_zeros(x.size(0), layer.hidden_size)
        hx = (zeros, zeros) if states == 2 else zeros
    elif not batched:
        hx = tuple(t.unsqueeze(0) for t in hx) if states == 2 else hx.unsqueeze(0)
    made = function(x, hx, layer.weight_ih, layer.weight_hh, layer.bias_ih, layer.bias_hh)
    return made if batched else _each(made, lambda t: t.squeeze(0))


class RNNCellBase(Module):
    """What all cells have: two weights and two biases, of `num_chunks` gates.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    num_chunks : int
    device : device, optional
    dtype : dtype, optional
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size), "bias_ih": (rows,),
                  "bias_hh": (rows,)}
        for name, shape in shapes.items():
            there = bias or name.startswith("weight")
            self.register_parameter(name, Parameter(cygrad.empty(shape, device=device, dtype=dtype)) if there else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw all weights anew."""
        _draw(self)

    def extra_repr(self):
        """What it was made with, as far as it is not the default."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    nonlinearity : {"tanh", "relu"}
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.RNNCell(3, 4)(cygrad.ones(2, 3)).shape
    cygrad.Size([2, 4])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """(batch, input_size) and (batch, hidden_size) -> (batch, hidden_size), or all without a batch."""
        function = (cygrad.rnn_tanh_cell if self.nonlinearity == "tanh" else
                    cygrad.rnn_relu_cell if self.nonlinearity == "relu" else None)
        return _step(self, function, input, hx)


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> h, c = cygrad.nn.LSTMCell(3, 4)(cygrad.ones(2, 3))
    >>> h.shape, c.shape
    (cygrad.Size([2, 4]), cygrad.Size([2, 4]))
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        """(batch, input_size) and two of (batch, hidden_size) -> two of these, or all without a batch."""
        return _step(self, cygrad.lstm_cell, input, hx, 2)


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Parameters
    ----------
    input_size, hidden_size : int
    bias : bool
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.GRUCell(3, 4)(cygrad.ones(2, 3)).shape
    cygrad.Size([2, 4])
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        """(batch, input_size) and (batch, hidden_size) -> (batch, hidden_size), or all without a batch."""
        return _step(self, cygrad.gru_cell, input, hx)
