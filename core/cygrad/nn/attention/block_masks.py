"""Functions that say which queries see which keys, and `BlockMask`: the blocks of the matrix in which some do."""
import functools
import inspect

import cygrad

DEFAULT_BLOCK = 128


def noop_mask(batch, head, q_idx, kv_idx):
    """The mask_mod by which every query sees every key.

    Parameters
    ----------
    batch, head, q_idx, kv_idx : Tensor
        Places, without axes.

    Returns
    -------
    Tensor
        True.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.attention.flex_attention import noop_mask
    >>> noop_mask(cygrad.tensor(0), 0, 0, 0)
    tensor(True)
    """
    return batch.new_ones((), dtype=cygrad.bool)


def _joined(mask_mods, join, start):
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def joined(b, h, q_idx, kv_idx):
        seen = (mask_mod(b, h, q_idx, kv_idx) for mask_mod in mask_mods)
        return functools.reduce(join, seen, b.new_full((), start, dtype=cygrad.bool))
    return joined


def and_masks(*mask_mods):
    """A mask_mod by which a query sees a key where all of these say so.

    Parameters
    ----------
    *mask_mods : callable
        Functions of (batch, head, q_idx, kv_idx).

    Returns
    -------
    callable
        Another one.

    Raises
    ------
    RuntimeError
        If one is no function.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import and_masks, create_mask
    >>> near = and_masks(lambda b, h, i, j: i >= j, lambda b, h, i, j: i - j < 2)
    >>> create_mask(near, 1, 1, 3, 3)[0, 0].long()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]])
    """
    return _joined(mask_mods, lambda x, y: x & y, True)


def or_masks(*mask_mods):
    """A mask_mod by which a query sees a key where one of these says so.

    Parameters
    ----------
    *mask_mods : callable
        Functions of (batch, head, q_idx, kv_idx).

    Returns
    -------
    callable
        Another one.

    Raises
    ------
    RuntimeError
        If one is no function.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import create_mask, or_masks
    >>> create_mask(or_masks(lambda b, h, i, j: i >= j, lambda b, h, i, j: j < 2), 1, 1, 3, 3)[0, 0].long()
    tensor([[1, 1, 0],
            [1, 1, 0],
            [1, 1, 1]])
    """
    return _joined(mask_mods, lambda x, y: x | y, False)


def _vmap_for_bhqkv(fn, prefix, suffix=(), out_dims=0):
    """The function over batches, heads, queries and keys; `prefix` and `suffix` are in_dims of other arguments."""
    for axis in reversed(range(4)):
        places = (0 if i == axis else None for i in range(4))
        fn = cygrad.vmap(fn, in_dims=(*prefix, *places, *suffix), out_dims=out_dims)
    return fn


def over_places(function, sizes, device, scores=()):
    """The function at every (batch, head, query, key), each a tensor without axes; so are scores, if there are any."""
    places = (cygrad.arange(size, device=device) for size in sizes)
    return _vmap_for_bhqkv(function, (0,) * len(scores))(*scores, *places)


