"""What parameters and values of distributions have to satisfy; `check` says where they do.

    constraints.positive.check(scale).all()

`event_dim` is the number of last axes that one answer is about.
"""
import operator

import cygrad
from cygrad.distributions.parts import lengths_of_parts, parts_along

__all__ = ["Constraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than",
           "greater_than_eq", "independent", "integer_interval", "interval", "half_open_interval", "is_dependent",
           "less_than", "lower_cholesky", "lower_triangular", "MixtureSameFamilyConstraint", "multinomial",
           "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_semidefinite", "positive_definite",
           "positive_integer", "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval"]


class Constraint:
    """A region of values. A subclass gives `check`.

    Attributes
    ----------
    is_discrete : bool
        Whether the region consists of single points.
    event_dim : int
        How many of the last axes are one value.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.constraints.positive.check(cygrad.tensor([1., -1.]))
    tensor([ True, False])
    """

    is_discrete = False
    event_dim = 0

    def check(self, value):
        """Which values satisfy the constraint.

        Parameters
        ----------
        value : Tensor

        Returns
        -------
        Tensor
            bool, of the value's shape without its last `event_dim` axes.
        """
        raise NotImplementedError

    def __repr__(self):
        return self.__class__.__name__[1:] + "()"


class _Dependent(Constraint):
    """Depends on other values; nothing can be checked before they are known."""

    def __init__(self, **known):
        if not known.keys() <= {"is_discrete", "event_dim"}:
            raise TypeError(f"expected is_discrete and event_dim, got {', '.join(known)}")
        self._known = known

    def _whether_known(self, name):
        if name in self._known:
            return self._known[name]
        raise NotImplementedError(f".{name} cannot be determined statically")

    is_discrete = property(lambda self: self._whether_known("is_discrete"))
    event_dim = property(lambda self: self._whether_known("event_dim"))

    def __call__(self, **known):
        """The same with what is known about it."""
        return _Dependent(**{**self._known, **known})

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint):
    """Whether a constraint depends on values that aren't known yet.

    Parameters
    ----------
    constraint : Constraint

    Returns
    -------
    bool

    Examples
    --------
    >>> from cygrad.distributions import constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property whose value on an instance is a constraint; on the type it is a dependent one.

    Parameters
    ----------
    fn : callable, optional
        The method; without it, what is made is a decorator.
    is_discrete, event_dim : optional
        What is known of all its values.
    """

    def __init__(self, fn=None, **known):
        property.__init__(self, fn)
        _Dependent.__init__(self, **known)

    def __call__(self, fn):
        return _DependentProperty(fn, **self._known)


def _need_axes(value, axes):
    if value.dim() < axes:
        raise ValueError(f"Expected value.dim() >= {axes} but got {value.dim()}")


def _need_constraint(given):
    if not isinstance(given, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(given).__name__}")


