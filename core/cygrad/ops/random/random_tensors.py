"""New random tensors: integers, permutations, and those that are like a given one."""
from cygrad.autograd.forward_levels import UnbatchedDraw, batch_depth, requiring_gradient
from cygrad.dispatch.overlap import refuse_shared
from cygrad.ops.declare.out_arguments import write_out
from cygrad.ops.create.filled import dtype_for, empty_, empty_like
from cygrad.ops.create.placing import finish
from cygrad.ops.declare.operand_types import BOOL, refused
from cygrad.ops.declare.primitives import own
from cygrad.ops.declare.op_forms import op
from cygrad.ops.random.rand import drawn
from cygrad.ops.random.fills import _int64, _need_float, draw, draws
from cygrad.tensor import Tensor


def new_random(size, out, dtype, device, requires_grad, names, pin_memory, fill):
    """A new tensor, or `out`, after `fill`; inside `vmap` one for each example, if they are to differ."""
    if batch_depth() and out is None:
        from cygrad.batching.draws import for_each_example      # start-up time
        made = for_each_example(size, lambda whole: new_random(whole, out, dtype, device, requires_grad, names,
                                                               pin_memory, fill))
        if made is not None:
            return made
    if out is not None:
        dtype_for(dtype, out)
        shape = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
        if tuple(out.shape) == tuple(shape) and not out.requires_grad:     # what is drawn depends on the layout
            fill(out.data)
            out._bump_version()
        else:
            made = empty_(*size, dtype=out.dtype, device=out.device)
            fill(made)
            out = write_out("rand", made, out)
        return finish(out, requires_grad)
    made = empty_(*size, dtype=dtype, device=device, pin_memory=pin_memory)
    fill(made)
    own(made, ())
    if names is not None:
        made.names = names
    if requires_grad:
        made = finish(made, True)
    return made


def made_standard(normal, size, generator, out, dtype, device, requires_grad, pin_memory, names):
    """`rand`, or `randn` where `normal`, of any arguments."""
    def fill(t):
        if normal:
            t.normal_(0, 1, generator=generator)
        else:
            _need_float(t, "check_uniform_bounds")
            refuse_shared(t, None)
            draw(t, "uniform", 0, 1, generator=generator)
    if normal and out is not None and out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    before = None if out is None or not normal else out.shape
    made = new_random(size, out, dtype, device, requires_grad, names, pin_memory, fill)
    if before is not None and made.shape != before:         # PyTorch counts that it resizes `out`
        made._bump_version()
    return made


def _made_integers(size, sampler, params, fill, generator, out, dtype, device, requires_grad, names, pin_memory):
    """A tensor of int64, unless `dtype` or `out` is given, from a sampler; `fill` draws where a plain draw won't do."""
    if out is None:
        dtype = dtype or _int64
    if generator is out is names is device is None and not (requires_grad or pin_memory or batch_depth()):
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


def permute_rows(t, generator):
    """Fill every row, of which there are several inside `vmap`, with a permutation."""
    for row in [t] if t.dim() == 1 else t.flatten(0, -2).unbind(0):
        draw(row, "permutation", generator=generator)


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
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randperm(4)
    tensor([0, 1, 3, 2])
    """
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]" if out is None else
                           f"n must be non-negative, got{n}")
    if (dtype if out is None else out.dtype) is BOOL:
        raise refused("randperm", BOOL)
    return _made_integers((n,), "permutation", (), lambda t: permute_rows(t, generator),
                          generator, out, dtype, device, requires_grad, names, pin_memory)


@op(method=False)
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
              memory_format=None, pin_memory=False):
    """Numbers uniform in [0, 1), of input's shape, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.rand_like(cygrad.zeros(2))
    tensor([0.4963, 0.7682])
    """
    try:
        made = empty_like(input, dtype=dtype, device=device, memory_format=memory_format, pin_memory=pin_memory)
        return requiring_gradient(own(made.uniform_(generator=generator), ()), requires_grad)
    except UnbatchedDraw:
        return draws().for_all(rand_like, (input,), generator=generator, dtype=dtype, device=device)


@op(method=False)
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
               memory_format=None, pin_memory=False):
    """Normal numbers of mean 0 and variance 1, of input's shape, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randn_like(cygrad.zeros(2))
    tensor([ 1.5410, -0.2934])
    """
    try:
        made = empty_like(input, dtype=dtype, device=device, memory_format=memory_format, pin_memory=pin_memory)
        return requiring_gradient(own(made.normal_(generator=generator), ()), requires_grad)
    except UnbatchedDraw:
        return draws().for_all(randn_like, (input,), generator=generator, dtype=dtype, device=device)


def _single_bound(high):
    """The upper bound given as a tensor, as an int: of any dtype, its fraction dropped."""
    if high.dim() or not high.is_cpu:
        raise RuntimeError("high must be a scalar tensor and on CPU")
    try:
        return int(high.item())
    except (TypeError, ValueError, OverflowError):
        raise RuntimeError("value cannot be converted to type int64_t without overflow") from None


@op(method=False)
def randint_like(input, low, high=None, *, generator=None, dtype=None, layout=None, device=None,
                 requires_grad=False, memory_format=None, pin_memory=False):
    """Integers uniform in [low, high) (or [0, low) when high is omitted), of input's shape and dtype.

    Parameters
    ----------
    low, high : int
        The bounds; the upper one is not included. A single one is the upper, and may be a tensor without axes.

    Returns
    -------
    Tensor
        Of input's shape.

    Raises
    ------
    RuntimeError
        For a single bound that is a tensor with axes, or off the CPU.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.randint_like(cygrad.zeros(2), 10)
    tensor([4., 9.])
    """
    if high is None:
        low, high = 0, _single_bound(low) if isinstance(low, Tensor) else low
    try:
        made = empty_like(input, dtype=dtype, device=device, memory_format=memory_format, pin_memory=pin_memory)
        made.random_(low, high, generator=generator)
    except UnbatchedDraw:
        return draws().for_all(randint_like, (input,), low, high, generator=generator, dtype=dtype, device=device)
    return requiring_gradient(own(made, ()), requires_grad)
