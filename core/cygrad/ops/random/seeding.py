"""Seeds and states of random numbers: of the default generator of the CPU, and of a given one."""
from cygrad.dtype import all_dtypes
from cygrad.ops.create.from_data import tensor
from cygrad.ops.declare.op_forms import op
from cygrad.ops.random.rand import default_generator
from cygrad.random.generator import Generator
from cygrad.tensor import Tensor, attach_methods


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
