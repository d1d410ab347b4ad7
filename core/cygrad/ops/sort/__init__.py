"""Ops that need an order: sorting, searching, distinct values, medians and quantiles."""
