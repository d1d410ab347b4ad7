"""Initial values of parameters: each function fills a tensor in place, unseen by autograd, and returns it.

From one seed come PyTorch's numbers, bit for bit, because each function draws as PyTorch's does, in that order
(`orthogonal_` up to the rounding of the QR decomposition). The formulas are those of the papers named.
"""
import functools
import math
import warnings

import cygrad

__all__ = ["calculate_gain", "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_", "eye_", "dirac_",
           "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_",
           "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal", "kaiming_uniform",
           "kaiming_normal", "orthogonal", "sparse"]

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


def calculate_gain(nonlinearity, param=None):
    """By how much weights are to be scaled for what comes after them.

    Parameters
    ----------
    nonlinearity : str
        Name of a function of `nn.functional`: one that is linear, "sigmoid", "tanh", "relu", "leaky_relu" or "selu".
    param : float, optional
        The negative slope of leaky_relu; 0.01 by default.

    Returns
    -------
    float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill with numbers uniform between a and b.

    Parameters
    ----------
    tensor : Tensor
    a, b : float
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.uniform_(cygrad.empty(3), -1., 1.)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    with cygrad.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill with normal numbers.

    Parameters
    ----------
    tensor : Tensor
    mean, std : float
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.normal_(cygrad.empty(3), std=0.5)
    tensor([ 0.7705, -0.1467, -1.0894])
    """
    with cygrad.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill with normal numbers between a and b.

    Parameters
    ----------
    tensor : Tensor
    mean, std : float
        Of the normal distribution before it is cut off.
    a, b : float
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.trunc_normal_(cygrad.empty(3))
    tensor([ 1.5410, -0.2934, -1.3986])
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
                      "incorrect.", stacklevel=2)
    inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    with cygrad.no_grad():
        if inside > 0.3:
            return _draw_again_outside(tensor, mean, std, a, b, generator)
        return _reject_from_uniform(tensor, mean, std, a, b, generator)


