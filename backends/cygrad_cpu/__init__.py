"""cygrad's CPU backend: Cython loops chosen for the machine's instruction set, BLAS and LAPACK from OpenBLAS."""
from .backend import CPUBackend

__all__ = ["CPUBackend"]
