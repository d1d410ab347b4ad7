"""Ops that compute each element from the elements at its place."""
