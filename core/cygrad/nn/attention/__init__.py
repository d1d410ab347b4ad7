"""`cygrad.nn.attention`: PyTorch's way to choose how `scaled_dot_product_attention` computes. There is one way here.

`bias` and `flex_attention` are modules of their own, to be imported by their names.
"""
import contextlib
import enum

import cygrad

__all__ = ["SDPBackend", "WARN_FOR_UNFUSED_KERNELS", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """PyTorch's ways to compute attention, by name and number; no number is equal to one."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self):
        return self.value

    __index__ = __int__


_SWITCHES = {"flash": SDPBackend.FLASH_ATTENTION, "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
             "math": SDPBackend.MATH, "cudnn": SDPBackend.CUDNN_ATTENTION}


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Allow some ways to compute attention inside a `with` block; `cygrad.backends.cuda` tells which, and that is all.

    Parameters
    ----------
    backends : SDPBackend or list of SDPBackend
        The ways that are allowed.
    set_priority : bool
        Whether their order counts.

    Raises
    ------
    AssertionError
        For anything else.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.attention import SDPBackend, sdpa_kernel
    >>> q = cygrad.ones(1, 2, 4)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     cygrad.nn.functional.scaled_dot_product_attention(q, q, q).shape
    cygrad.Size([1, 2, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    allowed = [backends] if isinstance(backends, SDPBackend) else backends
    switches = cygrad.backends.cuda
    before = {name: getattr(switches, f"{name}_sdp_enabled")() for name in _SWITCHES}
    try:
        for name, backend in _SWITCHES.items():
            getattr(switches, f"enable_{name}_sdp")(backend in allowed)
        yield
    finally:
        for name, enabled in before.items():
            getattr(switches, f"enable_{name}_sdp")(enabled)
