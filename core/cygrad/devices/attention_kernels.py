"""`cygrad.backends.cuda`'s switches of PyTorch's kernels for attention: they can be set and read, and change nothing.

There is one way to compute attention here; programs choose among PyTorch's, or ask which they may take.
"""
from contextlib import contextmanager

from cygrad.errors import warn

KINDS = ("flash", "mem_efficient", "math", "cudnn")
_enabled = dict.fromkeys(KINDS, True)


def is_enabled(kind):
    """Whether the kernel may be used."""
    return _enabled[kind]


def enable(kind, enabled):
    """Say whether the kernel may be used."""
    _enabled[kind] = bool(enabled)


@contextmanager
def only(**values):
    """`enable` for a `with` block."""
    before = dict(_enabled)
    _enabled.update((kind, bool(enabled)) for kind, enabled in values.items())
    try:
        yield
    finally:
        _enabled.update(before)


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """PyTorch's older name of `cygrad.nn.attention.sdpa_kernel`: switches for a `with` block."""
    warn("`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. "
         "Please see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
         FutureWarning)
    return only(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)


def names():
    """{PyTorch's name: function} of all of them."""
    found = {"sdp_kernel": sdp_kernel}
    for kind in KINDS:
        found[f"{kind}_sdp_enabled"] = lambda kind=kind: is_enabled(kind)
        found[f"enable_{kind}_sdp"] = lambda enabled, kind=kind: enable(kind, enabled)
    return found
