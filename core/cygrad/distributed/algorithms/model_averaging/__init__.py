"""Weights averaged over the ranks every few steps."""