def _changes_scores(function):
    """Whether it is a score_mod; False for a mask_mod, which has no score among its parameters."""
    wanted = sum(each.default is inspect.Parameter.empty and each.kind is not inspect.Parameter.VAR_POSITIONAL
                 for each in inspect.signature(function).parameters.values())
    if wanted not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {wanted}")
    return wanted == 5


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """Which queries see which keys, place by place.

    Parameters
    ----------
    mod_fn : callable
        A mask_mod of (batch, head, q_idx, kv_idx), or a score_mod, which hides a key where it makes 0 minus infinity.
    B, H : int or None
        Batches and heads; None for 1.
    Q_LEN, KV_LEN : int
        Queries and keys.
    device : device, optional
        Where it is made.

    Returns
    -------
    Tensor
        B x H x Q_LEN x KV_LEN bools.

    Raises
    ------
    AssertionError
        For a function of another number of arguments.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, i, j: i >= j, None, None, 2, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False]]]])
    """
    sizes = tuple(1 if size is None else size for size in (B, H)) + (Q_LEN, KV_LEN)
    if _changes_scores(mod_fn):
        return ~over_places(mod_fn, sizes, device, (cygrad.zeros(sizes, device=device),)).isneginf()
    return over_places(mod_fn, sizes, device)


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=DEFAULT_BLOCK, _compile=False,
                      separate_full_blocks=True):
    """The blocks of the matrix of queries and keys in which queries see keys.

    Parameters
    ----------
    mask_mod : callable
        A function of (batch, head, q_idx, kv_idx), tensors without axes, that gives a bool.
    B, H : int or None
        Batches and heads; None for 1.
    Q_LEN, KV_LEN : int
        Queries and keys.
    device : device, optional
        Where it is made.
    BLOCK_SIZE : int or tuple of int
        Sides of a block.
    separate_full_blocks : bool
        Whether blocks in which every query sees every key are kept apart.

    Returns
    -------
    BlockMask
        For `flex_attention`.

    Raises
    ------
    AssertionError
        For a function of another number of arguments, or if it gives no bools.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, i, j: i >= j, 1, 1, 4, 4, BLOCK_SIZE=2)
    >>> mask.sparsity(), mask.to_dense()
    (25.0, tensor([[[[1, 0],
              [1, 1]]]], dtype=cygrad.int32))
    """
    block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    if mask.dtype != cygrad.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {str(mask.dtype).replace('cygrad', 'torch')}")
    rows, columns = block
    whole = cygrad.nn.functional.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows))
    seen = whole.unflatten(3, (-1, columns)).unflatten(2, (-1, rows)).sum((3, 5))
    full = seen == rows * columns if separate_full_blocks else None
    partial = seen > 0 if full is None else (seen > 0) & ~full
    return BlockMask.from_kv_blocks(*_ordered(partial), *((None, None) if full is None else _ordered(full)), block,
                                    mask_mod, (Q_LEN, KV_LEN))


def _ordered(dense):
    """How many blocks of each row are set, and the columns, those of set blocks first."""
    order = dense.to(cygrad.int32).contiguous().argsort(dim=-1, descending=True, stable=True)
    return dense.sum(-1, dtype=cygrad.int32), order.to(cygrad.int32, memory_format=cygrad.contiguous_format)


def _dense(counts, indices, columns):
    """The blocks that are set, as 0 and 1."""
    rank = cygrad.arange(indices.shape[-1], device=indices.device)
    set_ = (rank < counts[..., None]).to(cygrad.int32)
    return cygrad.zeros(*indices.shape[:-1], columns, dtype=cygrad.int32, device=indices.device).scatter_add(
        -1, indices.long(), set_)


def _sliced_mask_mod_error(batch, head, q_idx, kv_idx):
    raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")


