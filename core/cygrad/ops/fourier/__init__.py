"""Discrete Fourier transforms: of whole axes, and of windows that move along a signal."""
