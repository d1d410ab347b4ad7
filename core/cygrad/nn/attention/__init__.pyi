# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool
from collections.abc import Sequence
from contextlib import _GeneratorContextManager
from enum import Enum
class SDPBackend(Enum):
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
WARN_FOR_UNFUSED_KERNELS: _bool
def sdpa_kernel(backends: SDPBackend | Sequence[SDPBackend], set_priority: bool =
        False) -> _GeneratorContextManager[None]: ...
