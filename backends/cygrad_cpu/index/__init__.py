"""Drivers of gather, scatter and nonzero."""
