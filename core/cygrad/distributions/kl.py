"""Kullback-Leibler divergences: how they are found for two types, and how types are added.

The rows are in `kl_same_family.py` and `kl_across_families.py`.
"""
import functools
import importlib
import warnings

from cygrad.distributions.distribution import Distribution

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY = {}       # functions by pairs of types, as they were registered
_KL_MEMOIZE = {}        # by the types that were asked for


def register_kl(type_p, type_q):
    """A decorator for the function that computes the divergence of two types.

    Parameters
    ----------
    type_p, type_q : type
        Distributions; the function also serves their subclasses, unless these have one of their own.

    Raises
    ------
    TypeError
        If one is no class.

    Examples
    --------
    >>> from cygrad.distributions import Normal, kl_divergence, register_kl
    >>> class Fixed(Normal):
    ...     pass
    >>> @register_kl(Fixed, Fixed)
    ... def no_divergence(p, q):
    ...     return 0
    >>> kl_divergence(Fixed(0., 1.), Fixed(2., 1.))
    0
    """
    for given in (type_p, type_q):
        issubclass(given, Distribution)         # refuses what is no class; others that stand for distributions pass

    def add(function):
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()         # what was found may not be the nearest any more
        return function
    return add


@functools.total_ordering
class _Match:
    """A pair of types; the nearer it is to the types that are asked for, the less it is."""

    def __init__(self, *types):
        self.types = types

    def __eq__(self, other):
        return self.types == other.types

    __hash__ = None

    def __le__(self, other):
        for one, another in zip(self.types, other.types):
            if not issubclass(one, another):
                return False
            if one is not another:
                break
        return True


def _dispatch_kl(type_p, type_q):
    """The function whose types are the nearest: by p first, and by q first if these agree."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    by_p = min(_Match(*match) for match in matches).types
    by_q = min(_Match(*reversed(match)) for match in matches).types[::-1]
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
                      f"register_kl({by_p[0].__name__}, {by_q[1].__name__})", RuntimeWarning, stacklevel=3)
    return _KL_REGISTRY[by_p]


def kl_divergence(p, q):
    """The Kullback-Leibler divergence of q from p: the mean under p of log p(x) - log q(x).

    Parameters
    ----------
    p, q : Distribution

    Returns
    -------
    Tensor
        Of the batch's shape.

    Raises
    ------
    NotImplementedError
        If no function is registered for their types.

    Examples
    --------
    >>> from cygrad.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0., 1.), Normal(2., 1.))
    tensor(2.)
    """
    types = type(p), type(q)
    function = _KL_MEMOIZE.get(types)
    if function is None:
        function = _KL_MEMOIZE[types] = _dispatch_kl(*types)
    if function is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {types[0].__name__} and q type "
                                  f"{types[1].__name__}")
    return function(p, q)


for _rows in ("kl_across_families", "kl_same_family"):      # they register themselves here
    _rows = importlib.import_module("cygrad.distributions." + _rows)

_kl_expfamily_expfamily = _rows._kl_expfamily_expfamily      # by this name programs reach the general formula
