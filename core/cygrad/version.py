"""`torch.version`: whose API this is, which cygrad, and that no toolkit of a maker of devices was built into it."""
__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

cygrad = "0.1.0"                            # the distribution's version; pyproject.toml reads it here
__version__ = "2.13.0+cygrad." + cygrad     # PyTorch's, to which programs compare
debug = False
git_version = "Unknown"
cuda = hip = rocm = xpu = None      # backends load their drivers when they are used
