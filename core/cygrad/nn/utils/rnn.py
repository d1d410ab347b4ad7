"""Sequences of several lengths: padded to one length, or packed, all first steps before all second ones."""
from collections import namedtuple
from collections.abc import Iterable

import cygrad
from cygrad import Tensor

__all__ = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pad_packed_sequence", "pad_sequence",
           "unpad_sequence", "pack_sequence", "unpack_sequence"]

_Fields = namedtuple("_Fields", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(_Fields):
    """Sequences, packed; made by `pack_padded_sequence` and `pack_sequence`.

    Attributes
    ----------
    data : Tensor
        (steps of all sequences, ...): all first steps, longest sequence first, then all second ones, and so on.
    batch_sizes : Tensor
        (longest length,): how many sequences have a first step, a second one, and so on.
    sorted_indices : Tensor or None
        Where the sequences were, by decreasing length.
    unsorted_indices : Tensor or None
        Where they are now.
    """

    __slots__ = ()

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
                             "manually. They should be instantiated by functions like pack_sequence and "
                             "pack_padded_sequences in nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#"
                             "torch.nn.utils.rnn.pack_sequence")
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, change):
        """The same with `change` of the data and the indices."""
        return type(self)(change(self.data), self.batch_sizes,
                          *[None if each is None else change(each) for each in self[2:]])

    def pin_memory(self):
        """The packed sequences in memory that devices copy from faster."""
        return self._with(lambda t: t.pin_memory())

    def to(self, *args, **kwargs):
        """The packed sequences on another device, or with data of another dtype; arguments as for `Tensor.to`."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return self._with(lambda t: data if t is self.data else t.to(data.device))

    def cuda(self, *args, **kwargs):
        """The packed sequences on a CUDA device."""
        if self.data.new_empty(0).to(*args, **kwargs).is_cuda:
            return self.to(*args, **kwargs)
        return self.to(*args, device="cuda", **kwargs)

    def cpu(self, *args, **kwargs):
        """The packed sequences on the CPU."""
        if self.data.new_empty(0).to(*args, **kwargs).device.type == "cpu":
            return self.to(*args, **kwargs)
        return self.to(*args, device="cpu", **kwargs)

    def double(self):
        """The packed sequences in float64."""
        return self.to(dtype=cygrad.double)

    def float(self):
        """The packed sequences in float32."""
        return self.to(dtype=cygrad.float)

    def half(self):
        """The packed sequences in float16."""
        return self.to(dtype=cygrad.half)

    def long(self):
        """The packed sequences in int64."""
        return self.to(dtype=cygrad.long)

    def int(self):
        """The packed sequences in int32."""
        return self.to(dtype=cygrad.int)

    def short(self):
        """The packed sequences in int16."""
        return self.to(dtype=cygrad.short)

    def char(self):
        """The packed sequences in int8."""
        return self.to(dtype=cygrad.int8)

    def byte(self):
        """The packed sequences in uint8."""
        return self.to(dtype=cygrad.uint8)

    @property
    def is_cuda(self):
        """Whether the data are on a CUDA device."""
        return self.data.is_cuda

    def is_pinned(self):
        """Whether the data are in memory that devices copy from faster."""
        return self.data.is_pinned()


def invert_permutation(permutation):
    """The permutation that undoes another.

    Parameters
    ----------
    permutation : Tensor or None

    Returns
    -------
    Tensor or None

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.utils.rnn.invert_permutation(cygrad.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    places = cygrad.arange(permutation.numel(), device=permutation.device, dtype=permutation.dtype)
    return cygrad.empty_like(permutation).scatter_(0, permutation, places)


def _steps(lengths, total):
    """Which of time * batch steps there are, by number."""
    return (cygrad.arange(total).unsqueeze(1) < lengths.unsqueeze(0)).reshape(-1).nonzero().squeeze(1)


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack sequences that were padded to one length.

    Parameters
    ----------
    input : Tensor
        (time, batch, ...), or (batch, time, ...).
    lengths : Tensor or list of int
        (batch,).
    batch_first : bool
    enforce_sorted : bool
        Whether the lengths have to decrease. If not, the sequences are sorted.

    Returns
    -------
    PackedSequence

    Examples
    --------
    >>> import cygrad
    >>> padded = cygrad.tensor([[1, 4], [2, 5], [3, 0]])
    >>> cygrad.nn.utils.rnn.pack_padded_sequence(padded, [3, 2]).data
    tensor([1, 4, 2, 5, 3])
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=cygrad.int64)
    else:
        lengths = cygrad.as_tensor(lengths, dtype=cygrad.int64, device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = cygrad.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, sizes = cygrad._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, sizes, order, None)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Undo `pack_padded_sequence`.

    Parameters
    ----------
    sequence : PackedSequence
    batch_first : bool
    padding_value : float
    total_length : int, optional
        To which the sequences are padded; by default that of the longest.

    Returns
    -------
    tuple of Tensor
        The padded sequences (time, batch, ...) or (batch, time, ...), and their lengths.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.utils.rnn import pack_sequence, pad_packed_sequence
    >>> pad_packed_sequence(pack_sequence([cygrad.tensor([1, 2]), cygrad.tensor([3])]), batch_first=True)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """
    data, sizes = sequence.data, sequence.batch_sizes
    longest = sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but "
                             f"got total_length={total_length} and max sequence length being {longest}")
        longest = total_length
    batch = int(sizes[0])
    lengths = (sizes.unsqueeze(1) > cygrad.arange(batch)).sum(0)
    there = _steps(lengths, longest)
    padded = data.new_full((longest * batch, *data.shape[1:]), padding_value)
    padded = padded.index_copy(0, there.to(data.device), data).unflatten(0, (longest, batch))
    if batch_first:
        padded = padded.transpose(0, 1)
    back = sequence.unsorted_indices
    if back is not None:
        return padded.index_select(0 if batch_first else 1, back), lengths[back.cpu()]
    return padded, lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Pad sequences to the length of the longest, and stack them.

    Parameters
    ----------
    sequences : iterable of Tensor
        (length, ...) each.
    batch_first : bool
    padding_value : float
    padding_side : str
        "right" or "left".

    Returns
    -------
    Tensor
        (time, batch, ...), or (batch, time, ...).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.utils.rnn.pad_sequence([cygrad.ones(3), cygrad.ones(1)], batch_first=True)
    tensor([[1., 1., 1.],
            [1., 0., 0.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError("pad_sequence: Expected iterable for input sequences, but got arg of type: "
                           f"{type(sequences)}")
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    for place, each in enumerate(sequences):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(each).__name__}")
    longest = max(each.size(0) for each in sequences)
    shape = (longest, len(sequences)) if not batch_first else (len(sequences), longest)
    padded = sequences[0].new_full((*shape, *sequences[0].shape[1:]), padding_value)
    padded._bump_version()                                  # PyTorch counts the filling, too
    rows = padded if batch_first else padded.transpose(0, 1)
    for place, each in enumerate(sequences):
        start = longest - each.size(0) if padding_side == "left" else 0
        rows[place].narrow(0, start, each.size(0)).copy_(each)
    return padded


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Undo `pad_sequence`.

    Parameters
    ----------
    padded_sequences : Tensor
        (time, batch, ...), or (batch, time, ...). Its first two axes change places if the batch is not first.
    lengths : Tensor
        (batch,).
    batch_first : bool

    Returns
    -------
    list of Tensor
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = cygrad.arange(padded_sequences.shape[1], device=lengths.device)
    return [sequence[steps < length] for sequence, length in zip(padded_sequences, lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack sequences.

    Parameters
    ----------
    sequences : list of Tensor
        (length, ...) each.
    enforce_sorted : bool
        Whether the lengths have to decrease. If not, the sequences are sorted.

    Returns
    -------
    PackedSequence
    """
    lengths = cygrad.as_tensor([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """Undo `pack_sequence`.

    Parameters
    ----------
    packed_sequences : PackedSequence

    Returns
    -------
    list of Tensor
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
