"""How `linear_cross_entropy` goes through its rows, in a file of its own: `dataclasses` takes long to import."""
import dataclasses

from cygrad.dtype import DType

POLICIES = frozenset(("auto", "accurate", "balanced", "compact"))


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` computes the scores of some rows at a time, so that those of all are never in memory.

    A pass backward computes the scores of each piece again.

    Parameters
    ----------
    allow_retain_graph : bool
        Makes no difference here: a graph that was kept can always be used again.
    batch_chunk_size : int, optional
        How many rows are in a piece; given by `chunking_method` when omitted.
    chunking_method : str, optional
        "aspect_ratio": pieces whose scores take as much memory as the input; "aspect_ratio:N": an N-th of that;
        "auto" is "aspect_ratio:2".
    acc_policy : {"auto", "accurate", "balanced", "compact"}
        Makes no difference here: sums of 16-bit floats are formed in float32.
    acc_dtype : dtype, optional
        As `acc_policy`.

    Raises
    ------
    ValueError
        For other values.

    Examples
    --------
    >>> import cygrad
    >>> x, w = cygrad.tensor([[1., 2.], [0., 1.]]), cygrad.eye(2)
    >>> options = cygrad.nn.LinearCrossEntropyOptions(batch_chunk_size=1)
    >>> cygrad.nn.functional.linear_cross_entropy(x, w, cygrad.tensor([1, 0]), options=options)
    tensor(0.8133)
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: DType | None = None

    def __post_init__(self):
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = self.chunking_method.partition(":")
            if name != "aspect_ratio" or colon and not (factor.isdigit() and int(factor) > 0):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and not getattr(self.acc_dtype, "is_floating_point", False):
            raise ValueError("acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, "
                             f"torch.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                             "automatically.")

    def rows_of_a_piece(self, rows, features, classes):
        """How many of so many rows are computed at a time."""
        method = self.chunking_method
        if method == "auto":
            method = "aspect_ratio:2" if self.batch_chunk_size is None else None
        given = rows if self.batch_chunk_size is None else min(self.batch_chunk_size, rows)
        if method is None:
            return max(1, given)
        wanted = -(-rows // max(1, -(-classes // max(1, features))))
        found = min((1 << max(0, wanted - 1).bit_length()) // int(method.partition(":")[2] or 1), rows)
        if self.batch_chunk_size is not None and self.batch_chunk_size != found:
            raise ValueError(f"batch_chunk_size (={self.batch_chunk_size}) and chunking_method ('{method}') give "
                             f"different chunk sizes ({self.batch_chunk_size} vs {found}); pass only one.")
        return max(1, found)
