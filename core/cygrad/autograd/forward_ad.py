"""Forward-mode differentiation: dual tensors, which carry a tangent through every op inside a level.

    with dual_level():
        y, jvp = unpack_dual(f(make_dual(x, v)))

There is one level at a time, as in PyTorch; derivatives inside derivatives are those of `cygrad.func.jvp`.
"""
import functools
from typing import NamedTuple

from cygrad.autograd import forward_mode
from cygrad.autograd.forward_levels import set_depth, set_tangent, tangent_of
from cygrad.autograd.forward_mode import hide, value_of
from cygrad.autograd.modes import set_grad_mode
from cygrad.autograd.view_gradients import changed
from cygrad.dispatch.lazy_views import laziness
from cygrad.ops.shape.views import alias
from cygrad.tensor import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns: the value, and its tangent or None."""

    primal: Tensor
    tangent: Tensor | None


_current = forward_mode._thread         # .dual_level: the level that this thread's program entered


def _open():
    return getattr(_current, "dual_level", None)


def __getattr__(name):
    """`_current_level`, by PyTorch's name: 0 inside of a level, else -1."""
    if name == "_current_level":
        return -1 if _open() is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def enter_dual_level():
    """Enter the level of forward mode; returns its number, 0.

    Raises
    ------
    RuntimeError
        If it has been entered before.
    """
    if _open() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _current.dual_level = forward_mode.enter_level()
    return 0


def exit_dual_level(*, level=None):
    """Leave the level of forward mode: tangents are gone.

    Raises
    ------
    RuntimeError
        If no level has been entered, or another than the last one is named.
    """
    if level is not None and level != (-1 if _open() is None else 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not "
                           "supported.")
    if _open() is None:
        raise RuntimeError("Dual level must be a positive number.")
    forward_mode.leave_level(_open())
    _current.dual_level = None


def make_dual(tensor, tangent, *, level=None):
    """A view of a tensor that carries a tangent.

    Parameters
    ----------
    tensor : Tensor
        The value, of any shape and a floating-point or complex dtype.
    tangent : Tensor
        Of the same shape.
    level : int, optional
        The level that was entered.

    Returns
    -------
    Tensor

    Raises
    ------
    RuntimeError
        Outside of a level, for a tangent of another shape, and for a tensor that has one.
    ValueError
        If either is no floating-point or complex tensor.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(cygrad.tensor([1., 2.]), cygrad.tensor([1., 0.]))
    ...     forward_ad.unpack_dual(x * x).tangent
    tensor([2., 0.])
    """
    found = _open()
    if found is None or (level is not None and level < 0):
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                           "enter_dual_level() first.")
    for word, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {word} to be floating point or complex, but got: {value.dtype}".replace(
                "cygrad.", "torch."))
    if tangent_of(tensor, found) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.")
    if tangent_of(tangent, found) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level0 is not "
                           "supported.")
    return with_tangent(tensor, tangent, found, lambda t: t.view_as(t))


def with_tangent(tensor, tangent, level, view=alias):
    """A view of `tensor` with a tangent at a level; `view` makes it."""
    if tangent.shape != tensor.shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the given "
                           f"forward gradient is of size {list(tangent.shape)}.")
    if not lies_as(tangent, tensor):
        tangent = like_it(tangent, tensor)
    dual = view(tensor)
    set_tangent(dual, level, tangent)
    return dual


def lies_as(tangent, tensor):
    """Whether a tangent has its tensor's place in a storage of the same size, so that views of both are alike."""
    if type(tangent) is not Tensor or type(tensor) is not Tensor:
        return True
    if tensor.numel() == 0:
        return True
    return (laziness(tangent) == laziness(tensor) and tangent.stride() == tensor.stride()
            and tangent.storage_offset() == tensor.storage_offset()
            and tangent._storage().nbytes() // tangent.itemsize == tensor._storage().nbytes() // tensor.itemsize)


def like_it(tangent, tensor):
    """A copy of a tangent that lies in memory as its tensor does."""
    whole = tangent.new_zeros(tensor._storage().nbytes() // tensor.itemsize)
    window = whole.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return changed(window, laziness(tensor)).copy_(tangent)


def without_tangent(tensor, level):
    """A view of `tensor` without the tangent of a level, and the tangent."""
    before, mode = hide(level)
    try:
        value = value_of(tensor, level)
    finally:
        set_grad_mode(mode)
        set_depth(before)
    return value, tangent_of(tensor, level)


def unpack_dual(tensor, *, level=None):
    """The value of a tensor and its tangent, None where it has none.

    Parameters
    ----------
    tensor : Tensor
        Of any shape.
    level : int, optional
        The level that was entered.

    Returns
    -------
    UnpackedDualTensor
        The named tuple (primal, tangent); the primal is a view of the tensor.
    """
    if _open() is None or (level is not None and level < 0):
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*without_tangent(tensor, _open()))


class dual_level:
    """Context manager and decorator: inside, tensors may have tangents.

    Examples
    --------
    >>> import cygrad
    >>> import cygrad.autograd.forward_ad as forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(cygrad.tensor(3.), cygrad.tensor(1.))
    ...     forward_ad.unpack_dual(x ** 2)
    UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, exc_type, exc_value, traceback):
        exit_dual_level()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with type(self)():
                return function(*args, **kwargs)
        return wrapper
