"""Ops that combine the elements along axes: sums, extremes, norms, variances, running sums."""
