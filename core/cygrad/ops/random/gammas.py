"""Gamma and Dirichlet draws with derivatives by their parameters, which `cygrad.distributions` is made of.

PyTorch has these functions under the same names, which begin with an underscore, so they are imported when one of them
is first asked for. The draws are the host's; `random/pathwise.pyx` has the derivatives' formulas.
"""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import not_implemented
from cygrad.ops.create.filled import empty_
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.random.rand import default_generator
from cygrad.random import pathwise


def _doubles(*tensors):
    """Dense float64 tensors on the host, of one shape."""
    return [t.detach().cpu().double().contiguous() for t in cygrad.broadcast_tensors(*tensors)]


def _need_floats(kernel, input):
    if input.dtype not in (cygrad.float32, cygrad.float64):
        raise refused(kernel, input.dtype)


def _draws(input, generator):
    """Gamma draws of each element's shape parameter, on the host."""
    shapes = input.detach().cpu().contiguous()
    out = empty_(tuple(shapes.shape), dtype=shapes.dtype, device="cpu")
    if out.numel():
        (generator or default_generator).fill("standard_gamma", out.data_ptr(), out.numel(), out.dtype.code,
                                              shapes.data_ptr())
    return out


@primitive
def standard_gamma(input, generator):
    return _draws(input, generator).to(input.device)


@primitive
def standard_gamma_grad(input, output):
    shapes, draws = _doubles(input, output)
    out = cygrad.empty_like(shapes)
    pathwise.gamma_gradients(shapes.data_ptr(), draws.data_ptr(), out.data_ptr(), out.numel())
    return out.to(input.dtype).to(input.device)


@primitive
def sample_dirichlet(input, generator):
    draws = _draws(input.double(), generator)
    limits = cygrad.finfo(input.dtype)
    shares = draws / draws.sum(-1, keepdim=True)
    return shares.to(input.dtype).clamp(limits.tiny, 1 - limits.eps / 2).to(input.device)


@primitive
def dirichlet_grad(x, alpha, total):
    draws, first, all_ = _doubles(x, alpha, total)
    second = all_ - first
    out = cygrad.empty_like(draws)
    pathwise.beta_gradients(first.data_ptr(), second.data_ptr(), draws.data_ptr(), out.data_ptr(), out.numel())
    return (out / (1 - draws)).to(x.dtype).to(x.device)


def dirichlet_backward(grad, input, result):
    """A draw's share moves with its parameter, and the other shares make room in proportion."""
    moved = dirichlet_grad(result, input, input.sum(-1, True).expand_as(input))
    return moved * (grad - (result * grad).sum(-1, True))


derivative("standard_gamma", name="StandardGammaBackward0",
           input=lambda grad, input, result: grad * standard_gamma_grad(input, result))
derivative("sample_dirichlet", name="SampleDirichletBackward0", input=dirichlet_backward)
derivative("standard_gamma_grad", name="NotImplemented", input=not_implemented("_standard_gamma_grad"))
derivative("dirichlet_grad", name="NotImplemented", x=not_implemented("_dirichlet_grad"),
           alpha=not_implemented("_dirichlet_grad"), total=not_implemented("_dirichlet_grad"))


def _standard_gamma(input, generator=None):
    """Gamma-distributed numbers of scale 1 whose shape parameters are the elements of `input`.

    Parameters
    ----------
    input : Tensor
        Positive numbers, float32 or float64.
    generator : Generator, optional
        Where they come from.

    Returns
    -------
    Tensor
        Of input's shape and dtype; gradients reach `input`.

    Raises
    ------
    NotImplementedError
        For another dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad._standard_gamma(cygrad.ones(2, requires_grad=True)).requires_grad
    True
    """
    _need_floats("gamma_cpu", input)
    return standard_gamma(input, generator)


def _standard_gamma_grad(input, output):
    """How gamma draws move with their shape parameters.

    Parameters
    ----------
    input, output : Tensor
        The parameters, and what was drawn with them.

    Returns
    -------
    Tensor
        The derivatives of `output` by `input`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad._standard_gamma_grad(cygrad.tensor([2.]), cygrad.tensor([1.]))
    tensor([0.5875])
    """
    return standard_gamma_grad(input, output)


def _sample_dirichlet(input, generator=None):
    """Dirichlet-distributed vectors along the last axis, whose concentrations are the elements of `input`.

    Parameters
    ----------
    input : Tensor
        Positive numbers, float32 or float64.
    generator : Generator, optional
        Where they come from.

    Returns
    -------
    Tensor
        Of input's shape and dtype, with sums of 1; gradients reach `input`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad._sample_dirichlet(cygrad.ones(3)).sum()
    tensor(1.)
    """
    _need_floats("_s_dirichlet_cpu", input)
    return sample_dirichlet(input, generator)


def _dirichlet_grad(x, alpha, total):
    """How shares of Dirichlet draws move with their concentrations, over one minus the share.

    Parameters
    ----------
    x, alpha, total : Tensor
        A share, its concentration, and the sum of the concentrations.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import cygrad
    >>> cygrad._dirichlet_grad(cygrad.tensor([0.5]), cygrad.tensor([1.]), cygrad.tensor([2.]))
    tensor([0.6931])
    """
    return dirichlet_grad(x, alpha, total)
