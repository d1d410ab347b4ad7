"""Recurrent layers, which go through sequences; the cells of one step are in `rnn_cells.py`."""
import numbers
import warnings

import cygrad
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase, _draw, _each
from cygrad.nn.parameter import Parameter
from cygrad.nn.utils.rnn import PackedSequence

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


# ------------------------------------------------------------------------------------------ layers

class RNNBase(Module):
    """What all recurrent layers have: weights, checks, packed sequences.

    Parameters
    ----------
    mode : {"LSTM", "GRU", "RNN_TANH", "RNN_RELU"}
    input_size, hidden_size : int
        Features of the input and of the state.
    num_layers : int
        Layers, each of which reads what the one before it gives.
    bias : bool
    batch_first : bool
        Tensors are (batch, time, features), not (time, batch, features).
    dropout : float
        Probability with which elements between layers are dropped in training.
    bidirectional : bool
        A second set of weights goes through the sequences backwards.
    proj_size : int
        Features that the state h is projected to, of an LSTM; 0: it is not.
    device : device, optional
    dtype : dtype, optional
    """

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                     "bidirectional", "proj_size"]

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check(dropout)
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[:self._directions]:
                self._all_weights.append(self._add(f"_l{layer}{suffix}", layer, {"device": device, "dtype": dtype}))
        self.reset_parameters()

    def _check(self, dropout):
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element "
                             "being zeroed")
        if dropout > 0 and self.num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                          f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                          stacklevel=4)
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    @property
    def _directions(self):
        return 2 if self.bidirectional else 1

    @property
    def _state_size(self):
        return self.proj_size or self.hidden_size

    def _add(self, suffix, layer, factory):
        """Make the weights of one layer and direction; their names."""
        rows = _GATES[self.mode] * self.hidden_size
        columns = self.input_size if layer == 0 else self._state_size * self._directions
        shapes = {"weight_ih": (rows, columns), "weight_hh": (rows, self._state_size)}
        if self.bias:
            shapes.update(bias_ih=(rows,), bias_hh=(rows,))
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        for name, shape in shapes.items():
            setattr(self, name + suffix, Parameter(cygrad.empty(shape, **factory)))
        return [name + suffix for name in shapes]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name) for names in self._all_weights for name in names]

    @property
    def all_weights(self):
        """The weights of each layer and direction, in a list of lists."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self):
        """Nothing: weights need not lie together here."""

    def reset_parameters(self):
        """Draw all weights anew."""
        _draw(self)

    def extra_repr(self):
        """What it was made with, as far as it is not the default."""
        given = (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0),
                 ("bidirectional", False))
        shown = [f"{self.input_size}, {self.hidden_size}"]
        return ", ".join(shown + [f"{name}={getattr(self, name)}" for name, usual in given
                                  if getattr(self, name) != usual])

    def check_input(self, input, batch_sizes):
        """Raise unless the input has the weights' dtype, to which autocast brings it, and the right axes."""
        dtype = getattr(self, self._all_weights[0][0]).dtype
        if input.dtype is not dtype and not cygrad.is_autocast_enabled(input.device.type):
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                             f"input.to({dtype}), or convert model: model.to({input.dtype})")
        axes = 2 if batch_sizes is not None else 3
        if input.dim() != axes:
            raise RuntimeError(f"input must have {axes} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{input.size(-1)}")

    def _batch(self, input, batch_sizes):
        return int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)

    def get_expected_hidden_size(self, input, batch_sizes):
        """The shape of the state h."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self._state_size

    def get_expected_cell_size(self, input, batch_sizes):
        """The shape of an LSTM's state c."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """Raise unless a state has this shape."""
        if tuple(hx.shape) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raise unless input and state fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        """The state with its sequences in another order."""
        return hx if permutation is None else _each(hx, lambda t: t.index_select(1, permutation))

    def _zeros(self, input, batch_sizes):
        return input.new_zeros(self.get_expected_hidden_size(input, batch_sizes))

    def _wrong_axes(self, hx, batched):
        """Whether the state has not the axes that go with the input's, and how the error says it."""
        axes = 3 if batched else 2
        if hx.dim() == axes:
            return None
        word = "batched 3-D" if batched else "unbatched 2-D"
        return f"For {word} input, hx should also be {axes}-D but got {hx.dim()}-D tensor"

    def forward(self, input, hx=None):
        """Go through the sequences.

        Parameters
        ----------
        input : Tensor or PackedSequence
            (time, batch, input_size), or the batch first, or (time, input_size).
        hx : Tensor, or two of them for an LSTM
            (num_layers * directions, batch, hidden_size), the state before the first step; zeros when omitted.

        Returns
        -------
        tuple
            The last layer's state after each step, as the input; the state after the last step, as hx.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            word = " tensor" if self.mode.startswith("RNN") else ""
            raise ValueError(f"{self.mode.partition('_')[0]}: Expected input to be 2D or 3D, got {input.dim()}D{word} "
                             "instead")
        batched, axis = input.dim() == 3, 0 if self.batch_first else 1
        x = input if batched else input.unsqueeze(axis)
        if hx is None:
            hx = self._zeros(x, None)
        else:
            wrong = self._wrong_axes(hx, batched)
            if wrong:
                raise RuntimeError(wrong)
            hx = hx if batched else _each(hx, lambda t: t.unsqueeze(1))
        self.check_forward_args(x, hx, None)
        output, *state = self._function(x, hx, self._flat_weights, self.bias, self.num_layers, self.dropout,
                                        self.training, self.bidirectional, self.batch_first)
        state = tuple(state) if len(state) == 2 else state[0]
        return (output, state) if batched else (output.squeeze(axis), _each(state, lambda t: t.squeeze(1)))

    def _forward_packed(self, input, hx):
        data, batch_sizes, order, back = input
        hx = self._zeros(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, batch_sizes)
        output, *state = self._function(data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers,
                                        self.dropout, self.training, self.bidirectional)
        state = tuple(state) if len(state) == 2 else state[0]
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(state, back)

    @property
    def _function(self):
        return getattr(cygrad, self.mode.lower())


class RNN(RNNBase):
    """Recurrent layers: h = tanh(x @ weight_ih^T + bias_ih + h @ weight_hh^T + bias_hh) at each step.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of the input and of the state.
    num_layers : int
    nonlinearity : {"tanh", "relu"}
    bias : bool
    batch_first : bool
        Tensors are (batch, time, features), not (time, batch, features).
    dropout : float
        Probability with which elements between layers are dropped in training.
    bidirectional : bool
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, ... : Parameter
        (hidden_size, features), (hidden_size, hidden_size) and (hidden_size,) of each layer, uniform between
        -1/sqrt(hidden_size) and 1/sqrt(hidden_size) at first; backwards with the suffix `_reverse`.

    Examples
    --------
    >>> import cygrad
    >>> output, state = cygrad.nn.RNN(3, 4)(cygrad.ones(5, 2, 3))
    >>> output.shape, state.shape
    (cygrad.Size([5, 2, 4]), cygrad.Size([1, 2, 4]))
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self.nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + self.nonlinearity.upper(), *args, **kwargs)


