"""The chi-squared distribution."""
from cygrad.distributions import constraints
from cygrad.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution: the sum of the squares of `df` standard normal numbers.

    Parameters
    ----------
    df : Tensor or float
        Degrees of freedom.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Chi2(3.).mean
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}
    _parts = Gamma._parts

    def __init__(self, df, validate_args=None):
        super().__init__(df * 0.5, 0.5, validate_args=validate_args)

    df = property(lambda self: self.concentration * 2, doc="Degrees of freedom.")
