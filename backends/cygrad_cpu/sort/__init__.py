"""Drivers of sorting."""
