"""Drivers of reductions and scans: which axes are folded, and how threads share them."""
