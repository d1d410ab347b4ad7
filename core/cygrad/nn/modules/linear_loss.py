"""A linear layer and the cross entropy of its scores, in one: the scores of all rows need never be in memory."""
import math

from cygrad.nn import functional as F
from cygrad.nn.modules.linear import Linear
from cygrad.nn.modules.loss import _WeightedLoss
from cygrad.ops.nn.linear_loss_options import LinearCrossEntropyOptions

__all__ = ["LinearCrossEntropyLoss", "LinearCrossEntropyOptions"]


class LinearCrossEntropyLoss(_WeightedLoss):
    """`CrossEntropyLoss` of what a linear layer of its own makes of the input.

    Parameters
    ----------
    in_features : int
        Of the input.
    num_classes : int
        Of the target.
    out_features : tuple of int
        The places of which each has a target; () for one.
    bias : bool
        Whether the layer adds one.
    device, dtype
        Of the layer's parameters.
    weight, reduction, label_smoothing
        As in `CrossEntropyLoss`.
    ignore_index : int, optional
        A target that does not count.
    options : LinearCrossEntropyOptions, optional
        To compute some rows at a time.

    Examples
    --------
    >>> import cygrad
    >>> loss = cygrad.nn.LinearCrossEntropyLoss(2, 4)
    >>> _ = loss.linear.weight.data.zero_()
    >>> loss(cygrad.ones(3, 2), cygrad.tensor([0, 3, 1])).item()
    1.3862943649291992
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, weight=None,
                 reduction="mean", ignore_index=None, label_smoothing=0.0, options=None):
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device,
                             dtype=dtype)
        self.options = options

    def forward(self, input, target):
        """(N, D), (N, ...) of integers or (N, C, ...) -> () or (N, ...)."""
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(input, self.linear.weight.reshape(*shape, self.linear.in_features), target,
                                      linear_bias=None if bias is None else bias.reshape(shape), weight=self.weight,
                                      reduction=self.reduction, ignore_index=self.ignore_index,
                                      label_smoothing=self.label_smoothing, options=self.options)

    def extra_repr(self):
        """The sizes, and how the loss is reduced, as `repr` shows them."""
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
                f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
                f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}")
