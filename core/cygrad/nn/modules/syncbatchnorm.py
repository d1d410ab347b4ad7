"""Batch norm whose mean and variance are those of all ranks' parts of a batch together."""
import cygrad
from cygrad.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(_BatchNorm):
    """
    Batch norm over the parts of a batch that all ranks have.

    Parameters
    ----------
    num_features : int
        Channels, axis 1 of the input.
    eps : float
        Added to the variance.
    momentum : float or None
        Of the running statistics.
    affine : bool
        With a weight and a bias for each channel.
    track_running_stats : bool
        Keep running statistics, for evaluation.
    process_group : ProcessGroup, optional
        All ranks by default.
    device, dtype : optional
        Of the parameters.
    bias : bool
        With `affine`: a bias, too.

    Notes
    -----
    Each rank gives its mean, its variance and how many values they are of; the total is put together from these
    without the difference of large numbers that a sum of squares would be (T. F. Chan, G. H. Golub, R. J. LeVeque,
    "Updating formulae and a pairwise algorithm for computing sample variances", 1979).

    Examples
    --------
    >>> import cygrad
    >>> model = cygrad.nn.Sequential(cygrad.nn.Linear(2, 3), cygrad.nn.BatchNorm1d(3))
    >>> cygrad.nn.SyncBatchNorm.convert_sync_batchnorm(model)[1]
    SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    _ranks = (2, 3, 4, 5)

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
                 process_group=None, device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input):
        """(N, num_features, ...) -> the same."""
        by_batch = self.training or self.running_mean is None and self.running_var is None
        group = self._group() if by_batch else None
        if group is None:
            return super().forward(input)
        self._check_input_dim(input)
        mean, var, count = self._together(input, group)
        self._track(mean.detach(), var.detach(), count)
        shape = [1, -1] + [1] * (input.dim() - 2)
        scale = cygrad.rsqrt(var + self.eps).view(shape)
        output = (input - mean.view(shape)) * scale
        if self.weight is not None:
            output = output * self.weight.view(shape)
        return output if self.bias is None else output + self.bias.view(shape)

    def _group(self):
        """The group to ask, where there are several ranks."""
        import cygrad.distributed as dist       # start-up time
        group = self.process_group or dist.group.WORLD
        return group if group is not None and group.size() > 1 else None

    @staticmethod
    def _together(input, group):
        """(mean, variance, count) of each channel over all ranks."""
        from cygrad.distributed.nn.functional import all_gather     # start-up time
        axes = [axis for axis in range(input.dim()) if axis != 1]
        var, mean = cygrad.var_mean(input, axes, correction=0)
        size = mean.new_full((1,), input.numel() // input.shape[1])
        found = cygrad.stack(all_gather(cygrad.cat([mean, var, size]), group))
        means, variances, sizes = found.split([len(mean), len(mean), 1], dim=1)
        count = sizes.sum()
        mean = (means * sizes).sum(0) / count
        return mean, ((variances + (means - mean) ** 2) * sizes).sum(0) / count, count.detach()

    def _track(self, mean, var, count):
        """Let the running statistics follow."""
        if not (self.training and self.track_running_stats):
            return
        self.num_batches_tracked.add_(1)
        factor = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        with cygrad.no_grad():
            self.running_mean.lerp_(mean.to(self.running_mean.dtype), factor)
            self.running_var.lerp_((var * count / (count - 1)).to(self.running_var.dtype), factor)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """
        The module with each of its batch norms replaced.

        Parameters
        ----------
        module : Module
        process_group : ProcessGroup, optional

        Returns
        -------
        Module
            The same, or a SyncBatchNorm for a batch norm.
        """
        if isinstance(module, (BatchNorm1d, BatchNorm2d, BatchNorm3d)):
            made = cls(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                       process_group, bias=module.bias is not None)
            made.weight, made.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(made, name, getattr(module, name))
            made.training = module.training
            return made
        for name, child in module.named_children():
            setattr(module, name, cls.convert_sync_batchnorm(child, process_group))
        return module
