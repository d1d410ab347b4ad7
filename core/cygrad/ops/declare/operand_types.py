"""What ops ask of the types of their operands: groups of dtypes, refusals in PyTorch's words, halves made single."""
import functools

from cygrad.dispatch.promotion import SCALAR_NAMES, result_type
from cygrad.dispatch.raw import cast_to
from cygrad.dtype import all_dtypes, get_default_dtype
from cygrad.tensor import Tensor
from cygrad.tensors.size import Size

DTYPES = {d.name: d for d in all_dtypes()}
HALVES = (DTYPES["float16"], DTYPES["bfloat16"])
FLOAT32, BOOL = DTYPES["float32"], DTYPES["bool"]


def widened(forward):
    """Run `forward` in float32 where its tensors have 16-bit floats, and round its result."""
    @functools.wraps(forward)
    def run(*args):
        for a in args:
            if isinstance(a, Tensor) and a.dtype in HALVES:
                dtype = result_type(*(x for x in args if isinstance(x, (Tensor, int, float))))
                wide = forward(*map(single, args))
                return cast_to(wide, dtype) if wide.dtype is FLOAT32 and dtype in HALVES else wide
        return forward(*args)
    return run


def single(x):
    """A 16-bit tensor in float32; anything else as it is."""
    return cast_to(x, FLOAT32) if isinstance(x, Tensor) and x.dtype in HALVES else x


def refused(kernel, dtype):
    """The error for a dtype that an op does not take."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{SCALAR_NAMES[dtype.code]}\'')


def hashable(value):
    """An argument that is an int or a sequence of such, as something that has a hash."""
    return value if type(value) is int or type(value) is tuple else (
        tuple(value) if isinstance(value, (list, Size)) else value)


def need_float(t, kernel, complex_too=False):
    """Raise unless `t` has a floating-point dtype."""
    if not (t.is_floating_point() or (complex_too and t.is_complex())):
        raise refused(kernel, t.dtype)


def as_float(t):
    """`t` in the default float dtype if it has an integer one."""
    return t if t.is_floating_point() or t.is_complex() else cast_to(t, get_default_dtype())


def need_tensors(name, **arguments):
    """Raise PyTorch's TypeError for the first argument that is not a tensor."""
    for value in arguments.values():
        if type(value) is not Tensor:
            break
    else:
        return
    for position, (argument, value) in enumerate(arguments.items()):
        if not isinstance(value, Tensor):
            from cygrad.errors.signatures import type_name      # start-up time
            raise TypeError(f"{name}(): argument '{argument}' (position {position + 1}) must be Tensor, not "
                            f"{type_name(value)}")


def refuse_complex_gradient(t, name, result=False):
    """Raise where PyTorch has no complex derivative; `result`: the result is complex, whatever the tensor is."""
    if (result or t.is_complex()) and t._tracked() and t.requires_grad:
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")


def is_integral(t):
    return not (t.is_floating_point() or t.is_complex())
