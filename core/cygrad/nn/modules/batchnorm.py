"""Batch norm over one, two or three axes of space, and what it shares with instance norm."""
import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.lazy import LazyModuleMixin
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["BatchNorm1d", "LazyBatchNorm1d", "BatchNorm2d", "LazyBatchNorm2d", "BatchNorm3d", "LazyBatchNorm3d"]

_SPACE = {3: "L", 4: "H, W", 5: "D, H, W"}


class _NormBase(Module):
    """Weight, bias and running statistics of each channel; `_ranks` says how many axes an input may have."""

    _version = 2        # 1 had no num_batches_tracked
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None, *, bias=True):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            made = Parameter(cygrad.empty(num_features, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, made)
        mean = var = count = None
        if track_running_stats:
            mean = cygrad.zeros(num_features, device=device, dtype=dtype)
            var = cygrad.ones(num_features, device=device, dtype=dtype)
            count = cygrad.tensor(0, dtype=cygrad.long, device=device)
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", var)
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self):
        """Forget the statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Forget the statistics, and set the weight to 1 and the bias to 0."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        if input.dim() not in self._ranks:
            wanted = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")

    def extra_repr(self):
        """The size and options that `repr` shows."""
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            count = self.num_batches_tracked
            state_dict.setdefault(prefix + "num_batches_tracked",
                                  cygrad.tensor(0, dtype=cygrad.long) if count is None else count)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_NormBase):
    def forward(self, input):
        """(N, num_features, ...) -> the same."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:       # the average of all batches so far
                factor = 1.0 / float(self.num_batches_tracked)
        mean, var = self.running_mean, self.running_var
        by_batch = self.training or mean is None and var is None
        if self.training and not self.track_running_stats:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, factor, self.eps)

    def _wants(self):
        return f"(N, {self.num_features}, {_SPACE[max(self._ranks)]})"


class BatchNorm1d(_BatchNorm):
    """(x - mean) / sqrt(variance + eps) * weight + bias of each channel, over the batch.

    In training the mean and variance are those of the batch, and running averages of them are kept; in evaluation these
    take their place.

    Parameters
    ----------
    num_features : int
        How many channels there are.
    eps : float
    momentum : float, optional
        What a batch counts in the running averages; None for the average of all batches.
    affine : bool
        Whether there are weight and bias.
    track_running_stats : bool
        Whether there are running averages; without them, those of the batch are used in evaluation, too.
    device : device, optional
    dtype : dtype, optional
    bias : bool
        Whether there is a bias.

    Attributes
    ----------
    weight, bias : Parameter or None
        (num_features,), 1 and 0 at first.
    running_mean, running_var : Tensor or None
        (num_features,): buffers, 0 and 1 at first.
    num_batches_tracked : Tensor or None
        How many batches were averaged.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.BatchNorm1d(2)
    >>> layer(cygrad.tensor([[1.0, 5.0], [3.0, 5.0]]))
    tensor([[-1.0000,  0.0000],
            [ 1.0000,  0.0000]], grad_fn=<NativeBatchNormBackward0>)
    >>> layer.running_mean
    tensor([0.2000, 0.5000])
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm of images (N, num_features, H, W); see `BatchNorm1d`.

    Parameters
    ----------
    num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `BatchNorm1d`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.BatchNorm2d(3)(cygrad.ones(2, 3, 4, 4)).shape
    cygrad.Size([2, 3, 4, 4])
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch norm of volumes (N, num_features, D, H, W); see `BatchNorm1d`.

    Parameters
    ----------
    num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `BatchNorm1d`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.BatchNorm3d(3)(cygrad.ones(2, 3, 4, 4, 4)).shape
    cygrad.Size([2, 3, 4, 4, 4])
    """

    _ranks = (5,)


class _LazyNormBase(LazyModuleMixin):
    """What a lazy norm has beside one that is not."""

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
                 bias=True):
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = cygrad.tensor(0, dtype=cygrad.long, device=device)

    def reset_parameters(self):
        """Forget the statistics and set weight and bias, if they are there."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        """Take the number of channels from the first input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for name in ("weight", "bias") * self.affine + ("running_mean", "running_var") * self.track_running_stats:
            if getattr(self, name) is not None:
                getattr(self, name).materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm1d` that takes `num_features` from its first input.

    Parameters
    ----------
    eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `BatchNorm1d`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.LazyBatchNorm1d()
    >>> layer(cygrad.ones(2, 3)).shape, layer.num_features
    (cygrad.Size([2, 3]), 3)
    """

    cls_to_become = BatchNorm1d
    _ranks = BatchNorm1d._ranks


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm2d` that takes `num_features` from its first input.

    Parameters
    ----------
    eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `BatchNorm1d`.
    """

    cls_to_become = BatchNorm2d
    _ranks = BatchNorm2d._ranks


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm3d` that takes `num_features` from its first input.

    Parameters
    ----------
    eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `BatchNorm1d`.
    """

    cls_to_become = BatchNorm3d
    _ranks = BatchNorm3d._ranks


def __getattr__(name):
    """`SyncBatchNorm`, which PyTorch has in this module, imported when it is first used."""
    from cygrad.nn import modules      # start-up time
    if modules.PLACES.get(name) in ("cygrad.nn.modules.syncbatchnorm",):
        return getattr(modules, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
