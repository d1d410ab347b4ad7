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
    _arguments = ()     # the attributes from which a class makes another one, in the order in which it takes them
    _compared = None    # those that make two of a class equal; None: each is equal to itself only

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached_x_y = None, None
        self._inv = None

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}      # a weak reference can't be pickled

    @property
    def event_dim(self):
        """How many axes one value has, where these are as many before and after."""
        axes = self.domain.event_dim
        if axes != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return axes

    @property
    def inv(self):
        """The inverse transform, whose inverse is this one."""
        inverse = self._inv and self._inv()
        if inverse is None:
            inverse = self._inverted()
            self._inv = weakref.ref(inverse)
        return inverse

    def _inverted(self):
        return _InverseTransform(self)

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
        if cache_size == self._cache_size:
            return self
        kind = _declaring(self, "_arguments")
        if kind is Transform:       # nothing is known of what it takes
            if type(self).__init__ is not Transform.__init__:
                raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
            kind = type(self)
        return kind(*(getattr(self, name) for name in self._arguments), cache_size=cache_size)

    def __eq__(self, other):
        if self._compared is None:
            return self is other
        return isinstance(other, _declaring(self, "_compared")) and all(
            bool(cygrad.as_tensor(getattr(self, name) == getattr(other, name)).all()) for name in self._compared)

    __hash__ = None     # equal ones may have other parameters in memory

    def __call__(self, x):
        """The image of x."""
        return self._through(x, self._call, 0)

    def _inv_call(self, y):
        """What has the image y."""
        return self._through(y, self._inverse, 1)

    def _through(self, value, function, side):
        """A function's value, or what stands on the other side of the pair that is kept."""
        if not self._cache_size:
            return function(value)
        if self._cached_x_y[side] is not value:
            pair = value, function(value)
            self._cached_x_y = pair[::-1] if side else pair
        return self._cached_x_y[1 - side]

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
        return f"{type(self).__name__}()"

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


def _declaring(transform, name):
    """The class that a class attribute comes from."""
    return next(kind for kind in type(transform).__mro__ if name in vars(kind))


class _InverseTransform(Transform):
    """The inverse of a transform, which it keeps alive."""

    _compared = ("inv",)

    def __init__(self, transform):
        super().__init__(transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return self.__dict__

    inv = property(operator.attrgetter("_inv"))
    bijective = property(operator.attrgetter("_inv.bijective"))
    sign = property(operator.attrgetter("_inv.sign"))
    domain = constraints.dependent_property(operator.attrgetter("_inv.codomain"), is_discrete=False)
    codomain = constraints.dependent_property(operator.attrgetter("_inv.domain"), is_discrete=False)

    def with_cache(self, cache_size=1):
        return self._inv.with_cache(cache_size).inv

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return self._inv.log_abs_det_jacobian(y, x).neg()

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"


def _axes_after(steps):
    """How many last axes are one value behind maps that take and give values of so many axes each."""
    axes = 0
    for taken, given in steps:
        axes = max(axes, taken) - taken + given
    return axes


def widened(constraint, axes):
    """A constraint of values with this many axes at least."""
    more = axes - constraint.event_dim
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

    _arguments = _compared = ("parts",)

    def __init__(self, parts, cache_size=0):
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
        super().__init__(cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        steps = ((part.codomain.event_dim, part.domain.event_dim) for part in reversed(self.parts))
        return widened(self.parts[0].domain, _axes_after(steps)) if self.parts else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        steps = ((part.domain.event_dim, part.codomain.event_dim) for part in self.parts)
        return widened(self.parts[-1].codomain, _axes_after(steps)) if self.parts else constraints.real

    @lazy_property
    def bijective(self):
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        return math.prod(part.sign for part in self.parts)

    def _inverted(self):
        inverse = ComposeTransform([part.inv for part in self.parts[::-1]])
        inverse._inv = weakref.ref(self)
        return inverse

    def __call__(self, x):
        return functools.reduce(lambda value, part: part(value), self.parts, x)

    def log_abs_det_jacobian(self, x, y):
        axes, found = self.domain.event_dim, []
        for i, part in enumerate(self.parts, 1):
            image = part(x) if i < len(self.parts) else y
            found.append(_sum_rightmost(part.log_abs_det_jacobian(x, image), axes - part.domain.event_dim))
            axes += part.codomain.event_dim - part.domain.event_dim
            x = image
        return functools.reduce(operator.add, found) if found else cygrad.zeros_like(x)

    def forward_shape(self, shape):
        return functools.reduce(lambda found, part: part.forward_shape(found), self.parts, shape)

    def inverse_shape(self, shape):
        return functools.reduce(lambda found, part: part.inverse_shape(found), self.parts[::-1], shape)

    def __repr__(self):
        lines = ",\n".join(f"    {part!r}" for part in self.parts)
        return f"{type(self).__name__}(\n{lines}\n)"


def _with_axes(value, constraint):
    """A value that has the axes of its constraint."""
    if value.dim() < constraint.event_dim:
        raise ValueError("Too few dimensions on input")
    return value


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

    _arguments = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(cache_size)

    bijective = property(operator.attrgetter("base_transform.bijective"))
    sign = property(operator.attrgetter("base_transform.sign"))

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    def _call(self, x):
        return self.base_transform(_with_axes(x, self.domain))

    def _inverse(self, y):
        return self.base_transform.inv(_with_axes(y, self.codomain))

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


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
    _arguments = ("in_shape", "out_shape")

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = cygrad.Size(in_shape), cygrad.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def forward_shape(self, shape):
        return _before(shape, self.in_shape) + self.out_shape

    def inverse_shape(self, shape):
        return _before(shape, self.out_shape) + self.in_shape

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])


def _before(shape, ending):
    """What stands in a shape before its ending."""
    cut = len(shape) - len(ending)
    if cut < 0:
        raise ValueError("Too few dimensions on input")
    if shape[cut:] != ending:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {ending}")
    return shape[:cut]
