"""`Distribution`: what all of them have; shapes, checks of parameters and values, samples."""
import warnings

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.utils import broadcast_all, everywhere, lazy_property

__all__ = ["Distribution"]

_NO_AXES = cygrad.Size()


class Distribution:
    """The base of all distributions.

    Parameters
    ----------
    batch_shape : Size
        The shape of the parameters: how many independent distributions there are.
    event_shape : Size
        The shape of one sample of one of them.
    validate_args : bool, optional
        Whether parameters and values are held against their constraints.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.Normal(cygrad.zeros(3), 1.).batch_shape
    cygrad.Size([3])
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    # What `expand` expands: tensors and distributions by their attributes' names, each with how many of its last axes
    # are not the batch's. A class with an `__init__` names its own.
    _parts: dict

    @staticmethod
    def set_default_validate_args(value):
        """Whether distributions made from now on check what they are given.

        Parameters
        ----------
        value : bool

        Raises
        ------
        ValueError
            For anything else.
        """
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=_NO_AXES, event_shape=_NO_AXES, validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self):
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            wanted = {}
            warnings.warn(f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                          "initialize the distribution with `validate_args=False` to turn off validation.",
                          stacklevel=3)
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue        # it is computed from one that is checked
            value = getattr(self, name)
            if not everywhere(constraint.check(value)):
                raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                                 f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                                 f"values:\n{value}")

    def expand(self, batch_shape, _instance=None):
        """The same distribution with its parameters expanded, without a copy of them.

        Parameters
        ----------
        batch_shape : Size
            The new shape.

        Returns
        -------
        Distribution
        """
        kind = next((kind for kind in type(self).__mro__ if "_parts" in vars(kind)), None)
        if kind is None:
            raise NotImplementedError
        new = self._get_checked_instance(kind, _instance)
        batch_shape = cygrad.Size(batch_shape)
        for name, value in vars(self).items():
            if name in self._parts:
                shape = value.shape if isinstance(value, cygrad.Tensor) else value.batch_shape
                vars(new)[name] = value.expand(batch_shape + shape[len(shape) - self._parts[name]:])
            elif not isinstance(getattr(type(self), name, None), lazy_property):
                vars(new).setdefault(name, value)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _take(self, **parameters):
        """Keep parameters as attributes, all of one shape, and return it: the batch's. Numbers have no axes."""
        values = broadcast_all(*parameters.values())
        vars(self).update(zip(parameters, values))
        return values[0].shape

    def _get_checked_instance(self, cls, _instance=None):
        """An empty instance for `expand`; a subclass with another `__init__` has to expand itself."""
        if _instance is not None:
            return _instance
        if type(self).__init__ != cls.__init__:
            raise NotImplementedError(f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom "
                                      "__init__ method must also define a custom .expand() method.")
        return self.__new__(type(self))

    @property
    def batch_shape(self):
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of a single sample, without batches."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """The constraint of each parameter, by its name."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint of the values."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape=()):
        """Draw values that no gradient goes through.

        Parameters
        ----------
        sample_shape : Size
            How many, before the axes of the batch.

        Returns
        -------
        Tensor
            (*sample_shape, *batch_shape, *event_shape).
        """
        with cygrad.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Draw values through which gradients reach the parameters.

        Parameters
        ----------
        sample_shape : Size
            How many, before the axes of the batch.

        Returns
        -------
        Tensor
            (*sample_shape, *batch_shape, *event_shape).
        """
        raise NotImplementedError

    def sample_n(self, n):
        """Draw n values; `sample((n,))` is what to write instead.

        Parameters
        ----------
        n : int

        Returns
        -------
        Tensor
        """
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(cygrad.Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density, or of the probability, at a value.

        Parameters
        ----------
        value : Tensor

        Returns
        -------
        Tensor
        """
        raise NotImplementedError

    def cdf(self, value):
        """The probability of what is not above a value.

        Parameters
        ----------
        value : Tensor

        Returns
        -------
        Tensor
        """
        raise NotImplementedError

    def icdf(self, value):
        """The value at which `cdf` is what is given.

        Parameters
        ----------
        value : Tensor
            Probabilities.

        Returns
        -------
        Tensor
        """
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All values of a discrete distribution, along the first axis.

        Parameters
        ----------
        expand : bool
            Whether the axes of the batch are expanded, too.

        Returns
        -------
        Tensor
        """
        raise NotImplementedError

    def entropy(self):
        """The entropy.

        Returns
        -------
        Tensor
            Of the batch's shape.
        """
        raise NotImplementedError

    def perplexity(self):
        """The exponential of the entropy.

        Returns
        -------
        Tensor
            Of the batch's shape.
        """
        return cygrad.exp(self.entropy())

    def _enumerated(self, values, expand):
        """Values of a discrete distribution, along an axis before those of the batch."""
        values = values.reshape(values.shape[:1] + (1,) * len(self._batch_shape) + values.shape[1:])
        return values.expand(values.shape[:1] + self._batch_shape + self._event_shape) if expand else values

    def _extended_shape(self, sample_shape=()):
        """The shape of what is drawn."""
        if not isinstance(sample_shape, cygrad.Size):
            sample_shape = cygrad.Size(sample_shape)
        return cygrad.Size(sample_shape + self._batch_shape + self._event_shape)

    def _validate_sample(self, value):
        """Refuse what the distribution has no probability for: no tensor, another shape, outside of the support."""
        if not isinstance(value, cygrad.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        first = len(value.shape) - len(self._event_shape)
        if value.shape[first:] != self._event_shape:
            raise ValueError("The right-most size of value must match event_shape: "
                             f"{value.shape} vs {self._event_shape}.")
        wanted = self._batch_shape + self._event_shape
        if any(i not in (1, j) and j != 1 for i, j in zip(reversed(value.shape), reversed(wanted))):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {wanted}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{self.__class__} does not define `support` to enable sample validation. Please initialize "
                          "the distribution with `validate_args=False` to turn off validation.", stacklevel=2)
            return
        if not everywhere(support.check(value)):
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                             f"within the support ({support!r}) of the distribution {self!r}, but found invalid "
                             f"values:\n{value}")

    def __repr__(self):
        shown = ((name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__)
        text = ", ".join(f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown)
        return f"{self.__class__.__name__}({text})"
