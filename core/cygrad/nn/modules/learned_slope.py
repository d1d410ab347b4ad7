"""`PReLU`, the activation with weights."""
import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter

__all__ = ["PReLU"]


class PReLU(Module):
    """x where it is positive, else weight times it; the weight is learned.

    Parameters
    ----------
    num_parameters : int
        1, or the number of channels.
    init : float
        What the weights are at first.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (num_parameters,).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.PReLU()(cygrad.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(cygrad.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Set the weights to what they are at first."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        """(N, C, ...) -> the same."""
        return F.prelu(input, self.weight)

    def extra_repr(self):
        """How many weights there are."""
        return f"num_parameters={self.num_parameters}"
