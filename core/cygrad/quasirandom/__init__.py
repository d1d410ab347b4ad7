"""Points that fill a cube more evenly than random ones: Sobol sequences."""
from cygrad.quasirandom.sobol import SobolEngine

__all__ = ["SobolEngine"]
