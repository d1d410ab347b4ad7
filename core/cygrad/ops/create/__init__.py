"""Ops that make tensors: from data, from arrays, filled, ranges; copies and conversions."""
