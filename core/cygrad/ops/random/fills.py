"""Random numbers written in place (`uniform_`): PyTorch's for one seed, on any device (drawn on the host, copied).

That holds for the default generator and all others of the CPU; for those of devices see device_stream.py.

`draw` is the one place that fills a tensor: the generator's samplers write adjacent elements in the order in which
PyTorch visits a tensor, so a tensor with gaps, or on another device, is filled by way of a dense host buffer.
"""
import math

from cygrad.autograd.forward_levels import batch_depth
from cygrad.devices.transfers import host_backend
from cygrad.dispatch.allocation import empty_laid_out, empty_like_strided, empty_on
from cygrad.dispatch.lazy_views import laziness
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dispatch.raw import clone_dense, copy_ as raw_copy
from cygrad.dtype import FLOATS_OF_8_BITS, UNSIGNED, all_dtypes
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.random import device_stream
from cygrad.ops.random.rand import default_generator, fill_plain
from cygrad.tensor import Tensor

_int64 = next(d for d in all_dtypes() if d.name == "int64")


def draws():
    """The module that says what examples of a batch may draw."""
    from cygrad.batching import draws       # start-up time
    return draws


def draw(out, sampler, *params, generator=None, contiguous_sampler=None):
    """Fill `out` from the generator's stream; no autograd, no version change.

    Parameters
    ----------
    sampler : str
        A sampler of `Generator.fill` for any layout; `contiguous_sampler` is used instead for a row-major tensor.
    """
    if batch_depth():
        draws().check_draw()
    if out.dtype.is_complex and sampler not in ("uniform", "normal_strided"):
        default_generator.fill(sampler, 0, 0, out.dtype.to_real().code, *params)        # looks at them
        if out.numel() or params and sampler == "random" or sampler not in (
                "exponential", "geometric", "log_normal", "bernoulli", "random"):
            raise _refused(sampler, params, out.dtype)
        return
    if out.dtype in FLOATS_OF_8_BITS:
        raise _refused(sampler, params, out.dtype)
    if out.dtype in UNSIGNED:
        return draw_unsigned(out, sampler, params, generator)
    if out.is_meta:
        return
    if out.numel() == 0:
        return default_generator.fill(sampler, 0, 0, out.dtype.to_real().code, *params)
    if laziness(out):
        drawn_numbers = empty_like_strided(out.detach(), out.dtype)
        draw(drawn_numbers, sampler, *params, generator=generator, contiguous_sampler=contiguous_sampler)
        return raw_copy(out, drawn_numbers)
    generator = generator or default_generator
    if generator.device.type != "cpu":
        return device_stream.draw(out, sampler, params, generator)
    buffer = out
    dense = out.is_contiguous()
    if not dense:
        like = empty_like_strided(out.detach(), out.dtype)
        buffer = out if like.stride() == out.stride() else like
    if out.device.type != "cpu":
        buffer = empty_laid_out(host_backend(), 0, buffer)
    if dense and contiguous_sampler is not None:
        sampler = contiguous_sampler
    count, code = buffer.numel(), buffer.dtype.code
    if out.dtype.is_complex:
        count, code = 2 * count, out.dtype.to_real().code
    generator.fill(sampler, buffer.data_ptr(), count, code, *params)
    if buffer is not out:
        raw_copy(out, buffer)


_KERNELS = {"uniform": "check_uniform_bounds", "normal": "normal_kernel_cpu", "normal_strided": "normal_kernel_cpu",
            "bernoulli": "bernoulli_scalar_cpu_", "log_normal": "log_normal_cpu", "geometric": "geometric_cpu",
            "permutation": "randperm"}


def draw_unsigned(out, sampler, params, generator):
    """`draw` for uint16, uint32 and uint64, of integers within bounds alone: the numbers that int64 gets."""
    if sampler != "permutation" and (sampler != "random" or not params):
        raise _refused(sampler, params, out.dtype)
    low, high = params if params else (0, out.numel())
    if high is None:
        high = 1 << 8 * out.element_size()
        if high > 1 << 63:                  # the numbers drawn are int64's
            raise RuntimeError(f"to - 1 is out of bounds for {C_TYPES[out.dtype.code]}")
        params = low, high
    for name, value in (("from", low), ("to - 1", high - 1)):
        if low < high and not 0 <= value < 1 << 8 * out.element_size():
            raise RuntimeError(f"{name} is out of bounds for {C_TYPES[out.dtype.code]}")
    drawn_numbers = empty_like_strided(out.detach(), _int64)
    draw(drawn_numbers, sampler, *params, generator=generator)
    raw_copy(out, drawn_numbers)


def _refused(sampler, params, dtype):
    """PyTorch's error for a sampler that does not draw a dtype."""
    name = SCALAR_NAMES[dtype.code]
    if sampler == "random" and params:
        return RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if sampler in ("cauchy", "exponential"):
        what = C_TYPES[dtype.code] if sampler == "cauchy" else name
        return RuntimeError(f"{sampler.capitalize()} distribution is a continuous probability distribution. dtype must "
                            f"be a floating point but you specified {what}")
    return NotImplementedError(f'"{_KERNELS.get(sampler, "random_kernel_cpu")}" not implemented for \'{name}\'')


def _need_float(self, kernel):
    if not (self.is_floating_point() or self.is_complex()):
        raise refused(kernel, self.dtype)


def _in_place(name, sampler, contiguous_sampler=None):
    """Make the in-place method `name_` of a sampler, whose gradient is zero."""
    def forward(self, params, generator):
        draw(self, sampler, *params, generator=generator, contiguous_sampler=contiguous_sampler)
        self._bump_version()
    forward.__name__ = name
    return primitive(forward)


