"""Ops on matrices: products, solvers, factorisations, functions of matrices."""