class _IndependentConstraint(Constraint):
    """A constraint that all elements of the last axes satisfy."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        _need_constraint(base_constraint)
        axes = reinterpreted_batch_ndims
        if not isinstance(axes, int):
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {type(axes).__name__}")
        if axes < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {axes}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, axes

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)

    def check(self, value):
        _need_axes(value, self.event_dim)
        found = self.base_constraint.check(value)
        more = self.reinterpreted_batch_ndims
        return found.all(tuple(range(-more, 0))) if more else found

    def __repr__(self):
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """What the components of a mixture support.

    Parameters
    ----------
    base_constraint : Constraint
        The support of the components, which have one axis more than the mixture.

    Examples
    --------
    >>> from cygrad.distributions import constraints
    >>> constraints.MixtureSameFamilyConstraint(constraints.real)
    MixtureSameFamilyConstraint(Real())
    """

    def __init__(self, base_constraint):
        _need_constraint(base_constraint)
        self.base_constraint = base_constraint

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim)

    def check(self, value):
        _need_axes(value, self.event_dim)
        before = value.dim() - self.event_dim
        return self.base_constraint.check(value.unsqueeze(before)).flatten(before).all(-1)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_constraint!r})"


# ---------------------------------------------------------------------- of numbers

class _Boolean(Constraint):
    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value):
        return value == value       # nan is none


class _Bounded(Constraint):
    """Numbers within bounds. A subclass says which there are, and how each compares with the numbers."""

    bounds = {}         # name of the bound -> (bound, number) -> bool

    def __init__(self, *given, **named):
        values = dict(zip(self.bounds, given), **named)
        if len(given) + len(named) != len(self.bounds) or values.keys() != self.bounds.keys():
            raise TypeError(f"{self.__class__.__name__[1:]} takes the bounds {', '.join(self.bounds)}, got "
                            f"{(*given, *named)}")
        self.__dict__.update(values)

    def check(self, value):
        found = value % 1 == 0 if self.is_discrete else None
        for name, compare in self.bounds.items():
            within = compare(getattr(self, name), value)
            found = within if found is None else found & within
        return found

    def __repr__(self):
        bounds = ", ".join(f"{name}={_shown(getattr(self, name))}" for name in self.bounds)
        return f"{self.__class__.__name__[1:]}({bounds})"


def _shown(bound):
    return bound.item() if isinstance(bound, cygrad.Tensor) and bound.dim() == 0 else bound


class _GreaterThan(_Bounded):
    """Numbers above a bound."""

    bounds = {"lower_bound": operator.lt}


class _GreaterThanEq(_Bounded):
    """Numbers from a bound on."""

    bounds = {"lower_bound": operator.le}


class _LessThan(_Bounded):
    """Numbers below a bound."""

    bounds = {"upper_bound": operator.gt}


class _Interval(_Bounded):
    """Numbers between two bounds, these included."""

    bounds = {"lower_bound": operator.le, "upper_bound": operator.ge}


class _HalfOpenInterval(_Bounded):
    """Numbers from the lower bound on, below the upper one."""

    bounds = {"lower_bound": operator.le, "upper_bound": operator.gt}


class _IntegerInterval(_Interval):
    """Whole numbers between two bounds, these included."""

    is_discrete = True


class _IntegerGreaterThan(_GreaterThanEq):
    """Whole numbers from a bound on."""

    is_discrete = True


class _IntegerLessThan(_Bounded):
    """Whole numbers up to a bound."""

    bounds = {"upper_bound": operator.ge}
    is_discrete = True


# ---------------------------------------------------------------------- of vectors

class _Vectors(Constraint):
    """Constraints of vectors along the last axis."""

    event_dim = 1


class _OneHot(_Vectors):
    """Zeros, and 1 in one place."""

    is_discrete = True

    def check(self, value):
        return boolean.check(value).all(-1) & (value.sum(-1) == 1)


class _Simplex(_Vectors):
    """Shares of 1."""

    def check(self, value):
        return nonnegative.check(value).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(_Vectors):
    """Counts of at most `upper_bound` events."""

    is_discrete = True

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, x):
        return nonnegative.check(x).all(-1) & (x.sum(-1) <= self.upper_bound)


# ---------------------------------------------------------------------- of matrices

class _Matrices(Constraint):
    """Constraints of matrices: tests of batches, each of which needs what passed those before it."""

    event_dim = 2
    tests = ()

    def check(self, value):
        for test in self.tests:
            found = test(value)
            if not found.all():
                break
        return found


def _is_square(value):
    return cygrad.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=cygrad.bool, device=value.device)


def _is_symmetric(value):
    return value.isclose(value.mT, atol=1e-6).flatten(-2).all(-1)


def _is_lower_triangular(value):
    return (value == value.tril()).flatten(-2).all(-1)


def _is_lower_cholesky(value):
    return _is_lower_triangular(value) & positive.check(value.diagonal(dim1=-2, dim2=-1)).all(-1)


def _is_corr_cholesky(value):
    """Whether it is the Cholesky factor of a correlation matrix: rows of the length 1, but for what rounding takes."""
    allowed = 10 * value.size(-1) * cygrad.finfo(value.dtype).eps
    away = (value.detach().norm(dim=-1) - 1).abs()
    return _is_lower_cholesky(value) & (away <= allowed).all(-1)


class _Square(_Matrices):
    tests = (_is_square,)


class _Symmetric(_Matrices):
    tests = (_is_square, _is_symmetric)


class _PositiveSemidefinite(_Matrices):
    tests = (_is_square, _is_symmetric, lambda value: (cygrad.linalg.eigvalsh(value) >= 0).all(-1))


class _PositiveDefinite(_Matrices):
    tests = (_is_square, _is_symmetric, lambda value: cygrad.linalg.cholesky_ex(value).info == 0)


class _LowerTriangular(_Matrices):
    tests = (_is_lower_triangular,)


class _LowerCholesky(_Matrices):
    """Lower triangular, with a positive diagonal."""

    tests = (_is_lower_cholesky,)


class _CorrCholesky(_Matrices):
    tests = (_is_corr_cholesky,)


# ---------------------------------------------------------------------- of parts

class _Parts(Constraint):
    """Constraints of parts of a value along an axis."""

    def __init__(self, cseq, dim=0):
        self.cseq, self.dim = list(cseq), dim
        if not all(isinstance(c, Constraint) for c in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))
    event_dim = property(lambda self: max(c.event_dim for c in self.cseq))

    def _checks(self, value, lengths=None):
        """What each constraint says of its part."""
        parts = parts_along(value, self.dim, lengths)
        return [constraint.check(part) for constraint, part in zip(self.cseq, parts)]


class _Cat(_Parts):
    """Constraints of pieces of given lengths.

    Parameters
    ----------
    cseq : sequence of Constraint
        One for each piece.
    dim : int
        The axis that is cut.
    lengths : sequence of int, optional
        1 each by default.
    """

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = lengths_of_parts(lengths, len(self.cseq), "lengths and cseq must have the same length, got {} "
                                        "and {}")

    def check(self, value):
        return cygrad.cat(self._checks(value, self.lengths), self.dim)


class _Stack(_Parts):
    """Constraints of slices.

    Parameters
    ----------
    cseq : sequence of Constraint
        One for each place along the axis.
    dim : int
        The axis.
    """

    @property
    def event_dim(self):
        inside = super().event_dim
        return inside + (self.dim + inside < 0)         # the axis lies among those of one value

    def check(self, value):
        return cygrad.stack(self._checks(value), self.dim)


# ---------------------------------------------------------------------- public names

dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
