"""Kernels of reductions, places of extremes and scans."""
