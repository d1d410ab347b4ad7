"""Fourier transforms of whole axes: `cygrad.fft` has the functions under their public names.

Three primitives do the work, as in PyTorch: complex to complex, real to complex, complex to real. Around them sizes are
fitted, the axes found and the scale chosen.
"""
import functools

from cygrad.autograd.derivative import conj
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out
from cygrad.dispatch.raw import copy_
from cygrad.dtype import get_default_dtype
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.nn.padding import constant_pad_nd
from cygrad.ops.declare.operand_types import need_tensors
from cygrad.ops.shape.rearranging import flip
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

# -------------------------------------------------------------------------- primitives

NORMS = ("none", "root", "count")       # what the node's number, PyTorch's, means in the contract


def nearest_last(a, dims):
    """Axes ordered as they lie in memory, the one with the smallest step last."""
    steps = a.stride()
    return tuple(sorted(dims, key=lambda d: -steps[d]))


def apart(axes, dims):
    """The axes that are not in `dims`, in the order in which PyTorch's partition, from both ends, leaves them."""
    left, i = list(axes), 0
    while i < len(left):
        if left[i] in dims:
            last = left.pop()
            if last in dims:
                continue
            left[i] = last
        i += 1
    return left


def laid_out(a, shape, dtype, dims):
    """A new tensor that has `dims` innermost, in this order, and a's other axes as they lie in memory."""
    if dims[0] == len(shape) - len(dims) and (len(dims) == 1 or list(dims) == sorted(dims)) and a.is_contiguous():
        return empty_near(a, shape, dtype)
    order = nearest_last(a, apart(range(a.dim()), dims)) + tuple(dims)
    out = empty_near(a, [shape[d] for d in order], dtype)
    return out.permute(list(map(order.index, range(a.dim()))))


def transformed(a, shape, dtype, dims, normalization, inverse=False):
    if a.dtype.to_real().itemsize == 2:
        raise RuntimeError(f"MKL FFT doesn't support tensors of type: {SCALAR_NAMES[a.dtype.to_real().code]}")
    out = laid_out(a, shape, dtype, dims)
    if out.numel():
        call(a, "fft", (a, out, tuple(dims), inverse, NORMS[normalization]), (1,))
    return out


@primitive(name="fft_c2c")
def c2c(self, dim, normalization, forward):
    """The transform of a complex tensor over axes; normalization 0 is none, 1 the root of the size, 2 the size."""
    if not dim:
        return self.clone()
    dims = nearest_last(self, dim) if len(dim) > 1 else dim
    return transformed(self, self.shape, self.dtype, dims, normalization, not forward)


@primitive(name="fft_r2c")
def r2c(self, dim, normalization, onesided):
    """The transform of a real tensor; `onesided`: the first half of the last of the axes, which says all.

    The other half is made for one axis only: its places are the conjugates of those at the negative frequencies.
    """
    *others, last = dim
    shape, dtype = list(self.shape), self.dtype.to_complex()
    half = shape[last] // 2 + 1
    dims = (*nearest_last(self, others), last) if others else dim
    if onesided:
        shape[last] = half
        return transformed(self, shape, dtype, dims, normalization)
    out = laid_out(self, shape, dtype, dims)
    if out.numel():
        front = out.narrow(last, 0, half)
        call(self, "fft", (self, front, dims, False, NORMS[normalization]), (1,))
        rest = shape[last] - half
        copy_(out.narrow(last, half, rest), conj(flip.forward(front.narrow(last, 1, rest), (last,))))
    return out


@primitive(name="fft_c2r")
def c2r(self, dim, normalization, last_dim_size):
    """The real tensor, of this size along the last axis, of whose transform `self` is the first half."""
    *others, last = dim
    if others:
        self = c2c.forward(self, tuple(others), normalization, False)
    shape = list(self.shape)
    shape[last] = last_dim_size
    return transformed(self, shape, self.dtype.to_real(), (last,), normalization)


# ------------------------------------------------------------------ arguments and results

