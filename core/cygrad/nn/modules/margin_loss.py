"""Losses with margins: 0 where scores, similarities or distances differ by enough in the right direction."""
from cygrad.nn import functional as F
from cygrad.nn.modules.distance import PairwiseDistance
from cygrad.nn.modules.loss import _Loss, _WeightedLoss

__all__ = ["HingeEmbeddingLoss", "MultiLabelMarginLoss", "SoftMarginLoss", "MultiLabelSoftMarginLoss",
           "CosineEmbeddingLoss", "MarginRankingLoss", "MultiMarginLoss", "TripletMarginLoss",
           "TripletMarginWithDistanceLoss"]


class HingeEmbeddingLoss(_Loss):
    """input where the target is 1, max(0, margin - input) where it is -1.

    Parameters
    ----------
    margin : float
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.HingeEmbeddingLoss()(cygrad.tensor([0.25, 0.25]), cygrad.tensor([1., -1.]))
    tensor(0.5000)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target input)), with targets of 1 and -1.

    Parameters
    ----------
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.SoftMarginLoss()(cygrad.tensor([0.]), cygrad.tensor([1.]))
    tensor(0.6931)
    """

    def forward(self, input, target):
        """(...), (...) -> () or (...)."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """max(0, 1 - (score of a right class - score of a wrong one)), summed over all pairs, divided by C.

    Parameters
    ----------
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.MultiLabelMarginLoss()(cygrad.tensor([[0.1, 0.2, 0.4]]), cygrad.tensor([[2, -1, 0]]))
    tensor(0.5000)
    """

    def forward(self, input, target):
        """(N, C), (N, C) of classes up to the first -1 -> () or (N,)."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of `BCEWithLogitsLoss`.

    Parameters
    ----------
    weight : Tensor, optional
        (C,): what each class counts.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.MultiLabelSoftMarginLoss()(cygrad.tensor([[0., 0.]]), cygrad.tensor([[1., 0.]]))
    tensor(0.6931)
    """

    def forward(self, input, target):
        """(N, C), (N, C) -> () or (N,)."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """max(0, margin - (score of the right class - score of a wrong one))^p, summed over the wrong ones, divided by C.

    Parameters
    ----------
    p : int
        1 or 2.
    margin : float
    weight : Tensor, optional
        (C,): what each class counts.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.MultiMarginLoss()(cygrad.tensor([[0.5, 0.25]]), cygrad.tensor([0]))
    tensor(0.3750)
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p != 1 and p != 2:
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input, target):
        """(N, C), (N,) of integers -> () or (N,)."""
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight,
                                   reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1.

    Parameters
    ----------
    margin : float
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.CosineEmbeddingLoss()(cygrad.tensor([[1., 0.]]), cygrad.tensor([[0., 1.]]), cygrad.tensor([1]))
    tensor(1.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        """(N, D), (N, D), (N,) -> () or (N,)."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, -target (input1 - input2) + margin): a target of 1 says that the first is to be larger.

    Parameters
    ----------
    margin : float
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.MarginRankingLoss()(cygrad.tensor([1.]), cygrad.tensor([3.]), cygrad.tensor([1.]))
    tensor(2.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        """(N,), (N,), (N,) -> () or (N,)."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """max(0, distance to the positive - distance to the negative + margin).

    Parameters
    ----------
    margin : float
    p : float
        Of the norm that measures distances.
    eps : float
        Added to differences.
    swap : bool
        Whether the distance from the positive to the negative is taken if that is less.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.TripletMarginLoss()(cygrad.tensor([[0., 0.]]), cygrad.tensor([[0., 2.]]), cygrad.tensor([[0., 1.]]))
    tensor(2.)
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor, positive, negative):
        """(N, D), (N, D), (N, D) -> () or (N,)."""
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps,
                                     swap=self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """max(0, distance to the positive - distance to the negative + margin), with a distance of one's own.

    Parameters
    ----------
    distance_function : callable, optional
        Of two tensors (N, D); the Euclidean distance when omitted.
    margin : float
    swap : bool
        Whether the distance from the positive to the negative is taken if that is less.
    reduction : str

    Examples
    --------
    >>> import cygrad
    >>> loss = cygrad.nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))
    >>> loss(cygrad.zeros(1, 2), cygrad.ones(1, 2), cygrad.zeros(1, 2))
    tensor(3.)
    """

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(size_average=None, reduce=None, reduction=reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} "
                             "instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor, positive, negative):
        """(N, D), (N, D), (N, D) -> () or (N,)."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction)