class GRU(RNNBase):
    """Layers of gated recurrent units (Cho et al., 2014); the formulas are those of `cygrad.gru_cell`.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in `RNN`; the rows of weights and biases are those of the gates r, z and n.

    Examples
    --------
    >>> import cygrad
    >>> output, state = cygrad.nn.GRU(3, 4, bidirectional=True)(cygrad.ones(5, 2, 3))
    >>> output.shape, state.shape
    (cygrad.Size([5, 2, 8]), cygrad.Size([2, 2, 4]))
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Layers of long short-term memory (Hochreiter and Schmidhuber, 1997).

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in `RNN`; the rows of weights and biases are those of the gates i, f, g and o.
    proj_size : int
        Features that h is projected to after each step by weight_hr_l0 and so on; 0: it is not.

    Examples
    --------
    >>> import cygrad
    >>> output, (h, c) = cygrad.nn.LSTM(3, 4, 2)(cygrad.ones(5, 2, 3))
    >>> output.shape, h.shape, c.shape
    (cygrad.Size([5, 2, 4]), cygrad.Size([2, 2, 4]), cygrad.Size([2, 2, 4]))
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def _zeros(self, input, batch_sizes):
        h = super()._zeros(input, batch_sizes)
        return h, input.new_zeros(self.get_expected_cell_size(input, batch_sizes)) if self.proj_size else h

    def _wrong_axes(self, hx, batched):
        axes = 3 if batched else 2
        if hx[0].dim() == hx[1].dim() == axes:
            return None
        word = "batched 3-D" if batched else "unbatched 2-D"
        return (f"For {word} input, hx and cx should also be {axes}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) "
                "tensors")

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raise unless input and states fit."""
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected, "Expected hidden[0] size {}, got {}")
        if self.proj_size:
            expected = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], expected, "Expected hidden[1] size {}, got {}")
