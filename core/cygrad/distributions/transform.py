"""`Transform` and what is made of other transforms: their inverses, chains, batches of them, reshaping."""
import functools
import math
import operator
import weakref

import cygrad
from cygrad.distributions import constraints
from cygrad.distributions.utils import _sum_rightmost, lazy_property


class Transform:
    """A map of values with the logarithm of its Jacobian's determinant. A subclass gives `_call`, `_inverse` and it.

    Parameters
    ----------
    cache_size : int
        With 1 the last value and its image are kept, so that the inverse of what was just computed costs nothing.

    Attributes
    ----------
    domain, codomain : Constraint
        What it takes and gives.
    bijective : bool
        Whether it is one to one.
    sign : int or Tensor
        Of the derivative, for monotone transforms of numbers.

    Raises
    ------
    ValueError
        For another `cache_size` than 0 and 1.

    Examples
    --------
    >>> import cygrad
    >>> transform = cygrad.distributions.ExpTransform()
    >>> transform.inv(transform(cygrad.tensor(0.5)))
    tensor(0.5000)
    """

    bijective = False

    def __init__(self, cache_size=0):
        self._cache_size = cache_size
        self._inv = None
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        if cache_size == 1:
            self._cached_x_y = None, None
        super().__init__()

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}      # a weak reference can't be pickled

    @property
    def event_dim(self):
        """How many axes one value has, where these are as many before and after."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self):
        """The inverse transform, whose inverse is this one."""
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self):
        """1 where it increases, -1 where it decreases."""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """The same transform with another `cache_size`.

        Parameters
        ----------
        cache_size : int

        Returns
        -------
        Transform
        """
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    __hash__ = None     # equal ones may have other parameters in memory

    def __ne__(self, other):
        return not self.__eq__(other)

    def __call__(self, x):
        """The image of x."""
        if self._cache_size == 0:
            return self._call(x)
        x_old, y_old = self._cached_x_y
        if x is x_old:
            return y_old
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y):
        """What has the image y."""
        if self._cache_size == 0:
            return self._inverse(y)
        x_old, y_old = self._cached_x_y
        if y is y_old:
            return x_old
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of the absolute value of the Jacobian's determinant.

        Parameters
        ----------
        x, y : Tensor
            A value and its image.

        Returns
        -------
        Tensor
            Without the axes of a value.
        """
        raise NotImplementedError

    def __repr__(self):
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape):
        """The shape of the image of what has this shape.

        Parameters
        ----------
        shape : Size

        Returns
        -------
        Size
        """
        return shape

    def inverse_shape(self, shape):
        """The shape of what has an image of this shape.

        Parameters
        ----------
        shape : Size

        Returns
        -------
        Size
        """
        return shape


class _InverseTransform(Transform):
    """The inverse of a transform, which it keeps alive."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return self.__dict__

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    @property
    def bijective(self):
        return self._inv.bijective

    @property
    def sign(self):
        return self._inv.sign

    @property
    def inv(self):
        return self._inv

    def with_cache(self, cache_size=1):
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = None

    def __repr__(self):
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


def _widened(constraint, event_dim):
    """A constraint of values with this many axes at least."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


class ComposeTransform(Transform):
    """Transforms one after the other.

    Parameters
    ----------
    parts : list of Transform
        The first is applied first.
    cache_size : int
        Of each part.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(1., 2.), ExpTransform()])(cygrad.tensor(-0.5))
    tensor(1.)
    """

    def __init__(self, parts, cache_size=0):
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        if not self.parts:
            return constraints.real
        axes = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):       # as many axes as a later part looks at
            axes = max(axes + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return _widened(self.parts[0].domain, axes)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        if not self.parts:
            return constraints.real
        axes = self.parts[0].domain.event_dim
        for part in self.parts:
            axes = max(axes + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return _widened(self.parts[-1].codomain, axes)

    @lazy_property
    def bijective(self):
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self):
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv = weakref.ref(inverse)
            inverse._inv = weakref.ref(self)
        return inverse

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return cygrad.zeros_like(x)
        images = [x]
        for part in self.parts[:-1]:
            images.append(part(images[-1]))
        images.append(y)
        total, axes = 0, self.domain.event_dim
        for part, before, after in zip(self.parts, images, images[1:]):
            total = total + _sum_rightmost(part.log_abs_det_jacobian(before, after), axes - part.domain.event_dim)
            axes += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        return f"{self.__class__.__name__}(\n    " + ",\n    ".join(repr(part) for part in self.parts) + "\n)"


class IndependentTransform(Transform):
    """A transform of which several axes of a batch are taken for one value.

    Parameters
    ----------
    base_transform : Transform
        What is applied.
    reinterpreted_batch_ndims : int
        How many axes more a value has.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributions import ExpTransform, IndependentTransform
    >>> x = cygrad.ones(3)
    >>> IndependentTransform(ExpTransform(), 1).log_abs_det_jacobian(x, x.exp())
    tensor(3.)
    """

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        return self.base_transform.bijective

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y):
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """The last axes in another shape.

    Parameters
    ----------
    in_shape, out_shape : Size
        Of one value before and after, with as many elements.

    Raises
    ------
    ValueError
        If these differ.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.ReshapeTransform((4,), (2, 2))(cygrad.arange(4.)).shape
    cygrad.Size([2, 2])
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape = cygrad.Size(in_shape)
        self.out_shape = cygrad.Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])

    def forward_shape(self, shape):
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape, ending, new_ending):
    """A shape with another ending."""
    cut = len(shape) - len(ending)
    if cut < 0:
        raise ValueError("Too few dimensions on input")
    if shape[cut:] != ending:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {ending}")
    return shape[:cut] + new_ending
