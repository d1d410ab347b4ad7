"""What parameters and values of distributions have to satisfy; `check` says where they do.

    constraints.positive.check(scale).all()

`event_dim` is the number of last axes that one answer is about.
"""
import cygrad

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

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self):
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self):
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        """The same with what is known about it."""
        return _Dependent(is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
                          event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

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

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn):
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """A constraint that all elements of the last axes satisfy."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError("reinterpreted_batch_ndims must be an int, got "
                                 f"{type(reinterpreted_batch_ndims).__name__}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        found = self.base_constraint.check(value)
        if found.dim() < self.reinterpreted_batch_ndims:
            wanted = self.base_constraint.event_dim + self.reinterpreted_batch_ndims
            raise ValueError(f"Expected value.dim() >= {wanted} but got {value.dim()}")
        return found.reshape(found.shape[:found.dim() - self.reinterpreted_batch_ndims] + (-1,)).all(-1)

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
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim

    def check(self, value):
        found = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        axes = value.dim() - self.event_dim
        return found.reshape(found.shape[:axes] + (-1,)).all(-1)

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
    """Constraints of numbers by bounds, which are shown."""

    def __repr__(self):
        bounds = ", ".join(f"{name}={_shown(value)}" for name, value in self.__dict__.items())
        return f"{self.__class__.__name__[1:]}({bounds})"


def _shown(bound):
    return bound.item() if isinstance(bound, cygrad.Tensor) and bound.dim() == 0 else bound


class _Above(_Bounded):
    def __init__(self, lower_bound):
        self.lower_bound = lower_bound
        super().__init__()


class _Below(_Bounded):
    def __init__(self, upper_bound):
        self.upper_bound = upper_bound
        super().__init__()


class _Between(_Bounded):
    def __init__(self, lower_bound, upper_bound):
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        super().__init__()


class _IntegerInterval(_Between):
    """Whole numbers, the bounds included."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Below):
    """Whole numbers up to a bound."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Whole numbers from a bound on."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class _GreaterThan(_Above):
    """Numbers above a bound."""

    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    """Numbers from a bound on."""

    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Below):
    """Numbers below a bound."""

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    """Numbers between two bounds, these included."""

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """Numbers from the first bound on, below the second."""

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


# ---------------------------------------------------------------------- of vectors

class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value):
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    """Not negative, with a sum of 1."""

    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Counts of at most `upper_bound` events."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, x):
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


# ---------------------------------------------------------------------- of matrices

class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value):
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(Constraint):
    """Lower triangular, with a positive diagonal."""

    event_dim = 2

    def check(self, value):
        return lower_triangular.check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    """A Cholesky factor of a correlation matrix: its rows have the norm 1."""

    event_dim = 2

    def check(self, value):
        allowed = cygrad.finfo(value.dtype).eps * value.size(-1) * 10      # what rounding of a long row may take
        lengths = cygrad.linalg.norm(value.detach(), dim=-1)
        return _LowerCholesky().check(value) & (lengths - 1).abs().le(allowed).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value):
        return cygrad.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=cygrad.bool, device=value.device)


class _Symmetric(_Square):
    def check(self, value):
        square = super().check(value)
        if not square.all():
            return square
        return cygrad.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value):
        symmetric_ = super().check(value)
        if not symmetric_.all():
            return symmetric_
        return cygrad.linalg.eigvalsh(value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value):
        symmetric_ = super().check(value)
        if not symmetric_.all():
            return symmetric_
        return cygrad.linalg.cholesky_ex(value).info.eq(0)


# ---------------------------------------------------------------------- of parts

class _Parts(Constraint):
    """Constraints of the parts of a value along an axis."""

    def __init__(self, cseq, dim=0):
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)


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
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths and cseq must have the same length, got {len(self.lengths)} and "
                                 f"{len(self.cseq)}")

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def check(self, value):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} is out of range for value with {value.dim()} dimensions")
        found, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths):
            found.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return cygrad.cat(found, self.dim)


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
        inside = max(c.event_dim for c in self.cseq)
        return inside + 1 if self.dim + inside < 0 else inside

    def check(self, value):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} is out of range for value with {value.dim()} dimensions")
        return cygrad.stack([constraint.check(value.select(self.dim, i)) for i, constraint in enumerate(self.cseq)],
                            self.dim)


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
