"""`Array`: a tensor whose operators and keys are the standard's; what the namespace gives.

The operators are the namespace's functions. A key may have steps below 0, which `flip` makes, integers of any dtype
and masks without elements. All else is Tensor's, and what ops of cygrad give of an Array is an Array, too.
"""
import functools
import math

import cygrad
from cygrad import Tensor
from cygrad.array_api import element_functions, products
from cygrad.array_api.data_types import promoted
from cygrad.tensors.overriding import called_keeping, keeps_type

_NUMBERS = (bool, int, float, complex)
# operator: the function; those below also take what stands left of an array
_OPERATORS = {
    "add": element_functions.add, "sub": element_functions.subtract, "mul": element_functions.multiply,
    "truediv": element_functions.divide, "floordiv": element_functions.floor_divide,
    "mod": element_functions.remainder, "pow": element_functions.pow, "matmul": products.matmul,
    "and": element_functions.bitwise_and, "or": element_functions.bitwise_or, "xor": element_functions.bitwise_xor,
    "lshift": element_functions.bitwise_left_shift, "rshift": element_functions.bitwise_right_shift,
}
_COMPARISONS = {
    "eq": element_functions.equal, "ne": element_functions.not_equal, "lt": element_functions.less,
    "le": element_functions.less_equal, "gt": element_functions.greater, "ge": element_functions.greater_equal,
}
_WRITTEN = {"floordiv", "mod", "matmul"}          # in place by writing the result: Tensor's own are other operators
# Of numbers, too, not Tensor's: 2. / x is 2. times a reciprocal to PyTorch.
_OWN = {"__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__matmul__", "__rmatmul__", "__rpow__"}


# ------------------------------------------------------------------ operators

def _binary(name, function, swapped=False):
    """The method for an operator; what is neither a tensor nor a number meets Tensor's own."""
    tensors = getattr(Tensor, name)
    own = name in _OWN

    def operator(self, other):
        foreign = not isinstance(other, (Tensor, *_NUMBERS))
        if foreign or not own and not isinstance(other, Tensor) and _is_usual(self, other, name):
            return called_keeping(Array, tensors, (self, other), None)
        return called_keeping(Array, function, (other, self) if swapped else (self, other), None)
    operator.__name__, operator.__qualname__ = name, f"Array.{name}"
    return operator


def _is_usual(x, number, name):
    """Whether Tensor's operator of an array and a number is the standard's: the number is one of the array's dtype."""
    dtype, kind = x.dtype, type(number)
    if dtype.is_floating_point or dtype.is_complex:
        return kind is int or kind is float and name != "__pow__"       # x ** 0.5 is a square root to PyTorch
    return kind is int and 0 <= number < 128 and dtype is not cygrad.bool


def _in_place(name, function, written):
    """The method for an operator that writes into the array, whose dtype both must promote to."""
    tensors = None if written else getattr(Tensor, name)

    def operator(self, other):
        if isinstance(other, Tensor) and other.dtype is not self.dtype:
            if promoted(self.dtype, other.dtype) is not self.dtype:
                raise TypeError(f"{name}: an array of {self.dtype!r} can't take the result with one of {other.dtype!r}")
            other = other.to(self.dtype)
        if not written:
            return tensors(self, other)
        found = function(self, other)
        if found.shape != self.shape:
            raise RuntimeError(f"{name}: the result's shape {tuple(found.shape)} is not the array's, "
                               f"{tuple(self.shape)}")
        return self.copy_(found)
    operator.__name__, operator.__qualname__ = name, f"Array.{name}"
    return operator


# ------------------------------------------------------------------ keys

def _is_plain(part):
    """Whether a part of a key is one that Tensor takes as the standard does."""
    kind = type(part)
    return kind is int or kind is slice and (part.step is None or part.step > 0) or part is None or part is Ellipsis


def _standard_key(x, key):
    """The parts of a key as Tensor takes them, and where among them steps are below 0.

    Arrays of integers become int64, since of Tensor's keys uint8 is a mask; a mask without elements takes the sizes
    of its axes.
    """
    parts, axis, backwards = list(key) if isinstance(key, tuple) else [key], 0, {}
    taken = sum([part.ndim if _is_mask(part) else part is not None and part is not Ellipsis for part in parts])
    for place, part in enumerate(parts):
        if part is Ellipsis:
            axis += x.ndim - taken
        elif _is_mask(part):
            if part.numel() == 0 and part.shape != x.shape[axis:axis + part.ndim]:
                parts[place] = _empty_mask(part, x.shape[axis:axis + part.ndim])
            axis += part.ndim
        elif isinstance(part, Tensor):
            parts[place] = part.to(cygrad.int64)
            axis += 1
        elif part is not None:
            if isinstance(part, slice) and part.step is not None and part.step < 0 and axis < x.ndim:
                backwards[place] = axis, range(x.shape[axis])[part]
            axis += 1
    return parts, backwards


