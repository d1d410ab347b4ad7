"""Activations: layers that apply one function to each element. Those along an axis are in `softmax.py`."""
import warnings

import cygrad
from cygrad.nn import functional as F
from cygrad.nn.modules.learned_slope import PReLU
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.softmax import GLU, LogSoftmax, Softmax, Softmax2d, Softmin

__all__ = ["Threshold", "ReLU", "Hardtanh", "ReLU6", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish", "Hardswish",
           "ELU", "CELU", "SELU", "GLU", "GELU", "Hardshrink", "LeakyReLU", "LogSigmoid", "RReLU", "Softplus",
           "Softshrink", "Softsign", "Tanhshrink", "PReLU", "Softmin", "Softmax", "Softmax2d", "LogSoftmax"]


def __getattr__(name):
    """`MultiheadAttention`, which PyTorch keeps here, is imported when it is first used."""
    if name == "MultiheadAttention":
        from cygrad.nn.modules.attention import MultiheadAttention      # start-up time
        return MultiheadAttention
    raise AttributeError(f"module 'cygrad.nn.modules.activation' has no attribute {name!r}")


class _Plain(Module):
    """An activation with nothing to choose but where its result goes."""

    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class _Chosen(Module):
    """An activation with numbers to choose; `_shown` are those in its text."""

    _shown = ()
    inplace = False

    def extra_repr(self):
        """The numbers that `repr` shows."""
        numbers = [f"{name}={getattr(self, name)}" for name in self._shown]
        return ", ".join(numbers + ["inplace=True"] * bool(self.inplace))


class _Scaled(_Chosen):
    """An activation with one number to choose, `alpha`."""

    __constants__ = ["alpha", "inplace"]
    _shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class ReLU(_Plain):
    """max(x, 0).

    Parameters
    ----------
    inplace : bool
        Whether the input is overwritten.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ReLU()(cygrad.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.relu(input, inplace=self.inplace)


class Threshold(_Chosen):
    """x where x > threshold, else value.

    Parameters
    ----------
    threshold, value : float
    inplace : bool
    """

    __constants__ = ["threshold", "value", "inplace"]
    _shown = ("threshold", "value")

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        """(...) -> (...)."""
        return F.threshold(input, self.threshold, self.value, inplace=self.inplace)


class Hardtanh(_Chosen):
    """x, but no less than min_val and no more than max_val.

    Parameters
    ----------
    min_val, max_val : float
    inplace : bool
    """

    __constants__ = ["min_val", "max_val", "inplace"]
    _shown = ("min_val", "max_val")

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        for old, new, value in (("min_value", "min_val", min_value), ("max_value", "max_val", max_value)):
            if value is not None:
                warnings.warn(f"keyword argument `{old}` is deprecated and renamed to `{new}`", FutureWarning,
                              stacklevel=2)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input):
        """(...) -> (...)."""
        return F.hardtanh(input, self.min_val, self.max_val, inplace=self.inplace)


class ReLU6(Hardtanh):
    """min(max(x, 0), 6).

    Parameters
    ----------
    inplace : bool
    """

    _shown = ()

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        """(...) -> (...)."""
        return cygrad.sigmoid(input)


class Hardsigmoid(_Plain):
    """x / 6 + 1/2, but no less than 0 and no more than 1.

    Parameters
    ----------
    inplace : bool
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.hardsigmoid(input, inplace=self.inplace)

    def extra_repr(self):
        """Nothing, as in PyTorch."""
        return ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        """(...) -> (...)."""
        return cygrad.tanh(input)


class SiLU(_Plain):
    """x sigmoid(x), also known as swish.

    Parameters
    ----------
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.SiLU()(cygrad.tensor([-1., 0., 2.]))
    tensor([-0.2689,  0.0000,  1.7616])
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.silu(input, inplace=self.inplace)


class Mish(_Plain):
    """x tanh(softplus(x)).

    Parameters
    ----------
    inplace : bool
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.mish(input, inplace=self.inplace)


class Hardswish(_Plain):
    """x hardsigmoid(x).

    Parameters
    ----------
    inplace : bool
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.hardswish(input, inplace=self.inplace)

    def extra_repr(self):
        """Nothing, as in PyTorch."""
        return ""


class ELU(_Scaled):
    """x where x > 0, else alpha (exp(x) - 1).

    Parameters
    ----------
    alpha : float
    inplace : bool
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.elu(input, self.alpha, inplace=self.inplace)


class CELU(_Scaled):
    """x where x > 0, else alpha (exp(x / alpha) - 1).

    Parameters
    ----------
    alpha : float
    inplace : bool
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.celu(input, self.alpha, inplace=self.inplace)


class SELU(_Plain):
    """ELU with the scale and alpha of Klambauer et al. (2017), which keep mean and variance.

    Parameters
    ----------
    inplace : bool
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.selu(input, inplace=self.inplace)


class GELU(Module):
    """x times the normal distribution's probability of less than x.

    Parameters
    ----------
    approximate : str
        "none", or "tanh" for the approximation by it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.GELU()(cygrad.tensor([-1., 0., 2.]))
    tensor([-0.1587,  0.0000,  1.9545])
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        """(...) -> (...)."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        """The approximation."""
        return f"approximate={self.approximate!r}"


class LeakyReLU(_Chosen):
    """x where x > 0, else negative_slope x.

    Parameters
    ----------
    negative_slope : float
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.LeakyReLU(0.1)(cygrad.tensor([-1., 0., 2.]))
    tensor([-0.1000,  0.0000,  2.0000])
    """

    __constants__ = ["inplace", "negative_slope"]
    _shown = ("negative_slope",)

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        """(...) -> (...)."""
        return F.leaky_relu(input, self.negative_slope, inplace=self.inplace)


class RReLU(Module):
    """x where x > 0, else x times a number uniform between lower and upper; their mean when it does not train.

    Parameters
    ----------
    lower, upper : float
    inplace : bool

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.RReLU(0.25, 0.75)
    >>> layer.eval()(cygrad.tensor([-4., 4.]))
    tensor([-2.,  4.])
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        """(...) -> (...)."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        """The bounds that `repr` shows."""
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class LogSigmoid(Module):
    """log(sigmoid(x))."""

    def forward(self, input):
        """(...) -> (...)."""
        return F.logsigmoid(input)


class Softplus(_Chosen):
    """log(1 + exp(beta x)) / beta, or x where beta x > threshold.

    Parameters
    ----------
    beta, threshold : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Softplus()(cygrad.tensor([-1., 0., 2.]))
    tensor([0.3133, 0.6931, 2.1269])
    """

    __constants__ = ["beta", "threshold"]
    _shown = ("beta", "threshold")

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        """(...) -> (...)."""
        return F.softplus(input, self.beta, self.threshold)


class Hardshrink(Module):
    """x where |x| > lambd, else 0.

    Parameters
    ----------
    lambd : float
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        """(...) -> (...)."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self):
        """The limit."""
        return str(self.lambd)


class Softshrink(Hardshrink):
    """x moved towards 0 by lambd, or 0 where |x| <= lambd.

    Parameters
    ----------
    lambd : float
    """

    def forward(self, input):
        """(...) -> (...)."""
        return F.softshrink(input, self.lambd)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input):
        """(...) -> (...)."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input):
        """(...) -> (...)."""
        return F.tanhshrink(input)
