"""Losses as layers: what is chosen beforehand is kept, and the function of `nn.functional` computes.

A loss of each element is reduced: "mean", "sum" or "none" for all of them. `size_average` and `reduce` are how that was
said before. Losses with margins are in `margin_loss.py`.
"""
import warnings

from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["L1Loss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "GaussianNLLLoss", "KLDivLoss", "MSELoss", "BCELoss",
           "BCEWithLogitsLoss", "SmoothL1Loss", "HuberLoss", "CrossEntropyLoss", "CTCLoss"]


def _reduction_of(size_average, reduce):
    """The reduction that the two deprecated arguments stand for."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    reduction = ("mean" if size_average else "sum") if reduce else "none"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
                  stacklevel=4)
    return reduction


class _Loss(Module):
    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        legacy = size_average is not None or reduce is not None
        self.reduction = _reduction_of(size_average, reduce) if legacy else reduction


class _WeightedLoss(_Loss):
    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """|input - target|.

    Parameters
    ----------
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.L1Loss()(cygrad.tensor([1.0, 2.0]), cygrad.tensor([0.0, 5.0]))
    tensor(2.)
    """

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(input - target)^2.

    Parameters
    ----------
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.MSELoss(reduction="sum")(cygrad.tensor([1.0, 2.0]), cygrad.tensor([0.0, 5.0]))
    tensor(10.)
    """

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """`L1Loss` minus beta/2, but (input - target)^2 / (2 beta) where the difference is less than beta.

    Parameters
    ----------
    reduction : str
    beta : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.SmoothL1Loss()(cygrad.tensor([0., 0.]), cygrad.tensor([0.5, 3.]))
    tensor(1.3125)
    """

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """delta times `SmoothL1Loss` with beta = delta.

    Parameters
    ----------
    reduction : str
    delta : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.HuberLoss()(cygrad.tensor([0., 0.]), cygrad.tensor([0.5, 3.]))
    tensor(1.3125)
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """Minus the logarithm of a probability: -input at the target's class.

    Parameters
    ----------
    weight : Tensor, optional
        (C,): what each class counts.
    ignore_index : int
        A target that does not count.
    reduction : str
        "mean" divides by the sum of the weights.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.NLLLoss()(cygrad.tensor([[-0.5, -1.]]), cygrad.tensor([1]))
    tensor(1.)
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        """(N, C, ...), (N, ...) of integers -> () or (N, ...)."""
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """Deprecated: use `NLLLoss`."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        warnings.warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
                      "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.", FutureWarning,
                      stacklevel=2)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """`NLLLoss` of log_softmax(input), also of targets that are probabilities.

    Parameters
    ----------
    weight : Tensor, optional
        (C,): what each class counts.
    ignore_index : int
        A target that does not count.
    reduction : str
        "mean" divides by the sum of the weights.
    label_smoothing : float
        Which part of each target is spread evenly over the classes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.CrossEntropyLoss()(cygrad.zeros(2, 4), cygrad.tensor([0, 3]))
    tensor(1.3863)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                 label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        """(N, C, ...), (N, ...) of integers or (N, C, ...) -> () or (N, ...)."""
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index,
                               reduction=self.reduction, label_smoothing=self.label_smoothing)


class PoissonNLLLoss(_Loss):
    """Minus the logarithm of a Poisson distribution's probability of the target.

    Parameters
    ----------
    log_input : bool
        Whether the input is the logarithm of the rate.
    full : bool
        Whether log(target!) is added, by Stirling's formula.
    eps : float
        Added to a rate before its logarithm is taken.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.PoissonNLLLoss()(cygrad.tensor([0.]), cygrad.tensor([2.]))
    tensor(1.)
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input, target):
        """(...), (...) -> () or (...)."""
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps,
                                  reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Minus the logarithm of a normal distribution's density at the target.

    Parameters
    ----------
    full : bool
        Whether log(2 pi) / 2 is added.
    eps : float
        What the variance is at least.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.GaussianNLLLoss()(cygrad.tensor([1.]), cygrad.tensor([3.]), cygrad.tensor([4.]))
    tensor(1.1931)
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input, target, var):
        """Means (...), (...), variances (...) -> () or (...)."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """target (log(target) - input): the divergence of Kullback and Leibler, if the input is a logarithm.

    Parameters
    ----------
    reduction : str
        "batchmean" divides the sum by the length of the first axis.
    log_target : bool
        Whether the target is a logarithm, too.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.KLDivLoss(reduction="batchmean")(cygrad.tensor([[0.5, 0.5]]).log(), cygrad.tensor([[1., 0.]]))
    tensor(0.6931)
    """

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_WeightedLoss):
    """-(target log(input) + (1 - target) log(1 - input)).

    Parameters
    ----------
    weight : Tensor, optional
        What each element counts.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.BCELoss()(cygrad.tensor([0.25]), cygrad.tensor([1.]))
    tensor(1.3863)
    """

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """`BCELoss` of sigmoid(input), computed without its overflow.

    Parameters
    ----------
    weight : Tensor, optional
        What each element counts.
    reduction : str
    pos_weight : Tensor, optional
        What targets of 1 count.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.BCEWithLogitsLoss()(cygrad.tensor([0.]), cygrad.tensor([1.]))
    tensor(0.6931)
    """

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight,
                                                  reduction=self.reduction)


class CTCLoss(_Loss):
    """Minus the logarithm of the probability that a sequence reads as the target, repeats and blanks left out.

    Parameters
    ----------
    blank : int
        Which class is the blank.
    reduction : str
    zero_infinity : bool
        Whether targets that can't be read give 0 instead of infinity.

    Examples
    --------
    >>> import cygrad
    >>> logs = cygrad.zeros(4, 1, 3).log_softmax(2)                # 4 steps, a batch of one, 3 classes
    >>> cygrad.nn.CTCLoss()(logs, cygrad.tensor([[1, 2]]), [4], [2])
    tensor(0.8432)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        """(T, N, C), (N, S) or (all,) of integers, (N,), (N,) -> () or (N,)."""
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
                          self.zero_infinity)


def __getattr__(name):
    """Losses that PyTorch has in this module, imported when they are first used."""
    from cygrad.nn import modules      # start-up time
    if modules.PLACES.get(name) in ("cygrad.nn.modules.margin_loss", "cygrad.nn.modules.linear_loss"):
        return getattr(modules, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
