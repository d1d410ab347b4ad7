"""`save` and `load`, as `torch.serialization` has them: `archive` writes and reads files.

`unpickling` and `instances` read the pickles in them, `known_names` has what these may refer to.
"""
from collections.abc import Callable as _Callable

from cygrad.devices.device import device as _device
from cygrad.serialization.archive import UnpicklingError, load, save
from cygrad.serialization.instances import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from cygrad.serialization.options import (LoadEndianness, get_crc32_options, get_default_load_endianness,
                                          get_default_mmap_options, set_crc32_options, set_default_load_endianness,
                                          set_default_mmap_options, skip_data)

DEFAULT_PROTOCOL = 2
MAP_LOCATION = _Callable | _device | str | dict[str, str] | None        # what annotations say of `load`'s argument
