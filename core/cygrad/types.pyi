# Written by docs/make_stubs.py; edit that, not this.
from cygrad import FloatStorage, device as _device
from os import PathLike
from typing import TypeAlias
Number: TypeAlias = int | float | bool
Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = str | PathLike[str] | object
Storage = FloatStorage