def with_out(kind, name, function):
    """`function` with `out=`, which must be complex or real as the result is."""
    words = {"ifftn": "fftn"}.get(name, name)       # as PyTorch's error has it

    def check_kind(out):
        """Asked first for one axis, last for several."""
        if not (out.is_complex() if kind == "complex" else out.is_floating_point()):
            raise RuntimeError(f"{words} expects a {kind} output tensor, but got {SCALAR_NAMES[out.dtype.code]}")

    @functools.wraps(function)
    def with_out_argument(input, *args, out=None, **kwargs):
        if not isinstance(input, Tensor):
            need_tensors("fft_" + name, input=input)
        if out is None:
            return function(input, *args, **kwargs)
        if name[-1] not in "2n":
            check_kind(out)
        result = function(input, *args, **kwargs)
        # The conjugate of `fft` is what PyTorch writes out for real numbers.
        asked = "conj_physical" if name in ("ifft", "ihfft") and not input.is_complex() else "fft_" + name
        refuse_out_grad(asked, result, out)                     # PyTorch doesn't ask whether the input overlaps
        check_kind(out)
        return write_out(asked, result, out, operands=(result,))
    return with_out_argument


def promoted(a, to_complex=False):
    """The dtype in which a tensor is transformed."""
    dtype = a.dtype if a.is_floating_point() or a.is_complex() else get_default_dtype()
    dtype = dtype.to_complex() if to_complex and dtype.itemsize > 2 else dtype
    if dtype.itemsize == 2:
        raise RuntimeError(f"Unsupported dtype {SCALAR_NAMES[dtype.code]}")
    return a if a.dtype is dtype else a.to(dtype)


def normalization_of(norm, forward):
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm != "ortho":
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return 1


def fitted(a, dims, sizes):
    """`a` cut, or filled up with zeros, to these sizes along these axes."""
    if all(a.size(d) == size for d, size in zip(dims, sizes)):
        return a
    pad = [0] * (2 * a.dim())
    for d, size in zip(dims, sizes):
        if size < a.shape[d]:
            a = a.narrow(d, 0, size)
        pad[2 * (a.dim() - 1 - d) + 1] = size - a.shape[d]
    return constant_pad_nd(a, pad) if any(pad) else a


def axis_of(a, dim):
    """The axis counted from the front; a number without axes has none."""
    if not a.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap(dim, a.dim())


