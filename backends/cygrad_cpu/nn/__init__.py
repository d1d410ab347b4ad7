"""Drivers of the entries for neural networks: convolutions, attention, softmax, layer normalisation."""
