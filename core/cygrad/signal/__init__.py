"""`cygrad.signal`: what signal processing needs; so far the window functions, `cygrad.signal.windows`."""
from cygrad.signal import windows

__all__ = ["windows"]
