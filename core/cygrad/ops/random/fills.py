"""Random tensors: PyTorch's numbers for the same seed, on every device (drawn on the host, then copied).

That holds for the default generator and all others of the CPU; for those of devices see device_stream.py.

`draw` is the one place that fills a tensor: the generator's samplers write adjacent elements in the order in which
PyTorch visits a tensor, so a tensor with gaps, or on another device, is filled by way of a dense host buffer.
"""
import math

from cygrad.devices.transfers import host_backend
from cygrad.dispatch.allocation import empty_laid_out, empty_like_strided, empty_on
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dispatch.raw import copy_ as raw_copy, write_out
from cygrad.dtype import WITHOUT_KERNELS, all_dtypes
from cygrad.ops.create.filled import empty_, empty_like
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op
from cygrad.ops.random import device_stream
from cygrad.ops.random.draws import default_generator, drawn, fill_plain
from cygrad.random.generator import Generator
from cygrad.tensor import Tensor, attach_methods
from cygrad.ops.create.filled import tensor

_int64 = next(d for d in all_dtypes() if d.name == "int64")


def draw(out, sampler, *params, generator=None, contiguous_sampler=None):
    """Fill `out` from the generator's stream; no autograd, no version change.

    Parameters
    ----------
    sampler : str
        A sampler of `Generator.fill` for any layout; `contiguous_sampler` is used instead for a row-major tensor.
    """
    if out.dtype.is_complex and sampler not in ("uniform", "normal_strided"):
        raise _refused(sampler, params, out.dtype)
    if out.dtype in WITHOUT_KERNELS:
        return draw_unsigned(out, sampler, params, generator)
    if out.numel() == 0:
        return
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


_KERNELS = {"bernoulli": "bernoulli_scalar_cpu_", "log_normal": "log_normal_cpu", "geometric": "geometric_cpu",
            "permutation": "randperm"}


def draw_unsigned(out, sampler, params, generator):
    """`draw` for uint16, uint32 and uint64, of integers within bounds alone: the numbers that int64 gets."""
    if sampler != "permutation" and (sampler != "random" or not params or params[1] is None):
        raise _refused(sampler, params, out.dtype)
    low, high = params if params else (0, out.numel())
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
        raise NotImplementedError(f'"{kernel}" not implemented for \'{SCALAR_NAMES[self.dtype.code]}\'')


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

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
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

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For a negative standard deviation.

    Examples
    --------
    >>> import cygrad
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

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(3).random_(10)
    tensor([4., 9., 3.])
    """
    if "from" in named or "to" in named:
        bounds = (named["from"], named["to"]) if "from" in named else (named["to"],)
    if len(bounds) == 1:
        bounds = (0, bounds[0])
    return filled(self, "random", _random, bounds, generator)


@op(only_method=True)
def exponential_(self, lambd=1, *, generator=None):
    """Fill with exponential numbers of rate `lambd`.

    Parameters
    ----------
    lambd : number
        The rate.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
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

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
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

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
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

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(2).cauchy_()
    tensor([10.5977,  0.7648])
    """
    return filled(self, "cauchy", _cauchy, (median, sigma), generator)


@primitive
def bernoulli_tensor_(self, p, generator):
    if generator is not None and generator.device.type != "cpu":
        device_stream.bernoulli(self, p.expand(self.shape), generator)
        return self._bump_version()
    p = p.expand(self.shape).cpu()
    buffer = empty_like_strided(self.detach(), self.dtype)
    ordered = empty_like_strided(buffer, p.dtype)
    raw_copy(ordered, p)
    if self.device.type != "cpu":
        buffer, ordered = empty_on(host_backend(), 0, self.dtype, tuple(self.shape)), p.contiguous()
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

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.zeros(4).bernoulli_(0.5)
    tensor([0., 0., 1., 0.])
    """
    if isinstance(p, Tensor):
        return bernoulli_tensor_.inplace(self, p.detach(), generator)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return filled(self, "bernoulli", _bernoulli, (p,), generator)


# ------------------------------------------------------------------ new tensors

def new_random(size, out, dtype, device, requires_grad, names, pin_memory, fill):
    """A new tensor, or `out`, after `fill`."""
    if out is not None:
        shape = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
        if tuple(out.shape) == tuple(shape) and not out.requires_grad:     # what is drawn depends on the layout
            fill(out.detach())
            out._bump_version()
            return out
        made = empty_(*size, dtype=out.dtype, device=out.device)
        fill(made)
        return write_out("rand", made, out)
    made = empty_(*size, dtype=dtype, device=device, pin_memory=pin_memory)
    fill(made)
    if names is not None:
        made.names = names
    if requires_grad:
        made.requires_grad_()
    return made


def made_standard(normal, size, generator, out, dtype, device, requires_grad, pin_memory, names):
    """`rand`, or `randn` where `normal`, of any arguments."""
    def fill(t):
        if normal:
            t.normal_(0, 1, generator=generator)
        else:
            _need_float(t, "check_uniform_bounds")
            draw(t, "uniform", 0, 1, generator=generator)
    return new_random(size, out, dtype, device, requires_grad, names, pin_memory, fill)


def _made_integers(size, sampler, params, fill, generator, out, dtype, device, requires_grad, names, pin_memory):
    """A tensor of int64, unless `dtype` is given, from a sampler; `fill` draws where a plain draw won't do."""
    dtype = dtype or _int64
    if generator is out is names is device is None and not (requires_grad or pin_memory):
        made = drawn(size, dtype, sampler, params)
        if made is not None:
            return made
    return new_random(size, out, dtype, device, requires_grad, names, pin_memory, fill)


