"""Inline formulas and vector helpers that kernels are written with."""
