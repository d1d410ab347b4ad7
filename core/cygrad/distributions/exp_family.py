"""`ExponentialFamily`: densities exp(<t(x), n> - F(n) + k(x)), n being natural parameters."""
import cygrad
from cygrad.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base of exponential families: the entropy follows from the log normalizer F and the mean of k.

    A subclass gives `_natural_params`, `_log_normalizer` and `_mean_carrier_measure`.

    Notes
    -----
    The gradient of F is the mean of t, so that the entropy is F(n) - <n, grad F(n)> - E[k] (Nielsen and Nock,
    "Entropies and cross-entropies of exponential families", 2010).

    Examples
    --------
    >>> import cygrad
    >>> from cygrad import distributions
    >>> distributions.ExponentialFamily.entropy(distributions.Normal(0., 1.)).detach()
    tensor(1.4189)
    """

    @property
    def _natural_params(self):
        """A tuple of tensors."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        """F of the natural parameters."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        """The mean of k."""
        raise NotImplementedError

    def entropy(self):
        carried = self._mean_carrier_measure
        natural = [n.detach().requires_grad_() for n in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        means = cygrad.autograd.grad(normalizer.sum(), natural, create_graph=True)
        total = normalizer - carried
        for n, mean in zip(natural, means):
            total = total - (n * mean).reshape(self._batch_shape + (-1,)).sum(-1)
        return total