class BlockMask:
    """Blocks of a matrix of queries and keys: of each row of blocks how many are set, and which.

    Parameters
    ----------
    seq_lengths : tuple of int
        Queries and keys.
    kv_num_blocks : Tensor
        How many blocks of keys each block of queries sees in part.
    kv_indices : Tensor
        The columns, those of these blocks first.
    full_kv_num_blocks, full_kv_indices : Tensor or None
        The same of blocks that are seen whole.
    q_num_blocks, q_indices, full_q_num_blocks, full_q_indices : Tensor or None
        The same for each block of keys.
    BLOCK_SIZE : tuple of int
        Sides of a block.
    mask_mod : callable
        Which query sees which key inside blocks.

    Raises
    ------
    RuntimeError
        For tensors of too few axes.

    Examples
    --------
    >>> from cygrad.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256)
    >>> mask.shape, mask.kv_num_blocks, mask.full_kv_num_blocks
    ((1, 1, 256, 256), tensor([[[1, 1]]], dtype=cygrad.int32), tensor([[[0, 1]]], dtype=cygrad.int32))
    """

    _TENSORS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
                "full_q_num_blocks", "full_q_indices")

    def __init__(self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks,
                 q_indices, full_q_num_blocks, full_q_indices, BLOCK_SIZE=(DEFAULT_BLOCK, DEFAULT_BLOCK),
                 mask_mod=noop_mask):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        for name, (one, other) in {"full_kv": (full_kv_num_blocks, full_kv_indices), "q": (q_num_blocks, q_indices),
                                   "full_q": (full_q_num_blocks, full_q_indices)}.items():
            if (one is None) != (other is None):
                raise AssertionError(f"{name}_num_blocks and {name}_indices must be both provided or omitted")
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None,
                       BLOCK_SIZE=DEFAULT_BLOCK, mask_mod=None, seq_lengths=None, compute_q_blocks=True):
        """A mask of what each block of queries sees; what sees each block of keys is found."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
        rows, columns = kv_indices.shape[-2:]
        given = ((kv_num_blocks, kv_indices), (full_kv_num_blocks, full_kv_indices))
        by_keys = [_ordered(_dense(*each, columns).mT) if compute_q_blocks and each[0] is not None else (None, None)
                   for each in given]
        return cls(seq_lengths or (rows * block[0], columns * block[1]), *given[0], *given[1], *by_keys[0],
                   *by_keys[1], block, mask_mod or noop_mask)

    def as_tuple(self, flatten=True):
        """The parts in the order of the constructor, sizes as single numbers where `flatten`."""
        lengths, block = ((self.seq_lengths,), (self.BLOCK_SIZE,)) if not flatten else (self.seq_lengths,
                                                                                       self.BLOCK_SIZE)
        return (*lengths, *(getattr(self, name) for name in self._TENSORS), *block, self.mask_mod)

    @property
    def shape(self):
        """Batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self):
        """How many places there are, seen or not."""
        size = 1
        for each in self.shape:
            size *= each
        return size

    def sparsity(self):
        """How many percent of all places lie in no block."""
        blocks = sum(int(each.sum()) for each in (self.kv_num_blocks, self.full_kv_num_blocks) if each is not None)
        return 100 * (1 - blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self):
        """1 for each block that is set, in part or whole, else 0."""
        columns = self.kv_indices.shape[-1]
        dense = _dense(self.kv_num_blocks, self.kv_indices, columns)
        if self.full_kv_num_blocks is not None:
            dense = dense | _dense(self.full_kv_num_blocks, self.full_kv_indices, columns)
        return dense

    def _of(self, change, mask_mod, seq_lengths):
        """Another mask, of a changed pair of counts and columns."""
        full = (None, None)
        if self.full_kv_num_blocks is not None:
            full = change(self.full_kv_num_blocks, self.full_kv_indices)
        return BlockMask.from_kv_blocks(*change(self.kv_num_blocks, self.kv_indices), *full, self.BLOCK_SIZE, mask_mod,
                                        seq_lengths, self.q_indices is not None)

    def __getitem__(self, index):
        """The mask of some batches, heads and blocks of queries: all axes stay, and its mask_mod can't be called."""
        def kept(each):
            return slice(each, each + 1 or None) if isinstance(each, int) else each
        index = tuple(map(kept, index if isinstance(index, tuple) else (index,)))
        return self._of(lambda counts, indices: (counts[index[:3]], indices[index]), _sliced_mask_mod_error,
                        self.seq_lengths)

    def _adjust(self, new_q_len, new_kv_len):
        """The upper left corner of the mask, for so many queries and keys."""
        rows, columns = (-(-length // side) for length, side in zip((new_q_len, new_kv_len), self.BLOCK_SIZE))
        return self._of(lambda counts, indices: _ordered(
            _dense(counts, indices, indices.shape[-1])[..., :rows, :columns]), self.mask_mod, (new_q_len, new_kv_len))

    def to(self, device):
        """The mask with its tensors on a device."""
        tensors = (getattr(self, name) for name in self._TENSORS)
        return BlockMask(self.seq_lengths, *(each if each is None else each.to(device) for each in tensors),
                         self.BLOCK_SIZE, self.mask_mod)

    def to_string(self, grid_size=(20, 20), limit=4):
        """The blocks as a picture: set, not set, and, where several are one cell, set in part."""
        if isinstance(grid_size, int):
            grid_size = (grid_size, grid_size)
        dense = self.to_dense().cpu()
        sides = [max(1, -(-size // grid)) if grid > 0 else 1 for size, grid in zip(dense.shape[-2:], grid_size)]
        count = 0
        lines = []
        for place, picture in zip(_places(dense.shape[:-2]), dense.flatten(0, -3) if dense.dim() > 2 else [dense]):
            if count == limit:
                lines += ["...", "To print out more, set BlockMask.to_string(limit=N)",
                          "You can also index (BlockMask[batch, head]) to choose a specific batch or head"]
                break
            count += 1
            lines += [str(tuple(place)), *("".join(map(_shade, row.split(sides[1], 1)))
                                    for row in picture.split(sides[0])), ""]
        return "\n".join(lines) + ("\n" if count < limit else "")

    def __repr__(self):
        return (f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
                f"{self.to_string().strip()}\n)")


def _places(sizes):
    """All tuples of places below the sizes."""
    return cygrad.cartesian_prod(*map(cygrad.arange, sizes)).reshape(-1, len(sizes)).tolist()


def _shade(cell):
    """What stands for a cell of the picture."""
    return "██" if cell.all() else "░░" if cell.any() else "  "
