# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""`rand`, `randn` and other draws straight into memory, and the default generator that they draw from.

Other devices, layouts with gaps, complex dtypes and gradients are the work of `fills.py`, with the same numbers.
"""
from cygrad.dispatch.allocation cimport empty_as
from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.forward_levels cimport in_vmap
from cygrad.autograd.modes cimport grad_enabled
from cygrad.dtype cimport DType, FLOAT16, FLOAT64
from cygrad.random.generator cimport Generator
from cygrad.ops.create.filled cimport sized
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport data

from cygrad.ops.declare.op_forms import op
from cygrad.devices.transfers import host_backend

default_generator = Generator()
cdef Generator _default = default_generator
cdef object _host = None


cdef inline bint is_plain(Tensor t):
    """Whether the elements lie side by side on the host, and none is complex."""
    global _host
    if _host is None:
        _host = host_backend()
    return t.dense and t.memory.backend is _host and t.dtype.code <= FLOAT64


def drawn(tuple size, DType dtype, str sampler, tuple params):
    """A new tensor on the default device, filled by a sampler; None where `fills.py` has to fill it."""
    cdef Tensor out = sized(size, None, dtype, None, "rand")
    if not is_plain(out):
        return None
    _default.draw(sampler, out.memory.pointer, out.elements, out.dtype.code, params)
    return out


def rand(*size, generator=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
         bint pin_memory=False, names=None):
    """Numbers uniform in [0, 1).

    Parameters
    ----------
    *size : int, or one sequence of them
        Sizes of the axes.
    dtype : dtype, optional
        Of floating-point numbers; the default float dtype when omitted.

    Returns
    -------
    Tensor
        Row-major; PyTorch's numbers after the same seed.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.rand(3)
    tensor([0.4963, 0.7682, 0.0885])
    """
    return standard(False, size, generator, out, dtype, device, requires_grad, pin_memory, names)


def randn(*size, generator=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
          bint pin_memory=False, names=None):
    """Normal numbers of mean 0 and variance 1.

    Parameters
    ----------
    *size : int, or one sequence of them
        Sizes of the axes.
    dtype : dtype, optional
        Of floating-point or complex numbers; the default float dtype when omitted.

    Returns
    -------
    Tensor
        Row-major; PyTorch's numbers after the same seed.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return standard(True, size, generator, out, dtype, device, requires_grad, pin_memory, names)


cdef Tensor standard(bint normal, tuple size, object generator, object out, object dtype, object device,
                     bint requires_grad, bint pin_memory, object names):
    """A new tensor of numbers on [0, 1), or of standard normal ones."""
    cdef Tensor made
    if (generator is None and out is None and names is None and device is None and not requires_grad and
            not pin_memory and not in_vmap()):
        made = sized(size, None, dtype, None, "rand")
        if is_plain(made):
            _default.draw_standard(normal, made.memory.pointer, made.elements, made.dtype.code)
            return made
    from cygrad.ops.random.random_tensors import made_standard  # knot: it needs this module
    return made_standard(normal, size, generator, out, dtype, device, requires_grad, pin_memory, names)


def fill_plain(Tensor t not None, str sampler, tuple params, Generator generator):
    """Fill a plain tensor without gradient; False where `fills.py` has to.

    Parameters
    ----------
    sampler : str
        Of `Generator.fill`, for contiguous tensors.
    generator : Generator, optional
        The default one where None.
    """
    if generator is None:
        generator = _default
    if generator.counted or not t.elements or not is_plain(t) or grad_enabled() and requires_grad(t) or in_vmap():
        return False
    check_inplace(t)
    generator.draw(sampler, data(t), t.elements, t.dtype.code, params)
    bump_version(t)
    return True


def bernoulli_of(Tensor p not None, Generator generator):
    """Zeros and ones with the elements of a plain tensor without gradient as probabilities; None for another one."""
    cdef Tensor out
    if generator is None:
        generator = _default
    if (generator.counted or not p.elements or not is_plain(p) or p.dtype.code < FLOAT16
            or grad_enabled() and requires_grad(p) or in_vmap()):
        return None
    out = empty_as(p, p.dtype)
    generator.draw("bernoulli_tensor", data(out), out.elements, out.dtype.code, (<size_t>data(p), p.dtype.code))
    return out


for _function in (rand, randn):
    op(_function, method=False)
