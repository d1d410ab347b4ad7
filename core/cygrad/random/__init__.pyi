# Written by docs/make_stubs.py from the package itself; edit that, not this.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
default_generator: Generator
def fork_rng(devices: Any = None, enabled: Any = True, device_type: Any = 'cuda') -> Any:
    """Run a block and put the default generator back into the state it had before."""
def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor in PyTorch's layout."""
def initial_seed() -> _int:
    """The seed the default generator was last given."""
def manual_seed(seed: _int) -> Generator:
    """Seed the default generator; returns it."""
def seed() -> _int:
    """Seed the default generator from the system's randomness; returns the seed."""
def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator into a state that `get_rng_state` gave."""
def thread_safe_generator() -> Tensor:
    """The generator of the worker thread of a `DataLoader` that this runs in, or None outside such threads."""