@op(method=False)
def randint(low, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False, pin_memory=False, names=None):
    """Integers uniform in [low, high).

    Parameters
    ----------
    low : int
        The lower bound; 0 when only one bound is given: ``randint(10, (2, 3))``.
    high : int
        The upper bound, not included.
    size : sequence of int
        Sizes of the axes.
    dtype : dtype, optional
        int64 when omitted.

    Returns
    -------
    Tensor
        Row-major; PyTorch's numbers after the same seed.

    Raises
    ------
    RuntimeError
        If no integer lies between the bounds.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randint(10, (3,))
    tensor([4, 9, 3])
    """
    if size is None and isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if size is None:
        given = (high,) if low == 0 else (low, high)
        raise TypeError("randint() received an invalid combination of arguments - got "
                        f"({', '.join(type(n).__name__ for n in given)}), but expected bounds and a size")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return _made_integers((tuple(size),), "random", (low, high), lambda t: t.random_(low, high, generator=generator),
                          generator, out, dtype, device, requires_grad, names, pin_memory)


@op(method=False)
def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False, names=None):
    """The integers from 0 to n - 1 in random order.

    Parameters
    ----------
    n : int
        How many.
    dtype : dtype, optional
        int64 when omitted.

    Returns
    -------
    Tensor
        One axis of n elements.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randperm(4)
    tensor([0, 1, 3, 2])
    """
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype is not None and dtype.name == "bool":
        raise NotImplementedError('"randperm" not implemented for \'Bool\'')
    return _made_integers((n,), "permutation", (), lambda t: draw(t, "permutation", generator=generator),
                          generator, out, dtype, device, requires_grad, names, pin_memory)


@op(method=False)
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
              memory_format=None):
    """Numbers uniform in [0, 1), of input's shape, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.rand_like(cygrad.zeros(2))
    tensor([0.4963, 0.7682])
    """
    made = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return made.uniform_(generator=generator).requires_grad_(requires_grad)


@op(method=False)
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
               memory_format=None):
    """Normal numbers of mean 0 and variance 1, of input's shape, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randn_like(cygrad.zeros(2))
    tensor([ 1.5410, -0.2934])
    """
    made = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return made.normal_(generator=generator).requires_grad_(requires_grad)


@op(method=False)
def randint_like(input, low, high=None, *, generator=None, dtype=None, layout=None, device=None,
                 requires_grad=False, memory_format=None):
    """Integers uniform in [low, high) (or [0, low) when high is omitted), of input's shape and dtype.

    Parameters
    ----------
    low, high : int
        The bounds; the upper one is not included. A single one is the upper.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randint_like(cygrad.zeros(2), 10)
    tensor([4., 9.])
    """
    if high is None:
        low, high = 0, low
    made = empty_like(input, dtype=dtype, device=device).random_(low, high, generator=generator)
    return made.requires_grad_(requires_grad)


# -------------------------------------------------------------- seeds and states

@op(method=False)
def manual_seed(seed):
    """Seed the default generator; returns it.

    Parameters
    ----------
    seed : int
        Negative seeds count from 2**64.

    Returns
    -------
    Generator
        The default generator.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.rand(1)
    tensor([0.4963])
    """
    return default_generator.manual_seed(int(seed))


@op(method=False)
def seed():
    """Seed the default generator from the system's randomness; returns the seed.

    Returns
    -------
    int
        The seed.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.seed() == cygrad.initial_seed()
    True
    """
    return default_generator.seed()


@op(method=False)
def initial_seed():
    """The seed the default generator was last given.

    Returns
    -------
    int
        The seed.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(3)
    >>> cygrad.initial_seed()
    3
    """
    return default_generator.initial_seed()


@op(method=False)
def get_rng_state():
    """The state of the default generator: a uint8 tensor in PyTorch's layout.

    Returns
    -------
    Tensor
        (5056,), uint8.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_rng_state().shape
    cygrad.Size([5056])
    """
    return default_generator.get_state()


@op(method=False)
def set_rng_state(new_state):
    """Put the default generator into a state that `get_rng_state` gave.

    Parameters
    ----------
    new_state : Tensor
        uint8.

    Raises
    ------
    RuntimeError
        If it is no state.

    Examples
    --------
    >>> import cygrad
    >>> state = cygrad.get_rng_state()
    >>> first = cygrad.rand(1)
    >>> cygrad.set_rng_state(state)
    >>> bool(cygrad.rand(1) == first)
    True
    """
    default_generator.set_state(new_state)


def _get_state(self):
    """The state: a uint8 tensor of 5056 elements, in PyTorch's layout.

    Returns
    -------
    Tensor
        (5056,), uint8; (16,) of a device's generator.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.Generator().get_state().shape
    cygrad.Size([5056])
    """
    return tensor(list(self.state_bytes()), dtype=next(d for d in all_dtypes() if d.name == "uint8"), device="cpu")


def _set_state(self, new_state):
    """Go on from a state that `get_state` gave.

    Parameters
    ----------
    new_state : Tensor
        uint8.

    Returns
    -------
    Generator
        The generator itself.

    Raises
    ------
    RuntimeError
        If it is no state.

    Examples
    --------
    >>> import cygrad
    >>> first, second = cygrad.Generator().manual_seed(3), cygrad.Generator()
    >>> _ = second.set_state(first.get_state())
    >>> second.initial_seed()
    3
    """
    if not isinstance(new_state, Tensor) or new_state.dtype.name != "uint8":
        raise TypeError("expected a torch.ByteTensor, but got "
                        f"{type(new_state).__name__ if not isinstance(new_state, Tensor) else new_state.type()}")
    self.set_state_bytes(bytes(new_state.flatten().tolist()))
    return self


attach_methods(Generator, {"get_state": _get_state, "set_state": _set_state})
