"""`Independent`: axes of a batch taken for axes of one value."""
from cygrad.distributions import constraints
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.transform import widened
from cygrad.distributions.utils import _sum_rightmost, of_part

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution of which several axes of the batch are one value, so that their log-probabilities are summed.

    Parameters
    ----------
    base_distribution : Distribution
    reinterpreted_batch_ndims : int
        How many of the last axes.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import Independent, Normal
    >>> Independent(Normal(cygrad.zeros(3), 1.), 1).event_shape
    cygrad.Size([3])
    """

    arg_constraints = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                             f"{reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}")
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        batch = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        shape = base_distribution.batch_shape + base_distribution.event_shape
        super().__init__(shape[:batch], shape[batch:], validate_args=validate_args)

    _parts = property(lambda self: {"base_dist": self.reinterpreted_batch_ndims})
    has_rsample = of_part("base_dist.has_rsample", "Whether gradients go through samples.")
    mean = of_part("base_dist.mean", "The mean.")
    mode = of_part("base_dist.mode", "The most likely value.")
    variance = of_part("base_dist.variance", "The variance.")

    @property
    def has_enumerate_support(self):
        return not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        return widened(self.base_dist.support, len(self.event_shape))

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
