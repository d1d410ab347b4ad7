"""`cygrad.random`: seeds and states of the default generator."""
import contextlib

from cygrad.ops.random.rand import default_generator
from cygrad.ops.random.seeding import get_rng_state, initial_seed, manual_seed, seed, set_rng_state


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """Run a block and put the default generator back into the state it had before.

    Parameters
    ----------
    devices, device_type : optional
        Accepted; only the default generator is looked after.
    enabled : bool
        Where False, nothing is done.

    Yields
    ------
    None
        Inside the block the stream goes on from the same state.

    Examples
    --------
    >>> import cygrad
    >>> before = cygrad.get_rng_state()
    >>> with cygrad.random.fork_rng():
    ...     _ = cygrad.rand(3)
    >>> bool((cygrad.get_rng_state() == before).all())
    True
    """
    if not enabled:
        yield
        return
    state = default_generator.state_bytes()
    try:
        yield
    finally:
        default_generator.set_state_bytes(state)


def thread_safe_generator():
    """The generator of the worker thread of a `DataLoader` that this runs in, or None outside such threads.

    Returns
    -------
    Generator or None
        For the argument `generator` of functions that draw numbers; None stands for the default one.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.random.thread_safe_generator() is None
    True
    """
    from cygrad.utils.data import get_worker_info       # start-up time
    info = get_worker_info()
    if info is None or getattr(info, "worker_method", None) != "thread" or info.rng is None:
        return None
    return info.rng.torch_generator
