"""Random tensors with parameters that are tensors: a number, or a row's choice, for each of their elements.

`fills.py` says which stream they come from.
"""
import math

from cygrad.autograd.forward_levels import UnbatchedDraw, batch_depth
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.operand_types import refuse_complex_gradient, refused
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out
from cygrad.devices.device import contiguous_format
from cygrad.dtype import all_dtypes
from cygrad.ops.create.filled import empty_, empty_like
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.random.fills import draws
from cygrad.ops.random.rand import bernoulli_of, default_generator
from cygrad.ops.random.random_tensors import new_random
from cygrad.ops.sort.ties import largest_places
from cygrad.tensor import Tensor
from cygrad.ops.shape.broadcasting import common_shape

_int64 = next(d for d in all_dtypes() if d.name == "int64")


@primitive
def bernoulli(input, generator):
    return empty_(tuple(input.shape), dtype=input.dtype, device=input.device).bernoulli_(input, generator=generator)


@primitive
def bernoulli_p(input, p, generator):
    return empty_like(input, memory_format=contiguous_format).bernoulli_(p, generator=generator)


@op(name="bernoulli", method=False)
def _bernoulli_function(input, p=None, *, generator=None, out=None):
    """Zeros and ones, with the elements of `input` (or `p`) as probabilities of one.

    Parameters
    ----------
    input : Tensor
        Probabilities; with `p` only its shape and dtype count.
    p : float or Tensor, optional
        The probability, instead of input's elements.
    out : Tensor, optional
        Where the draws are put, in its own dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.bernoulli(cygrad.tensor([0., 0.5, 1.]))
    tensor([0., 0., 1.])
    """
    if p is not None:
        if out is not None:
            raise TypeError("bernoulli() takes no out with p")
        try:
            return bernoulli_p(input, p, generator)
        except UnbatchedDraw:
            return draws().for_all(_bernoulli_function, (input,), p, generator=generator)
    if out is not None:
        refuse_out_grad("bernoulli", input, out)
    if input.is_complex() and input.numel():
        raise refused("bernoulli_tensor_cpu_self_", input.dtype)
    refuse_complex_gradient(input, "bernoulli")
    made = bernoulli_of(input, generator)
    try:
        made = bernoulli(input, generator) if made is None else made
    except UnbatchedDraw:
        return draws().for_all(_bernoulli_function, (input,), generator=generator)
    if out is None:
        return made
    if out.is_complex() and input.numel():
        raise refused("bernoulli_tensor_cpu_self_", out.dtype)
    return write_out("bernoulli", made.to(out.dtype), out)          # of any dtype: the draws are 0 and 1


@op(name="bernoulli", only_method=True)
def _bernoulli_method(self, p=None, *, generator=None):
    """Zeros and ones, with the elements of the tensor (or `p`) as probabilities of one.

    Parameters
    ----------
    p : float or Tensor, optional
        The probability, instead of the tensor's elements.

    Returns
    -------
    Tensor
        Of the tensor's shape and dtype.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.tensor([0., 0.5, 1.]).bernoulli()
    tensor([0., 0., 1.])
    """
    return _bernoulli_function(self, p, generator=generator)


def _standard(shape, like, std, generator, out):
    """Normal numbers of mean 0: in `out` if that has the shape already, else in a new tensor like `like`."""
    if out is None or tuple(out.shape) != tuple(shape):
        made = empty_(tuple(shape), dtype=like.dtype if out is None else out.dtype, device=like.device)
        return made.normal_(0, std, generator=generator)
    return out.data.normal_(0, std, generator=generator)            # the caller counts, once


def _with_shape_of(out, given):
    """The shape of a tensor of means or deviations; `out`, which is filled before it is added, broadcasts with it."""
    return given.shape if out is None else (given.detach() + out.detach()).shape


@primitive
def normal_mean(mean, std, generator, out=None):
    return _standard(_with_shape_of(out, mean), mean, std, generator, out).add_(mean)


@primitive
def normal_std(mean, std, generator, out=None):
    _check_std(std)
    return _standard(std.shape, std, 1, generator, out).mul_(std).add_(mean)


@primitive
def normal_both(mean, std, generator, out=None):
    _check_std(std)
    return _standard(common_shape((mean, std)), mean, 1, generator, out).mul_(std).add_(mean)


def _check_std(std):
    if std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.numel() and std.min().item() < 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")


