"""Transforms from unconstrained space to that of a constraint: `transform_to`, and `biject_to` for one-to-one ones.

    positive = transform_to(constraints.positive)(cygrad.zeros(3))

A third party's constraint is added by `transform_to.register(kind)`.
"""
from numbers import Number

from cygrad.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Factories of transforms, by the kind of constraint.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import constraints, transform_to
    >>> transform_to(constraints.simplex)(cygrad.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def __init__(self):
        self._registry = {}
        super().__init__()

    def register(self, constraint, factory=None):
        """Say which transform leads to a kind of constraint.

        Parameters
        ----------
        constraint : type or Constraint
            A subclass of Constraint, or an instance of one.
        factory : callable, optional
            Takes a constraint and returns a Transform; without it a decorator is returned.

        Raises
        ------
        TypeError
            For anything else.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError("Expected constraint to be either a Constraint subclass or instance, but got "
                            f"{kind}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        """The transform whose values satisfy a constraint.

        Parameters
        ----------
        constraint : Constraint

        Returns
        -------
        Transform

        Raises
        ------
        NotImplementedError
            If none is registered for its type.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds):
    """Register a factory with both."""
    def add(factory):
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory
    return add


@_both(constraints.real)
def _to_real(constraint):
    return transforms.identity_transform


@_both(constraints.greater_than, constraints.greater_than_eq)
def _to_greater(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(),
                                        transforms.AffineTransform(constraint.lower_bound, 1)])


@_both(constraints.less_than)
def _to_less(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(),
                                        transforms.AffineTransform(constraint.upper_bound, -1)])


@_both(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and low == 0 and isinstance(high, Number) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@_both(constraints.corr_cholesky)
def _to_corr_cholesky(constraint):
    return transforms.CorrCholeskyTransform()


@biject_to.register(constraints.simplex)
def _one_to_one_with_simplex(constraint):
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _to_simplex(constraint):
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _to_lower_cholesky(constraint):
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _to_positive_definite(constraint):
    return transforms.PositiveDefiniteTransform()


def _of_parts(registry):
    """Register the factories for constraints that are made of others, whose transforms come from the same registry."""
    @registry.register(constraints.independent)
    def independent(constraint):
        return transforms.IndependentTransform(registry(constraint.base_constraint),
                                               constraint.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def cat(constraint):
        return transforms.CatTransform(list(map(registry, constraint.cseq)), constraint.dim, constraint.lengths)

    @registry.register(constraints.stack)
    def stack(constraint):
        return transforms.StackTransform(list(map(registry, constraint.cseq)), constraint.dim)


_of_parts(biject_to)
_of_parts(transform_to)
