"""Fourier transforms on the CPU."""