@op(method=False)
def normal(mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
           requires_grad=False, pin_memory=False, names=None):
    """Normal numbers with means and standard deviations given as tensors, or as numbers together with a size.

    Parameters
    ----------
    mean, std : Tensor or float
        Tensors broadcast to the result's shape.
    size : sequence of int, optional
        The shape, for a float mean and std.

    Returns
    -------
    Tensor
        Of the broadcast shape, or of `size`.

    Raises
    ------
    RuntimeError
        For a negative standard deviation.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.normal(cygrad.tensor([0., 100.]), 1.)
    tensor([ 1.5410, 99.7066])
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if any(isinstance(x, Tensor) and x.is_complex() and x._tracked() and x.requires_grad for x in (mean, std)):
            raise RuntimeError("normal does not support automatic differentiation for outputs with complex dtype.")
        if out is not None:
            refuse_out_grad("normal", *(x for x in (mean, std) if isinstance(x, Tensor) and x.requires_grad), out)
        if not isinstance(std, Tensor):
            if std < 0:
                raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
            drawn = normal_mean
        else:
            drawn = normal_both if isinstance(mean, Tensor) else normal_std
        try:
            made = drawn(mean, std, generator, out)
        except UnbatchedDraw:
            return draws().for_all(normal, (mean, std), generator=generator, together=False)
        if out is None:
            return made
        if made.data_ptr() == out.data_ptr():
            out._bump_version()
            return out
        return write_out("normal", made, out)
    if size is None:
        raise TypeError("normal(): a size is required when mean and std are numbers")
    return new_random((tuple(size) if not isinstance(size, int) else size,), out, dtype, device, requires_grad, names,
                      pin_memory, lambda t: t.normal_(mean, std, generator=generator))


@op(out="multinomial")
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Indices drawn with the elements of each row of `input` as weights.

    Parameters
    ----------
    input : Tensor
        (n,) or (rows, n): non-negative weights.
    num_samples : int
    replacement : bool
        Whether an index may be drawn again.

    Returns
    -------
    Tensor
        int64, (num_samples,) or (rows, num_samples).

    Raises
    ------
    RuntimeError
        If a weight is negative, infinite or NaN, or there are too few of them to draw without replacement.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.multinomial(cygrad.tensor([0., 10., 3.]), 2)
    tensor([1, 2])
    """
    if not input.is_floating_point():
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                           f"{SCALAR_NAMES[input.dtype.code]}")
    if input.dim() not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if input.shape[-1] > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if batch_depth():
        try:
            draws().check_draw()
        except UnbatchedDraw:
            return draws().for_all(multinomial, (input,), num_samples, replacement, generator=generator, together=False)
    weights = input.detach()
    if weights.numel() == 0:
        if weights.dim() == 1 or len(weights):
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        return empty_((*weights.shape[:-1], num_samples), dtype=_int64, device=weights.device)
    if not replacement or num_samples == 1:
        low, high = weights.min().item(), weights.max().item()
        if not (low >= 0 and high < math.inf):
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if (weights.sum(-1) == 0).any().item():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        keys = weights / empty_like(weights).exponential_(1, generator=generator)
        if num_samples == 1:
            return keys.argmax(-1, keepdim=True)
        return largest_places(keys.cpu().double().contiguous(), num_samples).to(input.device)
    weights = weights.cpu().contiguous().resolve_neg()
    rows = weights.shape[0] if weights.dim() == 2 else 1
    out = empty_((*weights.shape[:-1], num_samples), dtype=_int64, device="cpu")
    (generator or default_generator).fill("multinomial", out.data_ptr(), out.numel(), _int64.code, weights.data_ptr(),
                                          weights.dtype.code, rows, weights.shape[-1])
    return out.to(input.device)


@primitive
def poisson(input, generator):
    rates = input.detach().cpu().contiguous().resolve_neg()
    out = empty_(tuple(rates.shape), dtype=rates.dtype, device="cpu")
    if out.numel():
        (generator or default_generator).fill("poisson", out.data_ptr(), out.numel(), out.dtype.code,
                                              rates.data_ptr())
    return out.to(input.device)


@op(name="poisson", method=False)
def _poisson_function(input, generator=None):
    """Poisson-distributed numbers whose rates are the elements of `input`.

    Parameters
    ----------
    input : Tensor
        Rates: not negative, of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.poisson(cygrad.tensor([0., 5., 100.]))
    tensor([ 0.,  8., 94.])
    """
    if batch_depth():
        try:
            draws().check_draw()
        except UnbatchedDraw:
            return draws().for_all(poisson, (input,), generator)
    return poisson(input, generator)


@primitive
def binomial(count, prob, generator=None):
    count, prob = [t.cpu().expand(count.shape).contiguous().resolve_neg() for t in (count.detach(), prob.detach())]
    out = empty_(tuple(count.shape), dtype=count.dtype, device="cpu")
    if out.numel():
        (generator or default_generator).fill("binomial", out.data_ptr(), out.numel(), out.dtype.code,
                                              count.data_ptr(), prob.data_ptr())
    return out


@op(name="binomial", method=False)
def _binomial_function(count, prob, generator=None):
    """Numbers of successes in `count` trials of probability `prob`.

    Parameters
    ----------
    count, prob : Tensor
        float32 or float64, both of one dtype; `prob` broadcasts to the shape of `count`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `count`.

    Raises
    ------
    ValueError
        If one is not floating-point.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.binomial(cygrad.tensor([10., 100.]), cygrad.tensor([1., 0.5]))
    tensor([10., 49.])
    """
    if batch_depth():
        try:
            draws().check_draw()
        except UnbatchedDraw:
            return draws().for_all(_binomial_function, (count, prob), generator, together=False)
    for name, given in (("count", count), ("prob", prob)):
        if not given.is_floating_point():
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: "
                             f"{SCALAR_NAMES[given.dtype.code]}")
    if prob.dtype is not count.dtype:
        raise RuntimeError(f"Found dtype {SCALAR_NAMES[prob.dtype.code]} but expected {SCALAR_NAMES[count.dtype.code]}")
    return binomial(count, prob, generator).to(count.device)
