"""Dropout of elements and of channels, drawn from the default generator as PyTorch draws it.

The ops `dropout`, `feature_dropout`, `alpha_dropout` and `feature_alpha_dropout` come first, then the functions of
`nn.functional`, which choose between them and their in-place forms.
"""
import math
import warnings

from cygrad.autograd.forward_levels import UnbatchedDraw
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import in_steps
from cygrad.ops.create.filled import empty_like
from cygrad.ops.declare.op_forms import functions, inplace_form, named, op
from cygrad.ops.declare.operand_types import BOOL, need_tensors
from cygrad.ops.random.fills import draws

# -scale * alpha of SELU: what an element far below 0 becomes there.
SATURATED = 1.7580993408473766


def dropped(name, input, p, train, features=False, saturates=False):
    """The formula of all four ops: `features` draws one number a channel, `saturates` keeps mean and variance."""
    need_tensors(name, input=input)
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or input.numel() == 0:
        return input
    if p == 1:
        return input * input.detach().new_zeros(())
    if features and input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if not (input.is_floating_point() or input.is_complex()):
        name = "Long" if saturates and input.dtype is BOOL else SCALAR_NAMES[input.dtype.code]
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")
    like = input.detach()
    noise = like.new_empty((*like.shape[:2], *[1] * (like.dim() - 2))) if features else empty_like(like)
    try:
        noise.bernoulli_(1 - p)
    except UnbatchedDraw:
        return draws().for_all(functions[name], (input,), p, train, together=False)
    if not saturates:
        return input * noise.div_(1 - p)
    scale = 1 / math.sqrt((SATURATED * SATURATED * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(SATURATED * scale).add_(SATURATED * scale * p)
    return in_steps(input * noise.mul_(scale) + shift)      # the sum is one in place


@op(method=False, name="dropout")
def drop_elements(input, p, train):
    """Elements set to 0 with probability `p`, the others divided by 1 - p.

    Parameters
    ----------
    input : Tensor
    p : float
    train : bool
        Where False, the input comes back as it is.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.dropout(cygrad.ones(4), 0.5, True)
    tensor([0., 0., 2., 0.])
    """
    return dropped("dropout", input, p, train)


@op(method=False, name="feature_dropout")
def drop_channels(input, p, train):
    """`dropout` of whole channels.

    Parameters
    ----------
    input : Tensor
        (N, C, ...); what has one index on the first two axes is dropped together.
    p : float
    train : bool
        Where False, the input comes back as it is.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.feature_dropout(cygrad.ones(1, 3, 2), 0.5, True)
    tensor([[[0., 0.],
             [0., 0.],
             [2., 2.]]])
    """
    return dropped("feature_dropout", input, p, train, features=True)


@op(method=False, name="alpha_dropout")
def saturate_elements(input, p, train):
    """Elements set to what SELU gives far below 0, with probability `p`; mean 0 and variance 1 stay so.

    Parameters
    ----------
    input : Tensor
    p : float
    train : bool
        Where False, the input comes back as it is.

    Returns
    -------
    Tensor
        Of input's shape.

    Notes
    -----
    Klambauer et al., "Self-Normalizing Neural Networks" (2017).

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.alpha_dropout(cygrad.zeros(4), 0.5, True)
    tensor([-0.7792, -0.7792,  0.7792, -0.7792])
    """
    return dropped("alpha_dropout", input, p, train, saturates=True)


@op(method=False, name="feature_alpha_dropout")
def saturate_channels(input, p, train):
    """`alpha_dropout` of whole channels.

    Parameters
    ----------
    input : Tensor
        (N, C, ...); what has one index on the first two axes is dropped together.
    p : float
    train : bool
        Where False, the input comes back as it is.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.feature_alpha_dropout(cygrad.zeros(1, 3, 2), 0.5, True)
    tensor([[[-0.7792, -0.7792],
             [-0.7792, -0.7792],
             [ 0.7792,  0.7792]]])
    """
    return dropped("feature_alpha_dropout", input, p, train, features=True, saturates=True)


def _in_place(name):
    """The op in place; a tensor that it leaves as it is keeps its version, and the second step of others counts."""
    written = inplace_form(name, functions[name])

    def inplace(input, p, train):
        need_tensors(name, input=input)
        if 0 <= p <= 1 and (p == 0 or not train or input.numel() == 0):
            return input
        if input.is_complex() and 0 <= p < 1:            # refused before a leaf that requires a gradient is
            empty_like(input.detach()).bernoulli_(1 - p)
        found = written(input, p, train)
        return in_steps(found) if "alpha" in name and p < 1 else found
    inplace.__doc__ = written.__doc__
    return named(inplace, name + "_")


for _name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
    functions[_name + "_"] = _in_place(_name)


# ------------------------------------------------------------------------------- nn.functional

def applied(name, input, p, training, inplace):
    """The op of this name, or its in-place form."""
    return functions[name + "_" if inplace else name](input, p, training)


def need_chance(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    """Elements set to 0 with probability `p`, the others divided by 1 - p.

    Parameters
    ----------
    input : Tensor
    p : float
    training : bool
        Where False, the input comes back as it is.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.dropout(cygrad.ones(3), training=False)
    tensor([1., 1., 1.])
    """
    need_chance(p)
    return applied("dropout", input, p, training, inplace)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Rows set to 0 with probability `p`, the others divided by 1 - p.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    p : float
    training : bool
        Where False, the input comes back as it is.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.dropout1d(cygrad.ones(2, 3), 1.0)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    need_chance(p)
    axes = input.dim()
    if axes not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {axes}D input. Note that dropout1d "
                           "exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel "
                           "dimension, and an optional batch dimension (i.e. 2D or 3D inputs).")
    return batched(input, p, training, inplace, axes == 3)


def batched(input, p, training, inplace, has_batch):
    """`feature_dropout` of a batch, or of what would be the only one of it."""
    if has_batch:
        return applied("feature_dropout", input, p, training, inplace)
    if inplace:
        return inplace_form("feature_dropout", lambda x: batched(x, p, training, False, False))(input)
    return functions["feature_dropout"](input.unsqueeze(0), p, training).squeeze(0)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Images set to 0 with probability `p`, the others divided by 1 - p.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W). Of three axes it is taken for (N, C, L).
    p : float
    training : bool
        Where False, the input comes back as it is.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.functional.dropout2d(cygrad.ones(1, 3, 1, 2)).squeeze()
    tensor([[0., 0.],
            [0., 0.],
            [2., 2.]])
    """
    need_chance(p)
    if input.dim() not in (3, 4):
        other_axes("dropout2d", input.dim(), 2, "3D or 4D")
    if input.dim() == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
                      "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior "
                      "will change in a future release to interpret the input as one without a batch dimension, i.e. "
                      "shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using "
                      "dropout1d instead.", stacklevel=2)
    return batched(input, p, training, inplace, True)


def other_axes(name, axes, spatial, wanted):
    warnings.warn(f"{name}: Received a {axes}-D input to {name}, which is deprecated and will result in an error in a "
                  "future release. To retain the behavior and silence this warning, please use dropout instead. Note "
                  f"that {name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a "
                  f"channel dimension, and an optional batch dimension (i.e. {wanted} inputs).", stacklevel=3)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Volumes set to 0 with probability `p`, the others divided by 1 - p.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    p : float
    training : bool
        Where False, the input comes back as it is.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.functional.dropout3d(cygrad.ones(1, 3, 1, 1, 2)).squeeze()
    tensor([[0., 0.],
            [0., 0.],
            [2., 2.]])
    """
    need_chance(p)
    if input.dim() not in (4, 5):
        other_axes("dropout3d", input.dim(), 3, "4D or 5D")
    return batched(input, p, training, inplace, input.dim() == 5)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Elements set to what SELU gives far below 0, with probability `p`; mean 0 and variance 1 stay so.

    Parameters
    ----------
    input : Tensor
    p : float
    training : bool
        Where False, the input comes back as it is.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Notes
    -----
    Klambauer et al., "Self-Normalizing Neural Networks" (2017).

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.functional.alpha_dropout(cygrad.zeros(4), 0.5, True)
    tensor([-0.7792, -0.7792,  0.7792, -0.7792])
    """
    need_chance(p)
    return applied("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """`alpha_dropout` of whole channels.

    Parameters
    ----------
    input : Tensor
        (N, C, ...); what has one index on the first two axes is dropped together.
    p : float
    training : bool
        Where False, the input comes back as it is.
    inplace : bool
        Write into the input.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> _ = cygrad.manual_seed(0)
    >>> cygrad.nn.functional.feature_alpha_dropout(cygrad.zeros(1, 3, 2), 0.5, True)
    tensor([[[-0.7792, -0.7792],
             [-0.7792, -0.7792],
             [ 0.7792,  0.7792]]])
    """
    need_chance(p)
    return applied("feature_alpha_dropout", input, p, training, inplace)
