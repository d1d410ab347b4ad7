"""`torch.version`: which cygrad this is, and that no toolkit of a maker of devices was built into it."""
from cygrad import __version__

__all__ = ["__version__", "cuda", "debug", "hip", "xpu"]

debug = False
cuda = hip = xpu = None             # backends load their drivers when they are used
