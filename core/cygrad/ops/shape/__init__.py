"""Ops that change what a tensor's axes are, by views where there is one; ops that join and split."""