def _is_mask(part):
    return isinstance(part, Tensor) and part.dtype is cygrad.bool


def _empty_mask(mask, sizes):
    """A mask that takes nothing, of the axes' sizes; a mask without elements stands for it."""
    if not all([size in (0, given) for size, given in zip(mask.shape, sizes)]):
        raise IndexError(f"The shape of the mask {list(mask.shape)} does not match the sizes {list(sizes)}")
    return cygrad.zeros(sizes, dtype=cygrad.bool, device=mask.device)


def _forwards(places):
    """The slice that takes the same places in ascending order."""
    return slice(places[-1], places[0] + 1, -places.step) if len(places) else slice(0, 0)


def _taken(x, key):
    """What `x[key]` is."""
    parts, backwards = _standard_key(x, key)
    for place, (axis, places) in backwards.items():
        x = cygrad.flip(Tensor.__getitem__(x, (slice(None),) * axis + (_forwards(places),)), (axis,))
        parts[place] = slice(None)
    return Tensor.__getitem__(x, tuple(parts))


def _put(x, key, value):
    """Do `x[key] = value`. Where steps are below 0, each element's place is looked up in an array of numbers."""
    parts, backwards = _standard_key(x, key)
    if backwards:
        numbers = cygrad.arange(math.prod(x.shape), device=x.device).reshape(x.shape)
        parts = cygrad.unravel_index(_taken(numbers, key), x.shape)
    if isinstance(value, Tensor) and value.dtype is not x.dtype:
        value = value.to(x.dtype)
    Tensor.__setitem__(x, tuple(parts), value)


# ------------------------------------------------------------------ the type

class Size(int):
    """The number of elements, which is also called, as Tensor's `size` is."""

    def __call__(self, dim=None):
        """The shape, or the size of one axis."""
        return self._shape if dim is None else self._shape[dim]


@keeps_type
class Array(Tensor):
    """A tensor of the namespace: its operators and keys are those of the array API standard.

    The namespace's functions give them. `xp.asarray(tensor)` is one over the tensor's memory, and
    `array.as_subclass(cygrad.Tensor)` a tensor again; in the graph of gradients they are the same.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad import array_api as xp
    >>> x = xp.asarray(cygrad.arange(4))
    >>> x[::-1], x.as_subclass(cygrad.Tensor) + 1
    (Array([3, 2, 1, 0]), tensor([1, 2, 3, 4]))
    """

    __slots__ = ()
    __hash__ = Tensor.__hash__
    __deepcopy__ = Tensor.__deepcopy__.__wrapped__      # as it is where types' functions are asked: for an Array

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """An op's call: on plain tensors, its results being Arrays.

        Parameters
        ----------
        func : callable
            The op.
        types : tuple of type
            The types among the arguments that have this method.
        args : tuple
            The call's arguments.
        kwargs : dict, optional
            Those by name.

        Returns
        -------
        object
            The op's result; NotImplemented if a type is no base of `cls`.
        """
        for kind in types:
            if not issubclass(cls, kind):
                return NotImplemented
        return called_keeping(cls, func, args, kwargs)

    def __getitem__(self, key):
        if _is_plain(key) or type(key) is tuple and all(map(_is_plain, key)):
            return called_keeping(Array, Tensor.__getitem__, (self, key), None)
        return called_keeping(Array, _taken, (self, key), None)

    def __setitem__(self, key, value):
        called_keeping(Array, _put, (self, key, value), None)

    def __neg__(self):
        return called_keeping(Array, element_functions.negative, (self,), None)

    def __invert__(self):
        return called_keeping(Array, element_functions.bitwise_invert, (self,), None)

    def __abs__(self):
        return called_keeping(Array, element_functions.abs, (self,), None)

    @property
    def size(self):
        """How many elements there are; as a function, Tensor's `size`."""
        found = Size(self.numel())
        found._shape = self.shape
        return found

    @property
    def T(self):
        """The array with its axes in the opposite order."""
        return called_keeping(Array, Tensor.T.__get__, (self,), None)

    @property
    def mT(self):
        """The array with its last two axes swapped."""
        return called_keeping(Array, Tensor.mT.__get__, (self,), None)


for _name, _function in _OPERATORS.items():
    setattr(Array, f"__{_name}__", _binary(f"__{_name}__", _function))
    setattr(Array, f"__r{_name}__", _binary(f"__r{_name}__", _function, swapped=True))
    setattr(Array, f"__i{_name}__", _in_place(f"__i{_name}__", _function, _name in _WRITTEN))
for _name, _function in _COMPARISONS.items():
    setattr(Array, f"__{_name}__", _binary(f"__{_name}__", _function))


# ------------------------------------------------------------------ functions

def giving_arrays(function):
    """A function of the namespace, the tensors it gives being Arrays."""
    @functools.wraps(function)
    def called(*args, **kwargs):
        return called_keeping(Array, function, args, kwargs)
    return called
