"""Ops of neural networks: `cygrad.nn.functional` lists them."""
