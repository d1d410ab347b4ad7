"""Softmax over many classes, of which few are frequent (Grave et al., 2017)."""
from collections import namedtuple

import cygrad
from cygrad.nn import functional as F
from cygrad.nn.modules.container import ModuleList, Sequential
from cygrad.nn.modules.linear import Linear
from cygrad.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


def _clusters(cutoffs):
    """(first class, class after the last) of each cluster."""
    return list(zip(cutoffs[:-1], cutoffs[1:]))


def _check_sizes(input, target):
    if target.dim() == 1:
        if input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != 2:
            raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size "
                               f"{input.size()}")
    elif target.dim() == 0:
        if input.dim() != 1:
            raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size "
                               f"{input.size()}")
    else:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithm of softmax over classes in clusters, and its mean as a loss.

    The head has the most frequent classes and one output for each cluster of others, which has a softmax of its own, on
    fewer features the rarer its classes are.

    Parameters
    ----------
    in_features, n_classes : int
    cutoffs : sequence of int
        Where the classes, by decreasing frequency, are divided.
    div_value : float
        By which the number of features is divided from cluster to cluster.
    head_bias : bool
        Whether the head has a bias.
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> model = cygrad.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5, 10])
    >>> model(cygrad.zeros(3, 8), cygrad.tensor([1, 7, 19])).output.shape
    cygrad.Size([3])
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (cutoffs != sorted(set(cutoffs)) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1
                or any(int(each) != each for each in cutoffs)):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1")
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = cutoffs + [n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        factory = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for number, (low, high) in enumerate(_clusters(self.cutoffs), 1):
            features = int(in_features // div_value**number)
            self.tail.append(Sequential(Linear(in_features, features, bias=False, **factory),
                                        Linear(features, high - low, bias=False, **factory)))

    def reset_parameters(self):
        """Draw all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_, target_):
        """(N, in_features), (N,) of classes -> (log-probabilities (N,), mean of their negatives), or without N."""
        _check_sizes(input_, target_)
        alone = target_.dim() == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if alone else (input_, target_)
        if ((target < 0) | (target >= self.n_classes)).any():
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")
        output, in_head = input.new_zeros(target.size(0)), target.clone()       # the class, or the cluster's output
        for number, (low, high) in enumerate(_clusters(self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel():
                found = F.log_softmax(self.tail[number](input.index_select(0, rows)), dim=1)
                place = (target.index_select(0, rows) - low).unsqueeze(1)
                output.index_copy_(0, rows, found.gather(1, place).squeeze(1))
                in_head = in_head.index_fill(0, rows, self.shortlist_size + number)
        head = F.log_softmax(self.head(input), dim=1)
        output += head.gather(1, in_head.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if alone else output, loss)

    def _get_full_log_prob(self, input, head_output):
        """Log-probabilities of all classes."""
        head = F.log_softmax(head_output, dim=1)
        out = input.new_empty((head.size(0), self.n_classes))
        out[:, :self.shortlist_size] = head[:, :self.shortlist_size]
        for number, (low, high) in enumerate(_clusters(self.cutoffs)):
            found = F.log_softmax(self.tail[number](input), dim=1)
            out[:, low:high] = found + head[:, self.shortlist_size + number].unsqueeze(1)
        return out

    def log_prob(self, input):
        """(N, in_features) -> log-probabilities of all classes, (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        """(N, in_features) -> the most probable classes, (N,)."""
        head = self.head(input)
        found = cygrad.argmax(head, dim=1)
        rare = found >= self.shortlist_size
        if rare.all():
            return cygrad.argmax(self._get_full_log_prob(input, head), dim=1)
        if rare.any():
            found[rare] = cygrad.argmax(self._get_full_log_prob(input[rare], head[rare]), dim=1)
        return found
