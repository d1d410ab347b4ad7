"""Formulas of elementary functions as C text: for loops that a compiler vectorises, for kernels of devices.

Nothing here is computed by the core. A text needs a dialect, which exponential.h describes, and says which texts come
before it; it is found by include path, or by `text` where a program is put together when it runs.
"""
from pathlib import Path


def text(name):
    """The text of `name`.h."""
    return Path(__file__).with_name(f"{name}.h").read_text(encoding="utf-8")
