"""Ops over lists of tensors, under the names that PyTorch's optimizers have for them: `cygrad._foreach_add(xs, 1)`.

Each is the op of that name for one tensor after the other: `_foreach_exp` returns a tuple of new tensors,
`_foreach_exp_` changes them and returns their list. A second operand is a number or a 0-d tensor for all of them, or a
list with one for each.
"""
import cygrad
from cygrad.tensor import Tensor

UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
    round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()
BINARY = "add sub mul div clamp_max clamp_min maximum minimum pow".split()
TERNARY = "addcmul addcdiv lerp".split()
SECOND = "other", "scalar", "scalars", "exponent"       # the second operand by name
THIRD = "value", "scalars", "weight", "weights"         # the third
OTHER_NAMES = {"maximum": "clamp_min", "minimum": "clamp_max"}      # which take numbers, too, and can be in place


def tensors_of(name, given):
    """A list of tensors that an op was given; it must not be empty."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{name}(): argument 'self' (position 1) must be tuple of Tensors, not {type(given).__name__}")
    for place, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(each).__name__}")
    if not given:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return list(given)


def same_count(tensors, others):
    """The others as a list, of which there must be as many."""
    if len(others) != len(tensors):
        raise RuntimeError("Tensor lists must have the same number of tensors, got "
                           f"{len(tensors)} and {len(others)}")
    return list(others)


def one_for_each(tensors, given):
    """A number or tensor for each tensor: from a list of them, or the same for all."""
    if isinstance(given, (list, tuple)):
        if given and isinstance(given[0], Tensor):
            return same_count(tensors, given)
        if len(given) != len(tensors):
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        return list(given)
    if isinstance(given, Tensor) and given.dim():
        raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {given.dim()} dimensions and "
                           f"{given.numel()} elements.")
    return [given] * len(tensors)


def numbers_for_each(tensors, given):
    """The same where a tensor holds a number for each."""
    if not isinstance(given, Tensor):
        return one_for_each(tensors, given)
    if given.dim() != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {given.dim()} instead.")
    if len(given) != len(tensors):
        raise RuntimeError(f"Expected length of scalars to match input of length {len(tensors)} but got {len(given)} "
                           "instead.")
    return given.tolist()


def by_name(name, words, given, named):
    """An operand that may be given by place or by one of its names."""
    for word in words:
        if word in named and not given:
            given = (named.pop(word),)
    if len(given) != 1 or named:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    return given[0]


def for_each(name, given, operands, step):
    """`step` for each tensor with its operands; an op in place returns the list it was given."""
    made = tuple([step(*each) for each in operands])
    return given if name.endswith("_") else made


def unary(name, run):
    def call(self):
        return for_each(name, self, zip(tensors_of(name, self)), run)
    return call


def binary(name, kind, run, run_numbers):
    def call(self, *other, alpha=None, **named):
        given = by_name(name, SECOND, other, named)
        if kind == "pow" and not name.endswith("_") and not isinstance(self, (list, tuple)):
            return tuple([cygrad.pow(self, each) for each in tensors_of(name, given)])
        tensors = tensors_of(name, self)
        others = one_for_each(tensors, given)
        if alpha is None:
            return for_each(name, self, zip(tensors, others),
                            lambda t, x: (run if isinstance(x, Tensor) else run_numbers)(t, x))
        if kind not in ("add", "sub") or not isinstance(others[0], Tensor):
            raise TypeError(f"{name}() received an invalid combination of arguments")
        return for_each(name, self, zip(tensors, others), lambda t, x: run(t, x, alpha=alpha))
    return call


def ternary(name, kind, run):
    def call(self, first, *rest, **named):
        tensors = tensors_of(name, self)
        if kind == "lerp":
            weights = one_for_each(tensors, by_name(name, THIRD, rest, named))
            return for_each(name, self, zip(tensors, same_count(tensors, first), weights), run)
        second = rest[0] if rest else named.pop("tensor2")
        value = by_name(name, THIRD, rest[1:], named) if rest[1:] or named else 1
        return for_each(name, self, zip(tensors, same_count(tensors, first), same_count(tensors, second),
                                        numbers_for_each(tensors, value)),
                        lambda t, a, b, number: run(t, a, b, value=number))
    return call


def _foreach_copy_(self, src, non_blocking=False):
    tensors = tensors_of("_foreach_copy_", self)
    return for_each("_foreach_copy_", self, zip(tensors, same_count(tensors, src)),
                    lambda t, x: t.copy_(x, non_blocking))


def _foreach_zero_(self):
    return for_each("_foreach_zero_", self, zip(tensors_of("_foreach_zero_", self)), Tensor.zero_)


def _foreach_clone(self, *, memory_format=None):
    return tuple([t.clone(memory_format=memory_format) for t in tensors_of("_foreach_clone", self)])


def _foreach_norm(self, ord=2, dtype=None):
    return tuple([cygrad.linalg.vector_norm(t, ord, dtype=dtype) for t in tensors_of("_foreach_norm", self)])


def _foreach_powsum(self, ord=2, dtype=None):
    return tuple([cygrad.sum(t.abs().pow(ord), dtype=dtype) for t in tensors_of("_foreach_powsum", self)])


def _foreach_max(self):
    tensors = tensors_of("_foreach_max", self)
    if not all(t.numel() for t in tensors):
        raise RuntimeError("_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is "
                           "undefined.")
    return tuple([t.max() for t in tensors])


def _foreach_mm(self, mat2):
    tensors = tensors_of("_foreach_mm", self)
    return tuple(map(cygrad.mm, tensors, same_count(tensors, mat2)))


def _add(name, function):
    function.__name__ = function.__qualname__ = name
    globals()[name] = function


for _kind in UNARY + BINARY + TERNARY:
    for _form in _kind, _kind + "_":
        _name = "_foreach_" + _form
        _with_numbers = getattr(Tensor, OTHER_NAMES.get(_kind, _kind) + _form.removeprefix(_kind))
        _run = getattr(Tensor, _form, _with_numbers)
        if _kind in UNARY:
            _add(_name, unary(_name, _run))
        elif _kind in BINARY:
            _add(_name, binary(_name, _kind, _run, _with_numbers))
        else:
            _add(_name, ternary(_name, _kind, _run))
