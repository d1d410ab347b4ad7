"""Drivers of matrix products: which way a product takes, and blocks for threads."""