_uniform = _in_place("uniform", "uniform")
_normal = _in_place("normal_", "normal_strided", "normal")
_random = _in_place("random", "random")
_random_forms = (_in_place("random_any", "random"), _in_place("random_below", "random"))
_exponential = _in_place("exponential", "exponential")
_geometric = _in_place("geometric", "geometric")
_log_normal = _in_place("log_normal", "log_normal")
_cauchy = _in_place("cauchy", "cauchy")
_bernoulli = _in_place("bernoulli_", "bernoulli")


def filled(self, sampler, general, params, generator):
    """`self`, filled by a sampler: right here if it is plain, else by the in-place primitive `general`."""
    return self if fill_plain(self, sampler, params, generator) else general.inplace(self, params, generator)


@op(only_method=True)
def uniform_(self, from_=0.0, to=1.0, *, generator=None, **named):
    """Fill with numbers uniform in [from, to).

    Parameters
    ----------
    from_, to : number
        The bounds.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(2).uniform_(0, 10)
    tensor([4.9626, 7.6822])
    """
    low = named.pop("from", from_) if named else from_
    if named:
        raise TypeError(f"uniform_() got an unexpected keyword argument '{next(iter(named))}'")
    if fill_plain(self, "uniform", (low, to), generator):
        return self
    _need_float(self, "check_uniform_bounds")
    return _uniform.inplace(self, (low, to), generator)


@op(only_method=True)
def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Fill with normal numbers of this mean and standard deviation.

    Parameters
    ----------
    mean, std : number
        Of the distribution.

    Raises
    ------
    RuntimeError
        For a negative standard deviation.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(2).normal_()
    tensor([ 1.5410, -0.2934])
    """
    if fill_plain(self, "normal", (mean, std), generator):
        return self
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if self.numel():
        _need_float(self, "normal_kernel_cpu")
    if self.dtype.is_complex:
        std = std / math.sqrt(2)
    return _normal.inplace(self, (mean, std), generator)


@op(only_method=True)
def random_(self, *bounds, generator=None, **named):
    """Fill with integers: of the dtype's whole range, below one bound, or from one bound to another (exclusive).

    Parameters
    ----------
    *bounds : int
        None, the upper bound, or both.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(3).random_(10)
    tensor([4., 9., 3.])
    """
    if "from" in named or "to" in named:
        bounds = (named["from"], named["to"]) if "from" in named else (*bounds, named["to"])
    way = _random_forms[len(bounds)] if len(bounds) < 2 else _random
    if len(bounds) == 1:
        bounds = (0, bounds[0])
    return filled(self, "random", way, bounds, generator)


@op(only_method=True)
def exponential_(self, lambd=1, *, generator=None):
    """Fill with exponential numbers of rate `lambd`.

    Parameters
    ----------
    lambd : number
        The rate.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(2).exponential_()
    tensor([3.5083, 1.2304])
    """
    return filled(self, "exponential", _exponential, (lambd,), generator)


@op(only_method=True)
def geometric_(self, p, *, generator=None):
    """Fill with the number of trials up to the first success of probability `p`.

    Parameters
    ----------
    p : number
        In (0, 1).

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(3).geometric_(0.5)
    tensor([1., 1., 2.])
    """
    return filled(self, "geometric", _geometric, (p,), generator)


@op(only_method=True)
def log_normal_(self, mean=1, std=2, *, generator=None):
    """Fill with exp of normal numbers of this mean and standard deviation.

    Parameters
    ----------
    mean, std : number
        Of the normal numbers.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(2).log_normal_()
    tensor([59.2634,  1.5116])
    """
    return filled(self, "log_normal", _log_normal, (mean, std), generator)


@op(only_method=True)
def cauchy_(self, median=0, sigma=1, *, generator=None):
    """Fill with Cauchy-distributed numbers.

    Parameters
    ----------
    median, sigma : number
        The centre, and half the width at half the height.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(2).cauchy_()
    tensor([10.5977,  0.7648])
    """
    return filled(self, "cauchy", _cauchy, (median, sigma), generator)


@primitive
def bernoulli_tensor_(self, p, generator):
    if batch_depth():
        draws().check_draw()
    if generator is not None and generator.device.type != "cpu":
        device_stream.bernoulli(self, p.expand(self.shape), generator)
        return self._bump_version()
    p = p.expand(self.shape).cpu()
    buffer = empty_like_strided(self.detach(), self.dtype)
    ordered = empty_like_strided(buffer, p.dtype)
    raw_copy(ordered, p)
    if self.device.type != "cpu":
        buffer, ordered = empty_on(host_backend(), 0, self.dtype, tuple(self.shape)), clone_dense(p)
    if self.numel():
        (generator or default_generator).fill("bernoulli_tensor", buffer.data_ptr(), buffer.numel(),
                                              buffer.dtype.code, ordered.data_ptr(), ordered.dtype.code)
        raw_copy(self, buffer)
    self._bump_version()


@op(only_method=True)
def bernoulli_(self, p=0.5, *, generator=None):
    """Fill with ones of probability `p` (a number, or a tensor that broadcasts) and zeros.

    Parameters
    ----------
    p : number or Tensor
        The probability of a one.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(4).bernoulli_(0.5)
    tensor([0., 0., 1., 0.])
    """
    if isinstance(p, Tensor):
        return bernoulli_tensor_.inplace(self, p, generator)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return filled(self, "bernoulli", _bernoulli, (p,), generator)