def check_size(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def one_axis(a, n, dim):
    """(axis, size) of a transform along one axis."""
    dim = axis_of(a, dim)
    n = a.size(dim) if n is None else n
    check_size(n)
    return dim, n


def several_axes(a, s, dim):
    """(axes, sizes) of a transform along several; by default the last ones, or all."""
    rank = a.dim()
    if isinstance(s, int):
        s = (s,)
    if dim is not None:
        dims = tuple(axis_of(a, d) for d in ((dim,) if isinstance(dim, int) else dim))
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
        if s is not None and len(s) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    elif s is None:
        dims = tuple(range(rank))
    elif len(s) > rank:
        raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {rank} dimensions.")
    else:
        dims = tuple(range(rank - len(s), rank))
    sizes = [a.shape[d] if s is None or s[i] == -1 else s[i] for i, d in enumerate(dims)]
    for n in sizes:
        check_size(n)
    return dims, sizes


def several_axes_to_real(name, a, s, dim):
    """The same where the last axis is that of a half, and the size of the real result along it."""
    dims, sizes = several_axes(a, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    given = s is not None and (s if isinstance(s, int) else s[-1]) != -1
    last = sizes[-1] if given else 2 * (a.shape[dims[-1]] - 1)
    check_size(last)
    sizes[-1] = last // 2 + 1
    return dims, sizes, last


# --------------------------------------------------------------------------- one axis

def transform(name, forward):
    """`fft` or `ifft`."""
    def function(input, n=None, dim=-1, norm=None):
        if not input.is_complex():
            return from_real(input, n, dim, norm, forward, False)
        axis, size = one_axis(input, n, dim)
        input = promoted(input) if n is None else fitted(promoted(input), (axis,), (size,))
        return c2c(input, (axis,), normalization_of(norm, forward), forward)
    return with_out("complex", name, function)


def half_transform(name, forward):
    """`rfft` or `ihfft`."""
    def function(input, n=None, dim=-1, norm=None):
        if input.is_complex():
            raise RuntimeError(f"{name} expects a real input tensor, but got {SCALAR_NAMES[input.dtype.code]}")
        return from_real(input, n, dim, norm, forward, True)
    return with_out("complex", name, function)


def from_real(input, n, dim, norm, forward, onesided):
    input = promoted(input)
    axis, size = one_axis(input, n, dim)
    input = input if n is None else fitted(input, (axis,), (size,))
    result = r2c(input, (axis,), normalization_of(norm, forward), onesided)
    return result if forward else result.conj()


def real_transform(name, forward):
    """`hfft` or `irfft`."""
    def function(input, n=None, dim=-1, norm=None):
        input = promoted(input, True)
        dim = axis_of(input, dim)
        size = 2 * (input.shape[dim] - 1) if n is None else n
        check_size(size)
        if n is not None:
            input = fitted(input, (dim,), (size // 2 + 1,))
        return c2r(conj(input) if forward else input, (dim,), normalization_of(norm, forward), size)
    return with_out("floating point", name, function)


fft, ifft = transform("fft", True), transform("ifft", False)
rfft, ihfft = half_transform("rfft", True), half_transform("ihfft", False)
irfft, hfft = real_transform("irfft", False), real_transform("hfft", True)

# ---------------------------------------------------------------------- several axes

def transform_of_axes(name, forward):
    """`fftn` or `ifftn`."""
    def function(input, s=None, dim=None, norm=None):
        dims, sizes = several_axes(input, s, dim)
        input = fitted(promoted(input, True), dims, sizes)
        return c2c(input, dims, normalization_of(norm, forward), forward)
    return with_out("complex", name, function)


def _rfftn(input, s=None, dim=None, norm=None):
    if input.is_complex():
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {SCALAR_NAMES[input.dtype.code]}")
    input = promoted(input)
    dims, sizes = several_axes(input, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    return r2c(fitted(input, dims, sizes), dims, normalization_of(norm, True), True)


def _ihfftn(input, s=None, dim=None, norm=None):
    dims, sizes = several_axes(input, s, dim)
    if not dims:
        raise RuntimeError("ihfftn must transform at least one axis")
    if input.is_complex():
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {SCALAR_NAMES[input.dtype.code]}")
    input = fitted(promoted(input), dims, sizes)
    normalization = normalization_of(norm, False)
    half = r2c(input, dims[-1:], normalization, True)
    half = half.conj_physical() if len(dims) > 1 else half.conj()
    return c2c(half, dims[:-1], normalization, False) if len(dims) > 1 else half


def _irfftn(input, s=None, dim=None, norm=None):
    dims, sizes, last = several_axes_to_real("irfftn", input, s, dim)
    return c2r(fitted(promoted(input, True), dims, sizes), dims, normalization_of(norm, False), last)


def _hfftn(input, s=None, dim=None, norm=None):
    dims, sizes, last = several_axes_to_real("hfftn", input, s, dim)
    input = fitted(promoted(input, True), dims, sizes)
    normalization = normalization_of(norm, True)
    if len(dims) > 1:
        input = c2c(input, dims[:-1], normalization, True)
    return c2r(conj(input), dims[-1:], normalization, last)


fftn, ifftn = transform_of_axes("fftn", True), transform_of_axes("ifftn", False)
rfftn, ihfftn = with_out("complex", "rfftn", _rfftn), with_out("complex", "ihfftn", _ihfftn)
irfftn, hfftn = with_out("floating point", "irfftn", _irfftn), with_out("floating point", "hfftn", _hfftn)
