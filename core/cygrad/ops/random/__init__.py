"""Ops that draw random tensors; the streams themselves are in `cygrad.random`."""
