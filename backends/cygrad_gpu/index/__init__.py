"""Kernels of gather, scatter and nonzero."""
