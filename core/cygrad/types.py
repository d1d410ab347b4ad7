"""`torch.types`: what annotations of programs say."""
import builtins
import os

from cygrad import Storage, device

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = builtins.int | builtins.float | builtins.bool
Device = device | str | builtins.int | None
FileLike = str | os.PathLike | builtins.object
