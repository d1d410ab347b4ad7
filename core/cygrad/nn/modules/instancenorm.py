"""Instance norm over one, two or three axes of space: of each channel of each sample."""
import warnings

from cygrad.nn import functional as F
from cygrad.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
           "LazyInstanceNorm3d"]


class _InstanceNorm(_NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self):
        return self._ranks[0]

    def _apply_instance_norm(self, input):
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               0.0 if self.momentum is None else self.momentum, self.eps)

    def forward(self, input):
        """(N, num_features, ...) or (num_features, ...) -> the same."""
        self._check_input_dim(input)
        alone = self._get_no_batch_dim()
        axis = input.dim() - alone
        if input.size(axis) != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={axis} to match num_features ({self.num_features}), "
                                 f"but got: {input.size(axis)}.")
            warnings.warn(f"input's size at dim={axis} does not match num_features. You can silence this warning by "
                          "not passing in num_features, which is not used because affine=False", stacklevel=2)
        if input.dim() == alone:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            found = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if found:
                kind, names = type(self).__name__, " and ".join(f'"{key}"' for key in found)
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. If "
                    f"state_dict is a checkpoint saved before 0.4.0, this may be expected because {kind} does not "
                    "track running stats by default since 0.4.0. Please remove these keys from state_dict. If the "
                    f"running stats are actually needed, instead set track_running_stats=True in {kind} to enable "
                    f"them. See the documentation of {kind} for details.")
                for key in found:
                    state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                      error_msgs)


class InstanceNorm1d(_InstanceNorm):
    """(x - mean) / sqrt(variance + eps) * weight + bias, over each channel of each sample.

    Parameters
    ----------
    num_features : int
        How many channels there are.
    eps : float
    momentum : float, optional
        What a batch counts in the running averages.
    affine : bool
        Whether there are weight and bias.
    track_running_stats : bool
        Whether there are running averages, which are used in evaluation.
    device : device, optional
    dtype : dtype, optional
    bias : bool
        Whether there is a bias.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.InstanceNorm1d(1)(cygrad.tensor([[[1.0, 1.0, 3.0, 3.0]]]))
    tensor([[[-1.0000, -1.0000,  1.0000,  1.0000]]])
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance norm of images (N, num_features, H, W) or (num_features, H, W); see `InstanceNorm1d`.

    Parameters
    ----------
    num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `InstanceNorm1d`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.InstanceNorm2d(3)(cygrad.ones(2, 3, 4, 4)).shape
    cygrad.Size([2, 3, 4, 4])
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance norm of volumes (N, num_features, D, H, W) or (num_features, D, H, W); see `InstanceNorm1d`.

    Parameters
    ----------
    num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `InstanceNorm1d`.
    """

    _ranks = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm1d` that takes `num_features` from its first input.

    Parameters
    ----------
    eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `InstanceNorm1d`.
    """

    cls_to_become = InstanceNorm1d
    _ranks = InstanceNorm1d._ranks


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm2d` that takes `num_features` from its first input.

    Parameters
    ----------
    eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `InstanceNorm1d`.
    """

    cls_to_become = InstanceNorm2d
    _ranks = InstanceNorm2d._ranks


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm3d` that takes `num_features` from its first input.

    Parameters
    ----------
    eps, momentum, affine, track_running_stats, device, dtype, bias
        As for `InstanceNorm1d`.
    """

    cls_to_become = InstanceNorm3d
    _ranks = InstanceNorm3d._ranks
