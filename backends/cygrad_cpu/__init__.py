"""cygrad's CPU backend: Cython loops chosen for the machine's instruction set, BLAS and LAPACK from OpenBLAS."""
from . import _compiled     # first: it is the library that the others are in
from .backend import CPUBackend

__all__ = ["CPUBackend"]
