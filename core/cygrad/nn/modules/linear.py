"""Layers that multiply by a matrix: `Linear`, `Bilinear`; and `Identity`, which changes nothing."""
import math

import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.lazy import LazyModuleMixin
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter, UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Its input, whatever arguments it was made with.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Identity(54, unused=True)(cygrad.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        """The input."""
        return input


class Linear(Module):
    """x @ weight^T + bias.

    Parameters
    ----------
    in_features, out_features : int
        Length of the last axis before and after.
    bias : bool
        Whether there is a bias.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (out_features, in_features), uniform between -1/sqrt(in_features) and 1/sqrt(in_features) at first.
    bias : Parameter or None
        (out_features,), as the weight.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Linear(4, 3)
    >>> layer
    Linear(in_features=4, out_features=3, bias=True)
    >>> layer(cygrad.ones(2, 4)).shape
    cygrad.Size([2, 3])
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(cygrad.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(cygrad.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        """(..., in_features) -> (..., out_features)."""
        return F.linear(input, self.weight, self.bias)

    def _wants(self):
        return f"(..., {self.in_features})"

    def extra_repr(self):
        """The sizes that `repr` shows."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The Linear inside MultiheadAttention."""


class Bilinear(Module):
    """x1 @ weight[k] @ x2 for each output k, plus bias.

    Parameters
    ----------
    in1_features, in2_features, out_features : int
        Lengths of the last axes of both inputs and of the output.
    bias : bool
        Whether there is a bias.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (out_features, in1_features, in2_features), uniform between -1/sqrt(in1_features) and 1/sqrt(in1_features) at
        first.
    bias : Parameter or None
        (out_features,), as the weight.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Bilinear(4, 3, 5)
    >>> layer
    Bilinear(in1_features=4, in2_features=3, out_features=5, bias=True)
    >>> layer(cygrad.ones(2, 4), cygrad.ones(2, 3)).shape
    cygrad.Size([2, 5])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(cygrad.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(cygrad.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        """(..., in1_features) and (..., in2_features) -> (..., out_features)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        """The sizes that `repr` shows."""
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` that takes `in_features` from its first input.

    Parameters
    ----------
    out_features : int
    bias : bool
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.LazyLinear(3)
    >>> _ = layer(cygrad.ones(2, 4))
    >>> layer
    Linear(in_features=4, out_features=3, bias=True)
    """

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        """Draw weight and bias anew, if they are there."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        """Take the sizes from the first input."""
        if self.has_uninitialized_params():
            with cygrad.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(f"The in_features inferred from input: {input.shape[-1]} is not equal to "
                                     f"in_features from self.weight: {self.weight.shape[-1]}")
            self.in_features = input.shape[-1]
