"""The table that operators.pxd describes."""
