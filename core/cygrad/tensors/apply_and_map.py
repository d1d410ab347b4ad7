"""Functions of Python called with each element: `apply_`, `map_`."""
import cygrad
from cygrad.devices.home import stands_for_cpu
from cygrad.dispatch.raw import copy_ as raw_copy
from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor


def _need_plain(self, name, *others):
    if any(isinstance(t, Tensor) and t.requires_grad for t in (self, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if not all(stands_for_cpu(t.device) for t in (self, *others)):
        raise TypeError(f"{name}() is only implemented on CPU tensors")


def _elements(self, others, name):
    for other in others:
        if not isinstance(other, Tensor):
            raise TypeError(f"{name}(): argument 'tensor' (position 1) must be Tensor, not {type(other).__name__}")
        if other.dtype is not self.dtype:
            raise TypeError(f"{name}(): expected a tensor of {self.dtype}, got one of {other.dtype}")
    return zip(*(t.expand(self.shape).reshape(-1).tolist() for t in (self, *others)))


def _called(self, name, function, *others):
    from numbers import Number      # start-up time
    _need_plain(self, name, *others)
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    values = [function(*parts) for parts in _elements(self, others, name)]
    for value in values:
        if not isinstance(value, Number):
            raise TypeError(f"must be real number, not {type(value).__name__}")
    made = cygrad.tensor(values, dtype=self.dtype).reshape(self.shape)
    target = self.detach()
    for axis, step in enumerate(self.stride()):
        if step == 0 and self.shape[axis] > 1:                  # each place once, with what is written to it last
            target, made = target.narrow(axis, 0, 1), made.narrow(axis, self.shape[axis] - 1, 1)
    raw_copy(target, made)                                      # the version stays as it is
    return self


@op(only_method=True)
def apply_(self, callable):
    """Replace each element by what a Python function makes of it.

    Parameters
    ----------
    callable : callable
        Takes a Python number and gives one.

    Raises
    ------
    TypeError
        For a tensor that is not on the CPU.

    Examples
    --------
    >>> cygrad.tensor([1., 2.]).apply_(lambda x: x * 10)
    tensor([10., 20.])
    """
    return _called(self, "apply_", callable)


@op(only_method=True)
def map_(self, tensor, callable):
    """Replace each element by ``callable(element, element of tensor)``.

    Parameters
    ----------
    tensor : Tensor
        Broadcasts to self's shape.
    callable : callable
        Takes two Python numbers and gives one.

    Examples
    --------
    >>> cygrad.tensor([1., 2.]).map_(cygrad.tensor([10., 20.]), lambda a, b: a + b)
    tensor([11., 22.])
    """
    return _called(self, "map_", callable, tensor)


@op(only_method=True)
def map2_(self, x, y, callable):
    """Replace each element by ``callable(element, element of x, element of y)``.

    Parameters
    ----------
    x, y : Tensor
        Broadcast to self's shape.
    callable : callable
        Takes three Python numbers and gives one.

    Examples
    --------
    >>> cygrad.tensor([1., 2.]).map2_(cygrad.ones(2), cygrad.ones(2), lambda a, b, c: a + b + c)
    tensor([3., 4.])
    """
    return _called(self, "map2_", callable, x, y)