def _normal_cdf(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _draw_again_outside(tensor, mean, std, a, b, generator):
    """Normal numbers, drawn again where they are not between a and b; for an interval that most are in."""
    low, high = (tensor.new_tensor(limit, device="cpu").item() for limit in (a, b))     # as the dtype has them
    tensor.normal_(mean, std, generator=generator)
    found = tensor
    while (outside := (found < low) | (found > high)).any():
        found = cygrad.where(outside, cygrad.empty_like(found).normal_(mean, std, generator=generator), found)
    return tensor if found is tensor else tensor.copy_(found)


def _reject_from_uniform(tensor, mean, std, a, b, generator):
    """Uniform numbers, each taken with the probability of its density beside the highest one between a and b."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def rejected(values):
        """Where a draw says no; `values` become the logarithms of their probabilities."""
        values.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return cygrad.empty_like(tensor).uniform_(generator=generator).log_().gt(values)

    tensor.uniform_(a, b, generator=generator)
    values = cygrad.empty_like(tensor)
    pending = rejected(values.copy_(tensor))
    found = tensor
    while pending.any():
        values.uniform_(a, b, generator=generator)
        found = cygrad.where(pending, values, found)
        pending = cygrad.where(pending, rejected(values), pending)
    return tensor if found is tensor else tensor.copy_(found)


def constant_(tensor, val):
    """Fill with one number.

    Parameters
    ----------
    tensor : Tensor
    val : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.init.constant_(cygrad.empty(2), 0.3)
    tensor([0.3000, 0.3000])
    """
    with cygrad.no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Fill with 1.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.init.ones_(cygrad.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Fill with 0.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.init.zeros_(cygrad.empty(2))
    tensor([0., 0.])
    """
    with cygrad.no_grad():
        return tensor.zero_()


def eye_(tensor):
    """Fill a matrix with the identity: inputs go through as they are, as many as there are outputs for.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.init.eye_(cygrad.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with cygrad.no_grad():
        return tensor.copy_(cygrad.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor, groups=1):
    """Fill the weight of a convolution so that channels go through as they are, as many as there are outputs for.

    Parameters
    ----------
    tensor : Tensor
        (outputs, inputs, ...) with one to three axes of space.
    groups : int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.init.dirac_(cygrad.empty(2, 2, 3))[0]
    tensor([[0., 1., 0.],
            [0., 0., 0.]])
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *space = tensor.size()
    if outputs % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    middle = [length // 2 for length in space]
    with cygrad.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs // groups, inputs)):
                tensor[(group * (outputs // groups) + channel, channel, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    """How many numbers each output is computed from, and how many each input goes into."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *space = tensor.size()
    return inputs * math.prod(space), outputs * math.prod(space)


def _calculate_correct_fan(tensor, mode):
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def _xavier_std(tensor, gain):
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill with uniform numbers of the spread that Glorot and Bengio (2010) want.

    Parameters
    ----------
    tensor : Tensor
        (outputs, inputs, ...).
    gain : float
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.xavier_uniform_(cygrad.empty(2, 2))
    tensor([[-0.0092,  0.6570],
            [-1.0080, -0.9013]])
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill with normal numbers of the spread that Glorot and Bengio (2010) want; parameters as in `xavier_uniform_`.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.xavier_normal_(cygrad.empty(2, 2))
    tensor([[ 1.0896, -0.2075],
            [-1.5406,  0.4019]])
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


def _is_empty(tensor):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill with uniform numbers of the spread that He et al. (2015) want.

    Parameters
    ----------
    tensor : Tensor
        (outputs, inputs, ...).
    a : float
        Negative slope of the rectifier that comes next (for "leaky_relu").
    mode : str
        "fan_in" keeps variances on the way forward, "fan_out" on the way back.
    nonlinearity : str
        As in `calculate_gain`.
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.kaiming_uniform_(cygrad.empty(2, 2), nonlinearity="relu")
    tensor([[-0.0130,  0.9291],
            [-1.4256, -1.2747]])
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill with normal numbers of the spread that He et al. (2015) want; parameters as in `kaiming_uniform_`.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.init.kaiming_normal_(cygrad.empty(2, 2), mode="fan_out")
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])
    """
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """Fill with a random matrix whose rows (or columns, if these are fewer) are orthonormal (Saxe et al., 2013).

    Parameters
    ----------
    tensor : Tensor
        The first axis has the rows, all others the columns.
    gain : float
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> w = cygrad.nn.init.orthogonal_(cygrad.empty(2, 2))
    >>> (w @ w.T).round()
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with cygrad.no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q, r = cygrad.linalg.qr(drawn.t() if rows < columns else drawn)
        q = q * r.diag().sign()         # so that q is distributed evenly
        return tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape)).mul_(gain)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fill a matrix with normal numbers and as many zeros in each column (Martens, 2010).

    Parameters
    ----------
    tensor : Tensor
        A matrix.
    sparsity : float
        Which part of each column is 0.
    std : float
    generator : Generator, optional
        Of the numbers; places are drawn from the default one.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.manual_seed(0)
    >>> (cygrad.nn.init.sparse_(cygrad.empty(4, 2), sparsity=0.5) == 0).sum(0)
    tensor([2, 2])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with cygrad.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[cygrad.randperm(rows)[:zeros], column] = 0
    return tensor


def _deprecated(function):
    """A function under its old name, which had no underscore."""
    old = function.__name__[:-1]

    @functools.wraps(function)
    def deprecated(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{function.__name__}`.", FutureWarning,
                      stacklevel=2)
        return function(*args, **kwargs)
    deprecated.__name__, deprecated.__doc__ = old, f"Deprecated: use `{function.__name__}`."
    return deprecated


uniform, normal, constant, eye, dirac = map(_deprecated, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(
    _deprecated, (xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_))
orthogonal, sparse = map(_deprecated, (orthogonal_, sparse_))
