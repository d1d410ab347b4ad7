"""Drivers of pointwise work: single ops, and programs of several in one pass."""
