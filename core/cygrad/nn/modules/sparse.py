"""Tables of vectors that are looked up by number."""
import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """What both tables share: rows, one of which may be for padding."""

    def _choose(self, num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, word):
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < max(num_embeddings, 1):
                raise AssertionError(f"{word} must be within num_embeddings")
            padding_idx = padding_idx + num_embeddings if padding_idx < 0 else padding_idx
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq

    def _fill(self, weight, requires_grad, device, dtype):
        """Let the table be the given one, or a random one."""
        shape = self.num_embeddings, self.embedding_dim
        if weight is None:
            self.weight = Parameter(cygrad.empty(shape, device=device, dtype=dtype), requires_grad=requires_grad)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=requires_grad)

    def reset_parameters(self):
        """Draw the table anew; the row for padding is 0."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with cygrad.no_grad():
                self.weight[self.padding_idx].fill_(0)


def _sizes_of(embeddings):
    if embeddings.dim() != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
    return embeddings.shape


class Embedding(_Table):
    """A vector for each of a number of words: integers are replaced by rows of the weight.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        How many vectors there are, and how long they are.
    padding_idx : int, optional
        A row that is 0 at first and gets no gradient.
    max_norm : float, optional
        Rows that are looked up are scaled down to this norm, in place.
    norm_type : float
        Which norm.
    scale_grad_by_freq : bool
        Whether gradients are divided by how often the row occurs in the input.
    sparse : bool
        Whether the gradient of the weight is to be sparse.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (num_embeddings, embedding_dim), normal at first.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Embedding(10, 3)(cygrad.tensor([[1, 2], [4, 3]])).shape
    cygrad.Size([2, 2, 3])
    """

    __constants__ = ["num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq",
                     "sparse"]

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None):
        super().__init__()
        self._choose(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, "Padding_idx")
        self._fill(_weight, not _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input):
        """(...) of integers -> (..., embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                           self.sparse)

    def _wants(self):
        return f"integers from 0 to {self.num_embeddings - 1}"

    def extra_repr(self):
        """The sizes and options that `repr` shows."""
        shown = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name, unchanged in (("padding_idx", None), ("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq",
                                False), ("sparse", False)):
            if getattr(self, name) != unchanged:
                shown.append(f"{name}={getattr(self, name)}")
        return ", ".join(shown)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0,
                        scale_grad_by_freq=False, sparse=False):
        """An Embedding with these vectors.

        Parameters
        ----------
        embeddings : Tensor
            A matrix, which becomes the weight.
        freeze : bool
            Whether the weight gets no gradient.
        padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
            As for the class.
        """
        rows, columns = _sizes_of(embeddings)
        return cls(num_embeddings=rows, embedding_dim=columns, _weight=embeddings, _freeze=freeze,
                   padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
                   scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


class EmbeddingBag(_Table):
    """Sum, mean or maximum of the vectors of several words, without the vectors in between.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        How many vectors there are, and how long they are.
    max_norm : float, optional
        Rows that are looked up are scaled down to this norm, in place.
    norm_type : float
        Which norm.
    scale_grad_by_freq : bool
        Whether gradients are divided by how often the row occurs in the input.
    mode : str
        "sum", "mean" or "max".
    sparse : bool
        Whether the gradient of the weight is to be sparse.
    include_last_offset : bool
        Whether the offsets end with the number of words.
    padding_idx : int, optional
        A row that is 0 at first, gets no gradient and does not count.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (num_embeddings, embedding_dim), normal at first.

    Examples
    --------
    >>> import cygrad
    >>> bags = cygrad.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bags(cygrad.tensor([1, 2, 4, 5]), cygrad.tensor([0, 3])).shape
    cygrad.Size([2, 3])
    """

    __constants__ = ["num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
                     "include_last_offset", "padding_idx"]

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 mode="mean", sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None,
                 dtype=None):
        super().__init__()
        self._choose(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, "padding_idx")
        self._fill(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        """Bags of words -> (bags, embedding_dim).

        Parameters
        ----------
        input : Tensor
            (bags, words) of integers, or (words,) with offsets.
        offsets : Tensor, optional
            (bags,): where in the input each bag starts.
        per_sample_weights : Tensor, optional
            What each vector is multiplied with; only for "sum".
        """
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)

    def _wants(self):
        return f"integers from 0 to {self.num_embeddings - 1}"

    def extra_repr(self):
        """The sizes and options that `repr` shows."""
        shown = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name, unchanged in (("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False), ("mode", None),
                                ("padding_idx", None)):
            if getattr(self, name) != unchanged:
                shown.append(f"{name}={getattr(self, name)!r}")
        return ", ".join(shown)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                        mode="mean", sparse=False, include_last_offset=False, padding_idx=None):
        """An EmbeddingBag with these vectors.

        Parameters
        ----------
        embeddings : Tensor
            A matrix, which becomes the weight.
        freeze : bool
            Whether the weight gets no gradient.
        max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx
            As for the class.
        """
        rows, columns = _sizes_of(embeddings)
        bag = cls(num_embeddings=rows, embedding_dim=columns, _weight=embeddings, max_norm=max_norm,
                  norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse,
                  include_last_offset=include_last_offset, padding_idx=padding_idx)
        bag.weight.requires_grad = not freeze
        return bag
