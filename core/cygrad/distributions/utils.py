"""What distributions share: parameters of one shape, probabilities and their logits, properties computed once."""
import math
from functools import update_wrapper, wraps
from numbers import Number
from operator import attrgetter

import cygrad
import cygrad.nn.functional as F
from cygrad.overrides import is_tensor_like

euler_constant = 0.57721566490153286060
log_sqrt_two_pi = math.log(math.sqrt(2 * math.pi))

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]


def broadcast_all(*values):
    """Tensors of one shape, from tensors and numbers.

    Parameters
    ----------
    *values : Tensor or number
        Numbers take the dtype and device of the first tensor, or the default dtype where there is none.

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.utils.broadcast_all(1., cygrad.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    if not all(is_tensor_like(value) or isinstance(value, Number) for value in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    if not all(map(is_tensor_like, values)):
        like = next((value for value in values if isinstance(value, cygrad.Tensor)), None)
        if like is None:
            options = {"dtype": cygrad.get_default_dtype()}
        else:
            options = {"dtype": like.dtype, "device": like.device}
        values = [value if is_tensor_like(value) else cygrad.tensor(value, **options) for value in values]
    return tuple(cygrad.broadcast_tensors(*values))


def everywhere(valid):
    """Whether a constraint holds for all elements, inside `vmap` of all examples."""
    while hasattr(valid, "level"):
        valid = valid.value
    return valid.all()


def _standard_normal(shape, dtype, device):
    """Normal numbers of mean 0 and deviation 1."""
    return cygrad.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dim):
    """The sum over the last `dim` axes."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """Probabilities from their logarithms, or from log odds.

    Parameters
    ----------
    logits : Tensor
        Log odds, or logarithms up to a constant along the last axis.
    is_binary : bool
        Whether they are log odds of single events.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.utils.logits_to_probs(cygrad.tensor([0., 0.]))
    tensor([0.5000, 0.5000])
    """
    return cygrad.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Probabilities that are kept from 0 and 1 by the precision of their dtype.

    Parameters
    ----------
    probs : Tensor
        Between 0 and 1.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.utils.clamp_probs(cygrad.tensor([0., 0.5]))
    tensor([1.1921e-07, 5.0000e-01])
    """
    least = cygrad.finfo(probs.dtype).eps
    return probs.clamp(min=least, max=1 - least)


def probs_to_logits(probs, is_binary=False):
    """Logarithms of probabilities, or their log odds.

    Parameters
    ----------
    probs : Tensor
        Between 0 and 1.
    is_binary : bool
        Whether each is the probability of an event, whose log odds are wanted.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.utils.probs_to_logits(cygrad.tensor([0.5]), is_binary=True)
    tensor([0.])
    """
    inside = clamp_probs(probs)
    return cygrad.log(inside) - cygrad.log1p(-inside) if is_binary else cygrad.log(inside)


class lazy_property:
    """A property that is computed when it is first asked for, and then is an attribute of the instance.

    Parameters
    ----------
    wrapped : callable
        The method that computes it; it may be differentiated even where gradients are off.

    Examples
    --------
    >>> from cygrad.distributions.utils import lazy_property
    >>> class Circle:
    ...     @lazy_property
    ...     def area(self):
    ...         print("computed")
    ...         return 3
    >>> circle = Circle()
    >>> circle.area + circle.area
    computed
    6
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance, owner=None):
        if instance is None:
            return _LazyOfType(self.wrapped)
        with cygrad.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _LazyOfType(lazy_property, property):
    """What a lazy property is on the type: for tools that document properties, and for `isinstance`."""

    def __init__(self, wrapped):
        property.__init__(self, wrapped)


def within_support(method):
    """A method of a value that is held against the support first, by a distribution that checks what it is given."""
    @wraps(method)
    def checked(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return method(self, value)
    return checked


def of_part(path, doc):
    """A property that is an attribute of one of the parts, such as "base_dist.scale"."""
    return property(attrgetter(path), doc=doc)


def tril_matrix_to_vec(mat, diag=0):
    """The elements on and below a diagonal, row by row.

    Parameters
    ----------
    mat : Tensor
        (..., n, n).
    diag : int
        Which diagonal; 0 is the main one.

    Returns
    -------
    Tensor
        A vector for each matrix.

    Raises
    ------
    ValueError
        If there is no such diagonal.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.utils.tril_matrix_to_vec(cygrad.eye(2))
    tensor([1., 0., 1.])
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., cygrad.ones(n, n, dtype=cygrad.bool, device=mat.device).tril(diag)]


def vec_to_tril_matrix(vec, diag=0):
    """A lower triangle from its elements row by row, the inverse of `tril_matrix_to_vec`.

    Parameters
    ----------
    vec : Tensor
        (..., n (n + 1) / 2) for the main diagonal.
    diag : int
        The last diagonal that has elements.

    Returns
    -------
    Tensor
        (..., n, n), zero above.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.distributions.utils.vec_to_tril_matrix(cygrad.tensor([1., 2., 3.]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    # m elements fill the triangle of side k: k (k + 1) / 2 = m, less what lies between the diagonals
    m, d = vec.shape[-1], diag
    n = (-(1 + 2 * d) + math.sqrt((1 + 2 * d) ** 2 + 8 * m + 4 * abs(d) * (d + 1))) / 2
    if round(n) - n > cygrad.finfo(vec.dtype).eps:      # where it lies below, filling the places refuses it
        raise ValueError(f"The size of last dimension is {m} which cannot be expressed as the lower triangular part of "
                         "a square D x D matrix.")
    n = round(n)
    places = cygrad.ones(n, n, dtype=cygrad.bool, device=vec.device).tril(d)
    made = vec.new_zeros(vec.shape[:-1] + (n, n))
    made[..., places] = vec
    return made
